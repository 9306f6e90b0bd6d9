"""`seedlog verify` and `seedlog signing-keys`."""

import itertools
import json
import os
import stat
from pathlib import Path

import pytest

from services.audit import SigningKeys
from services.audit.public_keys import keys_json
from services.audit.signing_keys import NOTICE_MS, InvalidSigningKey
from tests.support.commands import seedlog
from tests.support.tables import OTHER_PRIVATE, PRIVATE, played_table, signing_key


@pytest.fixture
def honest(tmp_path: Path) -> Path:
    path = tmp_path / "honest.jsonl"
    path.write_bytes(played_table().export())
    return path


@pytest.fixture
def tampered(honest: Path) -> Path:
    path = honest.with_name("tampered.jsonl")
    path.write_bytes(honest.read_bytes().replace(b'"move":"b"', b'"move":"c"'))
    return path


def test_all_is_well_is_zero_and_says_whose_key_was_believed(honest: Path) -> None:
    ran = seedlog("verify", honest)

    assert ran.exit_code == 0
    assert ran.stdout.startswith(
        f"{honest}: ok: mat_audited, 14 events, signed by sig_"
    )
    assert "a key that stands in the file itself" in ran.stdout


def test_a_finding_is_a_line_and_the_code_is_one(honest: Path, tampered: Path) -> None:
    ran = seedlog("verify", honest, tampered)

    assert ran.exit_code == 1
    assert ran.stdout.splitlines()[1:] == [
        f"{tampered}: event 6: its text is not the one that was signed"
    ]


def test_what_cannot_be_read_is_two(honest: Path, tampered: Path) -> None:
    missing = honest.with_name("missing.jsonl")

    assert seedlog("verify", missing, tampered).exit_code == 2
    assert seedlog("verify", honest.parent).exit_code == 2
    assert seedlog("verify").exit_code == 2
    ran = seedlog("verify", "--json", missing)
    assert (ran.exit_code, json.loads(ran.stdout)["ok"]) == (2, False)


def test_programs_get_json(honest: Path, tampered: Path) -> None:
    ran = seedlog("verify", "--json", honest, tampered)

    well, wrong = map(json.loads, ran.stdout.splitlines())
    assert (well["ok"], well["events"], well["findings"]) == (True, 14, [])
    assert wrong["findings"] == [
        {
            "place": "event 6",
            "version": 6,
            "check": "chain",
            "reason": "its text is not the one that was signed",
        }
    ]


def test_keys_are_pinned_by_a_file(honest: Path) -> None:
    keys = honest.with_name("keys.json")
    keys.write_text(json.dumps(keys_json([signing_key().public])))
    others = honest.with_name("others.json")
    others.write_text(json.dumps(keys_json([signing_key(OTHER_PRIVATE).public])))

    pinned = seedlog("verify", "--keys", keys, honest)

    assert pinned.exit_code == 0
    assert "in the file itself" not in pinned.stdout
    assert seedlog("verify", "--keys", others, honest).exit_code == 1
    assert seedlog("verify", "--keys", honest, honest).exit_code == 2


# -- keys take turns


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "signing_keys"
    first = SigningKeys(folder, "", lambda: 1000).current()[0]

    assert SigningKeys(folder, "", lambda: 9000).current()[0] == first
    [file] = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not os.path.exists(folder / "draft")


def test_drafts_that_killed_processes_have_left_go_with_the_next_key(
    tmp_path: Path,
) -> None:
    """They hold a private key; one that is being written now is left alone."""
    old, new = tmp_path / "draft.0ld", tmp_path / "draft.new"
    for draft in (old, new):
        draft.write_text("half a key")
    os.utime(old, (1, 1))

    SigningKeys(tmp_path, "", lambda: 1000).current()

    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.json", "draft.new"]


def test_the_first_key_has_begun_when_it_signs(tmp_path: Path) -> None:
    clock = itertools.count(1_000)

    key, at = SigningKeys(tmp_path, "", lambda: next(clock)).current()

    assert key.public.is_valid_at(at)


def test_a_new_key_signs_a_moment_later_and_the_old_one_stays_known(
    tmp_path: Path,
) -> None:
    now = 1_000
    keys = SigningKeys(tmp_path, "", lambda: now)
    old = keys.current()[0].public
    now = 5_000
    new = keys.rotate()

    assert keys.current()[0].public.id == old.id
    now = 5_000 + NOTICE_MS
    assert keys.current()[0].public.id == new.id
    listed = keys.public_keys()
    assert [key.id for key in listed] == [new.id, old.id]
    assert listed[1].valid_from == "1970-01-01T00:00:01.000Z"
    assert listed[1].valid_until == listed[0].valid_from == "1970-01-01T00:00:06.000Z"


def test_keys_may_be_given_the_newest_first() -> None:
    keys = SigningKeys(Path(), f"{PRIVATE}, {OTHER_PRIVATE}", lambda: 0)

    assert keys.current()[0].private == PRIVATE
    assert len(keys.public_keys()) == 2
    for wrong in ("x", PRIVATE[1:], PRIVATE.upper()):
        with pytest.raises(InvalidSigningKey):
            SigningKeys(Path(), wrong, lambda: 0).current()


def test_the_command_lists_and_rotates(tmp_path: Path) -> None:
    data = {"SEEDLOG_DATA": str(tmp_path)}

    assert seedlog("signing-keys", "rotate", **data).exit_code == 0
    listed = seedlog("signing-keys", "list", **data)

    assert len(listed.stdout.splitlines()) == 2
    assert all(line.startswith("sig_") for line in listed.stdout.splitlines())
    given = seedlog("signing-keys", "rotate", **data, SEEDLOG_SIGNING_KEY=PRIVATE)
    assert (given.exit_code, "put the new key before it" in given.stderr) == (1, True)
    wrong = seedlog("signing-keys", "list", **data, SEEDLOG_SIGNING_KEY="x")
    assert wrong.exit_code == 1
