"""What the commands share that read pictures: their options, and how they tell what is wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress

import games
from calibration.arrays import FloatArray
from calibration.labels import corners_fault
from calibration.template import BoardTemplate, load_template
from rules.options import rules_from_words, switched_on
from vision.frame import Image
from vision.sources.encoded import HIGHEST_MEGAPIXELS, MAX_MEGAPIXELS
from vision.sources.files import read_photo

GAME = typer.Option(help="Game, by module or short name: nine_mens_morris or morris, reversi, ...")
RULE = typer.Option(
    "--rule",
    "--rules",
    help="Rule option k=v that changes the drawing, such as diagonals=true, or a rule set. Repeatable.",
)
MAX_CORNER_PX = 1e6
MEGAPIXELS = typer.Option(
    "--max-megapixels", min=1, max=HIGHEST_MEGAPIXELS, help="Megapixels of a picture at most; a larger one is refused."
)
JSON = typer.Option("--json", help="Print JSON to standard output instead of words.")


def stop(command: str, error: object) -> typer.Exit:
    """Says in one line what is wrong with the call; returns the exit to raise, status 2."""
    sys.stderr.write(f"kibitzer {command}: {error}\n")
    return typer.Exit(2)


def progress_bar() -> Progress:
    """A progress bar on standard error that vanishes when done; disabled where that is no terminal."""
    console = Console(stderr=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


def template_of(game: str, rule: list[str]) -> BoardTemplate:
    """The board of a game under rule options. Raises GameError, TemplateError."""
    the_game = games.load(game, rules_from_words(rule))
    return load_template(the_game.name, switched_on(the_game))


def parse_corners(text: str) -> FloatArray:
    """(4, 2) pixels of "x,y x,y x,y x,y". Raises ValueError."""
    try:
        corners = np.array([[float(number) for number in point.split(",")] for point in text.split()])
    except ValueError:
        corners = np.empty(0)
    if corners.shape != (4, 2) or not (np.abs(corners) < MAX_CORNER_PX).all():
        raise ValueError(f'--corners is "x,y x,y x,y x,y" in pixels, not {text[:80]!r}')
    if fault := corners_fault(corners):
        raise ValueError(f"--corners: {fault}: {text}")
    return corners


def load_photo(path: Path, max_megapixels: float = MAX_MEGAPIXELS) -> Image | None:
    """The picture in a file; None, with a message on standard error, where it cannot be read."""
    try:
        return read_photo(path, max_megapixels)
    except OSError as error:
        sys.stderr.write(f"{path}: {error.strerror or error}\n")
        return None
