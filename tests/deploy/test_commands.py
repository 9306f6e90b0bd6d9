"""The commands of `deploy`, with a stand-in for docker: no engine is needed."""

import gzip
import os
import re
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from services.cli.failing import DAMAGED
from services.redis_urls import parse_redis_url

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SCRIPTS = [
    path
    for folder in (DEPLOY, ROOT / ".ci")
    for path in sorted(folder.iterdir())
    if path.is_file() and re.match(r"#!.*sh\b|# shellcheck shell=", path.read_text())
]

DOCKER = """#!/bin/sh
echo "$*" >>"$0.calls"
case "$*" in
version*) echo 26.1 ;;
*"keys list") while read -r line; do echo "$line"; done <"$0.keys" ;;
*"keys create"*) printf 'sk_new\\nkey_new  ten_local  valid\\n' ;;
*"ps --all"*) cat "$0.ps" "$0.mended" 2>/dev/null || true ;;
*"port proxy"*) echo 127.0.0.1:8000 ;;
"volume inspect "*) [ -e "$0.volume.$3" ] ;;
*"serve-log adopt"*)
    case "$*" in
    *compose.clustered.yaml*) first=shard-1 others=shard ;;
    *) first=log others=log ;;
    esac
    server=${*%% sh /serve-log*} server=${server##* redis} server=${server##*-T}
    case $server in
    -*) : >"$0.volume.seedlog_$others$server" ;;
    *) : >"$0.volume.seedlog_$first" ;;
    esac ;;
*"down "*--volumes) rm "$0".volume.* ;;
*--publish*":$(cat "$0.taken" 2>/dev/null):1 "*)
    echo "docker: Bind for this port failed: port is already allocated" >&2; exit 125 ;;
*" up "*)
    if [ -e "$0.ps" ]; then
        [ ! -e "$0.mends" ] || mv "$0.ps" "$0.mended"
        exit 1
    fi ;;
*"--network host"*" demo "*)
    [ "$SEEDLOG_TAG" != "$(cat "$0.misbehaves" 2>/dev/null)" ] ;;
*"ps --status running"*) echo container ;;
*compose.check.yaml*" run "*)
    if [ -e "$0.wrong" ]; then cat "$0.wrong" >&2; exit 1; fi ;;
*"exec -T api sh -c "*) # it is run here: what is in /archive there is in a folder
    for said; do :; done
    PATH=${0%/*}:$PATH sh -c "$(printf %s "$said" | sed "s|/archive/|$0.archive/|g")" ;;
*" tar -C /data -xf -" | *" -C / -xf -") cat >/dev/null ;;
*"seedlog restore "*) cat >/dev/null; exit "$(cat "$0.restored")" ;;
*" build "*) cat "$0.built" 2>/dev/null; [ ! -e "$0.unbuildable" ] ;;
esac
"""


class Operator:
    """Somebody who calls the commands, with an .env and a docker of their own."""

    def __init__(self, folder: Path) -> None:
        self.docker = folder / "bin" / "docker"
        self.env_file = folder / "env"
        self.docker.parent.mkdir()
        self.docker.write_text(DOCKER)
        self.docker.chmod(0o755)
        self.listed("")

    def has(self, fact: str, text: str = "") -> None:
        """Let the stand-in know something."""
        self.docker.with_name(f"docker.{fact}").write_text(text)

    def kept(self) -> dict[str, str]:
        """Return what the file of settings says."""
        lines = self.env_file.read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if line[0] != "#")

    def volumes(self) -> list[str]:
        """Return the volumes of logs that there are."""
        prefix = f"{self.docker.name}.volume.seedlog_"
        found = self.docker.parent.glob(f"{prefix}*")
        return sorted(path.name.removeprefix(prefix) for path in found)

    def loses(self, volume: str) -> None:
        """Lose a volume."""
        self.docker.with_name(f"docker.volume.seedlog_{volume}").unlink()

    def listed(self, keys: str) -> None:
        self.docker.with_name("docker.keys").write_text(keys)

    def run(
        self, command: str, *arguments: str, **settings: str
    ) -> "subprocess.CompletedProcess[str]":
        path = f"{self.docker.parent}:{os.environ['PATH']}"
        return subprocess.run(
            [str(DEPLOY / command), *arguments],
            env={"PATH": path, "SEEDLOG_ENV_FILE": str(self.env_file), **settings},
            capture_output=True,
            text=True,
            timeout=60,
        )

    def calls(self) -> str:
        return self.docker.with_name("docker.calls").read_text()


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    return Operator(tmp_path)


