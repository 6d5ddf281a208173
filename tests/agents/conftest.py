"""Endgame tables that several files of tests read."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from tests.agents.morris import morris


@pytest.fixture(scope="session")
def within(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tables of seven men for three sets of rules; built once for all processes, never changed."""
    from agents.jobs import Backend  # the compiled code is loaded only where a test asks for tables
    from agents.tables.build import Builder

    run = tmp_path_factory.getbasetemp()
    run = run.parent if "PYTEST_XDIST_WORKER" in os.environ else run
    made = run / "tables"
    with (run / "tables.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            building = tmp_path_factory.mktemp("building")
            for rules in ({}, {"flying": True}, {"flying": True, "mill_protected": True}):
                Builder(morris(**rules), building, lambda _what, _steps: None).build(7, Backend("threading", 2))
            building.rename(made)
    return made
