"""The camera first sees a board on which play has begun, that never rests, or that it looks at from too low."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

import games
from calibration.template import load_template
from daemon.perception.occlusion_notices import OcclusionNotices
from daemon.perception.pipeline import Observation
from daemon.words.translation import in_words
from lab.simulated.style import CameraStyle, Style
from lab.simulated.table import SimulatedTable
from tests.daemon.match_bench import watching
from tests.daemon.sights import sight
from tests.vision.tall_men import LATER, START, tall_table
from vision.frame import Frame, Image
from vision.pose import BoardPose
from vision.watching.align import Alignment

SIZE_PX = (640, 480)


class Watched:
    """A table whose eyes open now."""

    def __init__(self, name: str, table: SimulatedTable) -> None:
        self.eyes, self.heard = watching(games.load(name))
        self._table, self._number = table, 0

    def show(self, seconds: float, *, hand: bool = False) -> None:
        """Shows the board, with something dark that moves to and fro over it if there is a hand."""
        for _ in range(round(seconds * 5)):
            self._table.advance(0.2)
            image = self._table.render()
            if hand:
                left = 220 + 60 * (self._number % 3)
                cv2.rectangle(image, (left, 120), (left + 90, 479), (90, 120, 170), -1)
            self.eyes.feed(Frame(image, self._number * 0.2, self._number))
            self._number += 1

    @property
    def moves(self) -> list[str]:
        """The moves believed."""
        return self.eyes.match.referee.moves

    def said(self, code: str) -> list[str]:
        """What was said with that code."""
        return [in_words(*one.said) for one in self.heard if one.code == code]


def ganh_after(plies: int, azimuth_deg: float = 0.0) -> tuple[SimulatedTable, list[str]]:
    """A table of cờ gánh after so many plies, and their texts."""
    game, texts = games.load("co_ganh"), list[str]()
    position = game.initial()
    for number in range(plies):
        move = game.legal_moves(position)[3 * number + 1]
        texts.append(game.format_move(position, move))
        position = game.apply(position, move)
    style = Style(camera=CameraStyle(azimuth_deg=azimuth_deg))
    return SimulatedTable(load_template("co_ganh"), game.board(position), style, 2, SIZE_PX), texts


@pytest.mark.parametrize(("plies", "azimuth_deg"), [(1, 90.0), (2, 180.0)])
def test_plies_made_before_the_board_was_seen_are_taken_as_played_and_told_once(plies: int, azimuth_deg: float) -> None:
    table, texts = ganh_after(plies, azimuth_deg)
    watched = Watched("co_ganh", table)
    watched.show(4)
    assert watched.moves == texts
    (told,) = watched.said("assumed")
    assert told.startswith(f"I take it that the game had begun already: {' and '.join(texts)}.")
    assert watched.eyes.pipeline.lesson is not None, "what is known teaches"


def test_board_that_two_plies_of_one_side_lead_to_is_not_believed_and_teaches_nothing() -> None:
    game = games.load("co_ganh")
    board = list(game.board(game.initial()))
    for origin, target in (("a2", "b3"), ("e2", "d3")):
        board[game.cells.index(target)], board[game.cells.index(origin)] = board[game.cells.index(origin)], "."
    watched = Watched("co_ganh", SimulatedTable(load_template("co_ganh"), "".join(board), None, 2, SIZE_PX))
    watched.show(4)
    assert not watched.moves and watched.eyes.pipeline.lesson is None
    assert watched.said("illegal") or watched.said("desync")


def test_hands_that_never_leave_the_board_in_peace_are_told_once() -> None:
    table, _ = ganh_after(4)
    watched = Watched("co_ganh", table)
    watched.show(0.2)
    watched.show(8, hand=True)
    assert watched.said("trouble") == [
        "I see the board, but it does not lie free for long enough. Leave it free for a moment, so that I can read it."
    ]


def told_of(tables: Sequence[SimulatedTable]) -> list[list[str]]:
    """What is told of trouble at each."""
    found = []
    for table in tables:
        watched = Watched("chess", table)
        watched.show(7)
        found.append([said for said in watched.said("trouble") if "too low" in said])
    return found


def test_camera_that_looks_at_tall_men_from_too_low_is_told_how_high_it_must_be() -> None:
    low, taught = told_of([tall_table(LATER, 66.0), tall_table(START, 52.0)])
    assert len(low) == 1 and not taught
    degrees = int(low[0].split("about ")[1].split()[0])
    assert 15 <= degrees <= 24
    assert low[0].endswith(
        "above the table. Tall pieces hide others, and I may read them wrong. Raise it, so that it looks down at 30 "
        "degrees or more."
    )


class Undecoded(Frame):
    """A picture that nobody may look at."""

    def __init__(self) -> None:
        object.__setattr__(self, "time_s", 0.0)

    @property
    def image(self) -> Image:
        raise AssertionError("the picture is decoded")


def test_of_a_board_of_tall_men_at_rest_no_picture_is_decoded_to_tell_how_high_the_camera_is() -> None:
    pose = BoardPose(np.eye(3), error_px=0.0, quality=1.0)
    seen = Observation(
        Undecoded(), Alignment(pose, "locked", relocked=False, quality=1.0, moved_px=0.0), gate=sight("settled")
    )
    tall: Any = SimpleNamespace(men_hide=lambda: True, template=load_template("chess"))
    assert OcclusionNotices()._low(seen, sight("settled"), tall) == []
