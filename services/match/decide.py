"""From a command to events, or to a refusal. Pure: the same answer every time."""

import hashlib
from collections.abc import Collection, Mapping

from rules_core import Game, Position, find_game, parse, restore
from rules_core.levels import latest_ladder, levels_of
from services.languages import Message, Seat
from services.match import events as facts
from services.match import offers
from services.match.clock import TIME, check_control
from services.match.commands import (
    Abandon,
    Abort,
    Answer,
    CallTime,
    Command,
    GuessFist,
    OfferDraw,
    OpenMatch,
    Player,
    PlayMove,
    RenewSeatToken,
    RequestTakeback,
    Resign,
    TakeHint,
    TakeSeat,
)
from services.match.events import MatchEvent
from services.match.match import FIST, Match
from services.match.refusals import (
    AlreadyBegun,
    HintKnown,
    HintsForbidden,
    InvalidStarter,
    MatchNotStarted,
    MatchOver,
    NoFist,
    NoSuchLevel,
    NoSuchSeat,
    NotDue,
    NotYourTurn,
    SeatEmpty,
    SeatTaken,
    TimeIsUp,
)

WITHOUT_SEAT = TakeSeat | Abort | Abandon | CallTime
"""Commands that no seat need have given."""

RANDOM = "random"
FISTS = ("left", "right")


def decide(match: Match, command: Command, at_ms: int = 0) -> list[MatchEvent]:
    """Return the events a command causes at a time, or raise why it may not.

    Without *at_ms*, the time is that of the last event: no clock has run on.

    :raises Refused: the match as it is does not allow it.
    :raises RulesError: the rules do not allow it.
    """
    if isinstance(command, OpenMatch):
        return _open(command)
    _check_not_over(match)
    if match.clock is not None and not isinstance(command, CallTime):
        _check_time(match, at_ms)
    if not isinstance(command, WITHOUT_SEAT):
        _check_seat(command.seat, match.seats)
    match command:
        case PlayMove():
            return _play(match, command)
        case TakeHint(seat=seat):
            return _take_hint(match, seat)
        case TakeSeat():
            return _take_seat(match, command)
        case RenewSeatToken(seat=seat):
            return _renew_token(match, seat)
        case GuessFist():
            return _guess(match, command)
        case Abort(seat=seat):
            return _abort(match, seat)
        case CallTime():
            return _call_time(match, at_ms)
        case Abandon(reason=reason):
            return _abandon(match, reason)
    position = _check_begun(match)
    match command:
        case Resign(seat=seat):
            return _resign(match, position, seat)
        case OfferDraw(seat=seat):
            return offers.offer_draw(match, position, seat)
        case RequestTakeback():
            return offers.request_takeback(match, command)
        case Answer():
            return offers.answer(match, position, command)


# -- opening and sitting down


def _open(command: OpenMatch) -> list[MatchEvent]:
    game = find_game(command.game, command.rules)
    options = game.complete_options(command.options)
    for seat in command.seats:
        _check_seat(seat, game.seats)
    starter, starter_by = _starter(game, command)
    base = _base(game, options, command)
    if base is not None and base.to_move is not None:
        starter, starter_by = base.to_move, ""
    taken: list[MatchEvent] = [
        _seat_taken(seat, command.seats[seat], game)
        for seat in game.seats
        if seat in command.seats
    ]
    kinds = [who.kind for who in command.seats.values()]
    if starter_by == FIST and kinds.count("ai") == len(game.seats):
        raise NoFist(Message("a fist needs a human who guesses; both seats are AIs"))
    opened = facts.MatchOpened(
        game=game.key,
        options=game.options_on_record(options),
        rules=game.rules,
        starter=starter,
        starter_by=starter_by,
        commitment=command.commitment if starter_by == FIST else "",
        tenant=command.tenant,
        position=base.snapshot if base else "",
        origin=command.origin,
        clock=None if command.clock is None else check_control(command.clock),
        rated=command.rated,
        rematch_of=command.rematch_of,
        hints=command.hints,
    )
    ended = _ended(base) if base and base.outcome else []
    return [opened, *taken, *ended]


