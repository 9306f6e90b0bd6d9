"""The event log in memory keeps the contract."""

import pytest

from services.eventlog import MemoryEventLog
from tests.eventlog.contract import EventLogContract


class TestMemoryEventLog(EventLogContract):
    @pytest.fixture
    def log(self) -> MemoryEventLog:
        return MemoryEventLog()
