"""Who plays: names and ids of players, side records that can be erased.

The log holds references only.
"""

from services.players.erasures import REWRITE_EVERY_MS, Erasures
from services.players.players import ON_DISK, Known, NoSuchPlayer, Players

__all__ = [
    "ON_DISK",
    "REWRITE_EVERY_MS",
    "Erasures",
    "Known",
    "NoSuchPlayer",
    "Players",
]
