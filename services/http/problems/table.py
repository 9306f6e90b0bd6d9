"""Exception -> problem: the tables of this room, as one."""

from dataclasses import replace

from werkzeug import exceptions as http

from services.http.problems.analyses import ANALYSES
from services.http.problems.callers import CALLERS
from services.http.problems.feeds import FEEDS
from services.http.problems.games import GAMES
from services.http.problems.lobby import LOBBY
from services.http.problems.matches import MATCHES
from services.http.problems.requests import REQUESTS
from services.http.problems.server import SERVER
from services.http.wire.problem import Problem, by_exception, look_up
from services.http.wire.problems import BAD_REQUEST, INTERNAL, TOO_LARGE, WIRE
from services.languages import Message

KNOWN = (
    *WIRE,
    *REQUESTS,
    *CALLERS,
    *GAMES,
    *MATCHES,
    *LOBBY,
    *ANALYSES,
    *FEEDS,
    *SERVER,
)

PROBLEMS: dict[type[Exception], Problem] = {
    **by_exception(KNOWN),
    http.BadRequest: BAD_REQUEST,
    http.RequestEntityTooLarge: TOO_LARGE,
}
"""Of whatever else is raised, nobody outside is told more than that it was."""

TYPES = {problem.type: problem for problem in (*KNOWN, INTERNAL)}


def find_problem(error: Exception) -> tuple[Problem, Message | str]:
    """Return which problem an exception is, and what it says in detail."""
    if problem := look_up(PROBLEMS, error):
        said = getattr(error, "message", None) or problem.detail or str(error)
        return problem, said
    if isinstance(error, http.HTTPException) and (error.code or 500) < 500:
        return replace(BAD_REQUEST, status=error.code or 400), BAD_REQUEST.detail
    return INTERNAL, INTERNAL.detail
