"""From recorded events back to what was asked for: the command of an act, its author.

An *act* is the events that one command caused. The first one tells the command.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType
from typing import Any

from rules_core import Game, find_game
from rules_core.levels import FIRST, NoSuchLadder
from services.audit.format import MATCH_ID
from services.eventlog.event import StoredEvent
from services.match import Match, MatchEvent, Player, UnknownEvent, commands, from_log
from services.match import events as facts
from services.match.clock import NO_SHOW, TIME
from services.match.commands import INVITED, Command
from services.match.decide import FISTS, RANDOM, check_level
from services.match.events import kinds_of
from services.match.match import FIST
from services.match.refusals import NoSuchLevel

APP = re.compile(r"key:[A-Za-z0-9_-]{1,64}")
SERVER = "server"
HASH = re.compile(r"[0-9a-f]{64}")
ORIGIN = "an origin is a match, a version from 1 and a hash, with the position there"
REMATCH = "a rematch names the match that is played again"


SEAT = "seat"


class NotPossible(Exception):
    """No player, app or server can have done this; the message says why."""


def read_fact(stored: StoredEvent) -> MatchEvent:
    """Return an event, with every member of the right kind.

    :raises NotPossible: it has members of another kind.
    :raises UnknownEvent: it is not known here.
    """
    fact = from_log(stored)
    event: Any = type(fact)
    for name, types in _types_of(event):
        value = getattr(fact, name)
        if type(value) not in types:  # true and false are no numbers
            said = json.dumps(value, ensure_ascii=False, default=str)
            raise NotPossible(f"{name} cannot be {said}")
    return fact


@cache
def _types_of(event: Any) -> tuple[tuple[str, frozenset[type]], ...]:
    """Return of which types each member of a class of events may be."""
    known = {"str": str, "int": int, "bool": bool, "dict": dict, "None": NoneType}
    return tuple(
        (name, frozenset(known[one] for one in kind.split(" | ")))
        for name, kind in kinds_of(event).items()
    )


def read_opening(
    opened: facts.MatchOpened, first: StoredEvent, following: Sequence[StoredEvent]
) -> Command:
    """Return the command that opened a match with the seats taken in the same breath.

    :raises NotPossible: no app can have asked for that.
    """
    if not opened.tenant:
        raise NotPossible("a match belongs to a tenant")
    game = find_game(opened.game, opened.rules)
    seats = _seats_of_opening(game, first, following)
    # A position says who begins, also who could not begin the game (Reversi: white).
    starter = opened.starter if opened.starter in game.starters else None
    drawn = 0
    if opened.starter_by == RANDOM and starter:
        starter, drawn = RANDOM, game.starters.index(starter)
    elif opened.starter_by == FIST:
        starter = FIST
        if not HASH.fullmatch(opened.commitment):
            raise NotPossible("the fist is not hidden in a SHA-256")
    if opened.origin and not _is_origin(opened.origin, opened.position):
        raise NotPossible(ORIGIN)
    if opened.rematch_of and not MATCH_ID.fullmatch(opened.rematch_of):
        raise NotPossible(REMATCH)
    return commands.OpenMatch(
        game=opened.game,
        tenant=opened.tenant,
        options=opened.options,
        starter=starter,
        drawn=drawn,
        commitment=opened.commitment,
        snapshot=opened.position or None,
        rules=opened.rules,
        origin=opened.origin,
        seats=seats,
        clock=opened.clock,
        rated=opened.rated,
        hints=opened.hints,
        rematch_of=opened.rematch_of,
    )


def _is_origin(origin: Mapping[str, Any], position: str) -> bool:
    """Tell whether a match can have come from there: whoever forks, has a board."""
    match origin:
        case {"match": str(name), "version": int(version), "hash": str(hash_)}:
            whole = len(origin) == 3 and bool(position)
            named = MATCH_ID.fullmatch(name) and HASH.fullmatch(hash_)
            counted = version >= 1 and not isinstance(version, bool)
            return whole and counted and named is not None
    return False


def _seats_of_opening(
    game: Game, first: StoredEvent, following: Sequence[StoredEvent]
) -> dict[str, Player]:
    """Return who sat down at once; a seat that is wrong is an act of its own."""
    seats: dict[str, Player] = {}
    free = list(game.seats)
    for event in following:
        if (event.at_ms, event.by) != (first.at_ms, first.by):
            break
        try:
            taken = read_fact(event)
            if not isinstance(taken, facts.SeatTaken) or taken.seat not in free:
                break
            player = read_player(taken)
            if player.kind == "ai":
                check_level(player, game)
            seats[taken.seat] = player
        except (NotPossible, UnknownEvent, NoSuchLevel, NoSuchLadder):
            break
        free = free[free.index(taken.seat) + 1 :]
    return seats


def read_player(taken: facts.SeatTaken) -> Player:
    """Return who sat down.

    :raises NotPossible: it is neither a human with a reference nor an AI of a level.
    """
    is_levelled = taken.level >= 1 and taken.ladder >= FIRST
    is_bare = not taken.level and taken.ladder == FIRST
    is_human = taken.kind == "human" and bool(taken.player) and is_bare
    is_ai = taken.kind == "ai" and not taken.player and is_levelled
    if not is_human and not is_ai:
        raise NotPossible("who sits is a human with a reference, or an AI of a level")
    return Player(
        kind=taken.kind, player=taken.player, level=taken.level, ladder=taken.ladder
    )


def read_command(
    fact: MatchEvent, by: str, following: Sequence[StoredEvent]
) -> Command:
    """Return the command whose first event this is.

    :raises NotPossible: it is never the first event of an act.
    """
    match fact:
        case facts.MovePlayed(seat=seat, move=move):
            return commands.PlayMove(seat=seat, move=move)
        case facts.HintTaken(seat=seat):
            return commands.TakeHint(seat=seat)
        case facts.AiFailed(seat=seat, attempts=attempts):
            return _play_after_failure(seat, attempts, following)
        case facts.SeatTaken(seat=seat):
            return commands.TakeSeat(who=read_player(fact), seat=seat)
        case facts.SeatTokenRenewed(seat=seat):
            return commands.RenewSeatToken(seat=seat)
        case facts.FistGuessed(seat=seat, guess=guess, fist=fist, secret=secret):
            if guess not in FISTS or fist not in FISTS:
                raise NotPossible("a fist is left or right")
            return commands.GuessFist(seat=seat, guess=guess, fist=fist, secret=secret)
        case facts.DrawOffered(seat=seat):
            return commands.OfferDraw(seat=seat)
        case facts.TakebackRequested(seat=seat, to_version=to_version):
            return commands.RequestTakeback(seat=seat, to_version=to_version)
        case facts.DrawAccepted(seat=seat) | facts.DrawDeclined(seat=seat):
            accept = isinstance(fact, facts.DrawAccepted)
            return commands.Answer(seat=seat, kind="draw", accept=accept)
        case facts.TakebackAccepted(seat=seat) | facts.TakebackDeclined(seat=seat):
            accept = isinstance(fact, facts.TakebackAccepted)
            return commands.Answer(seat=seat, kind="takeback", accept=accept)
        case facts.Resigned(seat=seat):
            return commands.Resign(seat=seat)
        case facts.Aborted(reason=reason) if reason == NO_SHOW:
            return commands.CallTime()
        case facts.Aborted():
            return commands.Abandon() if by == SERVER else commands.Abort()
        case facts.MatchEnded(reason=reason) if reason == TIME:
            return commands.CallTime()
        case facts.MatchEnded(reason=reason) if reason in commands.SERVER_REASONS:
            return commands.Abandon(reason=reason)
    raise NotPossible(f"nothing happened that {fact.type} could follow from")


def _play_after_failure(
    seat: str, attempts: int, following: Sequence[StoredEvent]
) -> Command:
    played = read_fact(following[0]) if following else None
    if attempts < 1 or not isinstance(played, facts.MovePlayed):
        raise NotPossible("an AI that failed is followed by a move in its place")
    return commands.PlayMove(seat=seat, move=played.move, failed=attempts)


def check_author(match: Match, command: Command, by: str) -> None:
    """Refuse an author who cannot have given this command.

    :raises NotPossible: saying who can.
    """
    is_app = APP.fullmatch(by) is not None
    match command:
        case commands.OpenMatch():
            can_play_again = bool(command.rematch_of) and by == SEAT
            if not is_app and by != "guest" and not can_play_again:
                raise NotPossible(f"{by!r} cannot open a match; an app or a guest can")
            return
        case commands.TakeSeat() | commands.RenewSeatToken():
            is_sitting = isinstance(command, commands.TakeSeat)
            can_sit = by == INVITED or (bool(match.rematch_of) and by == SEAT)
            if not is_app and not (is_sitting and can_sit):
                raise NotPossible(f"{by!r} cannot do that; an app can")
            return
        case commands.Abandon() | commands.CallTime():
            if by != SERVER:
                raise NotPossible(f"{by!r} cannot end a match like that; {SERVER} can")
            return
        case commands.Abort():
            seat = None
        case _:
            seat = command.seat
    who = match.seats.get(seat) if seat else None
    if who is not None and who.kind == "ai":
        _check_ai(command, who.level, by)
    elif isinstance(command, commands.PlayMove) and command.failed:
        raise NotPossible(f"{seat} is no AI that could have failed")
    elif not is_app and by != SEAT:
        raise NotPossible(f"{by!r} cannot act for {seat or 'a seat'}; its player can")


def _check_ai(command: Command, level: int, by: str) -> None:
    if not isinstance(command, commands.PlayMove):
        raise NotPossible("an AI moves and answers, and does nothing else")
    if command.failed:
        level = 1
    if by != f"ai:{level}":
        raise NotPossible(f"{by!r} cannot move here; ai:{level} can")
