"""Explains why no board is seen in a picture: a few codes, and sentences that a person can act on.

Each reason comes from evidence in the picture: another game's printed board, light and sharpness, and where the network
that proposes boards sees one: beyond an edge of the picture, of too few pixels, from too low, or with too little of its
drawing in sight. Without such evidence the answer is only that no board is seen.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal

import cv2
import numpy as np

import games
from calibration.arrays import Grey
from calibration.template import BoardTemplate
from vision.finding.finder import find_drawn, is_mirrored
from vision.finding.lattice_fit import on_points
from vision.finding.markers import OtherSheetError, find_sheet
from vision.finding.proposals import Edge, board_network
from vision.finding.viewpoint import viewpoint
from vision.frame import Image
from vision.pose import MIN_BOARD, BoardPose, pose_from_corners, project
from vision.primitives.chequer_edges import LEAST_LEVELS
from wording import Sentence, Term, listing, sentence, sentence_n

Code = Literal[
    "no_board", "cut_off", "covered", "too_small", "too_low", "dark", "washed_out", "blurred", "other_board",
    "mirrored", "no_picture", "too_large", "other_size",
]  # fmt: skip

DARK, BRIGHT = 45.0, 250.0
"""Mean grey value below which a picture is too dark, and grey value from which a pixel is burnt out."""
BURNT = 0.12
"""Share of burnt-out pixels from which the board is hidden."""
BLURRED = 15.0
"""Variance of the Laplacian of a picture 640 pixels wide, below which the whole picture is blurred."""
WIDTH_PX = 640
NEEDED_PX = {"men": 9.0, "tiles": 16.0}
"""Pixels between neighbouring cells needed to read pieces, or to count pips."""
MIN_DEG = 25.0
"""Degrees, elevation of the camera above the board's plane, below which pieces hide each other."""
SPARE_DEG = 5.0
"""Degrees that people are asked for beyond what is needed."""


@dataclasses.dataclass(frozen=True)
class Unseen:
    code: Code
    matter: Sentence
    remedy: Sentence
    edges: tuple[Edge, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.matter} {self.remedy}"


EDGES: dict[Edge, Term] = {
    "left": Term("edge", "left"),
    "top": Term("edge", "top"),
    "right": Term("edge", "right"),
    "bottom": Term("edge", "bottom"),
}
NO_BOARD = Unseen(
    "no_board",
    sentence("I see no board."),
    sentence("The whole of it must be in the picture, with nothing lying on its lines, seen rather from above."),
)
COVERED = Unseen(
    "covered",
    sentence("I see where the board lies, but too little of what is drawn on it."),
    sentence("Take away what covers it, or turn the lamp, so that nothing glares."),
)
MIRRORED = Unseen(
    "mirrored",
    sentence("The picture is mirrored."),
    sentence("Switch mirroring off in the camera's settings, or use the camera on the back."),
)


def why_unseen(image: Image, template: BoardTemplate, sizes: Sequence[BoardTemplate] = ()) -> Unseen:
    """Why the board was not found in the picture. About a fifth of a second: call it only for such pictures.

    With the game's other `sizes` these are looked for as well, for up to a second.
    """
    other = other_board(image, template)
    if other is not None:
        return other
    if is_mirrored(image, template):
        return MIRRORED
    larger = find_drawn(image, sizes[0], sizes[1:]) if sizes else None
    if larger is not None and (fault := other_size(template, larger.template)) is not None:
        return fault
    reached, edges = board_network().edges_beyond(image, template.game)
    if edges:
        return cut_off(edges)
    proposed = board_network().propose(image, template.game)[:1]
    for one in proposed:
        fault = _distance_fault(pose_from_corners(one.corners_px, template), template, (image.shape[1], image.shape[0]))
        if fault is not None:
            return fault
    return exposure_fault(image) or (COVERED if proposed and not reached else NO_BOARD)


def other_board(image: Image, template: BoardTemplate) -> Unseen | None:
    """The fault if another game's printed board is in the picture; None where none is."""
    try:
        find_sheet(image, template)
    except OtherSheetError as error:
        wanted = games.find(template.game).title
        seen = Term("game", str(error.seen))
        matter = sentence("This sheet is for {seen}, not for {wanted}.", seen=seen, wanted=Term("game", error.wanted))
        return Unseen("other_board", matter, sentence("Lay out a board for {game}.", game=Term("game", wanted)))
    return None


def other_size(asked: BoardTemplate, seen: BoardTemplate) -> Unseen | None:
    """What to say of a board of another size than was asked for; None where it is of that size."""
    lines, wanted = (int(one.source["grid"]["columns"]) if "grid" in one.source else 0 for one in (seen, asked))
    if lines == wanted:
        return None
    numbers = {"seen": lines, "asked": wanted}
    if on_points(seen):
        matter = sentence("I see {seen} lines each way, not {asked}.", **numbers)
    else:
        matter = sentence("I see {seen} by {seen} squares, not {asked} by {asked}.", **numbers)
    remedy = sentence("Choose that size, with --rule size={seen}, or lay out the other board.", seen=lines)
    return Unseen("other_size", matter, remedy)


