"""Endgame tables that several files of tests read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.morris import morris


@pytest.fixture(scope="session")
def within(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of tables of seven men for three sets of rules; built once, never changed."""
    from agents.jobs import Backend  # the compiled code is loaded only where a test asks for tables
    from agents.tables.build import Builder

    made = tmp_path_factory.mktemp("tables")
    for rules in ({}, {"flying": True}, {"flying": True, "mill_protected": True}):
        Builder(morris(**rules), made, lambda _what, _steps: None).build(7, Backend("threading", 2))
    return made
