"""Offers between the seats: a draw, or to take moves back. History is never rewritten.

An AI answers at once, by a stated policy: it lets moves be taken back always, and takes
a draw when it is not ahead by the score on the board.
"""

from rules_core import Position
from services.languages import Message
from services.match import events as facts
from services.match.commands import Answer, RequestTakeback
from services.match.events import MatchEvent
from services.match.match import Match, Offer
from services.match.refusals import (
    InvalidTakeback,
    NoOffer,
    NoSuchVersion,
    OfferPending,
    OwnOffer,
)


def offer_draw(match: Match, position: Position, seat: str) -> list[MatchEvent]:
    """Offer a draw (G10); an AI answers in the same breath."""
    _check_no_offer(match)
    offered: list[MatchEvent] = [facts.DrawOffered(seat=seat)]
    other = match.other(seat)
    if _is_ai(match, other):
        accept = position.score[other] <= position.score[seat]
        offered += _answer_draw(position, other, accept=accept)
    return offered


def request_takeback(match: Match, command: RequestTakeback) -> list[MatchEvent]:
    """Ask to go back (G13); an AI agrees in the same breath."""
    _check_no_offer(match)
    _check_takeback(match, command.to_version)
    requested: list[MatchEvent] = [
        facts.TakebackRequested(seat=command.seat, to_version=command.to_version)
    ]
    other = match.other(command.seat)
    if _is_ai(match, other):
        requested.append(_take_back(match, other, command.to_version))
    return requested


def answer(match: Match, position: Position, command: Answer) -> list[MatchEvent]:
    """Accept or decline what the other seat has offered."""
    offer = match.offer
    if offer is None or offer.kind != command.kind:
        raise NoOffer(command.kind)
    if offer.seat == command.seat:
        raise OwnOffer(offer.kind, offer.seat)
    if offer.kind == "draw":
        return _answer_draw(position, command.seat, accept=command.accept)
    return [_answer_takeback(match, offer, command)]


def _answer_draw(position: Position, seat: str, *, accept: bool) -> list[MatchEvent]:
    if not accept:
        return [facts.DrawDeclined(seat=seat)]
    ended = facts.MatchEnded(winner=None, reason="agreement", score=position.score)
    return [facts.DrawAccepted(seat=seat), ended]


def _answer_takeback(match: Match, offer: Offer, command: Answer) -> MatchEvent:
    if not command.accept:
        return facts.TakebackDeclined(seat=command.seat)
    return _take_back(match, command.seat, offer.to_version)


def _take_back(match: Match, seat: str, to_version: int) -> facts.TakebackAccepted:
    digest = match.position_at(to_version).digest
    return facts.TakebackAccepted(seat=seat, to_version=to_version, digest=digest)


def _check_no_offer(match: Match) -> None:
    if match.offer is not None:
        raise OfferPending(match.offer.kind, match.offer.seat)


def _check_takeback(match: Match, to_version: int) -> None:
    """Refuse versions of the future, before the first position, or already undone."""
    if not 1 <= to_version <= match.version:
        raise NoSuchVersion(to_version, match.version)
    earliest = 1
    if not match.line or to_version >= match.line[-1][0]:
        reason = Message("no move that stands was played after it")
        raise InvalidTakeback(to_version, earliest, reason)
    for first, last in match.taken_back:
        if first <= to_version <= last:
            reason = Message(
                "versions {first} to {last} were taken back themselves",
                first=first,
                last=last,
            )
            raise InvalidTakeback(to_version, earliest, reason)


def _is_ai(match: Match, seat: str) -> bool:
    who = match.seats[seat]
    return who is not None and who.kind == "ai"
