"""`kibitzer read`: reads boards in photos, identifies their game on request, and explains why no board is seen."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import Progress

import games
from calibration.profile import ProfileError, TableProfile
from calibration.sheet import known_sheets
from calibration.template import BoardTemplate, TemplateError
from places.weights import WeightsError
from vision.cli import JSON, MEGAPIXELS, RULE, load_photo, parse_corners, progress_bar, stop, template_of
from vision.finding.found import Found
from vision.finding.markers import OtherSheetError
from vision.finding.which_board import name_board
from vision.finding.why_unseen import Unseen, exposure_fault, why_unseen
from vision.frame import Image
from vision.reading.locate import PhotoReader, ReadPhoto
from vision.sources.picture_size import MAX_MEGAPIXELS
from wording import Sentence

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

AUTO = "auto"
GAME = typer.Option(
    help="Game, by module or short name: nine_mens_morris or morris, reversi, ...; or auto: the board in each photo "
    "tells it, and whether it has 15 or 19 lines, diagonals or none."
)
Report = dict[str, object]
NO_PICTURE = Unseen(
    "no_picture",
    Sentence("This is no picture that can be read."),
    Sentence("Take it again, or convert it to JPEG or PNG."),
)
NAMELESS = Unseen(
    "no_board",
    Sentence("I see none of the boards I know."),
    Sentence(
        "The whole of it must be in the picture, with nothing lying on its lines, seen rather from above; or name its "
        "game with --game."
    ),
)


@app.command("read")
def read(
    photos: Annotated[list[Path], typer.Argument(help="Photos of one board or of several.")],
    game: Annotated[str, GAME],
    profile: Annotated[Path | None, typer.Option(help="Table profile made by `kibitzer calibrate`.")] = None,
    rule: Annotated[list[str], RULE] = [],  # noqa: B006
    corners: Annotated[
        str, typer.Option(help='Where the board is: "x,y x,y x,y x,y", top left, top right, bottom right, bottom left.')
    ] = "",
    max_megapixels: Annotated[float, MEGAPIXELS] = MAX_MEGAPIXELS,
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Reads the board in photos, with or without a table profile.

    With --json one object a photo: photo, found, corners_px (TL TR BR BL), cells (a class letter per cell, row by row
    from the picture's top), probabilities (one object of class letters per cell), unknown (per cell, 0 to 1,
    how likely it shows nothing learnt, such as a hand), quality (how much of the board's lines or lattice is seen, 0 to
    1), sure (how likely the board is there and in this place, 0 to 1), game, rules, milliseconds; for dominoes also
    tiles (cell, cell, pips, pips) and pawns (the space of each colour, 0 the start, null if not seen).

    For a file that is not a picture or shows no board, found is false, and reason (no_board, wrong_corners, ...) and
    advice (what is wrong and what to do, in words) are given. The exit status is still 0; 2 means a wrong command.

    With --game auto, game and rules name the board in each photo, and others lists what else it may be, each with its
    own sure; game is null if that is not clear. It takes some seconds a photo.

    Example: kibitzer read table.jpg --game morris --json

    Example: kibitzer read attic/*.jpg --game auto
    """
    try:
        place = parse_corners(corners) if corners else None
        if game == AUTO:
            for option, given in (("--profile", profile), ("--rule", rule), ("--corners", corners)):
                if given:
                    raise ValueError(f"{option} needs a game: --game auto finds out by the picture alone")
        table = None if profile is None else TableProfile.load(profile)
        reader = None if game == AUTO else PhotoReader(template_of(game, rule), table)
    except (games.GameError, ProfileError, TemplateError, WeightsError, ValueError) as error:
        raise stop("read", error) from None
    for photo in photos:
        image = load_photo(photo, max_megapixels)
        report = read_unnamed(image) if reader is None else read_named(image, reader, place)
        report = {"photo": photo.name} | report
        if as_json:
            sys.stdout.write(json.dumps(report, ensure_ascii=False) + "\n")
            sys.stdout.flush()
        else:
            sys.stderr.write(f"{photo.name}: {in_words(report, named=reader is None)}\n")


