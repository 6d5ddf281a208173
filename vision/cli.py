"""`kibitzer calibrate` from photos, and what other commands have in common with it."""

from __future__ import annotations

import collections
import json
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

import games
from calibration.annotated import read_annotated
from calibration.annotations import AnnotationError
from calibration.labels import LabelError, read_labels
from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate, TemplateError, load_template
from vision.encoded import decode
from vision.frame import Image
from vision.weights import WeightsError

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

GAME = typer.Option(help="Game, by module or short name: nine_mens_morris or morris, reversi, ...")
RULE = typer.Option(help="Rule option k=v that changes the drawing, such as diagonals=true. Repeatable.")
JSON = typer.Option("--json", help="Print JSON to standard output instead of words.")
LARGEST_PHOTO_BYTES = 64 << 20


def stop(command: str, error: object) -> typer.Exit:
    """Says what is wrong in one line; the exit to raise."""
    sys.stderr.write(f"kibitzer {command}: {error}\n")
    return typer.Exit(2)


@app.command("calibrate")
def calibrate(
    game: Annotated[str, GAME],
    photos: Annotated[Path, typer.Option(help="Folder of the photos.")],
    labels: Annotated[
        Path,
        typer.Option(
            help='JSON: {"images": {"PHOTO": {"corners_px": ..., "cells": "..."}}}; '
            "for dominoes also a folder of annotations such as 1_01.txt."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Profile to write, such as table.npz.")],
    only: Annotated[
        str, typer.Option(help='Photos to use, separated by commas: names, or patterns such as "1_*.jpg"; else all.')
    ] = "",
    rule: Annotated[list[str], RULE] = [],  # noqa: B006
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Fits a table profile from a few labelled photos: the board's shape and how its men look.

    Four photos are enough where they show men of both sides in several places. corners_px may be null: the board is
    then looked for. The accuracy printed is measured on photos left out in turn.

    Where --labels is a folder of annotated dominoes moves (1_01.txt, 1_02.txt, ...), a photo shows the tiles of all
    moves of its game up to its own, and the board is looked for.

    Example: kibitzer calibrate --game morris --photos shots --labels shots/labels.json --out table.npz

    Example: kibitzer calibrate --game dominoes --photos shots --labels shots --only "1_*.jpg" --out table.npz
    """
    from vision.calibrate import CalibrationError, LabelledPhoto, fit_profile

    try:
        template = template_of(game, rule)
        words = [word.strip() for word in only.split(",") if word.strip()]
        if labels.is_dir():
            chosen = read_annotated(labels, photos, template, words)
        else:
            chosen = read_labels(labels, template, words)
        examples = []
        for label in chosen:
            image = load_photo(photos / label.name)
            if image is None:
                raise CalibrationError(f"{photos / label.name} is no picture that can be read")
            examples.append(LabelledPhoto(label.name, image, label.cells, label.corners_px))
        with progress_bar() as progress:
            task = progress.add_task("fitting", total=len(examples))
            profile = fit_profile(
                examples, template, progress=lambda done, total: progress.update(task, completed=done, total=total)
            )
        profile.save(out)
    except (
        games.GameError,
        AnnotationError,
        LabelError,
        ProfileError,
        TemplateError,
        CalibrationError,
        WeightsError,
    ) as error:
        raise stop("calibrate", error) from None
    summarise(profile, template, [label.cells for label in chosen], out, as_json)


def summarise(profile: TableProfile, template: BoardTemplate, cells: list[str], out: Path, as_json: bool) -> None:
    """Says what was learnt, and what is missing."""
    counts = collections.Counter("".join(cells))
    if as_json:
        summary = {
            "profile": str(out),
            "game": profile.game,
            "photos": len(cells),
            "cells": {letter: counts[letter] for letter in template.letters},
            "accuracy": round(profile.accuracy, 4),
            "shape": {name: round(value, 4) for name, value in profile.shape.items()},
        }
        sys.stdout.write(json.dumps(summary, ensure_ascii=False) + "\n")
    shown = ", ".join(f"{counts[letter]} {name}" for letter, name in template.classes.items())
    shape = ", ".join(f"{name} {value:.3f}" for name, value in profile.shape.items())
    sys.stderr.write(f"{len(cells)} photos; cells: {shown}\n")
    if shape:
        sys.stderr.write(f"shape: {shape}\n")
    sys.stderr.write(f"read right when left out: {profile.accuracy:.1%} of the cells\n")
    for letter, name in template.classes.items():
        if not counts[letter]:
            sys.stderr.write(f"no {name} was labelled: it is told by what is known of boards in general\n")
    sys.stderr.write(f"profile written: {out}\n")


def progress_bar() -> Progress:
    """A bar on standard error that vanishes when done; none where that is no terminal."""
    console = Console(stderr=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


def template_of(game: str, rule: list[str]) -> BoardTemplate:
    """The board of a game under rule options. Raises GameError, TemplateError."""
    the_game = games.load(game, games.rules_from_words(rule))
    return load_template(the_game.name, games.switched_on(the_game))


def parse_corners(text: str) -> NDArray[np.float64]:
    """(4, 2) pixels of "x,y x,y x,y x,y". Raises ValueError."""
    try:
        corners = np.array([[float(number) for number in point.split(",")] for point in text.split()])
        if corners.shape == (4, 2) and np.isfinite(corners).all():
            return corners
    except ValueError:
        pass
    raise ValueError(f'--corners is "x,y x,y x,y x,y" in pixels, not {text!r}')


def load_photo(path: Path) -> Image | None:
    """The picture in a file; None, with a word on standard error, where there is none."""
    try:
        if path.stat().st_size > LARGEST_PHOTO_BYTES:
            sys.stderr.write(f"{path}: larger than {LARGEST_PHOTO_BYTES >> 20} MiB, skipped\n")
            return None
        image = decode(path.read_bytes())
    except OSError as error:
        sys.stderr.write(f"{path}: {error.strerror}\n")
        return None
    if image is None:
        sys.stderr.write(f"{path}: not a picture, or a damaged one\n")
    return image
