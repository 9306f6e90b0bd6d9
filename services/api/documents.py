"""The contract itself, and a page for every type of problem."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

from services.http.problems import PROBLEMS
from services.http.refusals import NoSuchProblem
from services.http.representation import json_response
from services.http.wire.problems import INTERNAL

bp = Blueprint("documents", __name__)


@cache
def contract() -> str:
    """Return openapi.yaml, from the package or from beside it."""
    packaged = files("services.api").joinpath("openapi.yaml")
    if packaged.is_file():
        return packaged.read_text("utf-8")
    return (Path(__file__).parents[2] / "openapi.yaml").read_text("utf-8")


@bp.get("/openapi.yaml")
def read_contract() -> ResponseReturnValue:
    """Return the contract of this API."""
    return Response(contract(), content_type="application/yaml")


@bp.get("/problems/<name>")
def read_problem(name: str) -> ResponseReturnValue:
    """Say what a type of problem means."""
    for problem in (*PROBLEMS.values(), INTERNAL):
        if problem.type == name:
            return json_response(
                {
                    "type": f"/problems/{name}",
                    "title": problem.title,
                    "status": problem.status,
                }
            )
    raise NoSuchProblem(name)
