"""`make bench`: every benchmark in turn, or those that are named."""

import importlib
import pkgutil
import sys

import tests.bench

NOT_BENCHMARKS = {
    *("__main__", "hello", "look", "monte_carlo"),
    *("played_on", "played_on_rules", "rival"),
}
NEED_A_CHECKOUT = {"before", "nodes"}  # are asked for by `python -m`


def main() -> None:
    known = {m.name for m in pkgutil.iter_modules(tests.bench.__path__)}
    known -= NOT_BENCHMARKS | NEED_A_CHECKOUT
    wanted = sys.argv[1:] or sorted(known)
    if unknown := set(wanted) - known:
        sys.exit(
            f"no benchmark {', '.join(unknown)}; known: {', '.join(sorted(known))}"
        )
    for name in wanted:
        importlib.import_module(f"tests.bench.{name}").main()


main()
