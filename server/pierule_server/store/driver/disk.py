"""Knows whether the disk with the data folder takes more. On a full one the embedded store ends."""

from __future__ import annotations

import os
from pathlib import Path

from pierule_server import metrics

FULL = 1 << 20
"""Free bytes below which a disk counts as full."""


class Disk:
    """The disk with a data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser()

    @property
    def trouble(self) -> str | None:
        """Why the disk takes no more, for operators; None if it does, or if nobody can tell."""
        try:
            found = os.statvfs(self._folder)
        except OSError:
            return None
        if found.f_flag & os.ST_RDONLY:
            return f"the disk of {self._folder} is read-only: see the system's log"
        free = found.f_bavail * found.f_frsize
        if free < FULL:
            return f"the disk of {self._folder} is full, {free:,} bytes are free: make room"
        if found.f_files and not found.f_favail:
            return f"the disk of {self._folder} has no room for more files: remove some"
        return None

    def measure(self) -> None:
        """Update the metrics of the disk."""
        try:
            found = os.statvfs(self._folder)
        except OSError:
            return
        metrics.DISK_BYTES.labels("free").set(found.f_bavail * found.f_frsize)
        metrics.DISK_BYTES.labels("all").set(found.f_blocks * found.f_frsize)
