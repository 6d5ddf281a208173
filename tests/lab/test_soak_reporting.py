"""The proving ground: which report of a wrong board counts, which is missing, and which is unneeded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import games
from calibration.template import load_template
from daemon.game.effects import Announcement
from lab.simulated.table import SimulatedTable
from lab.soak.camera import Camera
from lab.soak.judge import Heard, Judge
from lab.soak.reporting import REPORT_S, reported
from lab.soak.tally import Tally
from rules.turns import line_of_play
from wording import untranslated

LAID_S, GONE_S = 10.0, 10.2
"""Seconds at which the last man was laid, and at which the hand was back at the table's edge."""


def waited(*heard: Heard, rules: str = "not_your_turn", abandoned: bool = False) -> tuple[dict[str, int], list[str]]:
    """Reports counted and reports missed while board `X` is on the table and `heard` was announced."""
    missing: list[str] = []
    judge = SimpleNamespace(heard=list(heard), laid_s=LAID_S, clear_s=0.0)
    judge.unreported = lambda _rules, text: missing.append(text)
    tally = SimpleNamespace(reported={})
    table = SimpleNamespace(board="X")
    at = SimpleNamespace(time_s=GONE_S, table=table, judge=judge, tally=tally, abandoned=abandoned)
    for _ in reported(cast("Any", at), "wrong side", frozenset(rules.split())):
        at.time_s += 1.0
        judge.clear_s += 1.0
    assert judge.clear_s <= REPORT_S + 1
    return tally.reported, missing


@pytest.mark.parametrize(
    ("time_s", "board", "rule", "counts"),
    [
        (GONE_S, "X", "not_your_turn", True),
        (10.1, "X", "not_your_turn", True),  # the hand is leaving
        (10.1, "Y", "not_your_turn", False),  # about the board before it
        (9.9, "X", "not_your_turn", False),  # the same board, but before it was laid this time
        (GONE_S, "X", "extra_man", False),
    ],
)
def test_a_report_counts_from_when_its_board_lay_there(time_s: float, board: str, rule: str, counts: bool) -> None:
    told, missing = waited(Heard(time_s, "illegal", rule, board))
    assert told == ({"not_your_turn": 1} if counts else {})
    assert bool(missing) != counts


def test_nothing_is_reported_of_a_game_that_was_given_up() -> None:
    """The daemon takes the game for over, by an order that it assumed and announced; nobody corrects it."""
    assert waited(abandoned=True) == ({}, [])
    assert waited() == ({}, ["wrong side on X"])


@pytest.mark.parametrize(
    ("frozen", "pictured", "complained", "unneeded"),
    [
        (True, "old", "old", False),  # a new game has begun, but the old picture is still shown
        (True, "old", "odd", True),  # misread
        (True, "new", "new", True),  # the picture shows the real board
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
    """A trial whose board is that of the players' game."""
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


@pytest.mark.parametrize(
    ("shown_s", "missing"),
    [(0.5, 0), (2.0, 4)],  # two of the four plies stay in the record until they count as taken back
)
def test_plies_to_and_fro_are_only_missed_where_they_could_be_seen(shown_s: float, missing: int) -> None:
    game = games.load("ganh")
    texts = ["a4-b4", "a2-b2", "b4-a4", "b2-a2"]
    positions = line_of_play(game, texts)
    boards = [game.board(one) for one in positions]
    assert boards[4] == boards[0]
    referee = SimpleNamespace(position=positions[0], line=SimpleNamespace(seen=[]), verdict="takeback", ply=0)
    table = SimpleNamespace(board=boards[3], busy=False, hand_in_view=False, stirs=False)
    trial = SimpleNamespace(
        game=game,
        time_s=0.0,
        known=2,
        table=table,
        player=SimpleNamespace(
            position=positions[3],
            positions=positions,
            record=[],
            finished=False,
            seen=[SimpleNamespace(board=board) for board in boards[1:]],
        ),
        schedule=SimpleNamespace(allows=lambda _code: False, running=[], holds_hands=False, blamed=lambda: ()),
        subject=SimpleNamespace(board=boards[2], seen=SimpleNamespace(rectified=True), referee=referee, recorded=list),
        camera=SimpleNamespace(shows=True, frozen=False, last=None, pictured=""),
        plan=SimpleNamespace(seed=1),
        tally=Tally("co_ganh", 1),
        abandon_game=lambda: None,
    )
    judge = Judge(cast("Any", trial), None)
    judge.begin_game()
    judge._legal |= set(boards)
    for time_s in np.arange(0.0, shown_s, 0.1):
        trial.time_s = float(time_s)
        judge.look()
    trial.player.position, table.board, trial.subject.board = positions[4], boards[4], boards[0]
    judge.hear(Announcement("takeback", (untranslated("2 moves are taken back."),), boards[0], 0))
    judge.close_game()
    assert trial.tally.to_and_fro == 4 - missing
    assert (trial.tally.missed_plies, trial.tally.unneeded_reports) == (missing, bool(missing))
