"""What many tests of the daemon begin with."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.storage.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """An empty record, closed at the end; what must be durable has a record of its own."""
    with contextlib.closing(Journal(tmp_path / "journal.sqlite")) as opened:
        assert opened._connection is not None
        opened._connection.execute("PRAGMA synchronous = OFF")
        yield opened
