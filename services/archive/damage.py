"""What is damaged is named, and all else goes on."""

from collections.abc import Callable

from services.eventlog import LogDamaged

TellDamage = Callable[[str, str], None]
"""Is told the name of what is damaged, and what is wrong with it, in English."""

UNREADABLE = (LogDamaged, ValueError, OverflowError)
"""What is raised by who reads a stream that holds what nobody has written."""

OTHER_HEAD = "the events do not give the head hash"
