"""The bundle folder: readable by its owner only; automatically kept bundles stay under a quota."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import shutil
from pathlib import Path

from daemon.bundles.bundle import REJECTED, BundleError
from daemon.bundles.bundle_writer import Packed

ASKED = "asked"
MIN_FREE_BYTES = 100 << 20
"""Bytes of disk space that no bundle may use: the record comes first."""
OWN = re.compile(rf"^kibitzer-[\w.:-]+-({'|'.join(REJECTED)})\.zip$")
"""Names of automatically kept bundles, which may be deleted."""


class BundleStore:
    """Writes bundles into one folder; not thread-safe, for use by one thread."""

    def __init__(self, folder: Path, quota_bytes: int) -> None:
        """Creates the folder and removes half-written files. Raises BundleError."""
        self.folder = folder
        self._quota_bytes = quota_bytes
        try:
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
            for part in folder.glob(".*.part"):
                part.unlink(missing_ok=True)
        except OSError as error:
            raise BundleError(f"{folder}: bundles cannot be kept there: {error.strerror}") from error

    def put(self, packed: Packed, table: str, reason: str, now: datetime.datetime) -> Path:
        """Writes a bundle completely or not at all. Raises BundleError, also if the disk is nearly full."""
        kept_by_itself, size = reason in REJECTED, packed.size
        if kept_by_itself and size > self._quota_bytes:
            raise BundleError(f"a bundle of {size / 1e6:.0f} MB is more than quota_mb = {self._quota_bytes / 1e6:g}")
        path = self.folder / f"kibitzer-{table}-{now:%Y%m%dT%H%M%S.%f}-{reason}.zip"
        part = self.folder / f".{path.name}.part"
        try:
            if kept_by_itself:
                self._make_room(size)
            if shutil.disk_usage(self.folder).free < size + MIN_FREE_BYTES:
                raise BundleError(f"the disk of {self.folder} is nearly full")
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123
                packed.write(file)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise BundleError(f"{path}: cannot be written: {error.strerror}") from error
        return path

    def kept(self) -> list[Path]:
        """The automatically kept bundles, oldest first."""
        found = [path for path in self.folder.iterdir() if OWN.match(path.name)]
        return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))

    def _make_room(self, size: int) -> None:
        """Deletes the oldest automatically kept bundles until `size` bytes fit under the quota."""
        paths = self.kept()
        taken = sum(path.stat().st_size for path in paths)
        for path in paths:
            if taken + size <= self._quota_bytes:
                return
            taken -= path.stat().st_size
            path.unlink(missing_ok=True)
