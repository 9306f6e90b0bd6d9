"""How long a verifier looks for the places in a file that is not as it was signed.

Whoever verifies a file of their own wants to know all of it. A server that is asked to
import one only has to refuse it, and to name the first place that is wrong.
"""

from dataclasses import dataclass

ENDLESS = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What is looked at before the search ends; beyond it there may be more.

    ``lines`` of the file, ``checks`` of signatures (a tenth of a millisecond each), and
    ``events`` that are played anew; ``strangers``: whether a file whose key nobody
    trusts is searched at all.
    """

    lines: int = ENDLESS
    checks: int = ENDLESS
    events: int = ENDLESS
    strangers: bool = True


THOROUGH = Effort()
BOUNDED = Effort(lines=4_000, checks=4_000, events=1_000, strangers=False)
