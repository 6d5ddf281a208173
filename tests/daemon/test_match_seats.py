"""Who laid a tile that belongs to nobody is told by the seat from which the arm came."""

from __future__ import annotations

import pytest

from daemon.config.seats import Seat
from rules import EMPTY
from tests.daemon.match_bench import FIRST, SECOND, THIRD, Bench, bench_of, lay, two_people
from tests.daemon.readings import board_with


@pytest.fixture
def bench() -> Bench:
    return bench_of("morris", "alphabeta")


def movers(bench: Bench) -> list[tuple[str, str, str]]:
    line = bench.match.referee.line
    return [(ply.text, bench.game.sides[ply.side], ply.known) for ply in line.plies]


def test_who_laid_a_tile_is_told_by_the_seat_from_which_the_arm_came() -> None:
    bench = two_people("bottom", "top")
    lay(bench, FIRST, "bottom")
    assert lay(bench, SECOND, "bottom") == ["pass", "move"]
    assert lay(bench, THIRD, "top") == ["move"]
    assert movers(bench) == [
        (FIRST, "red", "seat"),
        ("pass", "green", ""),
        (SECOND, "red", "seat"),
        (THIRD, "green", "seat"),
    ]


@pytest.mark.parametrize(("places", "arm"), [(("", ""), "top"), (("left", "right"), "top"), (("left", "right"), None)])
def test_an_arm_from_nobodys_seat_tells_nothing(places: tuple[str, str], arm: str | None) -> None:
    bench = two_people(*places)
    lay(bench, FIRST, arm)
    lay(bench, SECOND, arm)
    assert movers(bench) == [(FIRST, "red", ""), (SECOND, "green", "")]


def test_an_arm_is_remembered_until_the_tile_is_judged_and_no_longer() -> None:
    bench = two_people("bottom", "top")
    bench.pipeline.arm = "top"
    board = list(bench.game.board(bench.match.referee.position))
    for end in FIRST.split("-"):
        board[bench.game.cells.index(end[:-1])] = end[-1]
    half = "".join(board).replace(FIRST.split("-")[1][-1], EMPTY)
    assert bench.show(half, 0.0) == []  # half of it: looked at again, without an arm
    assert bench.show("".join(board), 0.5) == ["pass", "move"]
    lay(bench, SECOND)
    assert movers(bench)[1:] == [(FIRST, "green", "seat"), (SECOND, "red", "")]


def test_seats_mean_nothing_where_the_men_show_whose_they_are(bench: Bench) -> None:
    bench.match.seats = (Seat(place="top"), Seat(place="bottom"))
    bench.match.referee.agents = (None, None)
    bench.pipeline.arm = "bottom"
    assert bench.show(board_with(bench.game, W="d2")) == ["move"]
