"""Makes JavaScript and CSS small, by tdewolff/minify, in a process of its own.

It is written in Go, whose runtime would stay in a server that forks; and where there is
none of it (it comes as a wheel for the usual systems), what is served is longer.
"""

import re
import subprocess
import sys
from functools import lru_cache

PROGRAM = (
    "import minify, sys; print(minify.string(sys.argv[1], sys.stdin.read()), end='')"
)
MEDIA_TYPES = {"js": "application/javascript", "css": "text/css"}
PATIENCE_S = 20
COMMENTS = re.compile(r"^\s*(?:/\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
INDENTATION = re.compile(r"^[ \t]+|\n(?=\n)", re.MULTILINE)


def minified(code: str, kind: str) -> str:
    """Return code of a kind (`js`, `css`) that does the same, and is shorter."""
    short = INDENTATION.sub("", COMMENTS.sub("", code))
    try:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", PROGRAM, MEDIA_TYPES[kind]],
            input=short,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return short
    return done.stdout if done.returncode == 0 and done.stdout else short


@lru_cache(maxsize=100)
def smaller(code: str) -> str:
    """Return a script of which there are not many, and which is asked for often."""
    return minified(code, "js")