def _base(
    game: Game, options: Mapping[str, object], command: OpenMatch
) -> Position | None:
    """Return the position a match begins from, unless it is the start of the game."""
    if command.snapshot is not None:
        return restore(game.key, options, command.snapshot, game.rules)
    if command.position is not None:
        return parse(game.key, command.position, options, game.rules)
    return None


def _starter(game: Game, command: OpenMatch) -> tuple[str, str]:
    """Return who begins, and how that was decided when not by the opener (G2)."""
    starter = command.starter or game.starters[0]
    if len(game.starters) > 1:
        if starter == RANDOM:
            return game.starters[command.drawn], RANDOM
        if starter == FIST:
            return "", FIST
    if starter not in game.starters:
        drawn = (RANDOM, FIST) if len(game.starters) > 1 else ()
        raise InvalidStarter(starter, (*game.starters, *drawn))
    return starter, ""


def _take_seat(match: Match, command: TakeSeat) -> list[MatchEvent]:
    free = match.free_seats
    if command.seat is not None:
        _check_seat(command.seat, match.seats)
    if not free or (command.seat and command.seat not in free):
        raise SeatTaken(command.seat, free)
    others = [who.kind for who in match.seats.values() if who]
    if match.guesser and [*others, command.who.kind] == ["ai", "ai"]:
        raise NoFist(
            Message("a fist needs a human who guesses; the other seat is an AI")
        )
    game = find_game(match.game, match.rules)
    return [_seat_taken(command.seat or free[0], command.who, game)]


def _seat_taken(seat: str, who: Player, game: Game) -> facts.SeatTaken:
    if who.kind != "ai":
        return facts.SeatTaken(seat=seat, kind=who.kind, player=who.player)
    ladder = check_level(who, game)
    return facts.SeatTaken(seat=seat, kind="ai", level=who.level, ladder=ladder)


def check_level(who: Player, game: Game) -> int:
    """Return the ladder of an AI: its own, or the latest of the game.

    :raises NoSuchLevel: there is no such level on it.
    :raises NoSuchLadder: the game has none of that number.
    """
    ladder = who.ladder or latest_ladder(game)
    levels = len(levels_of(game, ladder))
    if not 1 <= who.level <= levels:
        raise NoSuchLevel(who.level, levels)
    return ladder


def _renew_token(match: Match, seat: str) -> list[MatchEvent]:
    who = match.seats[seat]
    if who is None or who.kind != "human":
        raise SeatEmpty(seat)
    return [facts.SeatTokenRenewed(seat=seat, generation=who.generation + 1)]


def _guess(match: Match, command: GuessFist) -> list[MatchEvent]:
    """Open the fist: who guessed it begins, otherwise who hid the seed (G2)."""
    if match.free_seats:
        raise MatchNotStarted(match.free_seats)
    if match.guesser != command.seat:
        if match.guesser is None:
            raise NoFist(Message("there is no fist to guess in this match"))
        raise NoFist(
            Message(
                "{seat} has no fist to guess; {guesser} has",
                seat=Seat(command.seat),
                guesser=Seat(match.guesser),
            )
        )
    if fist_commitment(command.fist, command.secret) != match.commitment:
        raise NoFist(
            Message("the server no longer has the secret of this fist; open another")
        )
    is_right = command.guess == command.fist
    starter = command.seat if is_right else match.other(command.seat)
    return [
        facts.FistGuessed(
            seat=command.seat,
            guess=command.guess,
            fist=command.fist,
            secret=command.secret,
            starter=starter,
        )
    ]


def fist_commitment(fist: str, secret: str) -> str:
    """Return what is published before the guess, and checked after it (G2)."""
    return hashlib.sha256(f"{fist} {secret}".encode()).hexdigest()


# -- playing and ending


