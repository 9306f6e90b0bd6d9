"""A word to a search that runs: it is no longer wanted."""

from __future__ import annotations


class Cancel:
    """Is set once, from any thread; a search that runs ends within milliseconds."""

    __slots__ = ("flag",)

    def __init__(self) -> None:
        """Begin unset."""
        self.flag = bytearray(1)
        """What a compiled search looks at while it holds no lock of the interpreter."""

    def set(self) -> None:
        """End the searches that hold this."""
        self.flag[0] = 1

    def is_set(self) -> bool:
        """Tell whether it was set."""
        return self.flag[0] != 0
