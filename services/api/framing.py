"""Whose pages may have the page of a match in a frame."""

from collections.abc import Callable

from services.bootstrap import Services
from services.match.refusals import Refused


def framing(services: Services) -> Callable[[str], str]:
    """Return what names the origins that the tenant of a match lets in, if any."""

    def ancestors(match_id: str) -> str:
        try:
            tenant = services.matches.load(match_id).tenant
        except Refused:  # there is no such match, or it cannot be read
            return ""
        return " ".join(sorted(services.tenants.origins.of(tenant)))

    return ancestors
