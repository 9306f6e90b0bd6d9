"""The JavaScript client under Node, against a running stack and a bad network."""

import base64
import json
import random
import shutil
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from standardwebhooks.webhooks import Webhook

from services.client import Seedlog
from tests.client.world import AGAINST_AI, HEARTBEAT_S, HUMANS, World
from tests.support.node import node, run_node
from tests.support.proof import prove

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def folder(world: World, tmp_path: Path) -> Path:
    """Return a folder with the programs, and the client as it is served."""
    node()
    for program in PROGRAMS.glob("*.mjs"):
        shutil.copy(program, tmp_path)
    with urlopen(f"{world.stack.url}/client/seedlog.js") as served:
        assert served.headers["Content-Type"] == "text/javascript; charset=utf-8"
        (tmp_path / "seedlog.mjs").write_bytes(served.read())
    return tmp_path


def told(world: World, folder: Path, program: str, **environment: str) -> Any:
    """Run a program on the bad network, and return what it says."""
    given = {"URL": world.api.url, "KEY": world.stack.api_key}
    ran = run_node(folder, program, **given, **environment)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_it_does_what_can_be_done(world: World, folder: Path) -> None:
    assert told(world, folder, "abilities.mjs") == "all of it\n"


@pytest.mark.parametrize(
    ("cut_requests", "cut_answers"),
    [(0.3, 0.0), (0.0, 0.3)],
    ids=["before the append", "after the append"],
)
def test_each_act_has_one_effect_however_often_it_is_sent(
    world: World, folder: Path, cut_requests: float, cut_answers: float
) -> None:
    world.api.cut_requests, world.api.cut_answers = cut_requests, cut_answers
    world.api.cuts, client = 0, world.stack.client
    runs = [json.loads(told(world, folder, "acts.mjs"))]
    while world.api.cuts <= 3:  # chance may have spared them
        runs.append(json.loads(told(world, folder, "acts.mjs")))

    assert world.api.cuts > 3
    for done in runs:
        assert len(done["matches"]) == 3
        for match_id, moves in done["matches"].items():
            log = prove(client, match_id)
            assert sum(event["type"] == "match.move_played" for event in log) == moves
        agreed = [event["type"] for event in prove(client, done["drawn"])]
        ended = ["match.draw_offered", "match.draw_accepted", "match.ended"]
        assert agreed[3:] == ended


def play_on(client: Seedlog, match_id: str) -> None:
    match, chance = client.match(match_id), random.Random(5)
    while not match["outcome"]:
        move, seat = chance.choice(match["legal_moves"]), match["to_move"]
        client.play(match_id, move, version=match["version"], seat=seat)
        match = client.match(match_id)


def test_a_match_is_followed_without_gap_or_repetition(
    world: World, folder: Path
) -> None:
    client = world.stack.client
    match_id = client.open_match("oware", HUMANS)["id"]
    world.streams.cut_answers, world.streams.cuts = 0.2, 0
    player = threading.Thread(target=play_on, args=(client, match_id))
    player.start()

    heard = told(world, folder, "follow.mjs", MATCH=match_id, HEARTBEAT="15")

    player.join()
    assert world.streams.cuts > 0
    assert json.loads(heard) == list(client.events(match_id, position=True))


@pytest.mark.parametrize("trouble", ["silent", "none", "away"])
def test_the_feed_is_followed_whatever_becomes_of_the_stream(
    world: World, folder: Path, trouble: str
) -> None:
    """Open without a heartbeat, or not to be reached at all."""
    client = world.stack.client
    begin = max([0, *(entry["seq"] for entry in client.feed())])
    match_id = client.open_match("kalah", AGAINST_AI)["id"]
    client.resign(match_id, "south")
    if trouble == "silent":
        world.streams.mute = 1
    elif trouble == "away":
        world.streams.cut_requests = 1.0
    heard = told(
        world,
        folder,
        "follow.mjs",
        MATCH=match_id,
        CURSOR=str(begin),
        HEARTBEAT=str(HEARTBEAT_S),
    )

    assert world.streams.mute == 0
    entries = json.loads(heard)
    assert entries == [e for e in client.feed(begin) if e["seq"] <= entries[-1]["seq"]]


SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()
BODY = json.dumps({"type": "ping", "data": {"name": "Ümit"}})
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NOW_S = AT.timestamp()


