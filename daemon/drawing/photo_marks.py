"""Marks on a camera's own picture what is seen in it: the board's outline, every piece, tiles, pawns, and doubts."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray
from daemon.drawing import lettering, marks
from daemon.drawing.lettering import Colour
from rules import EMPTY
from vision.frame import Image
from vision.pose import project
from vision.reading.locate import ReadPhoto
from vision.reading.loose_tiles import LooseTiles

PIECES: dict[str, tuple[Colour, Colour]] = {"W": ((214, 236, 245), (40, 34, 30)), "B": ((40, 34, 30), (214, 236, 245))}
"""Colour and edge of the dot on a light and on a dark piece; every other class is its letter."""
LINE: Colour = (236, 240, 243)
DOUBT: Colour = (150, 158, 164)
"""As in the overlay, dotted: what cannot be told for sure; a cross: what is no piece."""
TILE: Colour = (73, 132, 30)
PAWNS: dict[str, Colour] = {"red": (43, 57, 192), "green": (73, 132, 30)}
GROUND: Colour = (26, 23, 21)
DOT = 0.6
"""Radius of a piece's dot, as a share of the piece's: the piece itself stays visible around it."""
STRIP = 0.028
"""Height of a caption's letters, as a share of the picture's longer side."""
CAPTION_LINES = 3


def draw_read(image: Image, read: ReadPhoto) -> Image:
    """The picture with the marks on it; a new array."""
    view, template, reading = image.copy(), read.template, read.reading
    image_from_board, board = read.pose.image_from_board, reading.board
    width_px = max(1, round(max(view.shape[:2]) / 500))
    centres = project(image_from_board, template.cells_mm)
    beside = project(image_from_board, template.cells_mm + np.array([template.man_diameter_mm / 2, 0]))
    radii = np.linalg.norm(beside - centres, axis=1)
    marks.outline(view, read.pose.corners_px(template), LINE, width_px)
    for tile in reading.tiles or ():
        halves_mm, reach_mm = template.cells_mm[list(tile.cells)], 0.47 * template.pitch_mm
        (left, top), (right, low) = halves_mm.min(axis=0) - reach_mm, halves_mm.max(axis=0) + reach_mm
        corners_mm = np.array([[left, top], [right, top], [right, low], [left, low]])
        marks.outline(view, project(image_from_board, corners_mm), LINE, width_px)
    for letter, centre, radius in zip(board, centres, radii, strict=True):
        if letter != EMPTY:
            _mark_piece(view, letter, centre, float(radius), width_px)
    for cell in reading.doubtful:
        mark = marks.cross if reading.foreign[cell] else marks.dotted_ring
        mark(view, centres[cell], float(radii[cell]), DOUBT, 2 * width_px)
    starts = template.source.get("pawns", {})
    for side, pawn in read.pawns.items():
        if pawn.space is not None:
            place_mm = np.array([template.track_mm[pawn.space - 1] if pawn.space else starts[side]])
            radius = float(radii.mean())
            marks.ring(view, project(image_from_board, place_mm)[0], radius, PAWNS.get(side, LINE), 2 * width_px)
    return view


def draw_tiles(image: Image, found: LooseTiles) -> Image:
    """The picture with every loose tile outlined and named, dotted where it is in doubt; a new array."""
    view = image.copy()
    width_px = max(1, round(max(view.shape[:2]) / 500))
    for tile in found.tiles:
        corners = np.array(tile.corners_px)
        marks.outline(view, corners, TILE if tile.is_sure else PAWNS["red"], 2 * width_px)
        size = max(9, round(float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).min()) / 3))
        marks.disc(view, corners.mean(axis=0), 0.9 * size, GROUND)
        lettering.write_at(view, f"{tile.pips[0]}-{tile.pips[1]}", corners.mean(axis=0), size, LINE, bold=True)
    for place in found.unread_px:
        marks.dotted_ring(view, np.array(place), 20.0 * width_px, PAWNS["red"], 2 * width_px)
    return view


def captioned(image: Image, text: str) -> Image:
    """The picture with a strip of words under it; a new array."""
    size = max(10, round(max(image.shape[:2]) * STRIP))
    pad = size // 2
    lines = lettering.wrap(text, size, image.shape[1] - 2 * pad, CAPTION_LINES)
    strip = np.full((len(lines) * lettering.line_height_px(size) + pad, image.shape[1], 3), GROUND, np.uint8)
    for number, line in enumerate(lines):
        lettering.write(strip, line, (pad, pad // 2 + number * lettering.line_height_px(size)), size, LINE)
    return np.concatenate([image, strip])


def _mark_piece(view: Image, letter: str, centre: FloatArray, radius_px: float, width_px: int) -> None:
    if letter not in PIECES:
        marks.disc(view, centre, DOT * radius_px, LINE)
        lettering.write_at(view, letter, centre, max(6, round(radius_px)), GROUND, bold=True)
        return
    colour, edge = PIECES[letter]
    marks.disc(view, centre, DOT * radius_px + width_px, edge)
    marks.disc(view, centre, DOT * radius_px, colour)
