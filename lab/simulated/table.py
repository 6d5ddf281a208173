"""The simulated table: its pieces, hands and disturbances, in its own time."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from calibration.template import BoardTemplate
from lab.simulated.arm import Reach
from lab.simulated.arrays import FloatArray
from lab.simulated.camera import PinholeCamera
from lab.simulated.light import linear
from lab.simulated.men import Man
from lab.simulated.motion import Change, Event, Stroke, Visit
from lab.simulated.stage import Stage
from lab.simulated.style import Colour, Style, default_style
from lab.simulated.tiles import Piece, PlacedPieces, Tile, handfuls, has_tiles
from rules import Step
from vision.frame import Image
from vision.pose import BoardPose, project

USUAL_SIZES_PX = ((960, 540), (1280, 720), (1920, 1080))
MAX_VISITS = 64
"""Greatest number of hand visits that can wait in the queue."""


def usual_size_px(template: BoardTemplate) -> tuple[int, int]:
    """Width and height of pictures that show the board about as finely as its cells are examined."""
    return next((size for size in USUAL_SIZES_PX if size[1] >= template.rectified_px), USUAL_SIZES_PX[-1])


class SimulatedTable:
    """A board with pieces on a table, a lamp, a camera and two players' hands. Deterministic from its seed."""

    def __init__(
        self,
        template: BoardTemplate,
        board: str,
        style: Style | None = None,
        seed: int = 0,
        size_px: tuple[int, int] | None = None,
        *,
        pawns: bool = True,
        stage: Stage | None = None,
    ) -> None:
        """`size_px` is the camera's picture size; by default large enough for the template.

        `pawns` puts pawns on the printed track of a board that has one.
        """
        if len(board) != len(template.cell_names):
            raise ValueError(f"a board of {template.game} has {len(template.cell_names)} cells, not {len(board)}")
        self.template = template
        self.style = stage.style if stage else style or default_style()
        self.time_s = 0.0
        self._stage = stage or Stage(template, self.style, size_px or usual_size_px(template), seed)
        self._rng = np.random.default_rng([seed, 2])
        self.standing = PlacedPieces(template, board, self.style, self._rng, pawns=pawns)
        self._lie = Change(np.zeros(3), np.zeros(3), 0.0, 0.0)
        self._lamp = Change(np.ones(3), np.ones(3), 0.0, 0.0)
        self._visits: deque[tuple[int, Callable[[Visit], None], float]] = deque()
        self._strokes: deque[Stroke] = deque()
        self._stroke_s = 0.0
        self._side = 0
        self._reach: Reach | None = None
        self._held: Piece | None = None
        self._still: tuple[Any, Image, Any, Any] | None = None

    @property
    def board(self) -> str:
        """The board as it physically is; a piece in a hand is not on it."""
        return self.standing.board

    def __len__(self) -> int:
        return len(self.template.cell_names)

    @property
    def busy(self) -> bool:
        return bool(self._visits or self._strokes)

    @property
    def picture_px(self) -> tuple[int, int]:
        return self._stage.size_px

    @property
    def camera(self) -> PinholeCamera:
        return self._stage.camera

    @property
    def stirs(self) -> bool:
        """Whether the board is sliding or the light is changing; hands do not count."""
        return any(self.time_s - part.begun_s < part.over_s for part in (self._lie, self._lamp))

    @property
    def lie(self) -> tuple[float, float, float]:
        """How far the board has slid from its first place: two millimetres, and degrees."""
        x, y, turn = self._lie.end
        return float(x), float(y), float(np.degrees(turn))

    @property
    def hand_in_view(self) -> bool:
        return self._reach is not None and self._stage.arms[self._side].in_view(self._reach)

    @property
    def image_from_board(self) -> FloatArray:
        """(3, 3) homography of the board's top, for a lens without distortion."""
        matrix = self._stage.camera.image_from_world @ self._world_from_board
        return np.asarray(matrix / matrix[2, 2], dtype=np.float64)

    @property
    def pose(self) -> BoardPose:
        return BoardPose(self.image_from_board, error_px=0.0, quality=1.0)

    def corners_px(self) -> FloatArray:
        """(4, 2) corners of the frame as seen through the lens: top left, top right, bottom right, bottom left."""
        return self.seen_px(self.template.corners_mm)

    def seen_px(self, points_mm: FloatArray) -> FloatArray:
        """(n, 2) pixels where points of the board's top are seen through the lens."""
        world = project(self._world_from_board, points_mm)
        return self._stage.camera.project(np.column_stack([world, np.zeros(len(world))]))

    def with_board(self, board: str, seed: int) -> SimulatedTable:
        pawns = bool(self.standing.pawns)
        twin = SimulatedTable(self.template, board, seed=seed, pawns=pawns, stage=self._stage)
        twin._lie, twin._lamp = (Change(part.end, part.end, 0.0, 0.0) for part in (self._lie, self._lamp))
        return twin

    def prepare(self) -> None:
        """Prepares what would delay the first frame with a hand: about half a second."""
        for arm in self._stage.arms:
            arm.prepare()

    def perform(
        self,
        steps: Sequence[Step],
        side: int,
        pace: float = 1.0,
        scores: Sequence[int] | None = None,
        *,
        palmed: bool = False,
    ) -> None:
        """Queues a visit of that side's hand that does the steps; a pace of 2 is twice as fast.

        The hand also moves the pawns, if there are any, to the spaces given by both sides' `scores`. With `palmed` it
        holds all pieces that it puts down or takes, and does not leave between them.
        """
        if not pace > 0:
            raise ValueError(f"pace is greater than 0, not {pace}")
        if steps:
            self._queue(side, lambda visit: self._plan(visit, steps, scores or (), palmed), pace)

    def hover(self, seconds: float, side: int) -> None:
        """Queues a visit that holds the hand over the board and changes nothing."""
        self._queue(side, lambda visit: visit.hover(seconds), 1.0)

    def switch_lamp(self, gain: float, tint: Colour | None = None, over_s: float = 0.0) -> None:
        """Changes all light to `gain` times that of the style, in the colour `tint`, within `over_s`."""
        colour = np.ones(3) if tint is None else np.asarray(linear(tint), dtype=np.float64)
        self._lamp = Change(self._lamp.at(self.time_s), gain * colour, self.time_s, over_s)

    def bump(self, shift_mm: tuple[float, float], turn_deg: float = 0.0, over_s: float = 0.2) -> None:
        end = self._lie.at(self.time_s) + np.array([*shift_mm, np.radians(turn_deg)])
        self._lie = Change(self._lie.at(self.time_s), end, self.time_s, over_s)

    def move_camera(self, **changes: Any) -> None:
        """Moves the camera at once; `changes` are fields of `CameraStyle`."""
        self._stage = self._stage.with_camera(dataclasses.replace(self._stage.style.camera, **changes))
        self.style = self._stage.style
        self._still = None

    def nudge(self, cell: int, dx_mm: float, dy_mm: float) -> None:
        """Shifts the piece on a cell. Raises ValueError where there is none."""
        self.standing.nudge(cell, dx_mm, dy_mm)

    def advance(self, dt_s: float) -> None:
        left_s = dt_s
        while left_s > 0:
            if not self._strokes and not self._begin_visit():
                break
            stroke = self._strokes[0]
            used_s = min(left_s, stroke.duration_s - self._stroke_s)
            self._stroke_s += used_s
            left_s -= used_s
            self._reach = stroke.at(self._stroke_s)
            if self._stroke_s >= stroke.duration_s - 1e-9:
                self._end_stroke(stroke)
        self.time_s += dt_s

    def render(self) -> Image:
        still, grain, lit = self._still_now()
        reach = self._reach
        if reach is None or not self.hand_in_view:
            return self._stage.sensor.expose(lit, grain, self._rng)
        held = self._held
        if held is not None:
            held = dataclasses.replace(held, x_mm=reach.x_mm, y_mm=reach.y_mm, lift_mm=reach.lift_mm)
        image = self._stage.with_hand(still, self._side, reach, held)
        gain = self._lamp.at(self.time_s)
        if (gain != 1).any():
            image = self._stage.sensor.brighten(image, gain)
        return self._stage.sensor.expose(image, grain, self._rng)

    def _still_now(self) -> tuple[Image, Any, Image]:
        lie, gain = self._lie.at(self.time_s), self._lamp.at(self.time_s)
        pieces = self.standing.pieces
        key, sensor = (pieces, lie.tobytes()), self._stage.sensor
        if self._still is None or self._still[0] != (key, gain.tobytes()):
            fresh = self._still is None or self._still[0][0] != key
            still = self._stage.still(pieces, self._world_from_board) if fresh else self._still[1]  # type: ignore[index]
            lit = sensor.brighten(still, gain) if (gain != 1).any() else still
            self._still = ((key, gain.tobytes()), still, sensor.grain(lit), lit)
        return self._still[1], self._still[2], self._still[3]

    @property
    def _world_from_board(self) -> FloatArray:
        x, y, turn = self._lie.at(self.time_s)
        middle = np.array(self.template.size_mm) / 2
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        matrix = np.eye(3)
        matrix[:2, :2] = rotation
        matrix[:2, 2] = middle - rotation @ middle + (x, y)
        return matrix

    def _queue(self, side: int, plan: Callable[[Visit], None], pace: float) -> None:
        if len(self._visits) >= MAX_VISITS:
            raise ValueError(f"at most {MAX_VISITS} visits of a hand may wait")
        self._visits.append((side, plan, pace))

    def _begin_visit(self) -> bool:
        if not self._visits:
            return False
        self._side, plan, pace = self._visits.popleft()
        x, y = self._stage.arms[self._side].rest_mm
        visit = Visit(Reach(float(x), float(y), 30.0), self._place, pace, self._rng)
        plan(visit)
        visit.leave()
        self._strokes, self._stroke_s = deque(visit.strokes), 0.0
        return True

    def _end_stroke(self, stroke: Stroke) -> None:
        self._strokes.popleft()
        self._stroke_s = 0.0
        if stroke.event is not None:
            self._happen(stroke.event)
        if not self._strokes:
            self._reach, self._held = None, None

    def _plan(self, visit: Visit, steps: Sequence[Step], scores: Sequence[int], palmed: bool) -> None:
        visit.carry_out(handfuls(self.template, steps), palmed=palmed)
        for (name, standing_on), space in zip(self.standing.spaces.items(), scores, strict=False):
            if space != standing_on:
                pawn = self.standing.pawns[name]
                here = self._seen_from_above(np.array([pawn.x_mm, pawn.y_mm]))
                visit.move_pawn(name, space, here, self._seen_from_above(self.standing.space_mm(name, space)))

    def _happen(self, event: Event) -> None:
        standing = self.standing
        if event.kind == "take":
            self._held = self._new_piece(event)
        elif event.kind == "drop":
            self._held = None
        elif event.kind == "pick":
            self._held = standing.take(event.cells[0]) or self._held
        elif event.kind == "pick_pawn":
            self._held = standing.pawns.pop(event.pawn)
        elif event.kind == "set_pawn":
            standing.put_pawn(event.pawn, event.space)
            self._held = None
        else:
            standing.take(event.cells[0])
            standing.put(event.cells, event.letters)
            self._held = None if event.kind == "lay" else self._held

    def _new_piece(self, event: Event) -> Piece:
        """The piece that a hand takes from the stock; a tile is held as it will lie."""
        if has_tiles(self.template):
            return Tile(event.letters, event.cells, 0.0, 0.0, self.standing.turn_of(event.cells))
        return Man(event.letters, 0.0, 0.0, float(self._rng.uniform(0, 2 * np.pi)))

    def _place(self, cells: tuple[int, ...]) -> tuple[float, float]:
        """World place of the middle of some cells, or of the piece there; of a random cell if there are none."""
        cells = cells or (int(1 + self._rng.integers(0, 1 << 30)) % len(self),)
        return self._seen_from_above(self.standing.place_mm(cells))

    def _seen_from_above(self, board_mm: FloatArray) -> tuple[float, float]:
        """World place of a point of the board."""
        x, y = project(self._world_from_board, board_mm[None])[0]
        return float(x), float(y)
