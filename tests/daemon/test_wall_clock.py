"""A clock on the wall that is set by hours changes nothing: only what stamps a record or a file reads it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STAMPS = {
    "calibration/profile.py": "when a profile was made",
    "daemon/bundles/bundle_requests.py": "the age of files that nobody has fetched",
    "daemon/bundles/scene_keeper.py": "when a bundle was made",
    "daemon/checks/machine.py": "whether the clock was ever set",
    "daemon/cli/relay.py": "when a line was printed",
    "daemon/page/archive.py": "when a file was last changed, for browsers",
    "daemon/page/page_state.py": "when a state was made",
    "daemon/page/phones/certificate.py": "how long a certificate is valid",
    "daemon/record/journal_schema.py": "the name of a damaged record",
    "daemon/record/puzzles.py": "when a puzzle was tried",
    "daemon/record/salvage.py": "since when a program has the record",
    "daemon/record/score_pads.py": "the name of a pad",
    "daemon/record/stored_game.py": "when a ply was made",
}
"""What each file that reads it reads it for: nothing that waits, measures, or orders."""
WALL = {
    "time.time",
    "time.strftime",
    "time.localtime",
    "time.gmtime",
    "datetime.datetime.now",
    "datetime.now",
    "datetime.date.today",
}


def reads_the_wall_clock(path: Path) -> bool:
    calls = (node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
    return any(ast.unparse(one) in WALL for one in calls)


@pytest.mark.parametrize("room", ["agents", "calibration", "daemon", "games", "rules", "system", "vision"])
def test_nothing_that_waits_or_measures_reads_the_clock_on_the_wall(room: str) -> None:
    found = {str(path.relative_to(ROOT)) for path in (ROOT / room).rglob("*.py") if reads_the_wall_clock(path)}
    assert found == {name for name in STAMPS if name.startswith(f"{room}/")}