def test_an_api_key_is_made_once_however_many_there_are(operator: Operator) -> None:
    """Who stops reading at the first line has the writer killed, and sees a failure."""
    assert operator.run("up").returncode == 0
    assert operator.calls().count("keys create") == 1
    others = [f"key_{n:012x}  ten_local  valid  app {n}" for n in range(1500)]
    operator.listed("\n".join(["key_new  ten_local  valid  made", *others, ""]))

    for _ in range(3):
        done = operator.run("up")
        assert done.returncode == 0, done.stderr
        assert "API key: sk_new" in done.stdout

    assert operator.calls().count("keys create") == 1


@pytest.mark.parametrize("state", ["revoked", "revoked  it was valid once"])
def test_a_key_that_was_revoked_is_replaced(operator: Operator, state: str) -> None:
    operator.run("up")
    operator.listed(f"key_new  ten_local  {state}\n")

    assert operator.run("up").returncode == 0

    assert operator.calls().count("keys create") == 2


@pytest.mark.parametrize(
    ("code", "left"), [(0, ["log.tar"]), (1, []), (DAMAGED, ["log.tar"])]
)
def test_of_a_copy_by_match_nothing_is_left_where_it_was_made(
    operator: Operator, tmp_path: Path, code: int, left: list[str]
) -> None:
    """A backup that breaks off keeps its part, to be gone on with: not this one."""
    assert operator.run("up").returncode == 0
    archive = operator.docker.with_name("docker.archive")
    archive.mkdir()
    writer = operator.docker.with_name("seedlog")
    writer.write_text(
        f'#!/bin/sh\nfor f in "$2" "$2.part"; do echo half >"$f"; done; exit {code}\n'
    )
    writer.chmod(0o755)
    folder = tmp_path / "backups"
    folder.mkdir()

    done = operator.run("backup", "--by-match", str(folder / "log.tar"))

    assert done.returncode == bool(code), done.stderr
    assert ("is removed" in done.stderr) == (code == 1)
    assert ("is damaged" in done.stderr) == (code == DAMAGED)
    assert [path.name for path in folder.iterdir()] == left
    assert list(archive.iterdir()) == []


def test_a_copy_of_what_is_damaged_deletes_no_older_one(
    operator: Operator, tmp_path: Path
) -> None:
    operator.run("up")
    operator.docker.with_name("docker.archive").mkdir()
    writer = operator.docker.with_name("seedlog")
    writer.write_text(f'#!/bin/sh\necho whole >"$2"; exit {DAMAGED}\n')
    writer.chmod(0o755)
    older = tmp_path / "seedlog-20260101-000000.tar"
    older.touch()
    into = ("--by-match", "--into", str(tmp_path), "--keep", "1")

    done = operator.run("backup", *into)

    assert done.returncode == 1
    assert older.exists()
    assert len([*tmp_path.glob("seedlog-*.tar")]) == 2


@pytest.mark.parametrize(
    ("code", "says"), [(0, "are in place"), (1, "not put back"), (DAMAGED, "but what")]
)
def test_what_is_damaged_is_left_out_of_a_log_that_is_put_back(
    operator: Operator, tmp_path: Path, code: int, says: str
) -> None:
    matches = gzip.compress(b"matches")
    (tmp_path / "log.gz").write_bytes(matches)
    told = f"{sha256(matches).hexdigest()}  log.gz\n"
    (tmp_path / "sha256").write_text(told)
    file = tmp_path / "copy.tar"
    parts = ["sha256", "log.gz"]
    subprocess.run(["tar", "-C", tmp_path, "-cf", file, *parts], check=True)
    operator.has("restored", str(code))

    done = operator.run("restore", str(file))

    assert done.returncode == bool(code), done.stderr
    assert says in done.stdout + done.stderr
    assert (" down" in operator.calls()) == (code != 1)


