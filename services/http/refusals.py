"""Why the API refuses a request before a match hears of it."""

from collections.abc import Sequence
from typing import Any

from services.match.refusals import NotAllowed

FINDINGS = 100  # of one export are told


class RequestRefused(Exception):
    """The request cannot be read, or its sender may not make it."""


class MalformedJson(RequestRefused):
    """The body is not JSON."""


class NotJson(RequestRefused):
    """The body is of another media type."""

    def __init__(self, given: str, wanted: str = "application/json") -> None:
        """Keep the media type that was sent, and the one that is read here."""
        super().__init__(
            f"send the body as {wanted}, not {given or 'without a media type'}"
        )


class EncodedBody(RequestRefused):
    """The body is packed, and would have to be unpacked."""

    def __init__(self, coding: str) -> None:
        """Keep the coding that was sent."""
        super().__init__(f"send the body as it is, without Content-Encoding: {coding}")
        self.coding = coding


class InvalidHeader(RequestRefused):
    """A header does not have the form it should have."""

    def __init__(self, name: str, wanted: str) -> None:
        """Keep the header and what it should look like."""
        super().__init__(f"{name} should be {wanted}")
        self.name = name


class InvalidParameter(RequestRefused):
    """A parameter of the query is unknown or has a wrong value."""

    def __init__(self, name: str, wanted: str) -> None:
        """Keep the parameter and what it should look like."""
        super().__init__(f"{name} should be {wanted}")
        self.name = name


class InvalidBody(RequestRefused):
    """The body is JSON, but not of the right form."""

    def __init__(self, errors: list[dict[str, Any]]) -> None:
        """Keep what is wrong, each with a JSON pointer to it."""
        what = "; ".join(f"{e['pointer'] or 'the body'}: {e['detail']}" for e in errors)
        super().__init__(what)
        self.errors = errors


class InvalidImport(RequestRefused):
    """The export does not hold: something in it was changed, or is not trusted."""

    def __init__(self, findings: Sequence[dict[str, Any]], *, more: bool) -> None:
        """Keep the first findings of the verifier, and whether there may be more."""
        first = findings[0]
        others = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
        if more:
            others += "; `seedlog verify` looks at all of it"
        super().__init__(f"{first['place']}: {first['reason']}{others}")
        self.findings = findings[:FINDINGS]
        self.more = more or len(findings) > FINDINGS


class ForeignFist(RequestRefused):
    """A match waits for the guess of a fist that only another server can open."""

    def __init__(self, match_id: str, guesser: str) -> None:
        """Keep the match and the seat that has to guess."""
        super().__init__(
            f"match {match_id} waits for {guesser} to guess a fist, and its secret is "
            "with the server that opened the match: guess it there, export the match "
            "again and import that; or open a new match here"
        )
        self.match_id = match_id
        self.guesser = guesser


class AnotherVersion(RequestRefused):
    """What is read is not at the version that the client names."""

    def __init__(self, tag: str) -> None:
        """Keep the entity tag that there is."""
        super().__init__(f'the ETag is "{tag}"; leave out If-Match to read it')
        self.version = int(tag.partition("-")[0])


class UnknownHost(RequestRefused):
    """The request is for a host that is not served here, or for none that can be."""

    def __init__(self, host: str) -> None:
        """Keep the host."""
        super().__init__(f"{host[:100]!r} is not a host that is served here")
        self.host = host


class UnusableKeys(RequestRefused):
    """A key was well when the API started, and is broken now; says in which file."""


class NoSuchGame(RequestRefused):
    """The path names a game that there is not."""

    def __init__(self, key: str, known: tuple[str, ...]) -> None:
        """Keep the key and those that there are."""
        super().__init__(f"there is no game {key!r}; known: {', '.join(known)}")
        self.known = known


class Unauthenticated(NotAllowed):
    """The request carries no token, or one that is not valid."""


class Forbidden(NotAllowed):
    """The token is valid, but not for this."""


class NotAcceptable(RequestRefused):
    """None of the media types that the client accepts can be answered."""

    def __init__(self, offered: tuple[str, ...]) -> None:
        """Keep the media types that there are."""
        super().__init__(f"send Accept: {' or '.join(offered)}")
        self.offered = offered


class UseStream(RequestRefused):
    """A stream was asked for where there are pages only."""

    def __init__(self, stream_url: str) -> None:
        """Keep where the streams are."""
        super().__init__(f"streams are served at {stream_url}; here, ask for JSON")
        self.stream_url = stream_url


class TooManyFollowers(RequestRefused):
    """As many streams are open as this process can hold."""

    def __init__(self) -> None:
        """Say what to do."""
        super().__init__("as many streams are open as can be; try again later")


class ExpectedVersionMissing(RequestRefused):
    """A move does not say which version its player has seen."""

    def __init__(self) -> None:
        """Say how to."""
        super().__init__(
            'send the version you have seen: If-Match: "7", or "expected_version": 7'
        )
