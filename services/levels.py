"""How strong an AI can be asked to play; what a level means knows `workers.ai`."""

LEVELS = range(1, 9)
