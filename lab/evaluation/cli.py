"""`kibitzer eval-descriptors`: compares descriptors by how well they tell what is on a cell."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import cv2
import typer

from calibration.annotations import read_annotated
from calibration.labels import read_labels
from calibration.template import BoardTemplate, TemplateError
from lab.evaluation.cells import Picture, cut_cells, few_split, fold_split, photos_of, scenes_of
from lab.evaluation.table import descriptors_for, lines_of, make_table
from rules import GameError
from system.weights import WeightsError
from vision.cli import JSON, RULE, progress_bar, stop, template_of
from vision.reading.descriptors import IMAGENET

COMMAND = "eval-descriptors"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")


@app.command(COMMAND)
def eval_descriptors(
    game: Annotated[str, typer.Option(help="Game, by module or short name.")] = "morris",
    photos: Annotated[Path | None, typer.Option(help="Folder of the labelled photos.")] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="As for `kibitzer calibrate`: JSON; for dominoes also a folder of annotated moves."),
    ] = None,
    only: Annotated[
        str, typer.Option(help='Photos to use, by name or pattern such as "1_*.jpg", commas between.')
    ] = "",
    simulated: Annotated[
        int,
        typer.Option(min=0, max=10_000, help="Number of simulated pictures, each of another table, instead of photos."),
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="With --simulated: same seed, same pictures.")] = 1,
    folds: Annotated[int, typer.Option(min=3, max=1000, help="Parts into which the pictures are divided.")] = 5,
    fit: Annotated[
        int, typer.Option(min=0, help="Number of pictures to fit to, and all others are read; 0: use folds.")
    ] = 0,
    weights: Annotated[
        str, typer.Option(help='"imagenet": torchvision\'s published ResNet-18 is fetched for the last row.')
    ] = "",
    rule: Annotated[list[str], RULE] = [],  # noqa: B006
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Compares descriptors of a cell: pixels, grey histogram, RGB histogram, HOG, ResNet-18.

    Cuts the cells of labelled photos as the reader does and computes every descriptor for each. In turn, each fold of
    photos is read by scikit-learn's LinearSVC fitted to all other folds. Prints for each descriptor how many cells were
    read right, how many numbers it has, and its cost on one core.

    **--fit 2** is harder: only two photos are fitted to, as when a table is calibrated, and all others are read.

    **--simulated 60** needs no photos: each picture shows another board, other pieces, other light, so that the
    measured boards are not those that were fitted to.

    The row of torchvision's ImageNet weights needs those that `kibitzer train imagenet` makes; **--weights imagenet**
    makes them first (47 MB to fetch).

    With --json one object: game, source, split, pictures, left_out, cells, classes, measured, best, rows (descriptor,
    title, present, note, dimension, accuracy, balanced_accuracy, wrong, measured, worst_fit, milliseconds_per_patch,
    softness).

    Example: kibitzer eval-descriptors --game morris --photos shots --labels shots/labels.json

    Example: kibitzer eval-descriptors --game dominoes --photos shots --labels shots --fit 4 --json

    Example: kibitzer eval-descriptors --game morris --simulated 60
    """
    cv2.setNumThreads(1)
    if weights not in ("", IMAGENET):
        raise stop(COMMAND, f'--weights is "{IMAGENET}" or left away, not {weights!r}')
    try:
        template = template_of(game, rule)
        names = descriptors_for(template.descriptor)
        with progress_bar() as progress:
            pictures, total = _pictures(template, photos, labels, only, simulated, seed)
            task = progress.add_task("cutting cells", total=total)
            cells = cut_cells(pictures, template, functools.partial(progress.advance, task))
            task = progress.add_task("describing", total=len(names) + 1)
            split = few_split(len(cells.names), fit) if fit else fold_split(len(cells.names), folds)
            source = f"{simulated} simulated pictures, seed {seed}" if simulated else f"photos of {photos}"
            table = make_table(
                cells, split, game=template.game, source=source, network=template.descriptor, fetch=bool(weights),
                step=lambda title: progress.update(task, advance=1, description=title),
            )  # fmt: skip
    except (GameError, TemplateError, WeightsError, ValueError, OSError) as error:
        raise stop(COMMAND, error) from None
    sys.stdout.write((table.model_dump_json() if as_json else "\n".join(lines_of(table))) + "\n")


def _pictures(
    template: BoardTemplate, photos: Path | None, labels: Path | None, only: str, simulated: int, seed: int
) -> tuple[Iterator[Picture], int]:
    """The pictures selected by the options, and how many they are. Raises ValueError."""
    if simulated:
        if photos is not None or labels is not None or only:
            raise ValueError("--simulated makes its own pictures: leave --photos, --labels and --only away")
        return scenes_of(simulated, seed, template), simulated
    if photos is None or labels is None:
        raise ValueError("give --photos FOLDER and --labels FILE, or --simulated N to do without photos")
    words = [word.strip() for word in only.split(",") if word.strip()]
    of = read_annotated(labels, photos, template, words) if labels.is_dir() else read_labels(labels, template, words)
    return photos_of(of, photos), len(of)
