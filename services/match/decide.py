"""From a command to events, or to a refusal. Pure: the same answer every time."""

from collections.abc import Collection

from rules_core import Game, find_game
from services.match import events as facts
from services.match.commands import (
    Command,
    OpenMatch,
    Player,
    PlayMove,
    RenewSeatToken,
    Resign,
    TakeSeat,
)
from services.match.events import MatchEvent
from services.match.match import Match
from services.match.refusals import (
    InvalidStarter,
    MatchNotStarted,
    MatchOver,
    NoSuchSeat,
    NotYourTurn,
    SeatEmpty,
    SeatTaken,
)

RANDOM = "random"


def decide(match: Match, command: Command) -> list[MatchEvent]:
    """Return the events a command causes, or raise why it may not.

    :raises Refused: the match as it is does not allow it.
    :raises RulesError: the rules do not allow it.
    """
    match command:
        case OpenMatch():
            return _open(command)
        case TakeSeat():
            return _take_seat(match, command)
        case RenewSeatToken(seat=seat):
            return _renew_token(match, seat)
        case PlayMove():
            return _play(match, command)
        case Resign(seat=seat):
            return _resign(match, seat)


def _open(command: OpenMatch) -> list[MatchEvent]:
    game = find_game(command.game)
    options = game.complete_options(command.options)
    for seat in command.seats:
        _check_seat(seat, game.seats)
    starter, draw = _starter(game, command)
    opened = facts.MatchOpened(
        game=game.key,
        options=options,
        rules=game.rules,
        starter=starter,
        draw=draw,
        tenant=command.tenant,
    )
    taken = [
        _seat_taken(seat, command.seats[seat])
        for seat in game.seats
        if seat in command.seats
    ]
    return [opened, *taken]


def _starter(game: Game, command: OpenMatch) -> tuple[str, str]:
    """Return who begins, and how that was decided when not by the opener (G2)."""
    starter = command.starter or game.starters[0]
    if starter == RANDOM and len(game.starters) > 1:
        return game.starters[command.drawn], RANDOM
    if starter not in game.starters:
        drawn = (RANDOM,) if len(game.starters) > 1 else ()
        raise InvalidStarter(starter, (*game.starters, *drawn))
    return starter, ""


def _take_seat(match: Match, command: TakeSeat) -> list[MatchEvent]:
    _check_running(match)
    free = match.free_seats
    if command.seat is not None:
        _check_seat(command.seat, match.seats)
    if not free or (command.seat and command.seat not in free):
        raise SeatTaken(command.seat, free)
    return [_seat_taken(command.seat or free[0], command.who)]


def _seat_taken(seat: str, who: Player) -> facts.SeatTaken:
    return facts.SeatTaken(seat=seat, kind=who.kind, player=who.player, level=who.level)


def _renew_token(match: Match, seat: str) -> list[MatchEvent]:
    _check_seat(seat, match.seats)
    who = match.seats[seat]
    if who is None or who.kind != "human":
        raise SeatEmpty(seat)
    return [facts.SeatTokenRenewed(seat=seat, generation=who.generation + 1)]


def _play(match: Match, command: PlayMove) -> list[MatchEvent]:
    _check_running(match)
    _check_seat(command.seat, match.seats)
    position = match.position
    if match.free_seats or position is None:
        raise MatchNotStarted(match.free_seats)
    if command.seat != position.to_move:
        raise NotYourTurn(command.seat, str(position.to_move))
    after = position.play(command.move)
    played: list[MatchEvent] = [
        facts.MovePlayed(
            seat=command.seat,
            move=command.move,
            digest=after.digest,
            given=after.given,
            fallback=command.fallback,
        )
    ]
    played += [facts.TurnPassed(seat=seat) for seat in after.passes]
    if outcome := after.outcome:
        played.append(
            facts.MatchEnded(
                winner=outcome.winner, reason=outcome.reason, score=outcome.score
            )
        )
    return played


def _resign(match: Match, seat: str) -> list[MatchEvent]:
    _check_running(match)
    _check_seat(seat, match.seats)
    if match.free_seats or match.position is None:
        raise MatchNotStarted(match.free_seats)
    [winner] = (other for other in match.seats if other != seat)
    ended = facts.MatchEnded(
        winner=winner, reason="resignation", score=match.position.score
    )
    return [facts.Resigned(seat=seat), ended]


def _check_running(match: Match) -> None:
    if match.outcome is not None:
        raise MatchOver(match.outcome.reason)


def _check_seat(seat: str, seats: Collection[str]) -> None:
    if seat not in seats:
        raise NoSuchSeat(seat, seats)
