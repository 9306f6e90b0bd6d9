"""What leaves Redis: segments of finished matches, and backups of everything."""

from services.archive.archive import Archive, UnusableArchive, check_place
from services.archive.archiver import Archiver
from services.archive.backup import InvalidBackup, write_backup
from services.archive.restore import restore_backup
from services.archive.segment import (
    BrokenSegment,
    ColdStream,
    Place,
    pack_stream,
    unpack_stream,
)
from services.archive.vanishing import Vanishing

__all__ = [
    "Archive",
    "Archiver",
    "BrokenSegment",
    "ColdStream",
    "InvalidBackup",
    "Place",
    "UnusableArchive",
    "Vanishing",
    "check_place",
    "pack_stream",
    "restore_backup",
    "unpack_stream",
    "write_backup",
]
