"""`seedlog demo`: plays whole matches over HTTP and proves them by replay.

A random player meets the AI in every game. Then the log is fetched, its hash chain is
computed anew, its moves are replayed with the rules alone, and every position that the
API has served is compared with the replayed one. Where there are streams, they have to
tell every event, too.
"""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import click
import httpx

from rules_core import Layout, all_games, start
from services.cli.ready import read_ready
from services.cli.redis_server import free_port
from services.client import Seedlog
from services.client.shapes import LoggedEvent, Match
from services.rulebooks.drawing import draw
from services.settings import Settings

START_WITHIN_S = 60.0
FOLLOW_WITHIN_S = 30.0
ELSEWHERE = (404, 406, 421)
"""How an API answers that is not at the address of the streams."""


class DemoFailed(Exception):
    """What the API served is not what the log says."""


def run_demo(
    settings: Settings,
    *,
    url: str | None,
    key: str | None,
    games: tuple[str, ...],
    level: int,
    seed: int,
    quiet: bool,
) -> None:
    """Play and prove a match of every game.

    :raises DemoFailed: says which position or hash is not that of the replay.
    """
    with _stack(settings, url, key, games) as client:
        known = [game["key"] for game in client.games()]
        _look_for(games, known)
        for game in games or known:
            served = _play(client, game, level, random.Random(seed), quiet=quiet)  # noqa: S311
            _prove(client, served)
            _follow(served)
    click.secho("every served position is the replayed one", fg="green", bold=True)


def _look_for(games: Sequence[str], known: Sequence[str]) -> None:
    if unknown := set(games) - set(known):
        said = f"there is no game {', '.join(sorted(unknown))}; known: "
        raise DemoFailed(said + ", ".join(known))


@contextmanager
def _stack(
    settings: Settings, url: str | None, key: str | None, games: Sequence[str]
) -> Iterator[Seedlog]:
    """Yield a client of the stack that is named, that runs here, or of a new one."""
    if url:
        click.echo(f"asking {url}", err=True)  # who is away is waited for, a minute
        with Seedlog(url, key or "") as client:
            yield client
        return
    ready = read_ready(settings.data)
    if ready is not None:
        with Seedlog(ready["url"], ready["api_key"]) as client:
            yield client
        return
    _look_for(games, [game.key for game in all_games()])  # rather than when it runs
    click.echo("no stack is running here; starting one for the demo")
    with TemporaryDirectory(prefix="seedlog-demo-") as folder:
        data = Path(folder)
        environment = {
            **os.environ,
            "SEEDLOG_DATA": folder,
            "SEEDLOG_PORT": str(free_port()),
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "services.cli", "up"],
            env=environment,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            facts = _await_ready(process, data)
            with Seedlog(facts["url"], facts["api_key"]) as client:
                yield client
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


def _await_ready(process: "subprocess.Popen[bytes]", data: Path) -> dict[str, Any]:
    deadline = time.monotonic() + START_WITHIN_S
    while time.monotonic() < deadline and process.poll() is None:
        if facts := read_ready(data):
            return facts
        time.sleep(0.1)
    raise DemoFailed("the stack did not start")


def _play(
    app: Seedlog, game: str, level: int, chance: random.Random, *, quiet: bool
) -> "Served":
    """Play a match to its end and return everything that was served of it."""
    shown = app.game(game)
    seats, layout = shown["seats"], Layout(**cast(dict[str, Any], shown["layout"]))
    ours, theirs = seats
    opened = app.open_match(
        game,
        {
            ours: {"kind": "human", "name": "Amara"},
            theirs: {"kind": "ai", "level": level},
        },
    )
    match_id, match = opened["id"], cast(Match, opened)
    token = opened["seat_tokens"][ours]
    served = Served(match_id, game, opened["stream_url"], token)
    player = app.holding(token)
    drawn = 0
    while True:
        served.keep(match)
        for event in player.events(match_id, drawn, position=True):
            served.keep(event)
            drawn = event["version"]
            if not quiet:
                _show(game, event, layout)
        if match["outcome"]:
            break
        move, version = chance.choice(match["legal_moves"]), match["version"]
        match = player.play(match_id, move, version=version)["match"]
        served.keep(match)
        match = player.wait_for_turn(match_id, ours)
    outcome = match["outcome"]
    score = " : ".join(str(outcome["score"][seat]) for seat in seats)
    click.echo(
        f"{game}: {match['ply']} moves, {match['version']} events, "
        f"{outcome['winner'] or 'nobody'} wins by {outcome['reason']}, {score}"
    )
    return served


