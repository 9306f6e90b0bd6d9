"""Tournaments: pairs of games, the Elo that follows, and games in slices."""

import math
import signal
import subprocess
import sys
from pathlib import Path

import fakeredis
import pytest
from rq import Queue, SimpleWorker

from rules_core import GAMES, find_game
from services.cli.calibrate_command import FORMAT
from services.cli.redis_server import free_port
from tests.support.commands import seedlog
from tests.support.patience import wait_for
from tests.support.processes import children
from workers.ai.tournament import (
    Bout,
    Played,
    Step,
    elo_of,
    ladder,
    pairs,
    play,
    steps_of,
    table,
)
from workers.calibrate import Tournament

KALAH = find_game("kalah")


def bout(*, seed: int = 1, is_changed: bool = False) -> Bout:
    return Bout("kalah", "kalah/1", 1, 1, 2, seed, is_changed)


def test_each_level_meets_the_next_with_seats_changed() -> None:
    bouts = pairs(KALAH, 1, [1, 2, 3], range(1, 3))
    assert len(bouts) == len(set(bouts)) == 8
    assert bout().levels == {"south": 1, "north": 2}
    assert bout(is_changed=True).levels == {"south": 2, "north": 1}
    assert bout().points("north") == 1
    assert bout(is_changed=True).points("north") == 0
    assert bout().points(None) == 0.5


def test_a_game_in_slices_is_the_game_in_one() -> None:
    whole = play(bout())
    assert whole.points is not None
    slices = 0
    part = Played((), None)
    while part.points is None:
        part = play(bout(), part.moves, for_s=0.0005)
        slices += 1
    assert slices > 1
    assert part == whole


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_every_game_comes_to_an_end(game: object) -> None:
    key = str(getattr(game, "key"))  # noqa: B009  # of any game
    rules = find_game(key).rules
    assert play(Bout(key, rules, 1, 1, 2, 3, is_changed=False)).points in (0, 0.5, 1)


def test_only_pairs_count() -> None:
    scores = {bout(): 1.0, bout(is_changed=True): 0.5, bout(seed=2): 1.0}
    assert steps_of(scores) == [Step(1, 2, (1.5,))]


def test_elo_is_that_of_the_score() -> None:
    assert elo_of(0.5) == 0
    assert elo_of(10 / 11) == pytest.approx(400)
    assert elo_of(0.25) == -elo_of(0.75)


def test_more_games_say_it_more_exactly() -> None:
    few, many = (Step(1, 2, (2.0, 1.0, 1.5, 0.5) * n) for n in (2, 50))
    assert few.share == many.share == 0.625
    assert many.elo == pytest.approx(elo_of(0.625), abs=3)
    assert many.error < few.error / 4
    one_sided = Step(1, 2, (2.0,) * 20)
    assert math.isfinite(one_sided.elo)
    assert one_sided.error > 0


def test_errors_of_a_ladder_add_up() -> None:
    steps = [Step(1, 2, (2.0, 1.0, 1.5)), Step(2, 3, (1.0, 2.0, 0.5))]
    first, second, third = ladder(steps)
    assert first == (1, 0.0, 0.0)
    assert second[1:] == (steps[0].elo, steps[0].error)
    assert third[1] == steps[0].elo + steps[1].elo
    assert third[2] == pytest.approx(math.hypot(steps[0].error, steps[1].error))
    assert table(steps).splitlines()[2].split()[-4:] == ["75%", "of", "6", "games"]


@pytest.mark.timeout(60, method="thread")  # RQ takes signals for its own
def test_workers_play_it_in_short_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game whose job was lost is asked for again, from where it was."""
    monkeypatch.setattr("workers.calibrate.SLICE_S", 0.02)
    monkeypatch.setattr("workers.calibrate.LOST_S", 0.5)
    connection = fakeredis.FakeRedis()
    queue = Queue("ai-games", connection=connection, serializer="json")
    worker = SimpleWorker([queue], connection=connection, serializer="json")
    bouts = pairs(KALAH, 1, [1, 2], range(1, 3))
    looks: list[int] = []

    def show(done: int) -> None:
        looks.append(done)
        if len(looks) == 2:
            queue.empty()  # what was asked for is lost
        worker.work(burst=True, max_jobs=3, logging_level="ERROR")

    scores = Tournament(queue, "a run", bouts).play(show)
    assert scores == {each: play(each).points for each in bouts}
    assert len(looks) > 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_tournament_that_is_ended_leaves_nobody_playing(number: int) -> None:
    command = ["calibrate", "kalah", "--pairs", "1000", "--processes", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "services.cli", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    players = wait_for("players", lambda: both(process.pid), process)

    process.send_signal(number)

    assert process.wait(20) != 0
    wait_for("their end", lambda: not any(map(is_alive, players)))


def both(pid: int) -> list[int]:
    begun = children([pid])
    return begun if len(begun) == 2 else []


def is_alive(pid: int) -> bool:
    try:
        return (
            "\tZ" not in Path(f"/proc/{pid}/status").read_text().partition("State:")[2]
        )
    except FileNotFoundError:
        return False


def test_a_queue_that_is_away_is_told_in_a_line() -> None:
    url = f"redis://127.0.0.1:{free_port()}"
    ran = seedlog("calibrate", "kalah", "--pairs", 1, QUEUE_URL=url)

    assert ran.exit_code == 1
    assert "the queue cannot be reached" in ran.output


def test_a_file_that_cannot_be_written_is_told_before_anything_is_played(
    tmp_path: Path,
) -> None:
    file = tmp_path / "nowhere" / "told.json"
    ran = seedlog("calibrate", "kalah", "--pairs", 99_999, "--json", file)

    assert ran.exit_code == 1
    assert f"{file} cannot be written" in ran.output


@pytest.mark.parametrize("levels", ["0-2", "1-11", "3-2", "4-4", "1", "a-b"])
def test_levels_that_are_none_are_refused(levels: str) -> None:
    ran = seedlog("calibrate", "kalah", "--levels", levels, "--processes", 1)

    assert ran.exit_code == 1
    assert "levels" in ran.output


@pytest.mark.parametrize("text", ["garbage", "[]", '{"format": "another"}', "\xff"])
def test_what_tells_of_no_tournament_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "told.json"
    file.write_bytes(text.encode("latin-1"))

    ran = seedlog("levels", "note", "kalah", file)

    assert ran.exit_code == 1
    assert f"{file} is not of format" in ran.output


def test_what_a_file_of_a_tournament_lacks_is_told(tmp_path: Path) -> None:
    file = tmp_path / "told.json"
    file.write_text(f'{{"format": "{FORMAT}"}}')

    ran = seedlog("levels", "note", "kalah", file)

    assert (ran.exit_code, "'rules'" in ran.output) == (1, True)
