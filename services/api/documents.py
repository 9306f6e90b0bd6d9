"""The contract itself, as YAML and as JSON."""

from functools import cache
from importlib.resources import files
from pathlib import Path

import orjson
import yaml
from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from services.web.streams import stream_base

STREAMS = b"http://127.0.0.1:8001"
"""Where the contract says that the streams are, for want of an installation."""

bp = Blueprint("documents", __name__)


@cache
def contract() -> str:
    """Return openapi.yaml, from the package or from beside it."""
    packaged = files("services.api").joinpath("openapi.yaml")
    if packaged.is_file():
        return packaged.read_text("utf-8")
    return (Path(__file__).parents[2] / "openapi.yaml").read_text("utf-8")


class _Reader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads YAML as JSON knows it: a time is a text."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, form) for tag, form in forms if not tag.endswith(":timestamp")]
        for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


@cache
def contract_as_json() -> bytes:
    """Return the contract as JSON; read once, when somebody first asks."""
    return orjson.dumps(yaml.load(contract(), Loader=_Reader))  # noqa: S506


@bp.get("/openapi.yaml")
def read_contract() -> ResponseReturnValue:
    """Return the contract of this API."""
    return _kept(contract().encode(), "application/yaml")


@bp.get("/openapi.json")
def read_contract_as_json() -> ResponseReturnValue:
    """Return the contract of this API as JSON."""
    return _kept(contract_as_json(), "application/json")


def _kept(text: bytes, media_type: str) -> Response:
    """Return a document that a client may keep, and ask whether it is still that.

    It says where the streams of this installation are.
    """
    told = text.replace(STREAMS, stream_base().encode())
    response = Response(told, content_type=media_type)
    response.headers["Cache-Control"] = "public, no-cache"
    response.add_etag()
    return response.make_conditional(request)  # type: ignore[return-value]
