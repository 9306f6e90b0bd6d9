"""How long a computer player may think, whatever its level."""

HARD_CAP_S = 2.0
"""No move takes longer, however slow the machine is."""

TIME_S = 1.8
"""When looking ahead ends at the latest."""
