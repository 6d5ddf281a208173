"""The overlay picture: the board rectified to a steady top view, beside it a panel with the state of the game."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.template import BoardTemplate
from daemon.drawing import lettering, marks
from daemon.drawing.board_style import HINT, LAST, UNKNOWN, WANTED, WRONG, bgr
from daemon.drawing.lettering import Colour
from rules import Step
from vision.frame import Frame, Image
from vision.pose import BoardPose, project

GROUND: Colour = (26, 23, 21)
WOOD: Colour = (98, 108, 116)
"""Background of the diagram: light and dark pieces both stand out on it."""
DARK_WOOD: Colour = (72, 80, 88)
TEXT: Colour = (236, 240, 243)
QUIET: Colour = (150, 158, 164)
SAID: Colour = (76, 180, 240)
_SCALE = 720
"""Pixels: the picture height that the sizes below refer to."""


@dataclasses.dataclass(frozen=True, eq=False)
class Scene:
    """One moment, complete: the overlay keeps no state."""

    frame: Frame
    """The camera's picture, decoded when drawn."""
    template: BoardTemplate
    pose: BoardPose | None = None
    """Pose of the board in `frame`; None while the board is lost."""
    board: str = ""
    """What is believed to stand on each cell, as `Game.figures` tells; empty before the first board."""
    last_move: tuple[Step, ...] = ()
    agent_steps: tuple[Step, ...] = ()
    """Steps that a person must now carry out for the agent."""
    best: tuple[tuple[tuple[Step, ...], str], ...] = ()
    """Steps of the best moves, best first, each with its value in a few signs."""
    fault_cells: tuple[int, ...] = ()
    unknown_cells: tuple[int, ...] = ()
    """Cells that cannot be read: something covers them, or the light is unusual."""
    title: str = ""
    verdict: str = ""
    said: str = ""
    to_move: str = ""
    """Who is to move, or how the game ended; a few words."""
    moves: tuple[str, ...] = ()
    halves: int | None = None
    """Half of a number that the first move has where two plies share one, as in chess: 0, or 1 if the second side
    began; None where every ply has its own."""
    status: str = ""
    """Why the board cannot be seen, such as "board lost"; empty if it can."""
    colours: Mapping[str, tuple[int, int, int]] = dataclasses.field(
        default_factory=lambda: {"W": (214, 236, 245), "B": (40, 34, 30)}
    )
    """Blue, green, red of the pieces in the small diagram, by class letter; other classes are drawn as letters."""


def draw_overlay(scene: Scene, height_px: int = 720) -> Image:
    """Draws the scene as one 16:9 picture.

    uint8 (height_px, height_px * 16 / 9, 3) BGR, a new array.
    """
    canvas = np.full((height_px, round(height_px * 16 / 9), 3), GROUND, dtype=np.uint8)
    if scene.pose is None:
        _fit(canvas[:, :height_px], (scene.frame.image * 0.45).astype(np.uint8))
    else:
        _draw_board(canvas[:, :height_px], scene)
    unit = height_px / _SCALE
    if scene.status:
        _draw_badge(canvas, scene.status, unit)
    _draw_panel(canvas[:, height_px:], scene, unit)
    return canvas


def _draw_board(view: Image, scene: Scene) -> None:
    assert scene.pose is not None
    template, side = scene.template, view.shape[0]
    view_from_board = _view_from_board(scene, side)
    view_from_image = view_from_board @ np.linalg.inv(scene.pose.image_from_board)
    photo, size = scene.frame.image, (side, side)
    view[:] = cv2.warpPerspective(photo, view_from_image, size, None, cv2.INTER_LINEAR, cv2.BORDER_CONSTANT, GROUND)
    centres = project(view_from_board, template.cells_mm)
    scale = view_from_board[0, 0]
    radius, width = template.man_diameter_mm / 2 * scale * 1.12, max(2, round(side / 200))
    outside = min(template.margin_mm, template.man_diameter_mm) * 0.75
    around = template.corners_mm + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * outside
    marks.corners(view, project(view_from_board, around), 0.06, TEXT, max(1, round(side / 360)))
    marks.steps(view, scene.last_move, centres, radius, bgr(LAST), max(2, width - 1))
    for cell in scene.unknown_cells:
        marks.dotted_ring(view, centres[cell], radius * 0.8, bgr(UNKNOWN), max(1, width - 1))
    for cell in scene.fault_cells:
        marks.ring(view, centres[cell], radius * 1.1, bgr(WRONG), width + 1)
    marks.steps(view, scene.agent_steps, centres, radius * 1.1, bgr(WANTED), width + 1)
    for steps, label in reversed(scene.best):
        marks.steps(view, steps[:1], centres, radius, bgr(HINT), width)
        centre = centres[steps[0].cell]
        marks.disc(view, centre, radius * 0.72, TEXT)
        lettering.write_at(view, label, centre, max(8, round(radius)), bgr(HINT), bold=True)


def _view_from_board(scene: Scene, side_px: int) -> FloatArray:
    """(3, 3) homography: board millimetres to a square view, with the board and its margin centred."""
    width, height = scene.template.size_mm
    scale = side_px / (max(width, height) + 2 * scene.template.margin_mm)
    return np.array(
        [[scale, 0, (side_px - width * scale) / 2], [0, scale, (side_px - height * scale) / 2], [0, 0, 1]],
        dtype=np.float64,
    )


