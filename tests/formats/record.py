"""Writes the samples of every format: `python -m tests.formats.record`.

A sample is what the code of its day has written, and must be read for ever: a file that
is there is left alone. A new version of a format gets a sample of its own beside the
earlier ones. It needs a redis-server.

`snapshots-1.json`, `segment-1.segment` and `erasures-0.json` were written by the code
that had these formats; both segments hold what `segment-1.json` tells.
"""

import contextlib
import gzip
import itertools
import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any
from unittest import mock

from redis import Redis

from rules_core import GAMES, Position, find_game, start
from rules_core.compiled import find_compiled
from rules_core.game import Variant
from rules_core.levels import FILE
from rules_core.search.book import Book, write_book
from rules_core.search.book_growing import Grower, begin_book
from rules_core.search.book_proving import Prover
from rules_core.search.ending_tables import build_endings, write_endings
from rules_core.search.symmetry import SEATS
from rules_core.tuning.learned import write_learned
from rules_core.tuning.sowing import learn_traits
from rules_core.tuning.sowing_games import SowingPlayer
from rules_core.tuning.traits import Traits
from services.analysis import HINT, MATCH, POSITION, Analyses, Question
from services.analysis.analysis import DEPTH
from services.api import create_app
from services.archive import ColdStream, backup, write_backup
from services.archive.segment import pack_segment
from services.audit import SigningKeys, export_lines
from services.audit.export import PlayerName
from services.audit.page import page_parts
from services.audit.trust import list_keys
from services.audit.whole_log import Progress, audit_log
from services.bootstrap import Services, connect
from services.cli import redis_server
from services.cli.beside_the_log import kept_beside
from services.cli.ready import write_ready
from services.eventlog import IdempotencyKey, MemoryEventLog, RedisEventLog
from services.eventlog.library import connect_redis
from services.eventlog.packing import Packing
from services.invitations import Invitation, Invitations
from services.limits.quotas import LIMITS
from services.lobby import Seek
from services.lobby.seek import paired
from services.local_files import draft_of
from services.match import (
    Match,
    MatchService,
    OpenMatch,
    Player,
    PlayMove,
    TakeHint,
    TakeSeat,
    snapshot,
)
from services.match.clock import NO_SHOW, TIME
from services.match.events import Imported
from services.match.phrases import PHRASES
from services.match.seat_tokens import SeatTokens
from services.names import sandbox_of
from services.players import ON_DISK, Erasures, Players
from services.settings import Settings
from services.spectators import Spectators
from services.tenants import ApiKey
from services.tenants.api_key import key_text
from services.tenants.given_limits import limits_text
from services.tenants.origins import origins_text
from services.views import Projector
from services.web.kept import kept_page
from tests.formats import webhook_sample
from tests.formats.dump import load_dump, write_dump
from tests.support.archived import none_damaged
from tests.support.samples import SAMPLES, sample
from tests.support.tables import AT, PRIVATE, Table, random_table, signing_key
from workers.dispatcher import Dispatcher
from workers.queues import connect_queues, job_queue

SECRET = "the secret of the samples"
APP_KEY = "sk_of_the_samples_0123456789abcdef0123456789"
NOW_MS = 1_795_262_400_000  # 2026-11-21T12:00:00.000Z
HUMAN = {"kind": "human"}


