"""Glicko-2: what a game says of the strength of two who played it.

After Mark Glickman, "Example of the Glicko-2 system" (2013); the steps below are his.
Each game is a rating period of its own, and the time between two games is counted in
periods too: the less was heard of somebody, the less is known.

Nothing here is drawn or asked: the same games in the same order give the same numbers.
"""

from dataclasses import dataclass
from math import exp, log, pi, sqrt

SCALE = 173.7178
MIDDLE = 1500.0
FIRST_RD, FIRST_VOLATILITY = 350.0, 0.06
TAU = 0.5
PERIOD_MS = 7 * 86_400_000
"""After a week without a game a deviation has grown as after a period without one."""

EXACT = 1e-6
SURE = 1e-9
"""Nobody is expected to lose for sure, or the variance would have no end."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong somebody is, and how sure that is.

    ``rating`` is on the scale of Elo, 1500 at first; the true strength lies within two
    deviations ``rd`` of it 95 times of 100. ``at_ms`` is when the last game ended.
    """

    rating: float = MIDDLE
    rd: float = FIRST_RD
    volatility: float = FIRST_VOLATILITY
    at_ms: int = 0

    @property
    def at_least(self) -> float:
        """Return what the strength is at least, 97 times of 100."""
        return self.rating - 2 * self.rd


def rate(mine: Rating, other: Rating, score: float, at_ms: int) -> Rating:
    """Return what is known of one player after a game against another.

    *score* is 1 for a win, 0.5 for a draw, 0 for a loss; *at_ms* is when it ended.
    """
    mu, phi = (mine.rating - MIDDLE) / SCALE, mine.rd / SCALE
    mu_j, phi_j = (other.rating - MIDDLE) / SCALE, other.rd / SCALE
    g = 1 / sqrt(1 + 3 * phi_j**2 / pi**2)
    expected = 1 / (1 + exp(-g * (mu - mu_j)))
    expected = min(max(expected, SURE), 1 - SURE)
    v = 1 / (g**2 * expected * (1 - expected))  # step 3
    delta = v * g * (score - expected)  # step 4
    volatility = _volatility(mine.volatility, phi, v, delta)
    periods = max(at_ms - mine.at_ms, 0) / PERIOD_MS if mine.at_ms else 0.0
    phi_star = sqrt(phi**2 + volatility**2 * (1 + periods))  # step 6
    phi_star = min(phi_star, FIRST_RD / SCALE)  # no less is known than of nobody
    phi_after = 1 / sqrt(1 / phi_star**2 + 1 / v)  # step 7
    mu_after = mu + phi_after**2 * g * (score - expected)
    return Rating(
        mu_after * SCALE + MIDDLE, phi_after * SCALE, volatility, max(at_ms, mine.at_ms)
    )


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """Return the new volatility (step 5), by the Illinois algorithm."""
    a = log(sigma**2)

    def f(x: float) -> float:
        e = exp(x)
        spread = phi**2 + v + e
        return e * (delta**2 - spread) / (2 * spread**2) - (x - a) / TAU**2

    low = a
    if delta**2 > phi**2 + v:
        high = log(delta**2 - phi**2 - v)
    else:
        steps = 1
        while f(a - steps * TAU) < 0:
            steps += 1
        high = a - steps * TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > EXACT:
        between = low + (low - high) * f_low / (f_high - f_low)
        f_between = f(between)
        if f_between * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = between, f_between
    return exp(low / 2)
