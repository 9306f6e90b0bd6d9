"""Chaos: parts of a stack are killed and paused while many play on it."""