def main() -> None:
    SAMPLES.mkdir(exist_ok=True)
    _keep("events.jsonl", _events)
    _keep("phrases.json", _phrases)
    _keep("erasures-1.json", _erasures)
    _keep("api-keys-1.json", _api_keys)
    _keep("tenant-limits-1.json", _tenant_limits)
    _keep("tenant-origins-1.json", _tenant_origins)
    _keep("positions.json", _positions)
    _keep("positions-pie.json", _positions_with_a_swap)
    _keep("snapshots-2.json", _snapshots)
    _keep("snapshots-3.json", lambda: _snapshots(clocks=True))
    _keep("snapshots-4.json", lambda: _casual(_snapshot_row))
    _keep("events-clocks.jsonl", _events_of_clocks)
    _keep("events-casual.json", lambda: _casual(_opening_text))
    _keep("events-hints.json", lambda: _hinted(_event_texts))
    _keep("snapshots-5.json", lambda: _hinted(_snapshot_row))
    _keep("events-ladders.json", lambda: _levelled(_event_texts))
    _keep("snapshots-6.json", lambda: _levelled(_snapshot_row))
    _keep("events-pie.json", lambda: _swapped(_opening_or_move))
    _keep("snapshots-pie.json", lambda: _swapped(_snapshot_row))
    _keep("levels-1.json", lambda: FILE.read_text("utf-8"))
    _keep("analyses-1.json", _analyses)
    _keep("clock-redis-1.json", _redis_with_a_clock)
    _keep("seat-tokens.json", _seat_tokens)
    _keep("spectator-tokens-1.json", _spectator_tokens)
    _keep("sandboxes-1.json", _sandboxes)
    _keep("players-1.json", _players)
    _keep("invitations-1.json", _invitations)
    _keep_bytes("endings-1.endings.gz", lambda: gzip.compress(_endings(), mtime=0))
    _keep_bytes("ending-bounds-1.endings.gz", lambda: gzip.compress(_bounds(), mtime=0))
    _keep_bytes("book-1.book", _book)
    _keep_bytes("book-proofs-1.book", _proofs)
    _keep("traits-1.json", _traits)
    _keep("lobby-1.json", _lobby)
    _keep_bytes("page-1.html.gz", lambda: gzip.compress(_page().encode(), mtime=0))
    _keep("segment-1.json", _matches_of_segment)
    _keep_bytes("segment-2.segment", lambda: pack_segment("sample", _cold_streams())[0])
    _keep("webhooks-1.json", _webhooks)
    if not (SAMPLES / "installation").exists():
        with _redis() as url:
            _record_installation(url, SAMPLES / "installation")
    _keep_bytes("backup-marks-1.part", _interrupted_backup)


def _webhooks() -> str:
    """Return the sample of webhooks, on a Redis of its own."""
    with _redis() as url, tempfile.TemporaryDirectory() as folder:
        settings = Settings(redis_url=url, secret=SECRET, data=Path(folder))
        return webhook_sample.record(connect(settings))


def _endings() -> bytes:
    return _table(find_game("kalah").variant({"pits": 2, "seeds": 2}), 6)


def _bounds() -> bytes:
    return _table(find_game("oware").variant(None), 3)