def test_a_start_that_fails_is_told_of(operator: Operator) -> None:
    """Also where no container is in trouble by itself."""
    operator.docker.with_name("docker.ps").write_text("api running healthy\n")

    done = operator.run("up")

    assert done.returncode == 1
    assert "not everything started" in done.stderr


def test_who_is_ill_for_a_moment_is_waited_for(operator: Operator) -> None:
    """An API is, whose Redis was exchanged; compose gives up on it at once."""
    operator.has("ps", "running healthy\nrunning unhealthy\n")
    operator.has("mends")

    done = operator.run("up")

    assert done.returncode == 0, done.stderr
    assert "waiting once more" in done.stderr
    assert operator.calls().count(" up ") == 2


@pytest.mark.parametrize("state", ["exited", "restarting", "dead"])
def test_who_has_died_is_not_waited_for(operator: Operator, state: str) -> None:
    operator.has("ps", f"running unhealthy\n{state} \n")
    operator.has("mends")

    done = operator.run("up")

    assert done.returncode == 1
    assert operator.calls().count(" up ") == 1


@pytest.mark.parametrize("password", ["a@/#b", "a b", "100%", "it's"])
def test_a_password_that_no_url_can_hold_is_refused_at_once(
    operator: Operator, password: str
) -> None:
    operator.env_file.write_text(f"SEEDLOG_REDIS_PASSWORD={password}\n")

    done = operator.run("up")

    assert done.returncode == 1
    assert "SEEDLOG_REDIS_PASSWORD stands in a URL" in done.stderr
    assert password not in done.stderr
    assert " up " not in operator.calls()


def test_the_file_of_secrets_is_taken_from_others(operator: Operator) -> None:
    operator.env_file.write_text("SEEDLOG_REDIS_PASSWORD=abc\n")
    operator.env_file.chmod(0o644)

    operator.run("up")

    assert operator.env_file.stat().st_mode & 0o777 == 0o600


def test_secrets_stand_in_files_that_nobody_else_can_reach(operator: Operator) -> None:
    """Those of an .env of before are taken as they are."""
    operator.env_file.write_text("SEEDLOG_REDIS_PASSWORD=abc\nSEEDLOG_SECRET=def\n")

    operator.run("up")

    folder = Path(f"{operator.env_file}.secrets")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "redis_url").read_text() == "redis://:abc@redis:6379/0\n"
    assert (folder / "secret").read_text() == "def\n"


def test_an_env_of_before_0_3_goes_on_working(operator: Operator) -> None:
    """Its stream port stays; the proxy that the stack has now is counted."""
    operator.env_file.write_text(
        "SEEDLOG_REDIS_PASSWORD=abc\nSEEDLOG_STREAM_PORT=8001\n"
        "SEEDLOG_TRUSTED_PROXIES=0\n"
    )

    assert operator.run("up").returncode == 0

    assert operator.kept()["SEEDLOG_STREAM_PORT"] == "8001"
    assert operator.kept()["SEEDLOG_TRUSTED_PROXIES"] == ""
    assert "compose.streams.yaml" in operator.calls()


def test_an_address_that_was_given_once_stays(operator: Operator) -> None:
    """Otherwise the next `deploy/up` would remove what works there."""
    operator.run("up", SEEDLOG_PORT="9000", SEEDLOG_API_WORKERS="2")

    operator.run("up")

    assert operator.kept()["SEEDLOG_PORT"] == "9000"
    assert "SEEDLOG_API_WORKERS" not in operator.kept()


