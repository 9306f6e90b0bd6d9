"""Load: many clients play real matches, and hold every answer against the rules."""
