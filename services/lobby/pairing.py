"""Who is given to whom. Pure: the same answer for the same seeks and time.

Two fit who want the same and whose ratings lie within what each of them takes. That
begins with how little is known of a rating, and a hundred points; it widens with every
second, and after half a minute anybody will do, unless a seek has a limit of its own.
"""

from collections import defaultdict
from collections.abc import Iterable

from services.lobby.seek import Seek

FIRST_WINDOW = 100.0
WIDENS_PER_S = 50.0
ANYBODY_AFTER_MS = 30_000
ANY = float("inf")


def window(seek: Seek, now_ms: int) -> float:
    """Return how far an opponent's rating may be from that of a seek by now."""
    limit = seek.within or ANY
    if not seek.rated:
        return limit
    waited_ms = max(now_ms - seek.since_ms, 0)
    if waited_ms >= ANYBODY_AFTER_MS:
        return limit
    wide = FIRST_WINDOW + seek.deviation + WIDENS_PER_S * waited_ms / 1000
    return min(wide, limit)


def fits(one: Seek, other: Seek, now_ms: int) -> bool:
    """Tell whether two of a pool may play each other by now."""
    if one.player == other.player:
        return False
    apart = abs(one.rating - other.rating)
    return apart <= min(window(one, now_ms), window(other, now_ms))


def pairs(seeks: Iterable[Seek], now_ms: int) -> list[tuple[Seek, Seek]]:
    """Return who is given to whom; who has waited longest chooses first.

    Each takes whoever is nearest in rating of those who fit, and of these again the one
    who has waited longest. Nobody is left who fits another who is left.
    """
    pools: dict[bytes, list[Seek]] = defaultdict(list)
    for seek in sorted(seeks, key=lambda seek: (seek.since_ms, seek.id)):
        pools[seek.pool].append(seek)
    found = []
    for waiting in pools.values():
        while waiting:
            first = waiting.pop(0)
            fitting = [other for other in waiting if fits(first, other, now_ms)]
            if not fitting:
                continue
            nearest = min(fitting, key=lambda other: abs(other.rating - first.rating))
            waiting.remove(nearest)
            found.append((first, nearest))
    return found
