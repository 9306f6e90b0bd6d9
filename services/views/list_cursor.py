"""Cursors of lists in lexical order: the member after which a page begins.

A member is digits, which give the order, a colon, and an id.
"""

import base64
import binascii
from typing import Any

from services.languages import Explained, Message


class InvalidCursor(Explained):
    """The cursor was not made by this list."""

    def __init__(self) -> None:
        """Say where cursors come from."""
        super().__init__(
            Message("send the next_cursor of the page before as it was answered")
        )


def read_members(
    redis: Any, index: str, cursor: str | None, limit: int, oldest: str = "-"
) -> tuple[list[str], str | None]:
    """Return so many members of an index, the newest first, and the next cursor.

    :raises InvalidCursor: the cursor is not one of this list.
    """
    newest = "+" if cursor is None else f"({read_cursor(cursor)}"
    members = redis.zrevrangebylex(index, newest, oldest, 0, limit + 1)
    shown = members[:limit]
    return shown, format_cursor(shown[-1]) if len(members) > limit else None


def id_of(member: str) -> str:
    """Return the id in a member."""
    return member.split(":", 1)[1]


def format_cursor(member: str) -> str:
    """Return the cursor of the page after a member."""
    return base64.urlsafe_b64encode(member.encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> str:
    """Return the member that a cursor names.

    :raises InvalidCursor: it names none.
    """
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise InvalidCursor from error
    order, _, name = text.partition(":")
    if not order.isdigit() or not name.isprintable():
        raise InvalidCursor
    return text
