"""`python -m tests.chaos`: a stack is harmed while many play; nothing may be lost.

Every process is killed and paused by chance; Redis, and an AI worker, are also cut off:
every packet from and to them vanishes for a while. Two projectors and three dispatchers
are at work at once. In the end every acknowledged move stands in the log, once, every
match goes on, every log follows the rules, and lists and statistics have each match
once.
"""

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.chaos.places import PLACES
from tests.chaos.run import HEARTBEAT_S, audit, run, tell
from tests.support.crowd import Orders
from tests.support.measure import wait_with_bar
from tests.support.network import reason_for_none, running_network


def main() -> None:
    """Run, audit, tell; the exit code is 1 if anything was lost or is wrong."""
    parser = argparse.ArgumentParser("python -m tests.chaos", description=__doc__)
    parser.add_argument(
        "--on",
        choices=PLACES,
        default="single",
        help="what keeps the log: one Redis, Sentinels with two replicas that both hold"
        " each event (or one of them, which loses some), or a cluster",
    )
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--ai", type=float, default=0.5, help="share of matches")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    seconds = 60 * asked.minutes
    with ExitStack() as around:
        network = None
        if reason := reason_for_none():
            print(f"Nothing is cut off: {reason}", file=sys.stderr)
        else:
            network = around.enter_context(running_network())
        folder = Path(around.enter_context(tempfile.TemporaryDirectory()))
        place = PLACES[asked.on](folder, network)
        stack, parts = around.enter_context(place)
        orders = Orders(
            stack.url, stack.api_key, asked.clients, asked.ai, HEARTBEAT_S, asked.seed
        )
        result = run(
            stack.url,
            stack.api_key,
            parts,
            lambda: wait_with_bar("Playing and harming", seconds),
            orders,
        )
        if not audit(stack):
            result.failures.append("seedlog audit --all found something")
        tell(result, seconds)
    sys.exit(1 if any(result.wrong.values()) else 0)


if __name__ == "__main__":
    main()
