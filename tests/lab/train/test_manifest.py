"""The manifest has every learnt file's checksum and origin."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "models"
ENTRIES = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ENTRIES)
def test_each_entry_has_its_files_checksum(name: str) -> None:
    content = (FOLDER / ENTRIES[name]["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == ENTRIES[name]["sha256"]


@pytest.mark.parametrize("name", ENTRIES)
def test_each_entry_says_data_licence_command_and_accuracy(name: str) -> None:
    entry = ENTRIES[name]
    assert all(entry[key] for key in ("data", "licence", "command"))
    assert entry["command"].startswith(("kibitzer train ", "kibitzer book build "))
    assert any("accuracy" in key for key in entry)


def test_every_learnt_file_is_in_the_manifest() -> None:
    learnt = {path.name for path in FOLDER.iterdir() if path.suffix in (".onnx", ".npz", ".jsonl")}
    assert learnt == {entry["file"] for entry in ENTRIES.values()}