def _table(variant: Variant, seeds: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample"
        write_endings(path, variant, build_endings(variant, seeds))
        return path.read_bytes()


def _book() -> bytes:
    grower = Grower(begin_book(find_game("bao-kujifunza").variant(None), 20_000, 6))
    for _ in range(12):
        grower.grow()
    return _written(grower.book)


def _proofs() -> bytes:
    variant = find_game("kalah").variant({"pits": 3, "seeds": 3})
    prover = Prover(Book(variant, SEATS, 60, 30, proves=4))
    while prover.grow():
        pass
    return _written(prover.book)


def _written(book: Book) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample"
        write_book(path, book)
        return path.read_bytes()


def _traits() -> str:
    game = find_game("bao-children")
    player = SowingPlayer(game, find_compiled(game))
    command = f"seedlog tune {game.key} --games 40 --seed 1"
    learned = learn_traits(
        player, Traits(player), list(player.lines(1, 40)), command, lambda: None
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample"
        write_learned(path, learned)
        return path.read_text("utf-8")


def _keep(name: str, make: Any) -> None:
    _keep_bytes(name, lambda: make().encode())


def _keep_bytes(name: str, make: Any) -> None:
    path = SAMPLES / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make())
        print(f"{name}: {path.stat().st_size} bytes")


def _lines(rows: list[Any]) -> str:
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"


# -- matches


def _tables(count: int = 400, *, clocks: bool = False) -> Iterator[Table]:
    for seed in range(count):
        yield random_table(random.Random(f"sample {seed}"), clocks=clocks)


def _events() -> str:
    """Return one event of each type, as its canonical text; and an import."""
    longest: dict[str, str] = {}
    for table in _tables():
        for event in table.log.read(table.id):
            known = longest.get(event.type, "")
            if len(event.text) > len(known):  # the one with the most members
                longest[event.type] = event.text
    longest[Imported.type] = _import(table)
    return "".join(f"{text}\n" for _, text in sorted(longest.items()))


def _redis_with_a_clock() -> str:
    """Return what stands in Redis of a match whose clock runs: its alarm, too."""
    human = Player(kind="human", player="ply_a")
    wanted = OpenMatch(
        game="kalah",
        tenant="ten_a",
        seats={"south": human, "north": human},
        clock={"initial_s": 30, "increment_s": 1},
    )
    with _redis() as url:
        matches = MatchService(RedisEventLog(url, phrases=PHRASES), lambda: NOW_MS)
        matches.handle("mat_clock", wanted, by="key:abc")
        return write_dump(Redis.from_url(url))


def _events_of_clocks() -> str:
    """Return an opening with a clock of each kind, and the ends that a time brings."""
    kept: dict[str, str] = {}
    for table in _tables(clocks=True):
        for event in table.log.read(table.id):
            reason = event.data.get("reason")
            kind = "".join(event.data.get("clock", ())) or reason
            if kind != reason or reason in (TIME, NO_SHOW):
                kept.setdefault(str(kind), event.text)
    return "".join(f"{text}\n" for _, text in sorted(kept.items()))


def _api_keys() -> str:
    """Return API keys as Redis keeps them: of each role, with and without an end."""
    usual = ApiKey("key_1", "ten_a", "shop", NOW_MS, tenant_name="Acme")
    keys = [
        usual,
        replace(usual, id="key_2", revoked=True, tenant_name=""),
        replace(usual, id="key_3", role="play", expires_at_ms=NOW_MS + 60_000),
        replace(usual, id="key_4", role="read", request="digest"),
    ]
    return _lines([key_text(key) for key in keys])


def _tenant_limits() -> str:
    """Return limits of tenants of their own, as Redis keeps them."""
    given = [dict.fromkeys(LIMITS, 5), {"open_matches": 0}]
    return _lines([limits_text(limits) for limits in given])


def _tenant_origins() -> str:
    """Return the origins whose pages a tenant lets in, as Redis keeps them."""
    return _lines([origins_text(["https://app.example", "http://localhost:3000"])])


def _erasures() -> str:
    """Return what stands in Redis of erased names while they leave the disk."""
    with _redis() as url:
        players = Players(url)
        for number in range(5):
            players.register(f"ply_{number}", "ten_a", "Amara")
            players.erase(f"ply_{number}", "ten_a", NOW_MS)
        Erasures(url).run_once(NOW_MS)
        known = Redis.from_url(url, decode_responses=True).hgetall(ON_DISK)
    return json.dumps(known, sort_keys=True) + "\n"


def _phrases() -> str:
    """Return texts of the log, each as it is packed."""
    said = [*PHRASES]
    for table in _tables(60):
        for event in table.log.read(table.id):
            said += [event.type, event.by, event.data_text]
    chance = random.Random("phrases")
    known = [*dict.fromkeys(said)]
    rest = chance.sample(known[len(PHRASES) :], 100)
    texts = [*PHRASES, *rest]
    packing = Packing(PHRASES)
    return _lines([[text, packing.pack(text)] for text in texts])


def _import(table: Table) -> str:
    """Return the event that an import of a match is recorded as."""
    events, state = table.log.read(table.id), table.log.load(table.id)
    assert state is not None
    imported = Imported(
        tenant="ten_b", head=state.head.hash, key=signing_key().public.id
    )
    service = MatchService(MemoryEventLog(), lambda: NOW_MS)
    handled = service.take_over(table.match, events, imported, by="key:abc")
    return handled.events[0].text


def _positions() -> str:
    """Return positions of a random playthrough of each game, with some options."""
    rows = []
    for game in GAMES:
        for options in _options_of(game.key):
            chance = random.Random(f"{game.rules} {options}")
            position = start(game.key, options)
            moves: list[str] = []
            for _ in range(400):
                if position.to_move is None or len(moves) >= 300:
                    break
                moves.append(chance.choice(position.legal_moves))
                position = position.play(moves[-1])
                if len(moves) in (1, 7, 25) or position.to_move is None:
                    rows.append(
                        {
                            "game": game.key,
                            "rules": game.rules,
                            "options": dict(game.complete_options(options)),
                            "moves": " ".join(moves),
                            "text": str(position),
                            "snapshot": position.snapshot,
                            "digest": position.digest,
                            "to_move": position.to_move,
                        }
                    )
    return _lines(rows)


def _positions_with_a_swap() -> str:
    """Return positions before and after a swap, of games that are begun by either."""
    rows = []
    for key, options in PIES:
        for starter in find_game(key).starters:
            chance = random.Random(f"{key} {starter}")
            position, moves = start(key, options, starter), list[str]()
            while len(moves) < 8:
                told = {"text": str(position), "snapshot": position.snapshot}
                told |= {"digest": position.digest, "starter": starter}
                told |= {"to_move": str(position.to_move), "moves": " ".join(moves)}
                rules = position.game.rules
                rows.append({"game": key, "rules": rules, "options": options, **told})
                moves.append(_swap_or_any(position, chance))
                position = position.play(moves[-1])
    return _lines(rows)


PIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("kalah", {"pie": True}),
    ("congkak", {"pie": True, "pits": 5, "seeds": 3, "rounds": "match"}),
)


