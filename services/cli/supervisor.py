"""The supervisor of `seedlog up`: starts every process, keeps it running, ends it.

Redis first, then everything else; on the way down the other way round. A process that
dies is started again, and said so.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import partial

import click

from services.cli import redis_server
from services.cli.checks import check_settings
from services.cli.child import RESTART_PAUSES_S, Child, await_end, start_program
from services.cli.forked import Forked, begin_to_import, end_importing
from services.cli.ports import reachable
from services.cli.preconditions import (
    CannotStart,
    check_ports,
    check_servers,
    locked,
    prepare_folder,
    say,
)
from services.cli.pulse import Pulse, answers
from services.cli.ready import remove_ready, write_ready
from services.eventlog import LogDamaged, LogUnavailable, RedisEventLog
from services.eventlog.library import connect_redis
from services.local_files import make_private_folder, make_secret, read_or_make
from services.metrics.serving import FOLDER as METRICS
from services.metrics.serving import gather_in
from services.settings import Settings
from services.tenants import KEY_PREFIX, LOCAL_TENANT, Tenants
from services.views import MatchList, TenantFeed

READY_WITHIN_S = 60.0
STOP_WITHIN_S = 8.0
LOOK_EVERY_S = 0.1
STEADY_S = 30.0
SOCKET_PATH_LIMIT = 100


@dataclass
class Supervisor:
    """Runs one stack on one data folder."""

    settings: Settings
    children: list[Child] = field(default_factory=list)
    makes_tables: bool = False
    """Whether small tables of endings are made while it runs, once."""

    passing: "list[subprocess.Popen[bytes]]" = field(default_factory=list)
    """Processes that end by themselves, and are not started again."""

    stopping: bool = False

    def run(self) -> int:
        """Start, watch and stop the stack; return the exit code.

        :raises CannotStart: says what has to be put right.
        :raises InvalidSetting: something that is set cannot be used here.
        :raises BrokenPackage: a package that is installed brings no game.
        """
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._ask_to_stop)
        data = self.settings.data
        prepare_folder(data)
        with locked(data):
            check_settings(self.settings, whole_stack=True)
            check_ports(self.settings)
            try:
                facts = self._start()
                if facts is not None:
                    write_ready(data, facts)
                    self._greet(facts)
                    if self.makes_tables:
                        self.passing.append(_begin_tables())
                    self._watch()
            finally:
                remove_ready(data)
                self._stop()
        return 0

    def _ask_to_stop(self, *_: object) -> None:
        self.stopping = True

    # -- starting

    def _start(self) -> dict[str, str | int] | None:
        """Start everything; return what ready.json says, or None if told to stop."""
        begin_to_import()
        log_url = self._redis("event log", "log", self.settings.redis_url)
        if self.settings.redis_url:
            check_servers(log_url)
        queue_url = self._redis("queue", "queue", self.settings.queue_url)
        api_key = self._prepare_log(log_url)
        environment = {
            "REDIS_URL": log_url,
            "QUEUE_URL": queue_url,
            "SEEDLOG_SECRET": self.settings.secret
            or read_or_make(self.settings.data / "secret", make_secret),
        }
        # A child is told what stands in files, and not once more where it stands.
        environment |= {f"{name}_FILE": "" for name in environment}
        if self.settings.metrics_port:
            environment |= gather_in(self.settings.data / METRICS)
        roles = ["api", "stream", "projector", "dispatcher", "archiver"]
        roles += ["observer"] * bool(self.settings.metrics_port)
        roles += ["ai-worker"] * self.settings.ai_workers
        roles += ["analysis-worker"] * self.settings.analysis_workers
        roles += ["webhook-worker"] * self.settings.webhook_workers
        host = f"http://{reachable(self.settings.host)}"
        url = f"{host}:{self.settings.port}"
        streams = f"{host}:{self.settings.stream_port}"
        servers = {"api": url, "stream": streams}
        counted: dict[str, int] = {}
        for role in roles:
            counted[role] = counted.get(role, 0) + 1
            name = f"{role}-{counted[role]}" if role.endswith("-worker") else role
            child = Child(name, partial(Forked, role, environment))
            if role in servers:
                child.pulse = Pulse(f"{servers[role]}/health/live")
            self._add(child)
        healths = [f"{server}/health/ready" for server in servers.values()]
        metrics_url = ""
        if port := self.settings.metrics_port:
            metrics_url = f"http://{reachable(self.settings.metrics_host)}:{port}"
            healths.append(f"{metrics_url}/metrics")
        if not self._await_ready(healths, log_url, queue_url):
            return None
        return {
            "url": url,
            "stream_url": self.settings.stream_url.rstrip("/") or streams,
            "metrics_url": metrics_url,
            "api_key": api_key,
            "pid": os.getpid(),
            "redis_url": log_url,
            "queue_url": queue_url,
        }

    def _add(self, child: Child) -> None:
        self.children.append(child)
        child.start()

    def _redis(self, purpose: str, name: str, given: str) -> str:
        """Return the URL of a Redis: the one that is set, or one started here."""
        if given:
            return given
        binary = redis_server.find_server()
        if binary is None:
            raise CannotStart(redis_server.NONE_FOUND)
        durable = name == "log"
        folder = self.settings.data / name
        make_private_folder(folder)
        settings = redis_server.DURABLE if durable else redis_server.VOLATILE
        if (folder / "appendonlydir").exists():
            (folder / "dump.rdb").unlink(missing_ok=True)  # of former versions: names
        path = folder / "redis.sock"
        if len(str(path)) < SOCKET_PATH_LIMIT:
            path.unlink(missing_ok=True)
            where = {"unixsocket": "redis.sock", "unixsocketperm": "700"}
            command = redis_server.arguments(binary, folder, 0, {**settings, **where})
            url = f"unix://{path.absolute()}"
        else:
            port = redis_server.free_port()
            command = redis_server.arguments(binary, folder, port, settings)
            url = f"redis://127.0.0.1:{port}/0"
        child = Child(f"redis ({purpose})", partial(start_program, command))
        self._add(child)
        redis_server.wait_until_ready(url, child.process)
        kept = f"kept in {folder}" if durable else "not kept"
        click.echo(f"{purpose}: {binary.origin}, {kept}")
        return url

    def _prepare_log(self, url: str) -> str:
        """Check the layout of the log and put the local API key in; return the key."""
        try:
            RedisEventLog(url).check()
            secret = read_or_make(
                self.settings.data / "api_key", lambda: KEY_PREFIX + make_secret()
            )
            Tenants(url).register_key(secret, LOCAL_TENANT, "made by `seedlog up`")
        except (LogUnavailable, LogDamaged) as error:
            raise CannotStart(str(error)) from error
        return secret

    def _await_ready(self, healths: list[str], log_url: str, queue_url: str) -> bool:
        """Return True once every process answers, False if told to stop before."""
        deadline = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < deadline and not self.stopping:
            self._revive()
            if all(answers(h, 2) for h in healths) and self._is_staffed(
                log_url, queue_url
            ):
                return True
            time.sleep(LOOK_EVERY_S)
        if self.stopping:
            return False
        raise CannotStart(f"not every process was ready within {READY_WITHIN_S:.0f} s")

    def _is_staffed(self, log_url: str, queue_url: str) -> bool:
        """Tell whether projector, dispatcher and workers have signed on."""
        with contextlib.suppress(LogUnavailable):
            workers = connect_redis(queue_url).scard("rq:workers")
            views = (MatchList(log_url), TenantFeed(log_url))
            is_projected = all(view.cursors() for view in views)
            is_dispatched = RedisEventLog(log_url).has_group("dispatcher")
            of_kinds = ("ai_workers", "analysis_workers", "webhook_workers")
            staff = sum(getattr(self.settings, kind) for kind in of_kinds)
            return bool(staff <= workers and is_projected and is_dispatched)
        return False

    def _greet(self, facts: dict[str, str | int]) -> None:
        url, key = facts["url"], facts["api_key"]
        names = ", ".join(child.name for child in self.children)
        body = (
            '{"game": "kalah", "seats": {"south": {"kind": "human", "name": "Amara"}, '
            '"north": {"kind": "ai", "level": 3}}}'
        )
        click.echo(f"running: {names}")
        click.secho(f"\nSeedlog is ready at {url}", bold=True)
        click.echo(f"API key: {key}\n\nOpen a match against an AI:\n")
        click.echo(
            f"curl -s {url}/v1/matches -H 'Authorization: Bearer {key}' "
            f"-H 'Content-Type: application/json' -d '{body}'\n"
        )
        click.echo("Ctrl-C stops it.")
        sys.stdout.flush()

    # -- watching

    def _watch(self) -> None:
        while not self.stopping:
            self._revive()
            self.passing = [one for one in self.passing if one.poll() is None]
            time.sleep(LOOK_EVERY_S)

    def _revive(self) -> None:
        """Start again whatever died, at once the first time, then more patiently."""
        now = time.monotonic()
        for child in self.children:
            if child.is_running() and not self.stopping and child.kill_if_hung():
                say(f"{child.name} does not answer any more")
            if child.is_running() or self.stopping:
                continue
            if child.process is not None:
                code = child.process.returncode
                if now - child.started_at > STEADY_S:
                    child.deaths = 0
                pause = RESTART_PAUSES_S[min(child.deaths, len(RESTART_PAUSES_S) - 1)]
                child.deaths += 1
                child.process, child.restart_at = None, now + pause
                say(f"{child.name} ended ({_describe(code)}); starting it again")
            if now >= child.restart_at:
                child.start()

    # -- stopping

    def _stop(self) -> None:
        """End the processes in two waves: those that write, then what they write to."""
        for one in self.passing:
            one.kill()
            one.wait()
        is_redis = [child for child in self.children if "redis" in child.name]
        others = [child for child in self.children if child not in is_redis]
        for wave in (others, is_redis):
            for child in wave:
                if child.is_running() and child.process is not None:
                    child.process.terminate()
            deadline = time.monotonic() + STOP_WITHIN_S
            for child in wave:
                await_end(child, deadline)
        end_importing()


def _begin_tables() -> "subprocess.Popen[bytes]":
    """Let small tables of endings be made; all else goes before."""
    command = ["nice", sys.executable, "-m", "services.cli", "tables"]
    return start_program(command, subprocess.DEVNULL)


def _describe(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"code {code}"
