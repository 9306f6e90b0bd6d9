"""Problems of seeks and rematches."""

from services import lobby
from services.http import refusals as requests
from services.http.problems.matches import MATCH
from services.http.wire.problem import Problem
from services.languages import Message
from services.match import refusals as match

LOBBY: tuple[Problem, ...] = (
    Problem(
        409,
        "match-not-over",
        Message("The match is not over"),
        cause=Message("A rematch was asked for before the match is over."),
        advice=Message("Play it to its end, or resign; then ask again."),
        example=match.MatchGoesOn(MATCH),
    ),
    Problem(
        404,
        "no-such-seek",
        Message("There is no such seek"),
        cause=Message(
            "The seek is over: nobody asked for it for five seconds, the same player "
            "has sought again, or it was never there."
        ),
        advice=Message(
            "Seek again, and keep a request with wait_s open for as long as the player "
            "waits."
        ),
        example=lobby.NoSuchSeek("skg_Uf0Zs7Qk2p"),
    ),
    Problem(
        409,
        "already-matched",
        Message("The seek has found somebody"),
        cause=Message(
            "The seek cannot be ended: it has found an opponent just before."
        ),
        advice=Message(
            "Read the seek for the token of the seat; play, or call the match off."
        ),
        example=requests.AlreadyMatched(MATCH),
        facts=lambda e: {"match": e.match_id},
    ),
)