def _draw_badge(canvas: Image, text: str, unit: float) -> None:
    size, pad = round(22 * unit), round(14 * unit)
    text = lettering.shorten(text, size, canvas.shape[0] - 6 * pad, bold=True)
    right = 3 * pad + lettering.width_px(text, size, bold=True)
    bottom = pad + lettering.line_height_px(size) + pad
    cv2.rectangle(canvas, (pad, pad), (right, bottom), (38, 30, 160), cv2.FILLED)
    lettering.write(canvas, text, (2 * pad, pad + round(pad * 0.55)), size, TEXT, bold=True)


def _draw_panel(panel: Image, scene: Scene, unit: float) -> None:
    """Draws title, verdict, side to move and last moves; below them the camera's picture and the believed board."""
    pad = round(32 * unit)
    room, y = panel.shape[1] - 2 * pad, pad
    small, large = round(19 * unit), round(32 * unit)
    y = _write(panel, scene.title, (pad, y), small, QUIET, room, 1)
    y = _write(panel, scene.verdict, (pad, y + round(10 * unit)), large, TEXT, room, 4, bold=True)
    if scene.said and scene.said != scene.verdict:
        y = _write(panel, f"\u201c{scene.said}\u201d", (pad, y + round(12 * unit)), small, SAID, room, 3)
    y = _write(panel, scene.to_move, (pad, y + round(14 * unit)), small, TEXT, room, 1)
    lettering.write(panel, _last_moves(scene, small, room), (pad, y + round(6 * unit)), small, QUIET)
    top, gap = panel.shape[0] - pad - round(210 * unit), round(20 * unit)
    side = panel.shape[0] - pad - top
    _draw_camera(panel[top : top + side, pad : panel.shape[1] - pad - side - gap], scene, unit)
    _draw_belief(panel[top : top + side, panel.shape[1] - pad - side : panel.shape[1] - pad], scene)


def _last_moves(scene: Scene, size_px: int, room_px: int) -> str:
    line = ""
    for first in reversed(range(len(scene.moves))):
        longer = numbered_from(scene, first)
        if lettering.width_px(longer, size_px) > room_px:
            break
        line = longer
    return line


def numbered_from(scene: Scene, first: int) -> str:
    """The moves from that index on: `7. d2   8. f4`, or in pairs `7... e5   8. Nf3 Nc6`."""
    told = ""
    for index in range(first, len(scene.moves)):
        number, second = (index + 1, 0) if scene.halves is None else divmod(index + scene.halves + 2, 2)
        told += f" {scene.moves[index]}" if told and second else f"   {number}.{second * '..'} {scene.moves[index]}"
    return told.strip()


def _write(
    panel: Image,
    text: str,
    origin: tuple[int, int],
    size_px: int,
    colour: Colour,
    room_px: int,
    most_lines: int,
    bold: bool = False,
) -> int:
    """Writes wrapped text and returns where the next line begins."""
    x, y = origin
    for line in lettering.wrap(text, size_px, room_px, most_lines, bold):
        lettering.write(panel, line, (x, y), size_px, colour, bold)
        y += lettering.line_height_px(size_px)
    return y


def _draw_camera(box: Image, scene: Scene, unit: float) -> None:
    if scene.pose is None:
        return  # the camera's picture is shown in place of the board
    scale, left, top = _fit(box, scene.frame.image, middle=False)
    outline = scene.pose.corners_px(scene.template) * scale + np.array([left, top])
    marks.outline(box, outline, SAID, max(1, round(1.5 * unit)))


def _fit(box: Image, picture: Image, middle: bool = True) -> tuple[float, int, int]:
    """Fits the whole picture into the box, centred or bottom left; returns its scale and its top left corner."""
    scale = min(box.shape[0] / picture.shape[0], box.shape[1] / picture.shape[1])
    width, height = max(1, int(picture.shape[1] * scale)), max(1, int(picture.shape[0] * scale))
    left, top = ((box.shape[1] - width) // 2, (box.shape[0] - height) // 2) if middle else (0, box.shape[0] - height)
    box[top : top + height, left : left + width] = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    return scale, left, top


def _draw_belief(box: Image, scene: Scene) -> None:
    box[:] = WOOD
    template, side = scene.template, box.shape[0]
    box_from_board = _view_from_board(scene, side)
    centres = project(box_from_board, template.cells_mm)
    for low, high in project(box_from_board, template.dark_mm.reshape(-1, 2)).reshape(-1, 2, 2):
        cv2.rectangle(box, (round(low[0]), round(low[1])), (round(high[0]), round(high[1])), DARK_WOOD, cv2.FILLED)
    lines = project(box_from_board, template.lines_mm.reshape(-1, 2)).reshape(-1, 2, 2)
    for start, end in np.round(lines * 16).astype(int).tolist():
        cv2.line(box, tuple(start), tuple(end), (58, 64, 70), 1, cv2.LINE_AA, 4)
    radius = template.man_diameter_mm / 2 * box_from_board[0, 0]
    for centre, letter in zip(centres, scene.board, strict=False):
        _draw_man(box, centre, radius, letter, scene)


def _draw_man(box: Image, centre: FloatArray, radius_px: float, letter: str, scene: Scene) -> None:
    if letter == next(iter(scene.template.classes)):
        return
    figure = scene.template.figures.get(letter)
    colour = scene.colours.get(letter if figure is None or not figure.on_disc else figure.seen)
    size = max(6, round(radius_px * 1.6))
    if colour is None:
        sign, ink = (letter, TEXT) if figure is None else (figure.sign, scene.colours.get(figure.seen, TEXT))
        lettering.write_at(box, sign, centre, size, ink)
        return
    marks.disc(box, centre, radius_px, colour)
    cv2.circle(box, marks.fixed(centre), round(radius_px * 16), GROUND, 1, cv2.LINE_AA, marks.BITS)
    if figure is not None:
        lettering.write_at(box, figure.sign, centre, size, SAID)
