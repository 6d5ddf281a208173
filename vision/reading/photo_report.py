"""What a photo shows, as one record: the board, its position and how sure both are, or why no board is seen."""

from __future__ import annotations

import dataclasses
import time

import cv2
import numpy as np

import games
from calibration.arrays import Flags, FloatArray, Indices
from calibration.sheet import known_sheets
from calibration.template import BoardTemplate
from rules import PositionError
from vision.finding.finder import find_beside
from vision.finding.found import Found
from vision.finding.markers import OtherSheetError
from vision.finding.proposals import FloatImage
from vision.finding.why_unseen import Unseen, exposure_fault, other_size, why_unseen
from vision.frame import Image
from vision.pose import project
from vision.reading.arrangements import position_seen
from vision.reading.board_reading import BoardReading
from vision.reading.locate import PhotoReader, ReadPhoto
from vision.reading.which_board import Progress, name_board
from vision.sources.encoded import TooLargeError
from wording import Sentence, sentence

Report = dict[str, object]
NO_PICTURE = Unseen(
    "no_picture",
    Sentence("This is no picture that can be read."),
    Sentence("Take it again, or convert it to JPEG or PNG."),
)
CUT_SHORT = sentence("The file ends before its picture does: what is missing is grey.")
SIDEWAYS = sentence("The board lies turned by a quarter under the men, or the picture is mirrored.")
BESIDE = sentence("There is another board in the picture: only the larger one is read.")
NAMELESS = Unseen(
    "no_board",
    Sentence("I see none of the boards I know."),
    Sentence(
        "The whole of it must be in the picture, with nothing lying on its lines, seen rather from above; or name its "
        "game with --game."
    ),
)


@dataclasses.dataclass(frozen=True, eq=False)
class SeenPhoto:
    report: Report
    read: ReadPhoto | None = None
    """The board and its position; None where no board is seen."""


def read_named(
    image: Image | None,
    reader: PhotoReader,
    corners_px: FloatArray | None,
    fault: Unseen = NO_PICTURE,
    *,
    cut: bool = False,
) -> SeenPhoto:
    """What one photo shows; `fault` tells why there is no picture, `cut` whether its file ends before the picture."""
    started_s, read = time.perf_counter(), None
    report = blank_report() | {"game": reader.template.game, "rules": rules_of(reader.template)}
    try:
        placed = None if image is None else reader.place(image, corners_px)
    except OtherSheetError:
        placed = None
    if image is None:
        report |= unseen_report(fault)
    elif placed is None and corners_px is not None and (wrong := reader.place_fault(image, corners_px)):
        report |= {"reason": "wrong_corners", "advice": f"--corners: {wrong}"}
    elif placed is None:
        report |= unseen_report(why_unseen(image, reader.template))
    else:
        placed, beside = _larger(image, placed) if corners_px is None else (placed, None)
        read = _as_sent(image, reader.read_at(image, placed), cut=cut)
        report |= seen_report(placed, read)
        size = other_size(reader.template, placed.template)
        report |= {"rules": rules_of(placed.template)} if size is not None else {}
        report["note"] = _joined(None if size is None else size.matter, beside, report["note"])
    report["note"] = _joined(CUT_SHORT if cut else None, report["note"])
    return SeenPhoto(report | {"milliseconds": round((time.perf_counter() - started_s) * 1000, 1)}, read)


def read_unnamed(
    image: Image | None, progress: Progress | None = None, fault: Unseen = NO_PICTURE, *, cut: bool = False
) -> SeenPhoto:
    """What one photo shows whose game is identified from its board."""
    started_s, read = time.perf_counter(), None
    report = blank_report() | {"others": []}
    if image is None:
        report |= unseen_report(fault)
    else:
        naming = name_board(image, progress)
        report["others"] = [board_report(other) for other in naming.others]
        if naming.board is None:
            report |= unseen_report(exposure_fault(image) or NAMELESS)
        else:
            placed, beside = _larger(image, naming.board)
            report |= board_report(placed)
            read = _as_sent(image, PhotoReader(placed.template).read_at(image, placed), cut=cut)
            report |= seen_report(placed, read)
            report["note"] = _joined(beside, report["note"])
    report["note"] = _joined(CUT_SHORT if cut else None, report["note"])
    return SeenPhoto(report | {"milliseconds": round((time.perf_counter() - started_s) * 1000, 1)}, read)


def _joined(*notes: object) -> str | None:
    return " ".join(str(note) for note in notes if note) or None


def _larger(image: Image, placed: Found) -> tuple[Found, Sentence | None]:
    """The larger of the boards in the picture, and what is said of the other."""
    other = None if placed.found_by == "reference" else find_beside(image, placed)
    if other is None:
        return placed, None
    return max(placed, other, key=lambda one: cv2.contourArea(_corners(one))), BESIDE


def _corners(found: Found) -> FloatImage:
    return found.pose.corners_px(found.template).astype(np.float32)


