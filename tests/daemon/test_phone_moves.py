"""A phone that is turned, or goes dark, in the middle of a game: the game goes on, and nothing wrong is believed."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lab.bench.browsing import Table
from tests.waiting import PATIENCE_S
from vision.frame import Image

WAIT_S = 60.0


class Watched:
    """A table that a camera watches, and what was said at it."""

    def __init__(self, folder: Path) -> None:
        self.table = Table(folder, "morris", camera=True)

    @property
    def said(self) -> list[str]:
        with urllib.request.urlopen(f"{self.table.address}events", timeout=PATIENCE_S) as response:
            return [one["text"] for one in json.load(response)]

    def await_(self, words: str) -> None:
        until_s = time.monotonic() + WAIT_S
        while not any(words in said for said in self.said):
            assert time.monotonic() < until_s, f"{words!r} was not said, but {self.said}"
            time.sleep(0.05)

    def lay(self, cell: str, man: str) -> None:
        """Lays a man and waits until the move is believed."""
        at, board = self.table.game.cells.index(cell), self.table.board
        moves = [*self.table.moves, cell]
        self.table.board = board[:at] + man + board[at + 1 :]
        until_s = time.monotonic() + WAIT_S
        while self.table.moves != moves:
            assert time.monotonic() < until_s, f"{self.table.moves} instead of {moves}; {self.said}"
            time.sleep(0.05)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    made = Watched(tmp_path)
    yield made
    made.table.close()


def upright(picture: Image) -> Image:
    """As a phone sends it that was turned: as high as it was wide."""
    return np.ascontiguousarray(np.rot90(picture))


def test_a_phone_that_is_turned_goes_on_with_the_same_board(watched: Watched) -> None:
    watched.lay("d6", "W")
    watched.table.seen_as = upright
    watched.lay("f4", "B")
    watched.table.seen_as = lambda picture: picture
    watched.lay("b4", "W")


def test_a_phone_that_goes_dark_is_told_why_and_goes_on(watched: Watched) -> None:
    watched.lay("d6", "W")
    watched.table.seen_as = lambda picture: picture // 16
    watched.await_("The picture is very dark.")
    watched.table.seen_as = lambda picture: picture
    watched.lay("f4", "B")
