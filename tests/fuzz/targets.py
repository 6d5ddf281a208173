"""All entries, by target and by name."""

from __future__ import annotations

import importlib

from tests.fuzz.entry import TARGETS, Entry

MODULES = {name: f"{name.removesuffix('s')}_entries" for name in ("files", "games", "protocols", "records")} | {
    "records": "record_entries"
}


def entries_of(target: str) -> list[Entry]:
    """The entries of a target, or of all targets with `all`."""
    if target == "all":
        return [entry for one in TARGETS for entry in entries_of(one)]
    module = importlib.import_module(f"tests.fuzz.{MODULES.get(target, f'{target}_entries')}")
    found: list[Entry] = module.entries()
    return found
