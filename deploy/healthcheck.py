#!/usr/bin/env python3
"""Tells Docker whether the process of this container does its work; no curl needed.

healthcheck api                     the API answers, and so does the event log
healthcheck stream                  the streams answer, and so does the event log
healthcheck heard REDIS_URL 30      the Redis named by that variable has heard from this
                                    container within so many seconds: a process that
                                    hangs or lost its connection falls silent;
                                    of several that are named, one is enough

What it prints is kept by Docker (`docker inspect`): also that rules run plain, slower.
It runs every few seconds, so it imports only what starts quickly.
"""

import importlib.util
import os
import re
import socket
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

TIMEOUT_S = 4
PORTS = {
    "api": os.environ.get("SEEDLOG_PORT") or "8000",
    "stream": os.environ.get("SEEDLOG_STREAM_PORT") or "8001",
}


def check_ready(name: str) -> None:
    """Ask a server whether it is ready, and print what it says; 503 raises."""
    url = f"http://127.0.0.1:{PORTS[name]}/health/ready"
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
        print(answer.read().decode())


def servers_of(url: str) -> list[str]:
    """Return the URLs of the servers that a URL names; of a master, Sentinels tell."""
    scheme, there, rest = url.partition("://")
    kind = scheme.partition("+")[2]
    if not kind:
        return [url]
    places, _, path = rest.partition("/")
    who, at, hosts = places.rpartition("@")
    if kind == "cluster":
        return [f"redis{there}{who}{at}{host}" for host in hosts.split(",")]
    for host in hosts.split(","):
        with suppress(OSError):
            if master := ask_sentinel(host, *path.partition("?")[::2]):
                return [f"redis{there}{who}{at}{master}"]
    raise SystemExit("no Sentinel tells where the Redis is")


def ask_sentinel(host: str, path: str, options: str) -> str:
    """Return the address of the master of a service; nothing if this one tells none."""
    place, own = urlsplit(f"//{host}"), parse_qs(options)
    service = path.partition("/")[0]
    commands = [["SENTINEL", "GET-MASTER-ADDR-BY-NAME", service]]
    if "sentinel_password" in own:
        [user] = own.get("sentinel_username", ["default"])
        commands.insert(0, ["AUTH", user, *own["sentinel_password"]])
    where = (place.hostname, place.port or 26379)
    reply = ""
    with socket.create_connection(where, TIMEOUT_S) as sentinel:
        sentinel.sendall(b"".join(map(packed, commands)))
        while "-" not in reply[:1] and (got := sentinel.recv(4096)):  # it knows no QUIT
            reply += got.decode()
            told = re.search(r"\*2\r\n\$\d+\r\n(.+)\r\n\$\d+\r\n(\d+)\r\n", reply)
            if told:
                return f"{told[1]}:{told[2]}"
    return ""


def check_heard(url: str, within_s: int) -> None:
    """Ask Redis for its clients, and look for the others of this container."""
    place = urlsplit(url)
    with socket.create_connection(
        (place.hostname, place.port or 6379), TIMEOUT_S
    ) as redis:
        here = redis.getsockname()
        commands = [["CLIENT", "LIST"], ["QUIT"]]
        if place.password:
            user = unquote(place.username or "default")
            commands.insert(0, ["AUTH", user, unquote(place.password)])
        redis.sendall(b"".join(map(packed, commands)))
        reply = b"".join(iter(lambda: redis.recv(65536), b"")).decode()
    clients = re.findall(r"\baddr=(\S+):(\d+) .*\bidle=(\d+) ", reply)
    idle = [
        int(idle_s)
        for address, port, idle_s in clients
        if address == here[0] and int(port) != here[1]
    ]
    if not idle:
        raise SystemExit("Redis does not know this container: " + reply[:80].strip())
    if min(idle) > within_s:
        raise SystemExit(f"Redis has not heard from this container for {min(idle)} s")


def check_any_heard(urls: list[str], within_s: int) -> None:
    """Ask each Redis in turn, until one has heard from the others of this container."""
    *others, last = [server for url in urls for server in servers_of(url)]
    for url in others:
        with suppress(SystemExit, OSError):
            return check_heard(url, within_s)
    return check_heard(last, within_s)


def given(name: str) -> str:
    """Return what a variable says, or the file that NAME_FILE names."""
    file = os.environ.get(f"{name}_FILE")
    return Path(file).read_text("utf-8").strip() if file else os.environ[name]


def packed(command: list[str]) -> bytes:
    """Return a command as Redis reads it, whatever characters its words have."""
    words = [word.encode() for word in command]
    parts = [b"$%d\r\n%s\r\n" % (len(word), word) for word in words]
    return b"*%d\r\n%s" % (len(words), b"".join(parts))


def say_plain_rules() -> None:
    """Print which games have no compiled rules here, without loading any."""
    found = importlib.util.find_spec("rules_core")
    [place] = (found and found.submodule_search_locations) or [""]
    folder = Path(place, "games")
    games = {path.stem for path in folder.glob("*.py") if b"\nKEY" in path.read_bytes()}
    made = {path.name.partition(".")[0] for path in folder.glob("_*.so")}
    if plain := games - {name.removeprefix("_") for name in made}:
        print("games run in plain Python, slower:", ", ".join(sorted(plain)))


def main() -> None:
    """Understand the arguments; the exit code is what counts."""
    match sys.argv[1:]:
        case [("api" | "stream") as name]:
            check_ready(name)
        case ["heard", *variables, within_s] if variables:
            check_any_heard([given(name) for name in variables], int(within_s))
            say_plain_rules()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        raise SystemExit(f"no answer: {error}") from None