def test_a_taken_port_is_told_before_anything_changes(operator: Operator) -> None:
    operator.has("taken", "9000")

    done = operator.run("up", SEEDLOG_PORT="9000")

    assert done.returncode == 1
    assert "port 9000 of 127.0.0.1 cannot be published; set SEEDLOG_PORT" in done.stderr
    assert " build " not in operator.calls()
    assert not operator.env_file.exists()


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (
            {"SEEDLOG_PORT": "9000", "SEEDLOG_STREAM_PORT": "9000"},
            "SEEDLOG_PORT and SEEDLOG_STREAM_PORT are both port 9000",
        ),
        (
            {"SEEDLOG_SITE": "localhost", "SEEDLOG_HTTP_PORT": "8000"},
            "SEEDLOG_PORT and SEEDLOG_HTTP_PORT are both port 8000",
        ),
        (
            {"SEEDLOG_SITE": "localhost", "SEEDLOG_HTTPS_PORT": "80"},
            "SEEDLOG_HTTP_PORT and SEEDLOG_HTTPS_PORT are both port 80",
        ),
    ],
    ids=["of one address", "of one and all addresses", "of all addresses"],
)
def test_one_port_for_two_things_is_refused_at_once(
    operator: Operator, settings: dict[str, str], named: str
) -> None:
    done = operator.run("up", **settings)

    assert done.returncode == 1
    assert named in done.stderr
    assert " build " not in operator.calls()
    assert not operator.env_file.exists()


def test_one_port_of_two_addresses_is_no_trouble(operator: Operator) -> None:
    """So it is where what would have it is not published."""
    site = {"SEEDLOG_SITE": "localhost", "SEEDLOG_SITE_BIND": "192.0.2.1"}

    assert operator.run("up", SEEDLOG_HTTP_PORT="8000").returncode == 0
    assert operator.run("up", **site).returncode == 0


def test_the_way_back_goes_from_release_to_release(operator: Operator) -> None:
    operator.run("up")
    for tag in ("one", "two", "two"):
        assert operator.run("upgrade", "--to", tag).returncode == 0

    for told in ("--back returns to local", "none before it to go back to"):
        assert told in operator.run("upgrade", "--back").stdout

    assert operator.kept()["SEEDLOG_TAG"] == "local"
    assert "no release before this one" in operator.run("upgrade", "--back").stderr


@pytest.mark.parametrize("well", [[], ["one"]])
def test_no_way_leads_back_to_what_misbehaved(
    operator: Operator, well: list[str]
) -> None:
    """After it was taken back by itself: to what ran well before, if anything did."""
    operator.run("up")
    for tag in well:
        operator.run("upgrade", "--to", tag)
    before = operator.kept()
    operator.has("misbehaves", "bad")

    done = operator.run("upgrade", "--to", "bad")

    assert done.returncode == 1
    assert "release bad does not play at the public address" in done.stderr
    assert f"Release {well[-1] if well else 'local'} runs again" in done.stderr
    assert "returns to bad" not in done.stderr
    if well:
        assert operator.kept() == before
        assert operator.run("upgrade", "--back").returncode == 0
        assert operator.kept()["SEEDLOG_TAG"] == "local"
    else:
        assert "no release before this one" in operator.run("upgrade", "--back").stderr


def test_what_is_refused_leaves_the_settings_as_they_were(operator: Operator) -> None:
    """Also those beside the wrong one, and what follows from them; nothing is built."""
    operator.run("up")
    folder = Path(f"{operator.env_file}.secrets")

    def found() -> dict[str, str]:
        files = [operator.env_file, *folder.iterdir()]
        return {path.name: path.read_text() for path in files}

    before, built = found(), operator.calls().count(" build ")
    operator.has("wrong", "seedlog: SEEDLOG_MAX_BODY must be a whole number\n")

    done = operator.run("up", SEEDLOG_LOG="replicated", SEEDLOG_PORT="9000")

    assert done.returncode == 1
    assert "SEEDLOG_MAX_BODY must be a whole number" in done.stderr
    assert found() == before
    assert operator.volumes() == VOLUMES["single"]
    assert operator.calls().count(" build ") == built
    assert sorted(path.name for path in operator.env_file.parent.iterdir()) == [
        "bin", "env", "env.secrets"
    ]  # fmt: skip


