"""A stack that was restored elsewhere vouches for what the former one has signed."""

import gzip
import json
import time
from pathlib import Path

import pytest

from services.audit.public_keys import keys_json, read_keys
from services.audit.signing_keys import EARLIER, FOLDER, NOTICE_MS
from services.audit.trust import FILE as TRUSTED
from services.bootstrap import Services, connect
from services.eventlog.connection import Connections
from services.settings import Settings
from services.views import Projector
from tests.support.app import Client, client_of
from tests.support.commands import seedlog_of
from tests.support.tables import OTHER_PRIVATE, PRIVATE, signing_key

KEYS = "/.well-known/seedlog-keys.json"


@pytest.fixture
def old(redis_url: str, tmp_path: Path) -> Services:
    """Return the stack that is given up: with two keys, a friend, and a match."""
    Connections(redis_url).call("FLUSHALL")
    data = tmp_path / "old"
    services = connect(Settings(redis_url=redis_url, secret="s", data=data))
    friend = keys_json([signing_key(OTHER_PRIVATE).public])
    data.mkdir()
    (data / TRUSTED).write_text(json.dumps(friend))
    return services


@pytest.fixture
def new(redis_url: str, tmp_path: Path) -> Services:
    """Return a stack on an empty Redis and an empty home."""
    url = f"{redis_url[:-1]}1"
    Connections(url).call("FLUSHDB")
    return connect(Settings(redis_url=url, secret="s", data=tmp_path / "new"))


def export(client: Client, match_id: str, path: Path) -> Path:
    path.write_bytes(client.get(f"/v1/matches/{match_id}/export").data)
    return path


def published(stack: Services, path: Path) -> Path:
    """Return a file with the keys as the stack publishes them."""
    path.write_bytes(client_of(stack).get(KEYS).data)
    return path


def test_exports_of_the_former_stack_verify_with_the_keys_of_the_new_one(
    old: Services, new: Services, tmp_path: Path
) -> None:
    client = client_of(old)
    match_id = client.open_match()["id"]
    first = export(client, match_id, tmp_path / "first.jsonl")
    old.signing_keys.rotate()
    time.sleep(NOTICE_MS / 1000)
    second = export(client, match_id, tmp_path / "second.jsonl")

    backed_up = seedlog_of(old, "backup", tmp_path / "backup.gz")
    restored = seedlog_of(new, "restore", tmp_path / "backup.gz")

    assert "1 matches" in backed_up.stdout
    assert "2 public signing keys, 0 private ones" in backed_up.stdout
    assert restored.exit_code == 0, restored.output
    keys = published(new, tmp_path / "keys.json")
    ran = seedlog_of(new, "verify", "--keys", keys, first, second)
    assert (ran.exit_code, ran.stdout.count(": ok: ")) == (0, 2), ran.stdout
    third = export(client_of(new, "ten_a"), match_id, tmp_path / "third.jsonl")
    assert seedlog_of(new, "verify", "--keys", keys, third).exit_code == 0
    current, *earlier = read_keys(keys.read_bytes()).values()
    assert current.valid_until is None
    assert all(key.valid_until for key in earlier)
    assert [k.id for k in earlier] == [k.id for k in old.signing_keys.public_keys()]
    assert current.id not in {key.id for key in earlier}


def test_the_keys_of_friends_are_trusted_here_too(
    old: Services, new: Services, tmp_path: Path
) -> None:
    """What is listed here already stays."""
    new.settings.data.mkdir()
    own_friend = keys_json([signing_key(PRIVATE).public])
    (new.settings.data / TRUSTED).write_text(json.dumps(own_friend))
    seedlog_of(old, "backup", tmp_path / "backup.gz")

    assert seedlog_of(new, "restore", tmp_path / "backup.gz").exit_code == 0

    listed = read_keys((new.settings.data / TRUSTED).read_bytes())
    friends = {signing_key(private).public.id for private in (PRIVATE, OTHER_PRIVATE)}
    assert set(listed) == friends


