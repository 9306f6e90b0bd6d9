"""`deploy/join-log`: a server of the log that was replaced follows who leads by now."""

import subprocess
from pathlib import Path

import pytest

JOIN = Path(__file__).parents[2] / "deploy" / "join-log"
SCRIPT = f"""
set -eu
mark=/dev/null password= LOG_ID=log LOG_KIND=replicated LOG_NAME=redis
LOG_SENTINELS='one two three'
say() {{ :; }}
tell() {{
    case $* in
    'INFO replication') printf '%s\\n' "$here" ;;
    '-h redis-2 -p 6379 INFO replication') printf '%s\\n' "$there" ;;
    '-h one '*) printf '%s\\n6379\\n' "${{named%%,*}}" ;;
    '-h two '* | '-h three '*) printf '%s\\n6379\\n' "${{named##*,}}" ;;
    REPLICAOF*) echo "$*" >&2 ;;
    *) echo "not known: $*" >&2 ;;
    esac
}}
. "{JOIN}"
step_down
"""
OLD, NEW, NEITHER = "a" * 40, "b" * 40, "0" * 40
FORMER = f"master_replid:{OLD}\nmaster_replid2:{NEITHER}"
PROMOTED = f"master_replid:{NEW}\nmaster_replid2:{OLD}"
ALONE = "role:master\nconnected_slaves:0"
FOLLOWED = """role:master
connected_slaves:1
slave0:ip=redis-3,port=6379,state=online,offset=7,lag=1"""
FOLLOWED_ONCE = FOLLOWED.replace("lag=1", "lag=12")
REPLICA = "role:slave\nmaster_host:redis-2\nmaster_link_status:up"


def told(here: str, there: str, *, named: str = "redis-2,redis-2") -> str:
    """Return what the server here is told; *named* by the first Sentinel, by others."""
    return run(SCRIPT, here=here, there=there, named=named).stderr.strip()


def run(script: str, **facts: str) -> "subprocess.CompletedProcess[str]":
    """Run a script that sources the watch, with these variables and no others."""
    command = ["sh", "-c", script]
    return subprocess.run(
        command, env=facts, capture_output=True, text=True, check=True
    )


def but(role: str, ids: str) -> str:
    """Return what `INFO replication` says."""
    return f"# Replication\n{role}\n{ids}"


@pytest.mark.parametrize("role", [ALONE, FOLLOWED_ONCE])
@pytest.mark.parametrize("named", ["redis-2,redis-2", "redis,redis-2"])
def test_who_was_replaced_follows_the_new_master(role: str, named: str) -> None:
    """Its replicas are gone, or have said nothing since it was cut off."""
    here, there = but(role, FORMER), but(FOLLOWED, PROMOTED)
    assert told(here, there, named=named) == "REPLICAOF redis-2 6379"


@pytest.mark.parametrize("role", [ALONE, FOLLOWED, FOLLOWED_ONCE])
def test_who_has_just_taken_over_stays(role: str) -> None:
    """Sentinels may still name the former master, and its last replica follow it."""
    assert told(but(ALONE, PROMOTED), but(role, FORMER)) == ""


@pytest.mark.parametrize(
    "there",
    [
        "",
        but(ALONE, PROMOTED),
        but(FOLLOWED_ONCE, PROMOTED),
        but(REPLICA, PROMOTED),
        but(FOLLOWED, FORMER.replace(OLD, NEW)),
    ],
)
def test_nobody_is_followed_who_does_not_lead_what_is_here(there: str) -> None:
    assert told(but(ALONE, FORMER), there) == ""


def test_who_is_followed_stays() -> None:
    assert told(but(FOLLOWED, FORMER), but(FOLLOWED, PROMOTED)) == ""


@pytest.mark.parametrize("named", ["redis,redis", "redis-2,redis", ","])
def test_who_is_named_by_two_stays(named: str) -> None:
    """And nobody goes by a single Sentinel, or by none."""
    here, there = but(ALONE, FORMER), but(FOLLOWED, PROMOTED)
    assert told(here, there, named=named) == ""


def test_a_replica_is_left_alone() -> None:
    assert told(but(REPLICA, FORMER), but(FOLLOWED, PROMOTED)) == ""


def test_what_sentinels_refuse_with_is_no_master() -> None:
    """redis-cli prints errors where answers are expected."""
    asked = SCRIPT.replace("printf '%s\\n6379\\n' \"${named", 'echo "${named')
    asked = asked.replace("step_down", "named_master")
    assert asked.count("echo") >= 2
    assert run(asked, named="NOAUTH Authentication required.").stdout == ""


STAY = f"""
set -eu
password= LOG_ID=log LOG_NAME=redis rounds=0
printf 'copy log\\n' >"$mark"
say() {{ :; }}
. "{JOIN}"
sleep() {{ rounds=$((rounds + 1)); [ "$rounds" -le 4 ]; }}
step_down() {{ :; }}
meet() {{ :; }}
take_place() {{ :; }}
is_joined() {{ :; }}
is_whole() {{ [ "$rounds" -ge 2 ]; }}
tell() {{ echo "$*" >&2; [ "$rounds" -lt 3 ] || echo OK; }}
adopt() {{ echo adopted >&2; echo log >"$mark"; }}
stay_joined
"""


@pytest.mark.parametrize(
    ("kind", "setting"),
    [
        ("replicated", "CONFIG SET replica-priority 100"),
        ("clustered", "CONFIG SET cluster-replica-no-failover no"),
    ],
)
def test_a_copy_in_step_is_told_that_it_may_lead_until_it_hears(
    kind: str, setting: str, tmp_path: Path
) -> None:
    """In the second round it does not answer, in the third it does."""
    ran = run(STAY, LOG_KIND=kind, mark=str(tmp_path / "mark"))
    assert ran.stderr.splitlines() == [setting, setting, "adopted"]
