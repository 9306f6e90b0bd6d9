"""Turns of AIs that wait at once, beside what two workers could do at best.

Each turn takes 50 ms. At best the n-th of them is on record n x 25 ms after the first
could begin. The same with workers that are killed meanwhile; and how soon somebody
with a few turns is served beside somebody with many.
"""

import functools
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from services.bootstrap import Services, connect
from services.match import OpenMatch, Player
from services.settings import Settings
from tests.support.crew import CONTEXT, Crew, work
from tests.support.measure import percentile, report
from tests.support.servers import two_servers
from workers import play_turn
from workers.ai import choose
from workers.run import run_dispatcher

WORKERS, TURNS, FEW = 2, 200, 10
THINKS_S = 0.05
KILL_EVERY_S = 0.4
KILLS = 10
WITHIN_S = 60.0


def think_so_long(settings: Settings) -> None:
    """Be a worker whose every turn takes the same time."""
    play_turn.choose = functools.partial(choose_for, THINKS_S)  # type: ignore[assignment]
    work(settings)


def choose_for(seconds: float, *position_level_seed: object, **_: object) -> str:
    until = time.monotonic() + seconds
    move = choose(*position_level_seed, time_s=seconds)  # type: ignore[arg-type]
    time.sleep(max(until - time.monotonic(), 0))
    return move


@dataclass
class Waited:
    """When turns were on record, in ms after all could begin; and what went wrong."""

    ms: dict[str, list[float]] = field(default_factory=dict)
    missing: int = 0
    doubled: int = 0


def run(tenants: Sequence[tuple[str, int]], kills: int) -> Waited:
    """Let turns of tenants wait, in this order, and then be played."""
    with (
        tempfile.TemporaryDirectory() as folder,
        two_servers(Path(folder)) as settings,
    ):
        services = connect(settings)
        names = {
            f"mat_{tenant}_{n}": tenant for tenant, many in tenants for n in range(many)
        }
        for match_id, tenant in names.items():
            services.matches.handle(match_id, _opening(tenant), by="key:k")
        crew = Crew(settings, WORKERS, seed=1, work=think_so_long)
        time.sleep(3)  # until they wait for work
        began_ms = time.time() * 1e3
        dispatcher = CONTEXT.Process(target=run_dispatcher, args=(settings,))
        dispatcher.start()
        try:
            _wait(services, names, crew, kills)
        finally:
            crew.end()
            dispatcher.terminate()
            dispatcher.join()
        return _waited(services, names, began_ms)


def _opening(tenant: str) -> OpenMatch:
    seats = {
        "south": Player(kind="ai", level=8),
        "north": Player(kind="human", player="ply_a"),
    }
    return OpenMatch(game="oware", tenant=tenant, seats=seats)


def _wait(services: Services, names: dict[str, str], crew: Crew, kills: int) -> None:
    left, until = set(names), time.monotonic() + WITHIN_S
    next_kill = time.monotonic() + KILL_EVERY_S
    while left and time.monotonic() < until:
        left = {name for name in left if services.matches.load(name).ply == 0}
        if kills and time.monotonic() > next_kill:
            next_kill, kills = time.monotonic() + KILL_EVERY_S, kills - 1
            crew.stop_one()
        crew.look_after()
        time.sleep(0.05)
    time.sleep(1)  # what is answered twice comes later


def _waited(services: Services, names: dict[str, str], began_ms: float) -> Waited:
    waited, first = Waited(), None
    for name, tenant in names.items():
        moves = [e for e in services.event_log.read(name) if e.type.endswith("_played")]
        waited.missing += not moves
        waited.doubled += len(moves) > 1
        if moves:
            waited.ms.setdefault(tenant, []).append(moves[0].at_ms - began_ms)
    first = min(ms for some in waited.ms.values() for ms in some)
    for some in waited.ms.values():  # how soon a dispatcher is up is another matter
        some[:] = [ms - first + THINKS_S * 1e3 for ms in some]
    return waited


def _at_best(share: float, turns: int) -> float:
    return percentile(
        [(n // WORKERS + 1) * THINKS_S * 1e3 for n in range(turns)], share
    )


def _rows(ms: Sequence[float]) -> list[tuple[str, str]]:
    def beside(name: str, own: float, best: float) -> tuple[str, str]:
        return name, f"{own:.0f}, at best {best:.0f}: x {own / best:.2f}"

    ideal: Callable[[float], float] = functools.partial(_at_best, turns=TURNS)
    return [
        beside("on record after, p50 ms", percentile(ms, 0.5), ideal(0.5)),
        beside("the same, p99 ms", percentile(ms, 0.99), ideal(0.99)),
    ]


def main() -> None:
    plain = run([("a", TURNS)], 0)
    per_s = TURNS / max(plain.ms["a"]) * 1e3
    best = WORKERS / THINKS_S
    killed = run([("a", TURNS)], KILLS)
    fair = run([("a", TURNS), ("b", FEW)], 0)
    report(
        f"{TURNS} turns of {THINKS_S * 1e3:.0f} ms that wait for {WORKERS} workers",
        [
            (
                "turns a second",
                f"{per_s:.1f}, at best {best:.0f}: x {per_s / best:.2f}",
            ),
            *_rows(plain.ms["a"]),
            (f"with {KILLS} workers stopped: missing", str(killed.missing)),
            ("played twice", str(killed.doubled)),
            ("on record after, p99 ms", f"{percentile(killed.ms['a'], 0.99):.0f}"),
            ("the last of them", f"{max(killed.ms['a']):.0f}"),
            (
                f"{FEW} turns behind {TURNS} of another: the last on record, ms",
                f"{max(fair.ms['b']):.0f}, in the order of coming at best "
                f"{_at_best(1.0, TURNS + FEW):.0f}",
            ),
        ],
    )


if __name__ == "__main__":
    main()