def _play(match: Match, command: PlayMove) -> list[MatchEvent]:
    position = _check_begun(match)
    if command.seat != position.to_move:
        raise NotYourTurn(command.seat, str(position.to_move))
    after = position.play(command.move)
    played: list[MatchEvent] = []
    if command.failed:
        played.append(facts.AiFailed(seat=command.seat, attempts=command.failed))
    played.append(
        facts.MovePlayed(
            seat=command.seat,
            move=command.move,
            digest=after.digest,
            given=after.given,
        )
    )
    played += [facts.TurnPassed(seat=seat) for seat in after.passes]
    return [*played, *_ended(after)]


def _take_hint(match: Match, seat: str) -> list[MatchEvent]:
    """Give a hint to the seat to move, once for each position: more tell no more."""
    position = _check_begun(match)
    if not match.hints:
        raise HintsForbidden
    if seat != position.to_move:
        raise NotYourTurn(seat, str(position.to_move))
    if match.hinted_at == match.position_version:
        raise HintKnown(match.version)
    return [facts.HintTaken(seat=seat)]


def _ended(position: Position) -> list[MatchEvent]:
    outcome = position.outcome
    if outcome is None:
        return []
    return [
        facts.MatchEnded(
            winner=outcome.winner, reason=outcome.reason, score=outcome.score
        )
    ]


def _resign(match: Match, position: Position, seat: str) -> list[MatchEvent]:
    winner = match.other(seat)
    ended = facts.MatchEnded(winner=winner, reason="resignation", score=position.score)
    return [facts.Resigned(seat=seat), ended]


def _abort(match: Match, seat: str) -> list[MatchEvent]:
    """Call off; a clock has begun for each seat by itself, with its first move."""
    clock = match.clock
    if clock is None:
        has_begun = bool(match.ply or match.taken_back)
    else:
        asking = {seat} if seat else {*match.seats}
        has_begun = asking <= {*clock.movers}
    if has_begun:
        raise AlreadyBegun(match.ply)
    return [facts.Aborted()]


def _call_time(match: Match, at_ms: int) -> list[MatchEvent]:
    """End a match at the very moment at which a time ran out, whoever noticed when."""
    due = match.due
    if due is None or due.at_ms != at_ms:
        raise NotDue(due.what, due.seat, due.at_ms) if due else NotDue()
    if due.what != TIME or match.position is None:
        return [facts.Aborted(reason=due.what)]
    winner, score = match.other(due.seat), match.position.score
    return [facts.MatchEnded(winner=winner, reason=TIME, score=score)]


def _abandon(match: Match, reason: str) -> list[MatchEvent]:
    """End without a winner what was begun, and call off what was not."""
    position = match.position
    if position is None or match.free_seats or not (match.ply or match.taken_back):
        return [facts.Aborted()]
    score = position.score
    return [facts.MatchEnded(winner=None, reason=reason, score=score)]


# -- guards


def _check_not_over(match: Match) -> None:
    if match.is_aborted:
        raise MatchOver("aborted")
    if match.outcome is not None:
        raise MatchOver(match.outcome.reason)


def _check_time(match: Match, at_ms: int) -> None:
    due = match.due
    if due is not None and at_ms >= due.at_ms:
        raise TimeIsUp(due.seat, due.what, due.at_ms)


def _check_begun(match: Match) -> Position:
    if free := match.free_seats:
        raise MatchNotStarted(free)
    return position_of(match)


def position_of(match: Match) -> Position:
    """Return the position of a match, which it may have before all seats are taken.

    :raises MatchNotStarted, NoFist: it is not known yet who begins (G2).
    :raises MatchOver: and nobody will.
    """
    if match.position is not None:
        return match.position
    _check_not_over(match)
    if free := match.free_seats:
        raise MatchNotStarted(free)
    guesser = Seat(match.guesser or "")
    raise NoFist(Message("{guesser} has to guess the fist first", guesser=guesser))


def _check_seat(seat: str, seats: Collection[str]) -> None:
    if seat not in seats:
        raise NoSuchSeat(seat, seats)