def test_it_says_what_it_builds(operator: Operator) -> None:
    """A line for each stage, once, however often the builder tells of it."""
    operator.has("built", "#5 [api builder 4/9] RUN pip\n#5 0.1 lines\n#5 CACHED\n"
                          "#5 [api builder 4/9] RUN pip\n#6 exporting\n")  # fmt: skip

    done = operator.run("up")

    assert done.stderr.count("[api builder 4/9] RUN pip\n") == 1
    assert "lines" not in done.stderr
    assert "Seedlog is ready" in done.stdout


def test_a_build_that_fails_is_shown(operator: Operator) -> None:
    operator.has("built", "#5 [api builder 4/9] RUN pip\n#5 ERROR: no route to host\n")
    operator.has("unbuildable")

    done = operator.run("up")

    assert done.returncode == 1
    assert "ERROR: no route to host" in done.stderr
    assert " up " not in operator.calls()
    assert not operator.env_file.exists()


def test_a_log_that_is_gone_is_not_begun_anew(operator: Operator) -> None:
    operator.run("up")
    assert operator.kept()["SEEDLOG_LOG_ID"]
    operator.loses("log")

    done = operator.run("up")

    assert done.returncode == 1
    assert "the event log is gone" in done.stderr


def test_after_its_volumes_were_deleted_a_stack_begins_anew(operator: Operator) -> None:
    operator.run("up")

    operator.run("down", "--volumes")

    assert operator.kept()["SEEDLOG_LOG_ID"] == ""
    assert operator.run("up").returncode == 0


VOLUMES = {
    "single": ["log"],
    "replicated": ["log", "log-2", "log-3"],
    "clustered": [f"shard-{number}" for number in range(1, 7)],
}


@pytest.mark.parametrize("kind", VOLUMES)
def test_one_setting_says_what_the_log_is_made_of(
    operator: Operator, kind: str
) -> None:
    """Its volumes, its URL, and how many replicas have to hold an event; for good."""
    operator.run("up", SEEDLOG_LOG=kind)

    assert operator.run("up").returncode == 0

    url = Path(f"{operator.env_file}.secrets", "redis_url").read_text()
    scheme = {"replicated": "redis+sentinel", "clustered": "redis+cluster"}
    assert operator.kept()["SEEDLOG_LOG"] == kind
    assert operator.volumes() == VOLUMES[kind]
    assert url.startswith(scheme.get(kind, "redis") + "://:")
    assert parse_redis_url(url.strip())


def test_an_unknown_kind_of_log_is_refused(operator: Operator) -> None:
    done = operator.run("up", SEEDLOG_LOG="doubled")

    assert done.returncode == 1
    assert "SEEDLOG_LOG is one of: single, replicated, clustered" in done.stderr


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("single", "clustered"),
        ("replicated", "single"),
        ("replicated", "clustered"),
        ("clustered", "single"),
        ("clustered", "replicated"),
    ],
)
def test_no_empty_log_is_begun_beside_one_of_another_kind(
    operator: Operator, before: str, wanted: str
) -> None:
    operator.run("up", SEEDLOG_LOG=before)

    done = operator.run("up", SEEDLOG_LOG=wanted)

    assert done.returncode == 1
    assert f"is {before}, and SEEDLOG_LOG is {wanted}" in done.stderr
    assert "Nothing was changed" in done.stderr
    assert operator.volumes() == VOLUMES[before]
    assert operator.kept()["SEEDLOG_LOG"] == before


def test_a_single_log_becomes_a_replicated_one_by_itself(operator: Operator) -> None:
    """What is new of it is filled from what was there."""
    operator.run("up")
    log_id = operator.kept()["SEEDLOG_LOG_ID"]

    assert operator.run("up", SEEDLOG_LOG="replicated").returncode == 0

    assert operator.volumes() == VOLUMES["replicated"]
    assert operator.kept()["SEEDLOG_LOG_ID"] == log_id
    for server in ("redis-2", "redis-3"):
        assert f"{server} sh /serve-log adopt copy" in operator.calls()