def _as_sent(image: Image, photo: ReadPhoto, *, cut: bool) -> ReadPhoto:
    """The board without its cells on those rows of the picture that its file lacks, or ends in."""
    if not cut or np.ptp(image[-1], axis=0).any():
        return photo
    sent = np.flatnonzero((image[:, -1] != image[-1, -1]).any(axis=1))  # the last blocks of a row come last
    half = np.array([[x, y] for x in (-0.5, 0.5) for y in (-0.5, 0.5)]) * photo.template.cell_mm
    lowest = [project(photo.pose.image_from_board, photo.template.cells_mm + aside)[:, 1] for aside in half]
    missing = np.asarray(np.max(lowest, axis=0) > sent.max(initial=0), dtype=np.bool_)
    return dataclasses.replace(photo, reading=photo.reading.without(missing)) if missing.any() else photo


def too_large(error: TooLargeError) -> Unseen:
    numbers = {"megapixels": f"{error.megapixels:.4g}", "most": f"{error.most:g}"}
    matter = sentence("The picture has {megapixels} megapixels; at most {most} are read.", **numbers)
    return Unseen("too_large", matter, sentence("Shrink it, or allow more with --max-megapixels."))


def blank_report() -> Report:
    names = ("corners_px", "cells", "probabilities", "unknown", "foreign", "game", "rules", "reason", "advice", "note")
    return {"found": False, "quality": 0.0, "sure": 0.0} | dict.fromkeys(names)


def seen_report(placed: Found, photo: ReadPhoto) -> Report:
    reading = photo.reading
    report: Report = {
        "found": True,
        "corners_px": np.round(photo.pose.corners_px(photo.template), 1).tolist(),
        "cells": reading.board,
        "probabilities": [
            {letter: round(float(share), 6) for letter, share in zip(reading.letters, row, strict=True)}
            for row in reading.probabilities
        ],
        "unknown": None if reading.unknown is None else np.round(reading.unknown, 4).tolist(),
        "foreign": names_of(photo.template, reading.foreign),
        "quality": round(placed.pose.quality, 3),
        "sure": round(placed.sure, 3),
    }
    if reading.tiles is not None:
        names = photo.template.cell_names
        report["tiles"] = [
            [names[cell] for cell in tile.cells] + [int(pips) for pips in tile.pips] for tile in reading.tiles
        ]
    if reading.figures is not None:
        report |= figures_report(photo.template, reading)
    if photo.pawns:
        report["pawns"] = {colour: pawn.space for colour, pawn in photo.pawns.items()}
    return report


def names_of(template: BoardTemplate, cells: Flags) -> list[str]:
    return [name for name, one in zip(template.cell_names, cells, strict=True) if one]


def figures_report(template: BoardTemplate, reading: BoardReading) -> Report:
    """Which piece stands where, by the letters of labels, in the order of the cells; and the position as text.

    The board is taken to lie as in play, whose first side is at the bottom or at the top of the picture; but turned by
    a quarter where the men then stand much more as at the start.
    """
    assert reading.figures is not None
    game = games.load(template.game, rules_of(template))
    side, cells = _first_side(template, reading.board, game.board(game.initial()))
    note = {"note": str(SIDEWAYS)} if side in ("left", "right") else {}
    try:
        seen = position_seen(game, reading.turned(cells), 0)
    except PositionError as error:
        return note | {"figures": template.written(reading.figures.board), "position": None, "fault": str(error)}
    figures = "".join(seen.figures[cell] for cell in np.argsort(cells))
    return note | {
        "figures": template.written(figures),
        "position": game.format_position(seen.position),
        "first_side": side,
        "doubtful_figures": [template.cell_names[cell] for cell in sorted(cells[list(seen.doubtful)])],
    }


def _first_side(template: BoardTemplate, board: str, start: str) -> tuple[str, Indices]:
    """The side of the picture at which the first side's men began, and the cells seen where the board's own lie."""
    grid = np.arange(len(board)).reshape(int(template.source["grid"]["rows"]), -1)
    turns = {side: np.rot90(grid, turn).ravel() for turn, side in enumerate(("bottom", "left", "top", "right"))}
    letters = np.array(list(board))
    strays = {side: int((letters[cells] != np.array(list(start))).sum()) for side, cells in turns.items()}
    aside = min("left", "right", key=lambda side: strays[side])
    if grid.shape[0] == grid.shape[1] and 2 * strays[aside] < min(strays["bottom"], strays["top"]):
        return aside, turns[aside]
    upright = "top" if _lean(template, board) * _lean(template, start) < 0 else "bottom"
    return upright, turns[upright]


def _lean(template: BoardTemplate, board: str) -> float:
    """How much lower in the picture men of the first class stand than those of the second; 0 without men of both."""
    rows = template.cells_mm[:, 1]
    own = [rows[[letter == one for letter in board]] for one in template.letters[1:3]]
    return float(own[0].mean() - own[1].mean()) if all(map(len, own)) else 0.0


def unseen_report(why: Unseen) -> Report:
    return {"reason": why.code, "advice": why.text}


def board_report(board: Found) -> Report:
    """Report fields of a candidate board: its game, the rules its drawing shows, and how likely it is."""
    return {"game": board.template.game, "rules": rules_of(board.template), "sure": round(board.sure, 3)}


def rules_of(template: BoardTemplate) -> dict[str, str]:
    """The rule options visible in a board's drawing, in `--rule` form: {"size": "19"}, {"diagonals": "true"}."""
    drawn = {option for sheet in known_sheets().values() if sheet.game == template.game for option in sheet.options}
    pairs = (option.partition("=") for option in sorted(template.options & drawn))
    return {name: value or "true" for name, _, value in pairs}
