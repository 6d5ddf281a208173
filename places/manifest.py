"""Writes entries of `models/manifest.toml`, which holds the checksum of every learnt file."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

HEADING = """# What was learnt, and where it comes from.
# `sha256` is checked whenever a file is loaded; `command` makes it again. Written by `kibitzer train` and
# `kibitzer book build`.
"""


def write_entry(folder: Path, name: str, file: str, facts: dict[str, str | float]) -> None:
    """Adds or replaces one entry, with the digest of the present file; other entries stay."""
    path = folder / "manifest.toml"
    entries = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    digest = hashlib.sha256((folder / file).read_bytes()).hexdigest()
    entries[name] = {"file": file, "sha256": digest, **facts}
    text = HEADING
    for title, values in entries.items():
        text += f"\n[{title}]\n" + "".join(_line(key, value) for key, value in values.items())
    path.write_text(text, encoding="utf-8")


def _line(key: str, value: str | float) -> str:
    # JSON's strings and numbers are valid TOML.
    return f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
