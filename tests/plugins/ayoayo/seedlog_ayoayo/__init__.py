"""Ayoayo, the game of the Yoruba, as a plugin: the example of CONTRIBUTING.md."""
