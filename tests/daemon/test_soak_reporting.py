"""The proving ground: which report of a wrong board counts, and which wrong board was never reported."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from daemon.soak.judge import Heard
from daemon.soak.reporting import REPORT_S, reported

LAID_S, GONE_S = 10.0, 10.2
"""When the last man was laid, and when the hand was back at the table's edge."""


def waited(*heard: Heard, rules: str = "not_your_turn") -> tuple[dict[str, int], list[str]]:
    """What is counted, and what is complained of, when a board `X` lies there and this was heard."""
    missing: list[str] = []
    judge = SimpleNamespace(heard=list(heard), laid_s=LAID_S, clear_s=0.0)
    judge.unreported = lambda _rules, text: missing.append(text)
    tally = SimpleNamespace(reported={})
    at = SimpleNamespace(time_s=GONE_S, table=SimpleNamespace(board="X"), judge=judge, tally=tally)
    for _ in reported(cast("Any", at), "wrong side", frozenset(rules.split())):
        at.time_s += 1.0
        judge.clear_s += 1.0
    assert judge.clear_s <= REPORT_S + 1
    return tally.reported, missing


@pytest.mark.parametrize(
    ("time_s", "board", "rule", "counts"),
    [
        (GONE_S, "X", "not_your_turn", True),
        (10.1, "X", "not_your_turn", True),  # the hand is on its way out
        (10.1, "Y", "not_your_turn", False),  # what lay there before it
        (9.9, "X", "not_your_turn", False),  # the same board, before it lay there this time
        (GONE_S, "X", "extra_man", False),
    ],
)
def test_a_report_counts_from_when_its_board_lay_there(time_s: float, board: str, rule: str, counts: bool) -> None:
    told, missing = waited(Heard(time_s, "illegal", rule, board))
    assert told == ({"not_your_turn": 1} if counts else {})
    assert bool(missing) != counts
