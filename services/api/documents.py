"""The contract itself."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response
from flask.typing import ResponseReturnValue

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
