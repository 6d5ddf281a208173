"""Examples that hypothesis generates for a test are the same in every process, whatever else is loaded there."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def drawn() -> list[tuple[int, str]]:
    found = []

    @settings(max_examples=300)
    @given(st.integers(), st.text())
    def draw(number: int, text: str) -> None:
        found.append((number, text))

    draw()
    return found


def test_a_loaded_module_changes_no_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = drawn()
    path = tmp_path / "loaded.py"
    path.write_text(f"NUMBERS = {list(range(10**9, 10**9 + 500))}\nTEXTS = {[f'one {n}' for n in range(500)]}\n")
    spec = importlib.util.spec_from_file_location("loaded", path)
    assert spec is not None
    monkeypatch.setitem(sys.modules, "loaded", importlib.util.module_from_spec(spec))
    assert drawn() == before
