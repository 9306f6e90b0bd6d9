"""Files that outlive a process, and what is signed: it is read for ever."""

import gzip
import json
import os
import shutil
import zlib
from pathlib import Path
from typing import Any

import pytest

from rules_core import find_game, start
from rules_core.search.book import book_moves, read_book
from rules_core.search.ending_tables import build_endings, read_endings
from rules_core.tuning.learned import read_learned
from services.archive import restore_backup, write_backup
from services.audit.public_keys import PublicKey
from services.audit.signing_keys import SigningKeys
from services.audit.trust import listed_keys
from services.audit.whole_log import Progress, audit_log
from services.bootstrap import Services, connect
from services.cli import ready
from services.cli.beside_the_log import put_back
from services.eventlog import StoredEvent, canonical_text
from services.eventlog.library import connect_redis
from services.local_files import draft_of
from services.match.seat_tokens import SeatTokens
from tests.formats.installation import INSTALLATION, Installation
from tests.support.archived import none_damaged, silent
from tests.support.samples import SAMPLES, rows
from tests.support.tables import PRIVATE, signing_key


def events_of(services: Services) -> dict[str, list[StoredEvent]]:
    """Return the events of every match in the log."""
    return {
        stream: services.event_log.read(stream)
        for partition in range(64)
        for stream in services.event_log.streams(partition)
    }


def test_signing_keys_sign_on_and_vouch_for_their_time() -> None:
    keys = SigningKeys(INSTALLATION / "data/signing_keys", "", lambda: 2**41)

    newest, first, earlier = keys.public_keys()

    assert newest.valid_from == first.valid_until
    assert keys.current()[0].public == newest
    assert earlier.valid_until is not None
    assert earlier.public == signing_key("ea21" * 16).public.public


def test_trusted_keys_are_read() -> None:
    assert [*listed_keys(INSTALLATION / "data")] == [signing_key(PRIVATE).public.id]


def test_a_head_that_stands_by_itself_verifies(installation: Installation) -> None:
    """What `/audit` has answered, whatever it says of its kind since."""
    signed = installation.answers["head"]
    text = canonical_text(signed["head"])
    keys = {key.id: key for key in installation.services.signing_keys.public_keys()}

    assert keys[signed["head"]["key"]].verify(text.encode(), signed["signature"])


def test_seat_tokens_are_issued_and_read_as_ever() -> None:
    told = rows("seat-tokens.json")
    tokens = SeatTokens(told["secret"])
    for row in told["issued"]:
        match, seat, generation = row["match"], row["seat"], row["generation"]
        claim = tokens.read(row["token"])
        assert claim is not None
        assert (claim.match_id, claim.seat, claim.generation) == (
            match,
            seat,
            generation,
        )
        assert tokens.issue(match, seat, generation) == row["token"]
    for purpose, text, length, derived in told["derived"]:
        assert tokens.derive(purpose, text, length) == derived


def test_ready_json_says_where_the_stack_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(INSTALLATION / "ready.json", tmp_path)
    monkeypatch.setattr(os, "kill", lambda pid, _: None)

    facts = ready.read_ready(tmp_path)

    assert facts is not None
    assert {"url", "stream_url", "api_key", "pid", "redis_url", "queue_url"} <= set(
        facts
    )


def test_an_audit_goes_on_where_it_was(installation: Installation) -> None:
    progress = Progress.load(INSTALLATION / "audit-progress.json")
    done = set(progress.done)

    verdicts = [*audit_log(installation.services.event_log, progress)]

    assert not done & {verdict.match for verdict in verdicts}
    assert all(verdict.is_ok for verdict in verdicts)
    assert progress.matches == 10


def test_a_backup_is_restored(installation: Installation, tmp_path: Path) -> None:
    services = installation.services
    redis = connect_redis(services.settings.redis_url)
    events = events_of(services)
    redis.flushdb()
    services = connect(services.settings)  # which knows no archived match any more
    shutil.rmtree(services.settings.data / "signing_keys")
    beside: dict[str, Any] = {}

    def keep(name: str, value: Any) -> None:
        beside[name] = value
        put_back(services, name, value)

    count = restore_backup(
        services.event_log,
        services.matches,
        redis,
        INSTALLATION / "backup-1.gz",
        silent,
        keep,
        none_damaged,
    )

    assert count == len(events) == 10
    assert events_of(services) == events
    assert set(beside) == {
        "public_keys", "signing_keys", "tenant_feed_generations", "trusted_keys",
    }  # fmt: skip
    assert len(services.signing_keys.public_keys()) == 3
    erased = installation.answers["erased"]
    assert services.players.erased([erased]) == {erased}


