"""`seedlog calibrate`: what the levels of a game are worth, by a tournament."""

import contextlib
import json
import os
import signal
from collections.abc import Iterator
from importlib.metadata import version
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import click
from redis.exceptions import RedisError

from rules_core import RulesError, all_games, find_game
from rules_core.levels import latest_ladder, levels_of
from services.cli.command import with_settings
from services.cli.failing import fail, fail_unless_writable
from services.cli.forked import die_with_parent
from services.settings import Settings

FORMAT = "seedlog-calibration 2"


@click.command()
@click.argument("game")
@click.option(
    "--pairs",
    default=20,
    show_default=True,
    type=click.IntRange(1, 100_000),
    help="openings with which a level meets the next; each is played twice",
)
@click.option("--levels", default="", metavar="FROM-TO", help="only these levels")
@click.option(
    "--ladder",
    type=click.IntRange(1),
    help="of which ladder they are; without it of the latest",
)
@click.option(
    "--first",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="number of the first opening: another run, other openings",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    help="play here in so many processes, not on the workers of a stack",
)
@click.option("--json", "path", type=click.Path(dir_okay=False), help="write it there")
@with_settings
def calibrate(settings: Settings, game: str, **given: Any) -> None:
    """Let each level of GAME play the one above it, and say how far apart they are.

    The games are played by the AI workers of QUEUE_URL, behind every reply that
    somebody waits for; or here, with --processes.
    """
    from workers.ai.tournament import pairs, steps_of, table

    try:
        all_games()
        chosen = find_game(game)
        ladder = given["ladder"] or latest_ladder(chosen)
        levels = _levels(given["levels"], len(levels_of(chosen, ladder)))
    except (RulesError, ValueError) as error:
        fail(str(error))
    path = given["path"]
    if path:
        fail_unless_writable(Path(path))
    first = given["first"]
    bouts = pairs(chosen, ladder, levels, range(first, first + given["pairs"]))
    with click.progressbar(length=len(bouts), label=chosen.rules) as bar:

        def show(done: int) -> None:
            bar.update(done - bar.pos)

        if given["processes"]:
            scores = _play_here(bouts, given["processes"], show)
        elif settings.queue_url:
            scores = _play_on_queue(settings, bouts, show)
        else:
            fail("QUEUE_URL is not set, where workers play; or send --processes 2")
    steps = steps_of(scores)
    click.echo(table(steps))
    if path:
        told = {
            "format": FORMAT,
            "seedlog": version("seedlog"),
            "rules": chosen.rules,
            "ladder": ladder,
            "first": first,
            "steps": [
                {"lower": s.lower, "upper": s.upper, "scores": [*s.scores]}
                for s in steps
            ],
        }
        try:
            Path(path).write_text(json.dumps(told) + "\n", encoding="utf-8")
        except OSError as error:
            fail(f"{path} cannot be written: {error.strerror}")


def _levels(text: str, most: int) -> list[int]:
    known = list(range(1, most + 1))
    if not text:
        return known
    lowest, _, highest = text.partition("-")
    if not lowest.isdigit() or not highest.isdigit():
        raise ValueError(f"{text!r} are no levels; send such as 1-{known[-1]}")
    if not 1 <= int(lowest) < int(highest) <= known[-1]:  # one has nobody to play
        raise ValueError(f"levels go from {known[0]} to {known[-1]}; two are needed")
    return known[int(lowest) - 1 : int(highest)]


def _play_here(bouts: list[Any], processes: int, show: Any) -> dict[Any, float]:
    scores = {}
    with _pool(processes) as pool:
        for bout, points in pool.imap_unordered(_play_one, bouts):
            scores[bout] = points
            show(len(scores))
    return scores


@contextlib.contextmanager
def _pool(processes: int) -> Iterator[Pool]:
    """Begin players who end with this process, and leave Ctrl-C to it.

    A pool that is interrupted while it begins never ends: a thread of it goes on to
    replace those who are ended. So Ctrl-C waits until it stands. Its threads and its
    players keep what is blocked here, and never hear of Ctrl-C.
    """
    forking = get_context("fork")  # their parent is this process, whose end they share
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    with forking.Pool(processes, _end_with, (os.getpid(),)) as pool:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        yield pool


def _end_with(asked_by: int) -> None:
    die_with_parent(signal.SIGKILL, asked_by)


def _play_one(bout: Any) -> tuple[Any, float]:
    from workers.ai.tournament import play

    return bout, play(bout).points or 0.0


def _play_on_queue(settings: Settings, bouts: list[Any], show: Any) -> dict[Any, float]:
    from workers.calibrate import Tournament
    from workers.queues import AI_GAMES, connect_queues, job_queue

    queue = job_queue(connect_queues(settings.queue_url), AI_GAMES)
    one, last = bouts[0], bouts[-1]
    name = f"{one.rules} {one.ladder} {one.lower}-{last.upper} {one.seed}-{last.seed}"
    try:
        return Tournament(queue, name, bouts).play(show)
    except RedisError as error:
        fail(f"the queue cannot be reached ({error}); run it again, and it goes on")