def test_private_keys_travel_when_asked_for_alone(
    old: Services, new: Services, tmp_path: Path
) -> None:
    private = old.signing_keys.current()[0].private
    without, with_keys = tmp_path / "without.gz", tmp_path / "with.gz"
    seedlog_of(old, "backup", without)
    said = seedlog_of(old, "backup", "--with-signing-keys", with_keys).stdout
    assert private not in gzip.decompress(without.read_bytes()).decode()
    assert "1 public signing keys, 1 private ones" in said

    for _ in range(2):  # run again, it changes nothing
        assert seedlog_of(new, "restore", with_keys).exit_code == 0

    assert new.signing_keys.current()[0] == old.signing_keys.current()[0]
    assert new.signing_keys.public_keys() == old.signing_keys.public_keys()
    [kept] = (new.settings.data / FOLDER).iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_restoring_private_keys_goes_on_where_it_was_interrupted(
    old: Services, new: Services, tmp_path: Path
) -> None:
    old.signing_keys.rotate()
    kept = old.signing_keys.private_keys()
    new.signing_keys.restore_private(kept[:1])

    new.signing_keys.restore_private(kept)

    assert new.signing_keys.private_keys() == kept


def test_keys_that_are_here_already_go_on_signing(
    old: Services, new: Services, tmp_path: Path
) -> None:
    """Those of the backup are vouched for."""
    here, there = new.signing_keys.current()[0], old.signing_keys.current()[0]
    seedlog_of(old, "backup", "--with-signing-keys", tmp_path / "backup.gz")

    restored = seedlog_of(new, "restore", tmp_path / "backup.gz")

    assert restored.exit_code == 0
    assert "the signing keys here go on signing" in restored.stdout
    assert new.signing_keys.current()[0] == here
    listed = [key.id for key in new.signing_keys.public_keys()]
    assert listed == [here.public.id, there.public.id]


def test_keys_that_are_a_setting_stay_one(
    old: Services, new: Services, tmp_path: Path
) -> None:
    path, setting = tmp_path / "backup.gz", {"SEEDLOG_SIGNING_KEY": PRIVATE}

    refused = seedlog_of(old, "backup", "--with-signing-keys", path, **setting)

    assert refused.exit_code == 1
    assert "SEEDLOG_SIGNING_KEY is set" in refused.stderr
    assert not path.exists()
    assert seedlog_of(old, "backup", path, **setting).exit_code == 0
    assert seedlog_of(new, "restore", path, **setting).exit_code == 0
    assert not (new.settings.data / FOLDER / EARLIER).exists()


def test_a_backup_makes_no_key(old: Services, tmp_path: Path) -> None:
    """A stack that has never signed has nothing to vouch for."""
    said = seedlog_of(old, "backup", tmp_path / "backup.gz").stdout

    assert "0 public signing keys" in said
    assert not (old.settings.data / FOLDER).exists()


def test_what_cannot_be_written_is_said_in_one_line(
    old: Services, tmp_path: Path
) -> None:
    refused = seedlog_of(old, "backup", tmp_path / "nowhere" / "backup.gz")

    assert refused.exit_code == 1
    assert "cannot be written: No such file" in refused.stderr.splitlines()[-1]


def test_a_follower_of_the_feed_who_comes_back_with_an_old_number_misses_nothing(
    old: Services, new: Services, tmp_path: Path
) -> None:
    """Numbers of the restored feed are higher than any that were given before."""
    client = client_of(old)
    client.open_match()
    for _ in range(3):
        Projector(old.event_log, old.tenant_feed).rebuild()
    cursor = client.get("/v1/events").get_json()["data"][-1]["seq"]
    seedlog_of(old, "backup", tmp_path / "backup.gz")
    Projector(old.event_log, old.tenant_feed).rebuild()  # after the backup
    later = client.get("/v1/events").get_json()["data"][-1]["seq"]

    assert seedlog_of(new, "restore", tmp_path / "backup.gz").exit_code == 0

    again = client_of(new, "ten_a")
    for number in (cursor, later):
        heard = again.get(f"/v1/events?cursor={number}").get_json()["data"]
        assert [entry["version"] for entry in heard] == [1, 2, 3]