def _swap_or_any(position: Position, chance: random.Random) -> str:
    legal = position.legal_moves
    return "swap" if "swap" in legal else chance.choice(legal)


def _opening_or_move(matches: MatchService, match: Match) -> str:
    return matches.events(match.id)[-1 if match.ply else 0].text


def _swapped(row_of: Callable[[MatchService, Match], Any]) -> str:
    """Return something of matches in which the second seat has just swapped."""
    matches = MatchService(MemoryEventLog(), lambda: NOW_MS)
    human = Player(kind="human", player="ply_a")
    told = []
    for number, (key, options) in enumerate(PIES):
        wanted = OpenMatch(
            game=key,
            tenant="ten_a",
            options=options,
            seats={"south": human, "north": human},
        )
        chance, name = random.Random(key), f"mat_{number}"
        match = matches.handle(name, wanted, by="key:abc").match
        told.append(row_of(matches, match))
        while match.position is not None and "pie=" in str(match.position):
            move = _swap_or_any(match.position, chance)
            command = PlayMove(seat=str(match.to_move), move=move)
            match = matches.handle(name, command, by="seat").match
        told.append(row_of(matches, match))
    return _lines(told)


def _options_of(key: str) -> list[dict[str, Any]]:
    return [{}, {"seeds": 3}] if key in ("kalah", "congkak") else [{}]


def _snapshots(*, clocks: bool = False) -> str:
    """Return snapshots of matches, and the events that they stand for."""
    rows, kinds = [], set[tuple[str, ...]]()
    for table in _tables(clocks=clocks):
        match = table.match
        text = snapshot.to_text(match)
        if match.clock is None and clocks:
            continue  # a fork has none
        kind = (match.game, *sorted(json.loads(text)))
        if kind in kinds or match.version > 30:
            continue
        kinds.add(kind)
        told = [event.text for event in table.log.read(table.id)]
        row = {"match": match.id, "version": match.version, "tenant": match.tenant}
        rows.append({**row, "snapshot": text, "events": told})
    return _lines(rows[:30])