def test_an_interrupted_backup_goes_on_and_is_restored(
    installation: Installation, tmp_path: Path
) -> None:
    """What it holds up to its last mark is kept as it is."""
    services, path = installation.services, tmp_path / "backup.gz"
    redis = connect_redis(services.settings.redis_url)
    events = events_of(services)
    left = (SAMPLES / "backup-marks-1.part").read_bytes()
    draft_of(path).write_bytes(left)

    count = write_backup(
        services.event_log, redis, path, silent, {}, none_damaged, goes_on=True
    )

    assert count == len(events) == 10
    first = zlib.decompressobj(16 + zlib.MAX_WBITS)
    first.decompress(left)
    second = zlib.decompressobj(16 + zlib.MAX_WBITS)
    second.decompress(first.unused_data)
    whole = left.removesuffix(second.unused_data)
    assert 0 < len(whole) < len(left)
    assert path.read_bytes().startswith(whole)
    redis.flushdb()
    services = connect(services.settings)  # which knows no archived match any more
    assert count == restore_backup(
        services.event_log,
        services.matches,
        redis,
        path,
        silent,
        silent,
        none_damaged,
    )
    assert events_of(services) == events


def test_a_published_key_is_read() -> None:
    listed = json.loads((INSTALLATION / "data/trusted_keys.json").read_text("utf-8"))

    [key] = [PublicKey.from_json(key) for key in listed["keys"]]

    assert key.as_json() == listed["keys"][0]


@pytest.mark.parametrize(
    ("sample", "key", "options", "seeds"),
    [
        ("endings-1", "kalah", {"pits": 2, "seeds": 2}, 6),
        ("ending-bounds-1", "oware", {}, 3),
    ],
)
def test_a_table_of_endings_is_read_and_says_what_is_worked_out_today(
    sample: str, key: str, options: dict[str, object], seeds: int, tmp_path: Path
) -> None:
    """What it says is called proven."""
    path = tmp_path / "sample"
    packed = (SAMPLES / f"{sample}.endings.gz").read_bytes()
    path.write_bytes(gzip.decompress(packed))
    variant = find_game(key).variant(options)

    endings = read_endings(path, variant)

    assert endings.seeds == seeds
    assert endings.values[:] == build_endings(variant, seeds).values


def test_a_book_is_read_and_played_as_it_was_written() -> None:
    """From either seat; a move that was proven to lose is proven to lose."""
    game = find_game("bao-kujifunza")
    south, north = start(game.key), start(game.key, starter="north")

    book = read_book(SAMPLES / "book-1.book", game.variant(None))

    assert (book.nodes, book.plies, book.symmetry) == (20_000, 6, "seats")
    assert len(book.entries) == 12
    assert sorted(entry.ply for entry in book.entries.values())[:2] == [0, 1]
    known = book.worth_of(south)
    assert {move: worth.to_number() for move, worth in known.items()} == {
        "A1R": -8340, "A2R": -25597, "A3L": 2220, "A3R": 12000, "A4L": -6640,
        "A4R": -4460, "A5L": -4460, "A5R": -6640, "A6L": 4160, "A6R": 2220,
        "A7L": -25597, "A8L": -8340, "B1L": -25597, "B2L": -6900, "B7R": -6900,
        "B8R": -25597,
    }  # fmt: skip
    best, lost = known["A3R"], known["A2R"]
    assert (best.value, best.exact, best.decided) == (3000, False, False)
    assert (lost.value, lost.exact, lost.decided) == (-6400, True, True)
    assert book_moves(south, book) == ("A3R",)
    assert book_moves(south.play("A3R"), book) == ("b7R",)
    assert book_moves(north, book) == ("a3R",)


def test_a_book_of_proofs_is_read_and_played_as_it_was_written() -> None:
    """It says how many seeds ahead its lines end."""
    variant = find_game("kalah").variant({"pits": 3, "seeds": 3})
    first = start("kalah", variant.options)

    book = read_book(SAMPLES / "book-proofs-1.book", variant)

    assert (book.proves, book.nodes, len(book.entries)) == (4, 60, 91)
    assert book_moves(first, book) == ("A",)
    known = {m: worth.to_number() for m, worth in book.worth_of(first).items()}
    assert known == {"A": 803, "B": 800, "C": 800}


def test_what_was_learned_of_a_game_of_seeds_is_read() -> None:
    learned = read_learned(SAMPLES / "traits-1.json")

    assert (learned.game, learned.rules) == ("bao-children", "bao-children/1")
    assert learned.command == "seedlog tune bao-children --games 40 --seed 1"
    assert (learned.games, learned.nodes, learned.positions) == (40, 1500, 1158)
    assert learned.log_sha256.startswith("5b285e505d10")
    assert len(learned.traits) == len(learned.errors) == 21
    assert learned.traits["moves that move again"] == 364
    assert learned.errors["moves that move again"] == 63.2
    assert learned.off_by == {
        "score": 6.98, "evaluation": 6.67, "traits of pits": 7.09, "all traits": 7.05,
    }  # fmt: skip
