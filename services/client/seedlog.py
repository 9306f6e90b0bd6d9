"""`Seedlog`: what the API can do, one method for each."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any, Self, cast

import httpx

from services.client.admin import Keys, Webhooks
from services.client.analyses import Analyses
from services.client.following import Followed, Follower
from services.client.lobby import Lobby
from services.client.pages import read_pages
from services.client.paths import given, match_path, part_of, query_of
from services.client.players import Players
from services.client.sending import Body, Patience, Sender
from services.client.shapes import (
    Acted,
    Audit,
    Control,
    FeedEntry,
    Game,
    Limits,
    LoggedEvent,
    MatchSummary,
    OpenedMatch,
    PlayedMove,
    ReadMatch,
    ShownPosition,
    SigningKeys,
    SpectatorToken,
    Status,
    TakenSeat,
)
from services.client.streams import Streams

Player = Mapping[str, Any]
"""A human, with the app's ``player`` and a ``name``; or an AI with a ``level``."""


class Seedlog:
    """An app with its API key, or a player with the token of a seat.

    Every method raises `Problem` where the server refuses, and `Unreachable` where no
    answer came for *retry_for_s*. It may be used by many threads.
    """

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        answer_within_s: float = 15.0,
        retry_for_s: float = 60.0,
        heartbeat_s: float = 15.0,
        http: httpx.Client | None = None,
    ) -> None:
        """Speak with the API at *url*; *heartbeat_s* is that of its streams."""
        patience = Patience(answer_within_s, retry_for_s)
        http = http or httpx.Client(follow_redirects=False)
        self._sender = Sender(url, token, patience, http)
        self._heartbeat_s = heartbeat_s
        self._stream_base: list[str] = []

    def holding(self, token: str) -> "Seedlog":
        """Return a client with another token that shares our connections."""
        other = object.__new__(Seedlog)
        other._sender = Sender(
            self._sender.url, token, self._sender.patience, self._sender.http
        )
        other._heartbeat_s = self._heartbeat_s
        other._stream_base = self._stream_base
        return other

    def close(self) -> None:
        """Close the connections, also of those who share them."""
        self._sender.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def token(self) -> str:
        """Return the key or token that is sent."""
        return self._sender.token

    @property
    def players(self) -> Players:
        """Return what is known of players: ratings, scores, leaderboards."""
        return Players(self.request)

    @property
    def lobby(self) -> Lobby:
        """Return what finds opponents: seeks, invitations, rematches."""
        return Lobby(self.request)

    @property
    def analyses(self) -> Analyses:
        """Return what tells how good moves are: of positions and matches, and hints."""
        return Analyses(
            self.request,
            lambda analysis_id, after, within_s: self._follow(
                self._streams.of_analysis(analysis_id), after, within_s
            ),
        )

    @property
    def webhooks(self) -> Webhooks:
        """Return what an admin's key can do with webhook endpoints."""
        return Webhooks(self.request)

    @property
    def keys(self) -> Keys:
        """Return what an admin's key can do with API keys."""
        return Keys(self.request)

    def request(
        self,
        method: str,
        path: str,
        body: Body = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        wait_s: float = 0.0,
        retry_for_s: float | None = None,
    ) -> Any:
        """Send any request of the contract, with retries; return what JSON it answers.

        *wait_s* is how long the server was asked to wait before it answers.
        """
        answer = self._sender.send(
            method,
            path + query_of(query or {}),
            body,
            headers=headers,
            idempotency_key=idempotency_key,
            wait_s=wait_s,
            retry_for_s=retry_for_s,
        )
        if not answer.body:
            return None
        return answer.json() if answer.is_json else answer.body

    # games

    def games(self) -> list[Game]:
        """List every game."""
        return cast(list[Game], self.request("GET", "/v1/games")["data"])

    def game(self, key: str) -> Game:
        """Show one game."""
        return cast(Game, self.request("GET", f"/v1/games/{part_of(key)}"))

    def position(self, game: str, **asked: Any) -> ShownPosition:
        """Return what the rules say; *asked* as in `computePosition`."""
        body = {"game": game, **asked}
        return cast(ShownPosition, self.request("POST", "/v1/positions", body))

    def limits(self) -> Limits:
        """Show what applies to this key or token, and how much of it is used."""
        return cast(Limits, self.request("GET", "/v1/limits"))

    # matches

    def open_match(
        self,
        game: str,
        seats: Mapping[str, Player] | None = None,
        *,
        options: Mapping[str, Any] | None = None,
        starter: str | None = None,
        position: str | None = None,
        clock: Control | None = None,
        rated: bool | None = None,
        hints: bool | None = None,
        idempotency_key: str | None = None,
    ) -> OpenedMatch:
        """Open a match; seats that are left out stay free."""
        body = given(
            game=game,
            seats=seats,
            options=options,
            starter=starter,
            position=position,
            clock=clock,
            rated=rated,
            hints=hints,
        )
        opened = self.request(
            "POST", "/v1/matches", body, idempotency_key=idempotency_key
        )
        return cast(OpenedMatch, opened)

    def match(
        self, match_id: str, *, version: int | None = None, layout: bool = False
    ) -> ReadMatch:
        """Show a match, now or as it was at a version."""
        query = {"version": version, "include": "layout" if layout else None}
        return cast(ReadMatch, self.request("GET", match_path(match_id), query=query))

    def matches(
        self,
        *,
        game: str | None = None,
        status: Status | None = None,
        player: str | None = None,
        since: str | None = None,
    ) -> Iterator[MatchSummary]:
        """Yield the matches of the app, the newest first, page by page."""
        query = {"game": game, "status": status, "player": player, "since": since}
        yield from read_pages(self.request, "/v1/matches", {**query, "limit": 200})

    def matches_by_id(self, ids: Iterable[str]) -> list[ReadMatch]:
        """Return those of up to 100 matches that there are, in that order."""
        asked = {"ids": ",".join(ids)}
        return cast(
            list[ReadMatch], self.request("GET", "/v1/matches", query=asked)["data"]
        )

    def sit(
        self,
        match_id: str,
        kind: str = "human",
        *,
        seat: str | None = None,
        player: str | None = None,
        name: str | None = None,
        level: int | None = None,
    ) -> TakenSeat:
        """Seat a human or an AI, on the first free seat or the one that is named."""
        body = given(kind=kind, seat=seat, player=player, name=name, level=level)
        path = match_path(match_id, "players")
        return cast(TakenSeat, self.request("POST", path, body))

    def renew_seat_token(self, match_id: str, seat: str) -> TakenSeat:
        """Return a new token of a seat; the earlier ones end."""
        path = match_path(match_id, f"players/{part_of(seat)}/token")
        return cast(TakenSeat, self.request("POST", path, {}))

    def issue_spectator_token(
        self, match_id: str, expires_in_s: int | None = None
    ) -> SpectatorToken:
        """Return a token with which anybody may read and follow a match."""
        path = match_path(match_id, "spectator-tokens")
        body = given(expires_in_s=expires_in_s)
        return cast(SpectatorToken, self.request("POST", path, body))

    def revoke_spectator_tokens(self, match_id: str) -> None:
        """Let nobody look on any more who was let in until now."""
        self.request("DELETE", match_path(match_id, "spectator-tokens"))

    def play(
        self,
        match_id: str,
        move: str,
        *,
        version: int,
        seat: str | None = None,
        wait_for_reply_s: int = 0,
        idempotency_key: str | None = None,
    ) -> Acted:
        """Play a move on the version that was seen; an app names the seat.

        With *wait_for_reply_s*, 10 at most, the answer brings the reply of an AI.
        """
        body = given(move=move, seat=seat, wait_for_reply_s=wait_for_reply_s or None)
        played = self.request(
            "POST",
            match_path(match_id, "moves"),
            body,
            headers={"If-Match": f'"{version}"'},
            idempotency_key=idempotency_key,
            wait_s=wait_for_reply_s,
        )
        return cast(Acted, played)

    def resign(self, match_id: str, seat: str | None = None) -> Acted:
        """Give up."""
        return self._act(match_id, "resignation", seat=seat)

    def offer_draw(self, match_id: str, seat: str | None = None) -> Acted:
        """Offer a draw."""
        return self._act(match_id, "draw-offers", seat=seat)

    def answer_draw(
        self, match_id: str, accept: bool, seat: str | None = None
    ) -> Acted:
        """Accept or decline a draw."""
        return self._act(match_id, "draw-offers/answer", accept=accept, seat=seat)

    def request_takeback(
        self, match_id: str, to_version: int, seat: str | None = None
    ) -> Acted:
        """Ask to go back to the position of a version."""
        return self._act(match_id, "takebacks", to_version=to_version, seat=seat)

    def answer_takeback(
        self, match_id: str, accept: bool, seat: str | None = None
    ) -> Acted:
        """Accept or decline a takeback."""
        return self._act(match_id, "takebacks/answer", accept=accept, seat=seat)

    def guess_fist(self, match_id: str, fist: str, seat: str | None = None) -> Acted:
        """Guess the fist that decides who begins."""
        return self._act(match_id, "guess", fist=fist, seat=seat)

    def call_off(self, match_id: str) -> Acted:
        """Call a match off before its first move."""
        return self._act(match_id, "cancellation")

    def fork(self, match_id: str, **wanted: Any) -> OpenedMatch:
        """Open a match from a version of another; *wanted* as in `forkMatch`."""
        path = match_path(match_id, "forks")
        return cast(OpenedMatch, self.request("POST", path, wanted))

    # the log

    def moves(self, match_id: str) -> Iterator[PlayedMove]:
        """Yield the moves that stand, page by page."""
        yield from read_pages(
            self.request, match_path(match_id, "moves"), {"limit": 1000}
        )

    def events(
        self, match_id: str, after: int = 0, *, position: bool = False
    ) -> Iterator[LoggedEvent]:
        """Yield the events of a match after a version; with *position* the boards."""
        query = {
            "after": after,
            "limit": 1000,
            "include": "position" if position else None,
        }
        yield from read_pages(
            self.request, match_path(match_id, "events"), query, cursor="after"
        )

    def feed(self, cursor: int = 0, types: Iterable[str] = ()) -> Iterator[FeedEntry]:
        """Yield the events of all matches of the app after a `seq`, up to now."""
        query = {"cursor": cursor, "type": ",".join(types) or None, "limit": 1000}
        yield from read_pages(self.request, "/v1/events", query)

    def follow(
        self, match_id: str, after: int = 0, *, within_s: float | None = None
    ) -> Generator[LoggedEvent, None, None]:
        """Yield each event of a match once, in order, as it comes, until the last.

        A lost or silent stream is taken up where it was. The board, the seat to move
        and the legal moves come with each event.

        :raises TimeoutError: it was not over *within_s*.
        """
        yield from self._follow(self._streams.of_match(match_id), after, within_s)

    def follow_all(
        self, cursor: int | None = None, *, within_s: float | None = None
    ) -> Generator[FeedEntry, None, None]:
        """Yield each event of all matches of the app once, after a `seq` or from now.

        Keep the ``seq`` of the last one, to go on after it another day.
        """
        yield from self._follow(self._streams.of_feed(), cursor, within_s)

    def wait_for_turn(
        self, match_id: str, seat: str, within_s: float = 60.0
    ) -> ReadMatch:
        """Return the match once a seat is to move, or the match is over.

        :raises TimeoutError: neither came in time.
        """
        match = self.match(match_id)
        while match["status"] in ("open", "running") and match["to_move"] != seat:
            events = self.follow(match_id, match["version"], within_s=within_s)
            with closing(events):
                for event in events:
                    if event.get("to_move") == seat:
                        break
            match = self.match(match_id)
        return match

    def wait_for_end(self, match_id: str, within_s: float = 600.0) -> ReadMatch:
        """Return the match once it is over.

        :raises TimeoutError: it was not over in time.
        """
        return self.wait_for_turn(match_id, "", within_s)

    # proof

    def audit(self, match_id: str) -> Audit:
        """Let the server verify the log of a match."""
        return cast(Audit, self.request("GET", match_path(match_id, "audit")))

    def export(self, match_id: str) -> bytes:
        """Take a match out as a file that proves itself; see `verify_export`."""
        return cast(bytes, self.request("GET", match_path(match_id, "export")))

    def import_match(self, export: bytes) -> OpenedMatch:
        """Take a match over from an export."""
        headers = {"Content-Type": "application/x-ndjson"}
        taken = self.request("POST", "/v1/imports", export, headers=headers)
        return cast(OpenedMatch, taken)

    def signing_keys(self) -> SigningKeys:
        """Return the keys that exports of this server are signed with."""
        return cast(SigningKeys, self.request("GET", "/.well-known/seedlog-keys.json"))

    # private

    def _act(self, match_id: str, act: str, **body: Any) -> Acted:
        path = match_path(match_id, act)
        return cast(Acted, self.request("POST", path, given(**body)))

    @property
    def _streams(self) -> Streams:
        return Streams(self.request, self._sender.url, self._stream_base)

    def _follow(
        self, followed: Followed, after: int | None, within_s: float | None
    ) -> Generator[Any, None, None]:
        silence_s = 2 * self._heartbeat_s
        follower = Follower(
            self._sender, followed, after, silence_s=silence_s, within_s=within_s
        )
        yield from follower.run()