def _casual(row_of: Callable[[MatchService, Match], Any]) -> str:
    """Return something of matches for fun, and of rematches, some with clocks."""
    matches = MatchService(MemoryEventLog(), lambda: NOW_MS)
    one, other = (Player(kind="human", player=f"usr_{name}") for name in "ab")
    clock = {"initial_s": 300, "increment_s": 2}
    wanted = OpenMatch(
        game="kalah", tenant="ten_a", seats={"south": one, "north": other}
    )
    told = []
    for number, more in enumerate(
        (
            {"rated": False},
            {"rated": False, "clock": clock},
            {"rematch_of": "mat_0"},
            {"rematch_of": "mat_0", "rated": False, "clock": clock},
        )
    ):
        command = replace(wanted, **more)
        match = matches.handle(f"mat_{number}", command, by="key:abc").match
        told.append(row_of(matches, match))
    return _lines(told)


def _hinted(row_of: Callable[[MatchService, Match], Any]) -> str:
    """Return something of matches with hints, before and after one was taken."""
    matches = MatchService(MemoryEventLog(), lambda: NOW_MS)
    human = Player(kind="human", player="ply_a")
    told = []
    for number, rated in enumerate((True, False)):
        wanted = OpenMatch(
            game="kalah",
            tenant="ten_a",
            seats={"south": human, "north": human},
            rated=rated,
            hints=True,
        )
        name = f"mat_{number}"
        told.append(row_of(matches, matches.handle(name, wanted, by="key:abc").match))
        taken = matches.handle(name, TakeHint(seat="south"), by="seat").match
        told.append(row_of(matches, taken))
    return _lines(told)


def _levelled(row_of: Callable[[MatchService, Match], Any]) -> str:
    """Return something of matches with an AI of a later ladder."""
    matches = MatchService(MemoryEventLog(), lambda: NOW_MS)
    ai, human = Player(kind="ai", level=9), Player(kind="human", player="ply_a")
    told = []
    for number, old in enumerate((False, True)):
        seats = {"north": replace(ai, level=3, ladder=1)} if old else {}
        wanted = OpenMatch(game="kalah", tenant="ten_a", seats=seats)
        name = f"mat_{number}"
        matches.handle(name, wanted, by="key:abc")
        taking = TakeSeat(who=human if old else ai)
        told.append(row_of(matches, matches.handle(name, taking, by="key:abc").match))
    return _lines(told)


def _analyses() -> str:
    """Return what stands in Redis of analyses: one ended, one begun, one waiting."""
    asked = Question(
        kind=POSITION,
        game="kalah",
        rules="kalah/1",
        options={"pits": 6, "seeds": 4, "empty_capture": False},
        snapshot=start("kalah", {}).snapshot,
        lines=2,
    )
    line = {"moves": ["C", "D"], "value": 2.5, "exact": False, "depth": 2}
    times = itertools.count(NOW_MS)
    with _redis() as url:
        analyses = Analyses(url, lambda: next(times))
        about = {"match": "mat_sample", "version": 3}
        for question in (
            asked,
            replace(asked, kind=HINT, seat="south", **about),
            replace(asked, kind=MATCH, snapshot="", **about),
        ):
            asker = "" if question is asked else "mat_sample.south"
            key = IdempotencyKey(f"key of a {question.kind}", "digest")
            analyses.ask("ten_a", question, limit=9, asker=asker, key=key)
        for is_ended in (True, False):
            taken = analyses.take_next()
            assert taken is not None
            begun = analyses.begin(taken, "worker")
            assert begun is not None
            found = {"depth": 2, "nodes": 40, "time_ms": 1, "lines": [line]}
            analyses.tell(begun, "worker", DEPTH, found)
            if is_ended:
                analyses.finish(begun, "worker")
        return write_dump(Redis.from_url(url))


def _event_texts(matches: MatchService, match: Match) -> str:
    return matches.events(match.id)[-1].text


def _snapshot_row(matches: MatchService, match: Match) -> dict[str, Any]:
    events = [event.text for event in matches.events(match.id)]
    row = {"match": match.id, "version": match.version, "tenant": match.tenant}
    return {**row, "snapshot": snapshot.to_text(match), "events": events}


