"""How soon an idle AI worker starts on a job, and how soon its reply is on record."""

import random
import time

from redis import Redis

from services.client.shapes import Match
from tests.support.measure import percentile, report
from tests.support.stack import Stack, shipped_stack
from workers.queues import connect_queues, job_queue

JOBS = 200
GAMES = 4
AIM_MS = 10.0
STARTS = "bench:starts"


def note_start(url: str, asked_at: float) -> None:
    """Say how long after the request this job started; runs in the worker."""
    elapsed_ms = (time.time() - asked_at) * 1e3
    Redis.from_url(url).rpush(STARTS, elapsed_ms)


def starts_ms(stack: Stack) -> list[float]:
    """Ask for one job at a time, with a pause in which the workers are idle."""
    url = str(stack.facts["queue_url"])
    redis = connect_queues(url)
    queue = job_queue(redis)
    for number in range(JOBS):
        queue.enqueue_call(
            "tests.bench.ai_replies.note_start",
            args=(url, time.time()),
            job_id=f"bench_{number}",
            result_ttl=0,
        )
        while redis.llen(STARTS) <= number:
            time.sleep(0.001)
        time.sleep(0.005)
    return [float(text) for text in redis.lrange(STARTS, 0, -1)]


def replies_ms(stack: Stack) -> list[float]:
    """Play against level 1; the time from our event to the AI's, by the log."""
    client, chance = stack.client, random.Random(1)
    seats = {"south": {"kind": "human"}, "north": {"kind": "ai", "level": 1}}
    replies = []
    for _ in range(GAMES):
        match: Match = client.open_match("kalah", seats)
        while not match["outcome"]:
            move, before = chance.choice(match["legal_moves"]), match["version"]
            asked = time.perf_counter()
            match = client.play(
                match["id"], move, version=before, seat="south", wait_for_reply_s=10
            )["match"]
            if match["version"] == before + 2:  # one move of ours, one of the AI's
                replies.append((time.perf_counter() - asked) * 1e3)
    return replies


def main() -> None:
    with shipped_stack() as stack:
        starts, replies = starts_ms(stack), replies_ms(stack)
    start = percentile(starts, 0.5)
    verdict = "reached" if start < AIM_MS else "missed"
    report(
        "Replies of AIs, workers idle",
        [
            (
                f"request to start of a job, p50 ms (aim {AIM_MS:.0f}: {verdict})",
                f"{start:.1f}",
            ),
            ("request to start of a job, p99 ms", f"{percentile(starts, 0.99):.1f}"),
            (
                "move sent to reply seen (level 1, by polling), p50 ms",
                f"{percentile(replies, 0.5):.1f}",
            ),
            ("the same, p99 ms", f"{percentile(replies, 0.99):.1f}"),
        ],
    )


if __name__ == "__main__":
    main()
