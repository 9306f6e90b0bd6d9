"""The log of a match in words: one English sentence for each event."""

from collections.abc import Mapping, Sequence

from services.match import Match, MatchEvent
from services.match import events as facts
from services.match.reasons import reason_in_words


def sentence(fact: MatchEvent, after: Match, names: Mapping[str, str]) -> str:
    """Return what an event says; *names* are those of the players, by reference.

    An event without words of its own is shown by its type.
    """
    match fact:
        case facts.MatchOpened():
            return _opened(fact)
        case facts.SeatTaken(kind="ai"):
            return f"An AI of level {fact.level} takes {fact.seat}."
        case facts.FistGuessed():
            right = "rightly" if fact.guess == fact.fist else "wrongly"
            said = f"{right} guesses the {fact.guess} fist; {fact.starter} begins"
            return f"{_who(fact.seat, after, names)} {said}."
        case facts.MovePlayed():
            given = ", with a disc that the other has to give" if fact.given else ""
            return f"{_who(fact.seat, after, names)} plays {fact.move}{given}."
        case facts.MatchEnded():
            return _ended(fact, after, names)
        case facts.TakebackRequested() | facts.TakebackAccepted():
            asks = isinstance(fact, facts.TakebackRequested)
            does = "asks to go back" if asks else "lets the match go back"
            who = _who(fact.seat, after, names)
            return f"{who} {does} to what stood after event {fact.to_version}."
        case facts.AiFailed():
            return f"The AI at {fact.seat} failed {fact.attempts} times."
        case facts.Aborted(reason="no-show"):
            return "The match is called off: a first move was not made in time."
        case facts.Aborted():
            return "The match is called off before its first move."
        case facts.Imported():
            return f"The match is taken over from an export signed by {fact.key}."
    if type(fact) not in DOES:
        return f"{fact.type}."
    return f"{_who(fact.seat, after, names)} {DOES[type(fact)]}."


DOES: Mapping[type[MatchEvent], str] = {
    facts.SeatTaken: "sits down",
    facts.SeatTokenRenewed: "gets a new token; the earlier ones are void",
    facts.TurnPassed: "has no move, and passes",
    facts.HintTaken: "takes a hint",
    facts.DrawOffered: "offers a draw",
    facts.DrawAccepted: "accepts the draw",
    facts.DrawDeclined: "declines the draw",
    facts.TakebackDeclined: "declines to go back",
    facts.Resigned: "resigns",
}


def _opened(fact: facts.MatchOpened) -> str:
    begins = f"{fact.starter} begins" if fact.starter else "a fist decides who begins"
    drawn = ", drawn at random" if fact.starter_by == "random" else ""
    elsewhere = ", from a given position" if fact.position else ""
    if fact.origin:
        came = fact.origin
        elsewhere = f", from version {came['version']} of {came['match']}"
    time = f" {_time(fact.clock)}" if fact.clock else ""
    if fact.rematch_of:
        elsewhere += f", a rematch of {fact.rematch_of}"
    if not fact.rated:
        elsewhere += ", not rated"
    if fact.hints:
        elsewhere += ", with hints"
    opened = f"A match by the rules {fact.rules} is opened{elsewhere}"
    return f"{opened}; {begins}{drawn}.{time}"


def _time(control: Mapping[str, int]) -> str:
    """Return the sentence on a time control."""
    match dict(control):
        case {"days_per_move": days}:
            return f"Each move has {days} days." if days > 1 else "Each move has a day."
        case {"initial_s": initial, "delay_s": delay}:
            return f"Each seat has {initial} s; {delay} s of each turn are free."
    gained = f", and {control['increment_s']} s more for each move"
    return f"Each seat has {control['initial_s']} s{gained}."


def _ended(fact: facts.MatchEnded, after: Match, names: Mapping[str, str]) -> str:
    points: Sequence[str] = [f"{seat} {n}" for seat, n in fact.score.items()]
    why = reason_in_words(fact.reason)
    how = f"{_who(fact.winner, after, names)} wins" if fact.winner else "nobody wins"
    return f"The match is over: {how}; {why}. The score is {', '.join(points)}."


def _who(seat: str, after: Match, names: Mapping[str, str]) -> str:
    who = after.seats.get(seat)
    name = names.get(who.player) if who else None
    if name:
        return f"{name} ({seat})"
    if who is not None and who.kind == "ai":
        return f"The AI ({seat})"
    return seat.capitalize()
