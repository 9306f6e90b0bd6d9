"""The clients of both languages, against a stack behind bad networks."""