def _opening_text(matches: MatchService, match: Match) -> str:
    return matches.events(match.id)[0].text


def _players() -> str:
    """Return players whom an app has named, one of whom was erased."""
    with _redis() as url:
        players = Players(url)
        for own_id in ("u-42", "auth0|beth", "gone@example.org"):
            reference = players.identify("ten_a", own_id)
            players.register(reference, "ten_a", f"name of {own_id}")
        players.erase("gone@example.org", "ten_a", NOW_MS)
        return write_dump(Redis.from_url(url))


def _invitations() -> str:
    """Return invitations, and what each says."""
    told = []
    invitations = Invitations("redis://nowhere", SeatTokens(SECRET))
    for given in (("north", "usr_a"), ("", "")):
        token, said, _ = invitations.issue(Invitation("mat_a", *given, NOW_MS // 1000))
        told.append([token, [*astuple(said)]])
    return _lines(told)


def _lobby() -> str:
    """Return two seeks and their pairing, as they are kept for an hour at the most."""
    seeks = lobby_seeks()
    pairing = paired(*seeks, "mat_sample", ("south", "north"))
    return _lines([seek.text for seek in (*seeks, pairing)])


def lobby_seeks() -> tuple[Seek, Seek]:
    """Return two who look for each other; one says as little as may be said."""
    agreed: dict[str, Any] = {
        "tenant": "ten_a",
        "game": "kalah",
        "options": {"seeds": 4},
        "by": "key:a",
        "since_ms": NOW_MS,
    }
    other = replace(
        Seek(id="sek_b", player="usr_b", **agreed), rating=1712.5, deviation=61.25
    )
    other = replace(other, within=100, request="digest", name="Amara")
    return Seek(id="sek_a", player="usr_a", **agreed), other


def _page() -> str:
    """Return the page of a match, with the export that it holds."""
    table = Table(find_game("kalah"), random.Random("page7"), "mat_page")
    table.open()
    table.play(12)
    events, key = table.log.read(table.id), signing_key()
    seated = [who.player for who in table.match.seats.values() if who and who.player]
    players = {reference: PlayerName("Amara") for reference in seated}
    rules = table.match.rules
    lines = list(export_lines(table.id, rules, events, players, key, AT))
    return kept_page(page_parts(table.id, lines, events, key))


def _seat_tokens() -> str:
    tokens = SeatTokens(SECRET)
    issued = [
        {"match": name, "seat": seat, "generation": generation,
         "token": tokens.issue(name, seat, generation)}
        for name in ("mat_sample", "mat_7Qm-_x")
        for seat in ("south", "north", "black")
        for generation in (1, 12)
    ]  # fmt: skip
    derived = [
        [purpose, text, length, tokens.derive(purpose, text, length)]
        for purpose, text, length in (
            ("match", "ten_a a-key", 22),
            ("player", "mat_sample south Amara", 16),
            ("fist", "mat_sample", 1),
            ("fist secret", "mat_sample", 32),
            ("starter", "mat_sample", 1),
        )
    ]
    return json.dumps(
        {"secret": SECRET, "issued": issued, "derived": derived}, indent=1
    )


def _sandboxes() -> str:
    """Return sandboxes of tenants, and what the feed says of a match that vanished."""
    tenants = ("ten_local", "ten_3f2a9c0d1e4b5a69", "acme", f"ten_{'a' * 60}")
    with _redis() as url:
        log = RedisEventLog(url, phrases=PHRASES)
        seats = dict.fromkeys(("south", "north"), Player(kind="human", player="ply_a"))
        wanted = OpenMatch(game="kalah", tenant="ten_sandbox_local", seats=seats)
        MatchService(log, lambda: NOW_MS).handle("mat_sample", wanted, by="key:abc")
        assert log.vanish("mat_sample", "ten_sandbox_local")
        redis = json.loads(write_dump(Redis.from_url(url)))
    of = {tenant: sandbox_of(tenant) for tenant in tenants}
    return json.dumps({"of": of, "redis": redis}, indent=1)


def _spectator_tokens() -> str:
    """Return tokens of spectators, and what stands in Redis of those revoked."""
    with _redis() as url:
        spectators = Spectators(url, SeatTokens(SECRET))
        first = spectators.issue("mat_sample", NOW_MS // 1000)
        spectators.revoke("mat_sample")
        second = spectators.issue("mat_sample", NOW_MS // 1000 + 60)
        records = write_dump(Redis.from_url(url))
    tokens = [issued.token for issued in (first, second)]
    return json.dumps({"tokens": tokens, "redis": json.loads(records)}, indent=1)


# -- segments


def _cold_streams() -> list[ColdStream]:
    streams = []
    for number, game in enumerate(GAMES):
        name = f"mat_segment{number}"
        table = Table(game, random.Random(game.rules), name)
        table.open()
        state = table.play(60).log.load(name)
        assert state is not None
        events = table.log.read(name)
        streams.append(ColdStream(name, state.tenant, state.head, events))
    return streams


def _matches_of_segment() -> str:
    return _lines(
        [
            {
                "match": stream.name,
                "tenant": stream.tenant,
                "head": stream.head.hash,
                "events": [event.text for event in stream.events],
            }
            for stream in _cold_streams()
        ]
    )


# -- an installation: its Redis, its queue, its data folder


@contextmanager
def _redis() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        port = redis_server.free_port()
        process = redis_server.start(Path(folder), port, redis_server.DURABLE)
        try:
            yield f"redis://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def _record_installation(url: str, folder: Path) -> None:
    data = folder / "data"
    data.mkdir(parents=True)
    settings = Settings(
        redis_url=f"{url}/0", queue_url=f"{url}/1", secret=SECRET, data=data
    )
    services = replace(connect(settings), signing_keys=_rotated_keys(data))
    services.event_log.check()
    services.tenants.register_key(APP_KEY, "ten_a", "the app of the samples")
    list_keys(data, [signing_key(PRIVATE).public])
    answers = _play(services)
    _archive(services, answers["archived"])
    for view in services.views:
        projector = Projector(services.event_log, view)
        projector.begin()
        projector.run_once()
    queue = job_queue(connect_queues(settings.queue_url))
    dispatcher = Dispatcher(
        services.event_log, services.matches, queue, "member", lambda: NOW_MS
    )
    dispatcher.run_once()
    write_backup(
        services.event_log,
        connect_redis(settings.redis_url),
        folder / "backup-1.gz",
        lambda: None,
        kept_beside(services, with_private=True),
        none_damaged,
    )
    progress = Progress()
    verdicts = audit_log(services.event_log, progress)
    next(verdicts), next(verdicts)
    progress.save(folder / "audit-progress.json")
    write_ready(
        folder,
        {
            "url": "http://127.0.0.1:8000",
            "stream_url": "http://127.0.0.1:8001",
            "api_key": APP_KEY,
            "pid": 1,
            "redis_url": "redis://127.0.0.1:6379/0",
            "queue_url": "redis://127.0.0.1:6380/0",
        },
    )
    (folder / "answers.json").write_text(json.dumps(answers, indent=1) + "\n", "utf-8")
    for name, database in (("redis", 0), ("queue", 1)):
        dump = write_dump(Redis.from_url(f"{url}/{database}"))
        (folder / f"{name}.json").write_text(dump, "utf-8")


def _interrupted_backup() -> bytes:
    """Return what a backup of the installation has left: two marks, and more."""
    told = itertools.count(1)

    def stop_at_8() -> None:
        if next(told) == 8:
            raise KeyboardInterrupt

    with _redis() as url, tempfile.TemporaryDirectory() as folder:
        data, path = Path(folder, "data"), Path(folder, "backup.gz")
        shutil.copytree(SAMPLES / "installation/data", data)
        load_dump(Redis.from_url(url), sample("installation/redis.json"))
        log = connect(Settings(redis_url=url, secret=SECRET, data=data)).event_log
        with (
            mock.patch.object(backup, "MARK_EVERY", 3),
            contextlib.suppress(KeyboardInterrupt),
        ):
            write_backup(log, connect_redis(url), path, stop_at_8, {}, none_damaged)
        return draft_of(path).read_bytes()


def _rotated_keys(data: Path) -> SigningKeys:
    """Return keys that were rotated once, beside those of an earlier installation."""
    clock = iter(range(NOW_MS - 10_000, NOW_MS * 2, 1_000))
    keys = SigningKeys(data / "signing_keys", "", lambda: next(clock))
    keys.current()
    keys.rotate()
    keys.restore_public([signing_key("ea21" * 16).public])
    return keys


def _play(services: Services) -> dict[str, Any]:
    """Do what an app does; return what it was answered and would keep."""
    flask = create_app(services).test_client()
    kept: dict[str, Any] = {"app_key": APP_KEY, "requests": [], "lists": []}

    def ask(method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Authorization": f"Bearer {APP_KEY}", **sent}
        answer = flask.open(path, method=method, json=body, headers=sent)
        assert answer.status_code < 300, answer.text
        if "Idempotency-Key" in sent:
            request = {"method": method, "path": path, "body": body, "headers": headers}
            kept["requests"].append({**request, "answer": answer.get_json()})
        return answer

    seats: dict[str, Any] = {"south": {"kind": "human", "name": "Amara"}}
    opening = {"game": "kalah", "seats": {**seats, "north": {"kind": "ai", "level": 3}}}
    key = {"Idempotency_Key": "open-1"}
    match = ask("POST", "/v1/matches", opening, **key).get_json()
    path = f"/v1/matches/{match['id']}"
    move = {"move": "A", "seat": "south"}
    key = {"Idempotency_Key": "move-1", "If_Match": '"3"'}
    ask("POST", f"{path}/moves", move, **key)
    others = []
    for number, game in enumerate(GAMES):
        first, second = game.seats
        human = {first: {"kind": "human", "name": f"P{number}"}, second: HUMAN}
        opening = {"game": game.key, "seats": human}
        key = {"Idempotency_Key": f"open-all-{number}"}
        opened = ask("POST", "/v1/matches", opening, **key).get_json()
        others.append(opened)
        chance = random.Random(number)
        for _ in range(20):
            if opened["to_move"] is None:
                break
            body = {
                "move": chance.choice(opened["legal_moves"]),
                "seat": opened["to_move"],
                "expected_version": opened["version"],
            }
            reply = ask("POST", f"/v1/matches/{opened['id']}/moves", body).get_json()
            opened = reply["match"]
    erased = others[1]["seats"]["south"]["player"]
    ask("DELETE", f"/v1/players/{erased}/name")
    archived = others[2]["id"]
    ask("POST", f"/v1/matches/{archived}/resignation", {"seat": "south"})
    kept |= {"match": match["id"], "archived": archived, "erased": erased}
    kept["seat_tokens"] = match["seat_tokens"]
    kept["head"] = ask("GET", f"{path}/audit").get_json()["head"]
    for view in services.views:
        Projector(services.event_log, view).begin()
    for at in ("/v1/matches?limit=4", "/v1/events?limit=7"):
        page = ask("GET", at).get_json()
        follow = f"{at}&cursor={page['next_cursor']}"
        rest = ask("GET", follow).get_json()["data"]
        named = [row.get("seq", row.get("id")) for row in rest]
        kept["lists"].append({"path": follow, "data": named})
    return kept


def _archive(services: Services, match_id: str) -> None:
    state = services.event_log.load(match_id)
    assert state is not None
    events = services.event_log.read(match_id)
    cold = ColdStream(match_id, state.tenant, state.head, events)
    assert services.archive.put([cold]) == 1


if __name__ == "__main__":
    main()
