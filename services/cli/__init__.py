"""The `seedlog` command: the only way in for people."""
