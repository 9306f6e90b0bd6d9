"""`python -m tests.load`: real matches by many clients, every answer checked.

Without an address it runs a stack of its own, as `seedlog up` does.
"""

import argparse
import sys
from contextlib import nullcontext

import click

from services.client import Seedlog
from tests.support.crowd import Crowd, Orders
from tests.support.ledger import judge
from tests.support.measure import percentile, report, wait_with_bar
from tests.support.stack import shipped_stack


def main() -> None:
    """Play, judge, report; the exit code is 1 if anything was wrong."""
    parser = argparse.ArgumentParser("python -m tests.load", description=__doc__)
    parser.add_argument("--url", help="address of a running API; needs --key")
    parser.add_argument("--key", help="an API key of it that may play")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--processes", type=int, default=1, help="of the clients")
    parser.add_argument("--ai", type=float, default=0.25, help="share of matches")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--api-workers", type=int, default=1, help="of the own stack")
    asked = parser.parse_args()
    if bool(asked.url) != bool(asked.key):
        parser.error("--url and --key go together")
    own = {"SEEDLOG_API_WORKERS": str(asked.api_workers)}
    with nullcontext() if asked.url else shipped_stack(**own) as stack:
        url, key = (stack.url, stack.api_key) if stack else (asked.url, asked.key)
        orders = Orders(url, key, asked.clients, asked.ai, seed=asked.seed)
        with Crowd(orders, asked.processes) as crowd:
            wait_with_bar("Playing", asked.seconds)
        sys.exit(0 if tell(crowd, asked.seconds) else 1)


def tell(crowd: Crowd, seconds: float) -> bool:
    """Hold the ledger against the log, print the report; tell whether all is well."""
    ledger = crowd.ledger
    with (
        Seedlog(crowd.orders.url, crowd.orders.key) as client,
        click.progressbar(ledger.matches, label="Replaying", file=sys.stderr) as bar,
    ):
        verdict = judge(client, ledger, bar)
    times_ms = [1000 * (told - began) for began, told in ledger.writes]
    replies_ms = [1000 * (at - due) for due, at in verdict.replies]
    wrong = {
        "lost": verdict.lost,
        "doubled": verdict.doubled,
        "stuck": verdict.stuck,
        "broken logs": verdict.broken,
        "wrong answers": ledger.wrong,
        "failures of clients": crowd.failures,
    }
    report(
        f"{crowd.orders.clients} clients, {seconds:.0f} s",
        [
            ("matches", str(len(ledger.matches))),
            ("ended by the rules", str(ledger.ended)),
            ("acknowledged moves, and a second", _rate(len(ledger.moves), seconds)),
            ("acknowledgement, ms: p50, p99, longest", quantiles(times_ms)),
            ("AI replies", str(len(replies_ms))),
            ("AI reply, ms: p50, p99, longest", quantiles(replies_ms)),
            *((name, str(len(found))) for name, found in wrong.items()),
        ],
    )
    for name, found in wrong.items():
        for line in found[:5]:
            print(f"  {name}: {line}")
    return not any(wrong.values())


def quantiles(values: list[float]) -> str:
    """Return median, 99th percentile and the most, as text."""
    if not values:
        return "-"
    return ", ".join(f"{percentile(values, share):.0f}" for share in (0.5, 0.99, 1))


def _rate(count: int, seconds: float) -> str:
    return f"{count}, {count / seconds:.0f}"


if __name__ == "__main__":
    main()