def webhook(body: str = BODY, now_s: float = NOW_S, **changed: str) -> dict[str, Any]:
    signature = Webhook(SECRET).sign("dlv_1", AT, BODY)
    headers = {
        "webhook-id": "dlv_1",
        "webhook-timestamp": str(int(NOW_S)),
        "webhook-signature": f"v1,bm9uZQ== {signature}",
        **{f"webhook-{name}": value for name, value in changed.items()},
    }
    return {"secret": SECRET, "headers": headers, "body": body, "nowS": now_s}


def test_it_verifies_what_the_library_of_standard_webhooks_signs(
    world: World, folder: Path
) -> None:
    bad = [
        webhook(BODY + " "),
        webhook(id="dlv_2"),
        webhook(timestamp="soon"),
        webhook(signature="v1,"),
        webhook(signature="v1,%%%"),
        webhook(now_s=NOW_S + 301),
        webhook(now_s=NOW_S - 301),
    ]
    given = {"webhooks": [webhook(), *bad], "exports": []}
    (folder / "given.json").write_text(json.dumps(given))

    found = json.loads(told(world, folder, "verify.mjs"))

    assert found == ["ping", *["InvalidSignature"] * len(bad)]


def test_it_finds_any_change_to_an_export(world: World, folder: Path) -> None:
    client, chance = world.stack.client, random.Random(1)
    match_id = client.open_match("kalah", AGAINST_AI)["id"]
    client.resign(match_id, "south")
    export = client.export(match_id).decode()
    lines = export.splitlines(keepends=True)
    changed = ["".join(lines[:n] + lines[n + 1 :]) for n in range(len(lines))]
    for _ in range(150):
        place = chance.randrange(len(export))
        other = chr(ord(export[place]) ^ (1 << chance.randrange(6)))
        changed.append(export[:place] + other + export[place + 1 :])
    trusted = client.signing_keys()
    given = {"webhooks": [], "exports": [export, *changed], "trusted": trusted}
    (folder / "given.json").write_text(json.dumps(given))

    found = json.loads(told(world, folder, "verify.mjs"))

    assert found[0] == f"{match_id} {client.audit(match_id)['hash']} true"
    assert found[1:] == ["InvalidExport"] * len(changed)


class Refusing(BaseHTTPRequestHandler):
    """Refuses each request twice, and notes its key."""

    seen: list[tuple[str, str | None]]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append((self.path, self.headers["Idempotency-Key"]))
        often = sum(path == self.path for path, _ in self.seen)
        later = self.path.endswith("1200")
        status = 200 if often > 2 else 429 if later else (503, 502)[often - 1]
        body = json.dumps({"type": "/problems/later"}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Retry-After", "1200" if later else "0")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def refusing() -> Iterator[ThreadingHTTPServer]:
    Refusing.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_retry_has_the_same_key_and_whoever_waits_for_long_is_told(
    folder: Path, refusing: ThreadingHTTPServer
) -> None:
    (folder / "retry.mjs").write_text("""
import { Seedlog } from "./seedlog.mjs";
const app = new Seedlog(process.env.URL, "", {});
await app.request("POST", "/soon", { body: {} });
await app.request("POST", "/soon-too", { body: {} });
await app.request("POST", "/1200", { body: {} }).catch((error) =>
  console.log(error.status, error.type, error.retryAfterS));
""")
    url = f"http://127.0.0.1:{refusing.server_address[1]}"

    ran = run_node(folder, "retry.mjs", URL=url)

    assert ran.stdout == "429 later 1200\n", ran.stderr
    keys = [key for _, key in Refusing.seen]
    assert [path for path, _ in Refusing.seen] == ["/soon"] * 3 + ["/soon-too"] * 3 + [
        "/1200"
    ]
    assert all(keys)
    assert len({*keys[:3]}) == len({*keys[3:6]}) == 1
    assert len({*keys}) == 3


def test_it_finds_somebody_to_play_with(world: World, folder: Path) -> None:
    said = json.loads(told(world, folder, "lobby.mjs"))
    assert said == {
        "same": True,
        "seats": ["north", "south"],
        "nobody": None,
        "taken": ["north", "Beth"],
        "rematch": [True, "open", "running"],
    }


def test_it_has_positions_and_matches_analysed(world: World, folder: Path) -> None:
    world.api.cut_requests = world.streams.cut_answers = 0.1
    said = json.loads(told(world, folder, "analyses.mjs"))
    versions = said.pop("versions")
    assert versions == [*range(1, len(versions) + 1)]
    assert said == {
        "last": "analysis.finished",
        "lines": 2,
        "depths": True,
        "hint": ["hint", "south"],
        "plies": [[True, "south"]],
        "canceled": "canceled",
        "none": "no-such-analysis",
    }