@pytest.mark.parametrize(
    ("kind", "lost"), [("replicated", ["log"]), ("clustered", ["shard-1", "shard-5"])]
)
def test_a_volume_that_was_lost_is_filled_by_the_others(
    operator: Operator, kind: str, lost: list[str]
) -> None:
    operator.run("up", SEEDLOG_LOG=kind)
    for volume in lost:
        operator.loses(volume)

    assert operator.run("up").returncode == 0

    assert operator.volumes() == VOLUMES[kind]
    assert "redis sh /serve-log adopt copy" in operator.calls()


@pytest.mark.parametrize(
    ("kind", "lost"), [("replicated", VOLUMES["replicated"]),
                       ("clustered", ["shard-2", "shard-5"])],
)  # fmt: skip
def test_what_no_server_holds_any_more_is_not_begun_anew(
    operator: Operator, kind: str, lost: list[str]
) -> None:
    operator.run("up", SEEDLOG_LOG=kind)
    for volume in lost:
        operator.loses(volume)

    done = operator.run("up")

    assert done.returncode == 1
    assert "the event log is gone" in done.stderr


def test_the_files_of_one_redis_are_not_put_into_a_cluster(
    operator: Operator, tmp_path: Path
) -> None:
    done = operator.run("restore", str(copy(tmp_path)), SEEDLOG_LOG="clustered")

    assert done.returncode == 1
    assert "Nothing was restored" in done.stderr
    assert operator.volumes() == []


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("redis=2", "a service and a number"),
        ("api", "a service and a number"),
        ("api=0", "api has to run"),
    ],
)
def test_what_cannot_be_scaled_is_refused(
    operator: Operator, argument: str, said: str
) -> None:
    done = operator.run("scale", argument)

    assert done.returncode == 1
    assert said in done.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("backup log.tar --by-mach", "it knows --by-match, --into"),
        ("backup --into copies --kep 30", "it knows --by-match, --into"),
        ("backup --into copies --keep=30", "it knows --by-match, --into"),
        ("backup --into copies --keep 0", "a number from 1, not 0"),
        ("backup --keep", "say what, after --keep"),
        ("backup log.tar --into copies", "say a file, or --into"),
        ("backup log.tar other.tar", "one file, log.tar, and not other.tar"),
        ("backup", "say into which file"),
        ("restore log.tar now", "one file, and not now besides"),
        ("restore --force log.tar", "it knows --help, not --force"),
        ("upgrade --back 1", "not 1 besides"),
        ("upgrade --to 1 --no-build", "not --no-build besides"),
        ("status --json", "it knows --help, not --json"),
        ("doctor --fix", "it knows --help, not --fix"),
        ("smoke --url", "it knows --help, not --url"),
        ("watch --once now", "it knows --once and --help, not now"),
        ("watch now", "it knows --once and --help, not now"),
    ],
)
def test_no_command_passes_over_what_it_was_told(
    operator: Operator, command: str, said: str
) -> None:
    """`--kep 30` kept 14 copies, and deleted the others."""
    done = operator.run(*command.split())

    assert done.returncode == 1
    assert said in done.stderr
    assert not operator.docker.with_name("docker.calls").exists()


