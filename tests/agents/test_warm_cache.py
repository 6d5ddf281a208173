"""Another process loads compiled kernels from the disk, completely and quickly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, threading, time
import games
from agents.agent import Limits
from agents.registry import load_agent
began = time.monotonic()
answer = load_agent("alphabeta", games.load("morris", {"flying": True})).choose(
    games.load("morris").parse_position("OOMOEOMOOOOOMOOEOEMEOOMM0064"), Limits(depth=6), threading.Event()
)
print(json.dumps([answer.score, answer.nodes, list(answer.pv), time.monotonic() - began]))
"""


def start(folder: Path) -> list[object]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found: list[object] = json.loads(done.stdout)
    return found


def test_a_second_process_finds_the_same_on_a_warm_cache(tmp_path: Path) -> None:
    cold = start(tmp_path)
    compiled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert compiled
    warm = start(tmp_path)
    assert warm[:3] == cold[:3]
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == compiled
