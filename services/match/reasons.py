"""Why matches end, in the words of the rulebooks; the log has the key of a reason."""

from services.languages import Message

REASONS = {
    # of the rules (`rules_core.REASONS`)
    "seeds": Message("the board was played out, and more seeds win"),
    "majority": Message("a player has more than half of all the seeds"),
    "halves": Message("both players have exactly half of all the seeds"),
    "no-seeds": Message("the player to move has no seeds"),
    "no-feeding-move": Message("the player to move cannot feed the opponent"),
    "standstill": Message(
        "the same position for the third time, or nothing but endless moves"
    ),
    "discs": Message("nobody can move, and more discs win"),
    "no-moves": Message("the player to move has no legal move and has lost"),
    "rounds": Message("the last round is over"),
    "front-row-empty": Message("a front row is empty, and its owner has lost"),
    "no-refill": Message("a player cannot fill a single house for the next round"),
    "all-pits": Message("a player is entitled to all hollows"),
    # of matches
    "time": Message("the time of a player has run out"),
    "resignation": Message("a player has resigned"),
    "agreement": Message("the players have agreed on a draw"),
    "abandoned": Message("nothing happened for long, and the server ended the match"),
    "too-long": Message("the match had as many events as a match may have"),
    "aborted": Message("it was called off"),
    "no-show": Message("a first move was not made in time"),
}


def reason_in_words(reason: str) -> Message | str:
    """Return a reason as people say it; that of another package's game as it is."""
    return REASONS.get(reason, reason)
