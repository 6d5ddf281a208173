"""A daemon that is killed goes on where it was: the short form of `tests.bench.kill_resume`."""

from __future__ import annotations

from pathlib import Path

from tests.bench.kill_resume import Bench


def test_killed_daemon_resumes_with_the_right_board_and_record(tmp_path: Path) -> None:
    bench = Bench(tmp_path, seed=3, game="nine_mens_morris", pace=4.0, rules=["men=3"])
    result = bench.play(kills=2, longest_s=6.0)
    assert result["kills"] == 2
    assert result["record_right"], (tmp_path / "run.log").read_text(encoding="utf-8")[-3000:]
    assert result["wrong_records_at_kill"] == 0
