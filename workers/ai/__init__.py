"""The computer player: from a position, a level and a seed to a legal move."""

from workers.ai.choice import choose

__all__ = ["choose"]
