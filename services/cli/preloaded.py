"""What the processes of `seedlog up` have imported when they begin.

The process they are forked from imports this, and nothing else does.
"""

import gc
import os
import signal
from importlib import import_module

from setproctitle import setproctitle

from services.cli.forked import die_with_parent

OF_ALL = (
    "gunicorn.app.wsgiapp",
    "services.api.wsgi",
    "services.cli.archive_commands",
    "services.cli.process_commands",
    "services.http.server_log",
    "services.http.wire.worker",
    "services.stream",
    "workers.run",
)

setproctitle("seedlog up: the others are forked from here")
die_with_parent(signal.SIGKILL)  # also where it is stopped
os.setsid()  # what the terminal or a group is told is for the supervisor alone
for name in OF_ALL:
    import_module(name)
gc.collect()
gc.freeze()  # nobody looks through it again, which would copy it