def test_what_an_operator_has_besides_is_added(
    operator: Operator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "deploy"
    shutil.copytree(DEPLOY, folder)
    monkeypatch.setitem(globals(), "DEPLOY", folder)
    operator.env_file.write_text("")
    operator.run("logs")
    assert "compose.override.yaml" not in operator.calls()

    (folder / "compose.override.yaml").write_text("services: {}\n")
    operator.run("logs")

    assert f"--file {folder}/compose.override.yaml " in operator.calls()


def test_status_asks_for_all_containers_at_once(operator: Operator) -> None:
    """Each question to compose takes a second on a host that is busy."""
    operator.env_file.write_text("")
    operator.has("ps", "api 1 Up 3 minutes (healthy)\napi 2 Up 9 seconds (unhealthy)\n"
                       "ai-worker 3 Exited (1) 2 minutes ago\n")  # fmt: skip

    done = operator.run("status")

    assert done.returncode == 1
    assert re.search(r"^api +1 of 2 healthy  <- see", done.stdout, re.M)
    assert re.search(r"^ai-worker +0 of 1 healthy  <- see", done.stdout, re.M)
    assert re.search(r"^webhook-worker +0 of 0 healthy$", done.stdout, re.M)
    assert re.search(r"^redis +0 of 0 healthy  <- see", done.stdout, re.M)
    assert re.findall("(?m)^compose .*", operator.calls()) == ["compose version"]


def test_two_commands_do_not_change_a_stack_at_once(operator: Operator) -> None:
    """One that died holds up nobody."""
    busy = Path(f"{operator.env_file}.busy")
    busy.write_text(f"{os.getpid()}\n")
    assert "another command of deploy is at work" in operator.run("up").stderr
    dead = subprocess.Popen(["true"])
    dead.wait()
    busy.write_text(f"{dead.pid}\n")

    assert operator.run("up").returncode == 0

    assert not busy.exists()


def copy(folder: Path, *, digests: bool = True) -> Path:
    """Return a file such as deploy/backup writes."""
    for name in ("log", "archive"):
        (folder / f"{name}.txt").write_text(name * 5000)
        subprocess.run(
            ["tar", "-C", folder, "-cf", folder / f"{name}.tar", f"{name}.txt"],
            check=True,
        )
    parts = ["log.tar", "archive.tar"]
    told = [
        f"{sha256((folder / part).read_bytes()).hexdigest()}  {part}\n"
        for part in parts
    ]
    (folder / "sha256").write_text("".join(told))
    parts += ["sha256"] if digests else []
    subprocess.run(
        ["tar", "-C", folder, "-cf", folder / "copy.tar", *parts], check=True
    )
    return folder / "copy.tar"


@pytest.mark.parametrize("digests", [True, False], ids=["now", "before"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.7])
def test_a_copy_that_is_not_whole_is_refused_first(
    operator: Operator, tmp_path: Path, share: float, *, digests: bool
) -> None:
    whole = copy(tmp_path, digests=digests)
    data = whole.read_bytes()
    broken = tmp_path / "broken.tar"
    broken.write_bytes(data[: int(len(data) * share)])

    done = operator.run("restore", str(broken))

    assert done.returncode == 1
    assert "Nothing was restored" in done.stderr or "is not a copy" in done.stderr
    assert not operator.docker.with_name("docker.calls").exists()
    assert operator.run("restore", str(whole)).returncode == 0


def test_a_copy_that_was_changed_is_refused(operator: Operator, tmp_path: Path) -> None:
    whole = copy(tmp_path)
    data = whole.read_bytes()
    whole.write_bytes(data.replace(b"loglog", b"logLog", 1))

    done = operator.run("restore", str(whole))

    assert done.returncode == 1
    assert "log.tar in it is not what was copied" in done.stderr


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_what_is_piped_is_read_to_its_end(path: Path) -> None:
    """`a | grep -q b` kills *a*, and under pipefail that is a failure, by chance."""
    code = re.sub(r"(?m)^\s*#.*", "", path.read_text()).replace("\\\n", "")
    early = r"\|\s*(grep\s+(-\w*[qm]|--quiet)|head\b|sed\b[^|]*\bq\b|awk\b[^|]*exit)"

    assert re.findall(early, code) == []


def test_lint_forgets_no_script() -> None:
    """`make lint` lets shellcheck look through what it lists."""
    listed = subprocess.run(
        ["make", "--no-print-directory", "--silent", "shell-scripts"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert sorted(listed) == sorted(str(path.relative_to(ROOT)) for path in SCRIPTS)
