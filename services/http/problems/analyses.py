"""Problems of analyses and hints."""

from services import analysis
from services.http.wire.problem import Problem
from services.languages import Message
from services.match import refusals as match

ANALYSES: tuple[Problem, ...] = (
    Problem(
        404,
        "no-such-analysis",
        Message("There is no such analysis"),
        cause=Message(
            "There is no analysis of this id for this token, or not any more."
        ),
        advice=Message("Ask the same question again: it is thought about anew."),
        example=analysis.NoSuchAnalysis("ana_5f0c1d2e3b4a"),
    ),
    Problem(
        422,
        "nothing-to-analyse",
        Message("The game is over in that position"),
        cause=Message("Nobody is to move in the position that is to be analysed."),
        advice=Message("Analyse the position before, or the match."),
        example=analysis.AnalysisOver(),
    ),
    Problem(
        409,
        "hints-forbidden",
        Message("The match was opened without hints"),
        cause=Message(
            "The match goes on, and was opened without hints, as rated matches are if "
            "nothing else is said."
        ),
        advice=Message("Wait for its end, or open the next match with hints."),
        example=match.HintsForbidden(),
    ),
)