def read_named(image: Image | None, reader: PhotoReader, corners_px: NDArray[np.float64] | None) -> Report:
    """The report on one photo of a known game."""
    started_s = time.perf_counter()
    report = blank_report() | {"game": reader.template.game, "rules": rules_of(reader.template)}
    try:
        placed = None if image is None else reader.place(image, corners_px)
    except OtherSheetError:
        placed = None
    if image is None:
        report |= unseen_report(NO_PICTURE)
    elif placed is None and corners_px is not None and (fault := reader.place_fault(image, corners_px)):
        report |= {"reason": "wrong_corners", "advice": f"--corners: {fault}"}
    elif placed is None:
        report |= unseen_report(why_unseen(image, reader.template))
    else:
        report |= seen_report(placed, reader.read_at(image, placed))
    return report | {"milliseconds": round((time.perf_counter() - started_s) * 1000, 1)}


def read_unnamed(image: Image | None) -> Report:
    """The report on one photo whose game is identified from its board."""
    started_s = time.perf_counter()
    report = blank_report() | {"others": []}
    if image is None:
        report |= unseen_report(NO_PICTURE)
    else:
        with progress_bar() as progress:
            naming = name_board(image, shown_on(progress))
        report["others"] = [board_report(other) for other in naming.others]
        if naming.board is None:
            report |= unseen_report(exposure_fault(image) or NAMELESS)
        else:
            report |= board_report(naming.board)
            report |= seen_report(naming.board, PhotoReader(naming.board.template).read_at(image, naming.board))
    return report | {"milliseconds": round((time.perf_counter() - started_s) * 1000, 1)}


def blank_report() -> Report:
    """A report with every field of an unread photo."""
    names = ("corners_px", "cells", "probabilities", "unknown", "game", "rules", "reason", "advice")
    return {"found": False, "quality": 0.0, "sure": 0.0} | dict.fromkeys(names)


def seen_report(placed: Found, photo: ReadPhoto) -> Report:
    """Report fields of a board that was read."""
    reading = photo.reading
    rows = np.exp(reading.log_probabilities)
    report: Report = {
        "found": True,
        "corners_px": np.round(photo.pose.corners_px(photo.template), 1).tolist(),
        "cells": reading.board,
        "probabilities": [
            {letter: round(float(value), 6) for letter, value in zip(reading.letters, row, strict=True)} for row in rows
        ],
        "unknown": None if reading.unknown is None else np.round(reading.unknown, 4).tolist(),
        "quality": round(placed.pose.quality, 3),
        "sure": round(placed.sure, 3),
    }
    if reading.tiles is not None:
        names = photo.template.cell_names
        report["tiles"] = [
            [names[cell] for cell in tile.cells] + [int(pips) for pips in tile.pips] for tile in reading.tiles
        ]
    if photo.pawns:
        report["pawns"] = {colour: pawn.space for colour, pawn in photo.pawns.items()}
    return report


def unseen_report(why: Unseen) -> Report:
    """Report fields of a photo without a readable board."""
    return {"reason": why.code, "advice": why.text}


def board_report(board: Found) -> Report:
    """Report fields of a candidate board: its game, the rules its drawing shows, and how likely it is."""
    return {"game": board.template.game, "rules": rules_of(board.template), "sure": round(board.sure, 3)}


def rules_of(template: BoardTemplate) -> dict[str, str]:
    """The rule options visible in a board's drawing, in `--rule` form: {"size": "19"}, {"diagonals": "true"}."""
    drawn = {option for sheet in known_sheets().values() if sheet.game == template.game for option in sheet.options}
    pairs = (option.partition("=") for option in sorted(template.options & drawn))
    return {name: value or "true" for name, _, value in pairs}


def in_words(report: Report, *, named: bool) -> str:
    """The report in one line; `named` puts the board's name first."""
    if not report["found"]:
        return str(report["advice"])
    title = ""
    if named and isinstance(report["rules"], dict):
        rules = " ".join(f"{name}={value}" for name, value in report["rules"].items())
        title = str(games.find(str(report["game"])).title) + (f" ({rules})" if rules else "") + ": "
    return f"{title}{report['cells']}  (sure of the place: {report['sure']:.0%})"


def shown_on(progress: Progress) -> Callable[[int, int, str], None]:
    """A callback that shows on a progress bar which board is being looked for."""
    task = progress.add_task("looking for a board", total=None)

    def show(done: int, total: int, what: str) -> None:
        progress.update(task, completed=done, total=total, description=f"looking for {what}")

    return show
