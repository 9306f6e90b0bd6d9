"""Why the API refuses a request before a match hears of it."""

from collections.abc import Sequence
from typing import Any

from services.languages import Counted, Explained, Message, Seat, any_of, each_of
from services.match.refusals import NotAllowed

FINDINGS = 100  # of one export are told


class RequestRefused(Explained):
    """The request cannot be read, or its sender may not make it."""


class MalformedJson(RequestRefused):
    """The body is not JSON."""


class NotJson(RequestRefused):
    """The body is of another media type."""

    def __init__(self, given: str, wanted: str = "application/json") -> None:
        """Keep the media type that was sent, and the one that is read here."""
        none = Message("without a media type")
        super().__init__(
            Message(
                "send the body as {wanted}, not {given}",
                wanted=wanted,
                given=given or none,
            )
        )


class EncodedBody(RequestRefused):
    """The body is packed, and would have to be unpacked."""

    def __init__(self, coding: str) -> None:
        """Keep the coding that was sent."""
        super().__init__(
            Message(
                "send the body as it is, without Content-Encoding: {coding}",
                coding=coding,
            )
        )
        self.coding = coding


class InvalidHeader(RequestRefused):
    """A header does not have the form it should have."""

    def __init__(self, name: str, wanted: Message) -> None:
        """Keep the header and what it should look like."""
        super().__init__(Message("{name} should be {wanted}", name=name, wanted=wanted))
        self.name = name


class InvalidParameter(RequestRefused):
    """A parameter of the query is unknown or has a wrong value."""

    def __init__(self, name: str, wanted: Message) -> None:
        """Keep the parameter and what it should look like."""
        super().__init__(Message("{name} should be {wanted}", name=name, wanted=wanted))
        self.name = name


class InvalidBody(RequestRefused):
    """The body is JSON, but not of the right form."""

    def __init__(self, errors: list[dict[str, Any]]) -> None:
        """Keep what is wrong, each with a JSON pointer to it."""
        super().__init__(each_of(*(_placed(error) for error in errors)))
        self.errors = errors


class InvalidImport(RequestRefused):
    """The export does not hold: something in it was changed, or is not trusted."""

    def __init__(self, findings: Sequence[dict[str, Any]], *, more: bool) -> None:
        """Keep the first findings of the verifier, and whether there may be more."""
        first = findings[0]
        said = Message(
            "{place}: {reason}", place=first["place"], reason=first["reason"]
        )
        if len(findings) > 1:
            said = Counted(
                "{first}, and {count} more",
                "{first}, and {count} more",
                first=said,
                count=len(findings) - 1,
            )
        if more:
            said = Message(
                "{findings}; `seedlog verify` looks at all of it", findings=said
            )
        super().__init__(said)
        self.findings = findings[:FINDINGS]
        self.more = more or len(findings) > FINDINGS


class ForeignFist(RequestRefused):
    """A match waits for the guess of a fist that only another server can open."""

    def __init__(self, match_id: str, guesser: str) -> None:
        """Keep the match and the seat that has to guess."""
        super().__init__(
            Message(
                "match {match} waits for {seat} to guess a fist, and its secret is "
                "with the server that opened the match: guess it there, export the "
                "match again and import that; or open a new match here",
                match=match_id,
                seat=Seat(guesser),
            )
        )
        self.match_id = match_id
        self.guesser = guesser


class AnotherVersion(RequestRefused):
    """What is read is not at the version that the client names."""

    def __init__(self, tag: str) -> None:
        """Keep the entity tag that there is."""
        super().__init__(
            Message('the ETag is "{tag}"; leave out If-Match to read it', tag=tag)
        )
        self.version = int(tag.partition("-")[0])


class UnknownHost(RequestRefused):
    """The request is for a host that is not served here, or for none that can be."""

    def __init__(self, host: str) -> None:
        """Keep the host."""
        super().__init__(
            Message("{host!r} is not a host that is served here", host=host[:100])
        )
        self.host = host


class UnusableKeys(RequestRefused):
    """A key was well when the API started, and is broken now; says in which file."""


class NoSuchGame(RequestRefused):
    """The path names a game that there is not."""

    def __init__(self, key: str, known: tuple[str, ...]) -> None:
        """Keep the key and those that there are."""
        super().__init__(
            Message("there is no game {game!r}; known: {known}", game=key, known=known)
        )
        self.known = known


class NoSuchProblem(RequestRefused):
    """The path names a type of problem that there is not."""

    def __init__(self, name: str) -> None:
        """Keep nothing."""
        super().__init__(
            Message(
                "there is no problem of type {type!r}; /problems lists them", type=name
            )
        )


class Unauthenticated(NotAllowed):
    """The request carries no token, or one that is not valid."""


class Forbidden(NotAllowed):
    """The token is valid, but not for this."""


class OfAnotherMatch(Forbidden):
    """The token is for another match."""

    def __init__(self, match_id: str) -> None:
        """Keep the match that it is for."""
        super().__init__(Message("this token is for match {match}", match=match_id))


class NotAcceptable(RequestRefused):
    """None of the media types that the client accepts can be answered."""

    def __init__(self, offered: tuple[str, ...]) -> None:
        """Keep the media types that there are."""
        super().__init__(Message("send Accept: {offered}", offered=any_of(*offered)))
        self.offered = offered


class UseStream(RequestRefused):
    """A stream was asked for where there are pages only."""

    def __init__(self, stream_url: str) -> None:
        """Keep where the streams are."""
        super().__init__(
            Message("streams are served at {url}; here, ask for JSON", url=stream_url)
        )
        self.stream_url = stream_url


class TooManyFollowers(RequestRefused):
    """As many streams are open as this process can hold."""

    def __init__(self) -> None:
        """Say what to do."""
        super().__init__(Message("as many streams are open as can be; try again later"))


class AlreadyMatched(RequestRefused):
    """The seek has found somebody already."""

    def __init__(self, match_id: str) -> None:
        """Keep the match that it came to."""
        super().__init__(
            Message("an opponent was found: match {match} is there", match=match_id)
        )
        self.match_id = match_id


class ExpectedVersionMissing(RequestRefused):
    """A move does not say which version its player has seen."""

    def __init__(self) -> None:
        """Say how to."""
        super().__init__(
            Message(
                "send the version you have seen: "
                'If-Match: "N", or "expected_version": N'
            )
        )


def _placed(error: dict[str, Any]) -> Message:
    place = error["pointer"] or Message("the body")
    return Message("{place}: {detail}", place=place, detail=error["detail"])
