"""Every line of the logs says which process wrote it."""

import subprocess
import sys

import pytest

from services.eventlog import LogUnavailable
from services.languages import Message
from services.logs import Absence

PROGRAM = """
import threading
import structlog
from services import logs

logs.configure("projector")
log = structlog.get_logger()
thread = threading.Thread(target=log.info, args=("view built",), kwargs={"rows": 3})
thread.start()
thread.join()
"""


def test_a_thread_says_the_name_of_its_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )

    assert done.stdout == ""
    assert 'level=info process=projector event="view built" rows=3\n' in done.stderr


def test_what_is_below_the_level_is_not_written() -> None:
    program = PROGRAM.replace(
        'configure("projector")', 'configure("projector", "warning")'
    )
    done = subprocess.run(
        [sys.executable, "-c", program + 'log.warning("late")'],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "view built" not in done.stderr
    assert "level=warning process=projector event=late\n" in done.stderr


def test_an_absence_is_told_once_for_each_reason_and_so_is_its_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    absence = Absence("views wait", "views go on")
    for reason in ("gone", "gone", "wrong password", "gone"):
        absence.note(LogUnavailable(Message("away"), reason))
    absence.over()
    absence.over()
    absence.note(LogUnavailable(Message("away"), "gone"))  # said within this minute
    absence.over()

    lines = "".join(capsys.readouterr()).splitlines()
    assert [line.count("views wait") for line in lines] == [1, 1, 0]
    assert "wrong password" in lines[1]
    assert "views go on" in lines[2]