def exposure_fault(image: Image) -> Unseen | None:
    """The fault if light or sharpness hides every board; None if both are good enough."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    size = WIDTH_PX, max(1, round(WIDTH_PX * grey.shape[0] / grey.shape[1]))
    small = _without_bars(np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), dtype=np.uint8))
    if small.mean() < DARK:
        return Unseen("dark", sentence("The picture is very dark."), sentence("Switch on a light."))
    if (small > BRIGHT).mean() > BURNT:
        remedy = sentence("Turn the lamp or the camera, so that nothing glares.")
        return Unseen("washed_out", sentence("Much of the picture is burnt out."), remedy)
    if cv2.Laplacian(small, cv2.CV_64F).var() < BLURRED:
        remedy = sentence("Focus the camera, and wipe its lens.")
        return Unseen("blurred", sentence("The picture is not sharp."), remedy)
    return None


def _without_bars(grey: Grey) -> Grey:
    """The picture without the even dark rows and columns at its edges, such as a phone's film has at its sides."""
    for axis in (0, 1):
        shown = (np.ptp(grey, axis=1 - axis) > LEAST_LEVELS) | (grey.mean(axis=1 - axis) > DARK)
        if shown.any():
            first, last = np.flatnonzero(shown)[[0, -1]]
            grey = grey[first : last + 1] if axis == 0 else grey[:, first : last + 1]
    return grey


def place_fault(pose: BoardPose, template: BoardTemplate, size_px: tuple[int, int]) -> Unseen | None:
    """The fault of a board's place in a picture of that width and height; None where it is fine."""
    edges = edges_beyond(pose, template, size_px)
    return cut_off(edges) if edges else _distance_fault(pose, template, size_px)


def _distance_fault(pose: BoardPose, template: BoardTemplate, size_px: tuple[int, int]) -> Unseen | None:
    """The fault of a camera too low or too far away for a board in that place."""
    if (low := too_low(pose, template, size_px)) is not None:
        return low
    gap_px = float(np.median(viewpoint(pose, template, size_px).cell_px)) * template.pitch_mm / template.cell_mm
    needed_px = needed_gap_px(template, size_px)
    if gap_px >= needed_px or round(gap_px) == 0:  # of no width at all: what was proposed is no board
        return None
    matter = sentence("The board is too small in the picture: {pixels} pixels from cell to cell.", pixels=round(gap_px))
    remedy = sentence("Bring the camera nearer: {pixels} pixels are needed.", pixels=round(needed_px))
    return Unseen("too_small", matter, remedy)


def too_low(pose: BoardPose, template: BoardTemplate, size_px: tuple[int, int]) -> Unseen | None:
    """The fault of a camera that looks at the board from too low; None where it is high enough."""
    height_deg = float(np.median(viewpoint(pose, template, size_px).elevation_deg))
    if height_deg >= MIN_DEG:
        return None
    degrees = {"degrees": round(height_deg)}
    matter = sentence("The camera sees the board from too low, about {degrees} degrees above the table.", **degrees)
    least = round(MIN_DEG + SPARE_DEG)
    remedy = sentence("Raise it, so that it looks down at {degrees} degrees or more.", degrees=least)
    return Unseen("too_low", matter, remedy)


def needed_gap_px(template: BoardTemplate, size_px: tuple[int, int]) -> float:
    """Least distance, in pixels, between neighbouring cells in a picture of that width and height."""
    share = np.sqrt(MIN_BOARD * size_px[0] * size_px[1] / (template.size_mm[0] * template.size_mm[1]))
    return max(NEEDED_PX["tiles" if template.printed is not None else "men"], float(share) * template.pitch_mm)


def edges_beyond(pose: BoardPose, template: BoardTemplate, size_px: tuple[int, int]) -> tuple[Edge, ...]:
    """The edges of the picture beyond which the board has cells."""
    x, y = project(pose.image_from_board, template.cells_mm).T
    width, height = size_px
    beyond: dict[Edge, bool] = {
        "left": bool((x < 0).any()),
        "top": bool((y < 0).any()),
        "right": bool((x > width - 1).any()),
        "bottom": bool((y > height - 1).any()),
    }
    return tuple(edge for edge, is_beyond in beyond.items() if is_beyond)


def cut_off(edges: tuple[Edge, ...]) -> Unseen:
    matter = sentence_n(
        "The board goes beyond the {edges} edge of the picture.",
        "The board goes beyond the {edges} edges of the picture.",
        len(edges),
        edges=listing(EDGES[edge] for edge in edges),
    )
    turns: dict[Edge, Sentence] = {
        "left": sentence("to the left"),
        "top": sentence("up"),
        "right": sentence("to the right"),
        "bottom": sentence("down"),
    }
    if {"left", "right"} <= set(edges) or {"top", "bottom"} <= set(edges):
        remedy = sentence("Move the camera back, until the whole board is in the picture.")
    else:
        remedy = sentence(
            "Move the camera back, or turn it {turns}, until the whole board is in the picture.",
            turns=listing(turns[edge] for edge in edges),
        )
    return Unseen("cut_off", matter, remedy, edges)
