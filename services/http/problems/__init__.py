"""Every way to be refused: how it looks over HTTP (RFC 9457), and what to do about it.

The exception speaks the game's language and carries facts; the tables here alone speak
HTTP. A type of problem stands in one of them, with all that is said of it.
"""

from services.http.problems.answers import answer_problem, answer_refusal
from services.http.problems.table import PROBLEMS, TYPES, find_problem

__all__ = ["PROBLEMS", "TYPES", "answer_problem", "answer_refusal", "find_problem"]
