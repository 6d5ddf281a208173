"""A killed daemon resumes where it was: the short form of `lab.bench.kill_resume`."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

from lab.bench.kill_resume import Bench


def test_killed_daemon_resumes_with_the_right_board_and_record(tmp_path: Path) -> None:
    rules = ["men=3", "quiet_plies=3"]
    bench = Bench(tmp_path, 3, "nine_mens_morris", 4.0, rules, random.Random(3), any_=False, think_s=0.5)
    with contextlib.closing(bench):
        result = bench.play(kills=2, longest_s=3.0)
    assert result["kills"] == 2
    assert result["record_right"], (tmp_path / "run.log").read_text(encoding="utf-8")[-3000:]
    assert result["wrong_records_at_kill"] == 0
