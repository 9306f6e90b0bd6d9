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
    ROLE) echo "$role" ;;
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
FOLLOWED = """role:master
connected_slaves:1
slave0:ip=redis-3,port=6379,state=online,offset=7,lag=1"""
FOLLOWED_ONCE = FOLLOWED.replace("lag=1", "lag=12")
ALONE = "role:master\nconnected_slaves:0"
REPLICA = "role:slave\nmaster_host:redis-2\nmaster_link_status:up"


def told(*, role: str = "master", here: str, there: str, named: str) -> str:
    """Return what the server here is told; *named* by the first Sentinel, by others."""
    facts = {"role": role, "here": here, "there": there, "named": named}
    command = ["sh", "-c", SCRIPT]
    ran = subprocess.run(command, env=facts, capture_output=True, text=True, check=True)
    return ran.stderr.strip()


@pytest.mark.parametrize("here", [ALONE, FOLLOWED_ONCE])
@pytest.mark.parametrize("named", ["redis-2,redis-2", "redis,redis-2"])
def test_who_was_replaced_follows_the_new_master(here: str, named: str) -> None:
    """Its replicas are gone, or have said nothing since it was cut off."""
    assert told(here=here, there=FOLLOWED, named=named) == "REPLICAOF redis-2 6379"


@pytest.mark.parametrize("there", ["", ALONE, FOLLOWED_ONCE, REPLICA])
def test_who_has_just_taken_over_stays(there: str) -> None:
    """Sentinels may still name the former master; it is dead, or cut off."""
    assert told(here=ALONE, there=there, named="redis-2,redis-2") == ""


def test_who_is_followed_stays() -> None:
    assert told(here=FOLLOWED, there=FOLLOWED, named="redis-2,redis-2") == ""


@pytest.mark.parametrize("named", ["redis,redis", "redis-2,redis", ","])
def test_who_is_named_by_two_stays(named: str) -> None:
    """And nobody goes by a single Sentinel, or by none."""
    assert told(here=ALONE, there=FOLLOWED, named=named) == ""


def test_a_replica_is_left_alone() -> None:
    there = {"there": FOLLOWED, "named": "redis-2,redis-2"}
    assert told(role="slave", here=REPLICA, **there) == ""
