"""Asks a server again and again whether it still answers; a hung one does not die."""

import json
import threading
import urllib.error
import urllib.request
from contextlib import suppress

EVERY_S = 5.0
WITHIN_S = 3.0
MISSED_BEATS = 5
LONGEST = 10_000


class Pulse:
    """Watches one server from a thread of its own."""

    def __init__(self, url: str, *, every_s: float = EVERY_S) -> None:
        """Ask for *url*, so often; begin once it has answered for the first time."""
        self._url = url
        self._every_s = every_s
        self._missed = 0
        self._has_answered = False
        self._ended = threading.Event()
        threading.Thread(target=self._run, name=f"pulse {url}", daemon=True).start()

    @property
    def is_lost(self) -> bool:
        """Tell whether it answered once, and has not done so for several beats."""
        return self._has_answered and self._missed >= MISSED_BEATS

    def forget(self) -> None:
        """Begin anew: the server is started again."""
        self._missed, self._has_answered = 0, False

    def end(self) -> None:
        """Ask no more."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(self._every_s):
            if answers(self._url, WITHIN_S):
                self._missed, self._has_answered = 0, True
            else:
                self._missed += 1


def answers(url: str, within_s: float) -> bool:
    """Tell whether a server answers with 200 in time."""
    return ask(url, within_s) == 200


def ask(url: str, within_s: float) -> int:
    """Return the status that a server answers with in time; 0: with none."""
    try:
        with urllib.request.urlopen(url, timeout=within_s) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code
    except OSError:
        return 0


def problem_of(url: str, within_s: float) -> tuple[str, str]:
    """Return the type of the problem that a server answers with, and what it tells."""
    try:
        with urllib.request.urlopen(url, timeout=within_s):  # noqa: S310
            return "", "it can by now"
    except urllib.error.HTTPError as refusal:
        with refusal, suppress(ValueError, LookupError, TypeError, OSError):
            problem = json.loads(refusal.read(LONGEST))
            return str(problem["type"]), str(problem["detail"])
        return "", f"it answers {refusal.code}"
    except OSError as error:
        return "", str(error)
