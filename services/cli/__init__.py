"""The `seedlog` command: the only way in for people."""

from services.cli.main import main

__all__ = ["main"]
