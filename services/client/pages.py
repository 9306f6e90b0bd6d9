"""Lists come in pages: here they are one."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Request = Callable[..., Any]


def read_pages(
    request: Request, path: str, query: Mapping[str, Any], cursor: str = "cursor"
) -> Iterator[Any]:
    """Yield what a list holds; the next page is asked for when it is needed."""
    page = request("GET", path, query=query)
    yield from page["data"]
    while page["next_cursor"] is not None:
        page = request("GET", path, query={**query, cursor: page["next_cursor"]})
        yield from page["data"]