class Served:
    """What the API has served of a match: the position text at each version."""

    def __init__(self, match_id: str, game: str, stream_url: str, token: str) -> None:
        """Begin with nothing."""
        self.match_id = match_id
        self.game = game
        self.stream_url = stream_url
        self.token = token
        self.positions: dict[int, str] = {}

    def keep(self, shown: Mapping[str, Any]) -> None:
        """Keep a position; the same version must never show two."""
        version, position = shown["version"], shown["position"]
        if self.positions.setdefault(version, position) != position:
            raise DemoFailed(
                f"{self.match_id}: version {version} was served as "
                f"{self.positions[version]!r} and as {position!r}"
            )


def _show(game: str, event: LoggedEvent, layout: Layout) -> None:
    data = event["data"]
    what = data.get("move") or data.get("reason") or data.get("kind") or ""
    who = data.get("seat") or data.get("winner") or ""
    click.secho(
        f"\n{game} {event['version']:>3}  {event['type']:<20} {who} {what}", bold=True
    )
    click.echo(draw(layout, event["board"]))


def _prove(app: Seedlog, served: Served) -> None:
    """Replay the log with the rules alone and compare it with what was served."""
    events = list(app.events(served.match_id))
    opened = events[0]["data"]
    position = start(
        opened["game"], opened["options"], opened["starter"], opened["rules"]
    )
    head = hashlib.sha256(f"seedlog/1 {served.match_id}".encode()).hexdigest()
    for event in events:
        text = {k: dict(event)[k] for k in ("at", "by", "data", "type", "version")}
        canonical = json.dumps(
            text, sort_keys=True, separators=(",", ":"), ensure_ascii=False
        )
        head = hashlib.sha256((head + canonical).encode()).hexdigest()
        if head != event["hash"]:
            raise DemoFailed(f"{served.match_id}: event {event['version']}: wrong hash")
        if event["type"] == "match.move_played":
            position = position.play(event["data"]["move"])
        shown = served.positions.get(event["version"])
        if shown is not None and shown != str(position):
            raise DemoFailed(
                f"{served.match_id}: version {event['version']} was served as "
                f"{shown!r}, but the replay gives {str(position)!r}"
            )
    checked = len(served.positions)
    click.echo(
        f"{served.game}: {checked} served positions equal the replay, "
        f"{len(events)} hashes hold, head {head[:16]}"
    )


def _follow(served: Served) -> None:
    """Hold what the streams tell of a match that is over against what was served.

    The client would read pages where they fail, so they are asked directly. An API that
    is reached apart from them does not know them, which is no fault.

    :raises DemoFailed: they answer with a fault, or leave an event out.
    """
    headers = {
        "Authorization": f"Bearer {served.token}",
        "Accept": "application/x-ndjson",
    }
    try:
        answer = httpx.get(
            f"{served.stream_url}?after=0", headers=headers, timeout=FOLLOW_WITHIN_S
        )
    except httpx.TransportError as error:
        click.echo(f"{served.game}: no streams are reached from here ({error})")
        return
    if answer.status_code in ELSEWHERE:
        click.echo(f"{served.game}: no streams here ({answer.status_code})")
        return
    if answer.status_code != httpx.codes.OK:
        said = f"answers {answer.status_code} to who follows"
        raise DemoFailed(f"{served.stream_url} {said}")
    told = [json.loads(line).get("version") for line in answer.text.splitlines()]
    versions = [version for version in told if version is not None]
    if versions != list(range(1, max(served.positions) + 1)):
        raise DemoFailed(f"{served.stream_url} tells the versions {versions}")
    click.echo(f"{served.game}: {len(versions)} events came by the stream")
