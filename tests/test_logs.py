"""Every line of the logs says which process wrote it."""

import subprocess
import sys

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
