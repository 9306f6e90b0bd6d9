"""Whole stacks: what an operator, a player and a browser see."""
