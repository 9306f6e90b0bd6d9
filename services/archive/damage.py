"""What is damaged is named, and all else goes on."""

from collections.abc import Callable

TellDamage = Callable[[str, str], None]
"""Is told the name of what is damaged, and what is wrong with it, in English."""

OTHER_HEAD = "the events do not give the head hash"
