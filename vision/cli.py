"""`kibitzer calibrate` from photos, and helpers shared with other commands."""

from __future__ import annotations

import collections
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import typer
from rich.console import Console
from rich.progress import Progress

import games
from calibration.annotations import AnnotationError, read_annotated
from calibration.arrays import FloatArray
from calibration.labels import Label, LabelError, corners_fault, read_labels
from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate, TemplateError, load_template
from places.weights import WeightsError
from rules import GameError
from rules.options import rules_from_words, switched_on
from vision.calibrating.verdict import RefusedError, Verdict
from vision.frame import Image
from vision.reading.heads import check_labels
from vision.sources.encoded import HIGHEST_MEGAPIXELS, MAX_MEGAPIXELS
from vision.sources.files import read_photo

if TYPE_CHECKING:
    from vision.calibrating.calibrate import LabelledPhoto

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


def refused(command: str, error: object) -> typer.Exit:
    """Says why there is no result although the call was correct; returns the exit to raise, status 1."""
    sys.stderr.write(f"kibitzer {command}: {error}\n")
    return typer.Exit(1)


def stop(command: str, error: object) -> typer.Exit:
    """Says in one line what is wrong with the call; returns the exit to raise, status 2."""
    sys.stderr.write(f"kibitzer {command}: {error}\n")
    return typer.Exit(2)


def calibrate_photos(
    game: str,
    photos: Path,
    labels: Path,
    out: Path,
    only: str,
    rule: list[str],
    *,
    descriptor: str | None = None,
    as_json: bool,
    accept: bool,
    max_megapixels: float,
) -> None:
    """The part of `kibitzer calibrate` that takes labelled photos; its options are explained there."""
    from vision.calibrating.calibrate import CalibrationError
    from vision.calibrating.calibrate import calibrate as fit_table

    try:
        template = template_of(game, rule)
        chosen, examples = _labelled(photos, labels, template, only, max_megapixels)
        check_labels(descriptor, [label.cells for label in chosen], template)
        with progress_bar() as progress:
            task = progress.add_task("fitting", total=len(examples))
            calibration = fit_table(
                examples,
                template,
                descriptor,
                progress=lambda done, total: progress.update(task, completed=done, total=total),
            )
        verdict = Verdict(calibration.expectation, calibration.conditions)
        summarise(
            calibration.profile, verdict, template, [label.cells for label in chosen], out, as_json, accept=accept
        )
        verdict.accepted(calibration.profile, accept=accept).save(out)
    except RefusedError as error:
        raise refused("calibrate", error) from None
    except (
        GameError,
        AnnotationError,
        LabelError,
        ProfileError,
        TemplateError,
        CalibrationError,
        WeightsError,
    ) as error:
        raise stop("calibrate", error) from None
    sys.stderr.write(f"profile written: {out}\n")


def _labelled(
    photos: Path, labels: Path, template: BoardTemplate, only: str, max_megapixels: float
) -> tuple[Sequence[Label], list[LabelledPhoto]]:
    """The chosen labels and their pictures. Raises LabelError, AnnotationError, CalibrationError."""
    from vision.calibrating.calibrate import CalibrationError, LabelledPhoto

    words = [word.strip() for word in only.split(",") if word.strip()]
    if labels.is_dir():
        chosen = read_annotated(labels, photos, template, words)
    else:
        chosen = read_labels(labels, template, words)
    examples = []
    for label in chosen:
        image = load_photo(photos / label.name, max_megapixels)
        if image is None:
            raise CalibrationError(f"{photos / label.name} is no picture that can be read")
        examples.append(LabelledPhoto(label.name, image, label.cells, label.corners_px))
    return chosen, examples


def summarise(
    profile: TableProfile,
    verdict: Verdict,
    template: BoardTemplate,
    cells: list[str],
    out: Path,
    as_json: bool,
    *,
    accept: bool,
) -> None:
    """Prints what was learnt, how good it is, and what is missing or doubtful."""
    counts = collections.Counter("".join(cells))
    if as_json:
        summary = {
            "profile": str(out) if accept or not verdict.doubts else None,
            "game": profile.game,
            "photos": len(cells),
            "cells": {letter: counts[letter] for letter in template.letters},
            "shape": {name: round(value, 4) for name, value in profile.shape.items()},
        } | verdict.as_json(template.cell_names, accept=accept)
        sys.stdout.write(json.dumps(summary, ensure_ascii=False) + "\n")
    shown = ", ".join(f"{counts[letter]} {name}" for letter, name in template.classes.items())
    shape = ", ".join(f"{name} {value:.3f}" for name, value in profile.shape.items())
    sys.stderr.write(f"{len(cells)} photos; cells: {shown}\n")
    if shape:
        sys.stderr.write(f"shape: {shape}\n")
    for text in (verdict.expectation.text, *verdict.remarks, *(verdict.doubts if accept else ())):
        sys.stderr.write(f"{text}\n")
    for letter, name in template.classes.items():
        if not counts[letter]:
            sys.stderr.write(f"no {name} was labelled: it is told by what is known of boards in general\n")


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
