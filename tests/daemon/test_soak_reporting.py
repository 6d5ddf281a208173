"""The proving ground: which report of a wrong board counts, which was missing, and which was not needed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

import games
from calibration.template import load_template
from daemon.soak.camera import Camera
from daemon.soak.judge import Heard, Judge
from daemon.soak.reporting import REPORT_S, reported
from vision.simulated.table import SimulatedTable

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


@pytest.mark.parametrize(
    ("frozen", "pictured", "complained", "unneeded"),
    [
        (True, "old", "old", False),  # a new game began while the old picture stands
        (True, "old", "odd", True),  # misread
        (True, "new", "new", True),  # the picture shows what stands there
        (False, "old", "old", True),
    ],
)
def test_only_a_complaint_of_what_a_frozen_picture_shows_is_no_unneeded_one(
    frozen: bool, pictured: str, complained: str, unneeded: bool
) -> None:
    judge = Judge(cast("Any", right_board(frozen=frozen, pictured=pictured)), None)
    assert judge._is_unneeded("desync", complained) == unneeded


@pytest.mark.parametrize(("finished", "ply", "unneeded"), [(True, 0, False), (True, 9, True), (False, 0, True)])
def test_a_daemon_started_again_after_a_games_last_move_may_ask_for_the_next_ones_board(
    finished: bool, ply: int, unneeded: bool
) -> None:
    judge = Judge(cast("Any", right_board(finished=finished, ply=ply)), None)
    assert judge._is_unneeded("reminder", "new") == unneeded


def right_board(
    *, frozen: bool = False, pictured: str = "new", finished: bool = False, ply: int = 9
) -> SimpleNamespace:
    """A trial whose table shows what the players' game is."""
    return SimpleNamespace(
        camera=SimpleNamespace(frozen=frozen, pictured=pictured),
        table=SimpleNamespace(board="new"),
        player=SimpleNamespace(position="new", positions=["new"], finished=finished),
        subject=SimpleNamespace(referee=SimpleNamespace(ply=ply)),
        game=SimpleNamespace(board=str),
    )


def test_a_frozen_camera_remembers_what_stood_there_when_its_picture_was_taken() -> None:
    game = games.load("morris")
    table = SimulatedTable(load_template(game.name), game.board(game.initial()), seed=1, size_px=(320, 180))
    camera = Camera(table, 1)
    camera.read(idle=False)
    camera.frozen = True
    camera.table = table.with_board("W" + table.board[1:], 2)
    camera.read(idle=False)
    assert camera.pictured == table.board
    camera.frozen = False
    camera.read(idle=False)
    assert camera.pictured == camera.table.board
