"""Matches as they were: how a version is asked for."""

from collections.abc import Mapping

from services.http.authentication import Caller
from services.http.authorization import visible_match
from services.http.context import services
from services.http.request import MAX_VERSION, read_number
from services.match import Match


def visible_match_at(
    who: Caller, match_id: str, query: Mapping[str, str]
) -> tuple[Match, bool]:
    """Return a match, and whether it is that of a version: then it never changes.

    :raises NoSuchVersion: it has not reached the version that the query names.
    """
    match = visible_match(who, match_id)
    if "version" not in query:
        return match, False
    version = read_number(query, "version", 0, 1, MAX_VERSION)
    return services().matches.load_at(match_id, version), True
