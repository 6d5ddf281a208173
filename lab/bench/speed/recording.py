"""Records a table before it is watched: pictures as JPEGs, and when each hand was gone from them.

Pieces are laid by the rules and taken back in reverse order, so that the last picture shows the same board as the first
and the recording can loop: to the daemon one round is a few moves and as many takebacks.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

import games
from calibration.template import load_template
from lab.simulated.scenes import profile_of
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from rules import EMPTY, AnyGame, Step
from rules.options import switched_on
from vision.frame import Image
from vision.pose import rectify

SIZE_PX = (1280, 720)
QUALITY = 85
PAUSE_S = 1.6
"""Average seconds from one hand's leaving to the next hand."""
LEAD_S = 3.0
"""Seconds of rest at the beginning and at the end."""
FINER = 4
"""Looks per picture interval for whether the hand has gone."""
MAX_VISIT_S = 30.0
LOOK_PX, MAX_LOOKS = 128, 400
"""Pixels on a side of the small board pictures that show when the hand has gone; and how many are kept."""
DIFFERS, SPOT = 12, 0.0007
"""Grey values by which a hand or its shadow differs, and the share of the picture below which a difference is no hand.
"""
Look = NDArray[np.uint8]


@dataclasses.dataclass(frozen=True)
class Visit:
    off_s: float
    """Seconds from the first picture until neither it nor its shadow was over the board and its margin any more."""
    gone_s: float
    """Seconds from the first picture until no part of it was in view any more."""
    board: str
    """The board after the visit."""


@dataclasses.dataclass(frozen=True, eq=False)
class Recording:
    game: str
    rate_hz: float
    jpegs: tuple[bytes, ...]
    visits: tuple[Visit, ...]
    profile: bytes
    """Content of the table's profile file."""

    @property
    def seconds(self) -> float:
        return len(self.jpegs) / self.rate_hz


def record(
    name: str,
    *,
    seed: int,
    plies: int,
    rate_hz: float,
    size_px: tuple[int, int] = SIZE_PX,
    finely: bool = True,
    step: Callable[[str], None] = lambda _: None,
) -> Recording:
    """Records that many plies and their takebacks. Raises GameError.

    Unless `finely`, which takes some three times as long, `off_s` is no better than `gone_s`.
    """
    game = games.load(name)
    template = load_template(game.name, switched_on(game))
    table = SimulatedTable(template, game.board(game.initial()), default_style(), seed=seed, size_px=size_px)
    step("calibrating")
    profile = profile_of(game, template, table, seed).to_bytes()
    table.prepare()
    jpegs: list[bytes] = []
    taker = Taker(table, rate_hz, lambda image: jpegs.append(encoded(image)), finely=finely)
    rng = np.random.default_rng([seed, 8])
    taker.rest(LEAD_S)
    handfuls = hands_of(game, plies, seed)
    for number, (side, steps) in enumerate(handfuls, 1):
        step(f"recording {number} of {len(handfuls)} hands")
        taker.visit(steps, side)
        taker.rest(PAUSE_S * float(rng.uniform(0.7, 1.3)))
    taker.rest(LEAD_S)
    return Recording(game.name, rate_hz, tuple(jpegs), tuple(taker.visits), profile)


def encoded(image: Image) -> bytes:
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    assert done
    return data.tobytes()


def hands_of(game: AnyGame, plies: int, seed: int) -> list[tuple[int, tuple[Step, ...]]]:
    """Side and steps of each hand that makes so many legal plies and takes them back."""
    rng = np.random.default_rng([seed, 9])
    position, there, back = game.initial(), [], []
    for _ in range(plies):
        moves = [move for move in game.legal_moves(position) if game.steps(position, move)]
        if not moves or game.outcome(position) is not None:
            break
        move = moves[int(rng.integers(0, len(moves)))]
        side, steps = game.to_move(position), game.steps(position, move)
        there.append((side, steps))
        back.append((side, undone(game.board(position), steps)))
        position = game.apply(position, move)
    return [*there, *back[::-1]]


def undone(before: str, steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps that take those steps back; `before` is the board on which they began."""
    back: list[Step] = []
    for step in reversed(steps):
        if step.kind == "move":
            assert step.origin is not None
            back.append(Step("move", step.origin, step.cell, step.piece))
        elif step.kind == "place":
            back.append(Step("remove", step.cell, piece=EMPTY))
        elif step.kind == "remove":
            back.append(Step("place", step.cell, piece=before[step.cell]))
        else:
            back.append(Step("flip", step.cell, piece=before[step.cell]))
    return tuple(back)


def needed(table: SimulatedTable, steps: Sequence[Step]) -> list[Step]:
    """The steps that a hand has to do: taking away one half of a tile takes the other one, too."""
    kept, gone = list[Step](), set[int]()
    for step in steps:
        if step.kind == "remove" and step.cell in gone:
            continue
        kept.append(step)
        if step.kind == "remove":
            gone |= {cell for tile in table.standing.tiles if step.cell in tile.cells for cell in tile.cells}
    return kept


class Taker:
    """Takes pictures of a table, advancing its time, and notes when hands were gone."""

    def __init__(
        self, table: SimulatedTable, rate_hz: float, on_picture: Callable[[Image], None], *, finely: bool = True
    ) -> None:
        """`on_picture` gets each picture when it is taken. Unless `finely`, `off_s` is no better than `gone_s`."""
        self.visits: list[Visit] = []
        self.pictures = 0
        self._table, self._rate_hz, self._finely, self._on_picture = table, rate_hz, finely, on_picture
        self._gone_s, self._until = 0.0, ""
        self._looks: collections.deque[tuple[float, Look]] = collections.deque(maxlen=MAX_LOOKS)
        """The board with its margin, while a hand was in view, and when."""

    def visit(self, steps: Sequence[Step], side: int, until: str = "") -> None:
        """A hand comes, makes these steps, and goes; close looks begin once the board is `until`."""
        self._table.perform(needed(self._table, steps), side)
        self._looks.clear()
        self._until = until
        for _ in range(round(MAX_VISIT_S * self._rate_hz)):
            self._take()
            if not self._table.busy:
                break
        self.visits.append(Visit(self._off_s(), self._gone_s, self._table.board))

    def rest(self, seconds: float) -> None:
        for _ in range(round(seconds * self._rate_hz)):
            self._take()

    def _take(self) -> None:
        """Takes the next picture, and checks whether the hand left meanwhile."""
        begun_s = self.pictures / self._rate_hz
        image = self._table.render()
        self.pictures += 1
        self._on_picture(image)
        for part in range(1, FINER + 1):
            before, at_s = self._table.hand_in_view, begun_s + (part - 1) / self._rate_hz / FINER
            if before and self._finely and self._until in ("", self._table.board):
                self._looks.append((at_s, self._look(image if part == 1 else self._table.render())))
            self._table.advance(1 / self._rate_hz / FINER)
            if before and not self._table.hand_in_view:
                self._gone_s = at_s + 1 / self._rate_hz / FINER

    def _off_s(self) -> float:
        """When the board began to look as it does now: midway between the last look that differed and the next one.

        A look differs if more than a spot of it differs by more than noise.
        """
        now = self._look(self._table.render())
        for at_s, look in reversed(self._looks):
            differs = cv2.absdiff(look, now) > DIFFERS
            if differs.mean() > SPOT:
                return at_s + 0.5 / self._rate_hz / FINER
        return self._gone_s

    def _look(self, image: Image) -> Look:
        rectified = rectify(image, self._table.pose, self._table.template)
        small = cv2.resize(rectified, (LOOK_PX, LOOK_PX), interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
