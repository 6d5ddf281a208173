"""`kibitzer train neural-morris` and `neural-curve`: the networks that play morris, and their learning curves."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from agents.command_line import BackendOption, ClusterOption
from agents.jobs import Backend, JobsError
from lab.train.console import say_progress, training_packages
from vision.cli import progress_bar, stop

PUBLISHED = {"accuracy": 37.6, "legality": 99.53}
"""Percent reached by the paper's networks over all states, including those they learnt from."""


def read_curve(path: Path) -> list[dict[str, Any]]:
    """The lines that training wrote. Raises ValueError if the file is no learning curve, OSError."""
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
        return [{"design": one["design"], "epoch": one["epoch"], **one["held_out"]} for one in lines]
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no learning curve of neural-morris: {error}") from None


def draw_curves(curves: list[list[dict[str, Any]]], path: Path) -> None:
    """Plots whole moves as in the data, and legal moves, over the times that each state was seen. Raises OSError."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    axes = figure.subplots(1, 2)
    for axis, what, limits in zip(axes, PUBLISHED, ((0, 50), (97, 100.1)), strict=True):
        for curve in curves:
            axis.plot([one["epoch"] for one in curve], [one[what] for one in curve], label=curve[0]["design"])
        axis.axhline(PUBLISHED[what], color="grey", linestyle=":", label="published")
        axis.set(xlabel="epochs", ylabel=f"{what} of held-out states, %", ylim=limits)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.legend()
    figure.savefig(path, dpi=100)


DESIGNS = ("ours", "paper")
EPOCHS, TAUGHT_EPOCHS = 14, 20
OWN, TAUGHT = 60_000, 1_000_000
BATCH, TAUGHT_BATCH = 512, 1024
DROPOUT = 0.15


def neural_morris(
    good_moves: Annotated[
        Path, typer.Option(help="File of good moves, a line each: the state, a hyphen, the move.")
    ] = Path("../shared/data/morris/good-moves.train.txt"),
    design: Annotated[
        str, typer.Option(help="ours: one network built on the board's symmetries. paper: three residual networks.")
    ] = "ours",
    out: Annotated[Path, typer.Option(help="Folder for the networks and their manifest.")] = Path("models"),
    work: Annotated[Path, typer.Option(help="Folder for the run while it lasts and for its learning curve.")] = Path(
        "var/train/neural_morris"
    ),
    epochs: Annotated[
        int | None,
        typer.Option(min=1, max=10_000, help=f"Passes over all states. Default: {EPOCHS}, taught {TAUGHT_EPOCHS}."),
    ] = None,
    batch: Annotated[
        int | None, typer.Option(min=8, max=65_536, help=f"States a step. Default: {BATCH}, taught {TAUGHT_BATCH}.")
    ] = None,
    rate: Annotated[float, typer.Option(min=1e-6, max=1.0, help="Highest learning rate.")] = 2e-3,
    decay: Annotated[float, typer.Option(min=0, max=1.0, help="Weight decay.")] = 0.1,
    dropout: Annotated[
        float | None,
        typer.Option(
            min=0, max=0.9, help=f"Share of features that each step leaves out. Default: {DROPOUT:g}, taught 0."
        ),
    ] = None,
    own: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=10_000_000,
            help=f"Positions labelled by our own search, learnt from first. Default: {OWN}, taught 0.",
        ),
    ] = None,
    own_nodes: Annotated[int, typer.Option(min=100, max=10_000_000, help="Positions searched to label one.")] = 20_000,
    own_epochs: Annotated[int, typer.Option(min=1, max=1000, help="Passes over the positions of --own.")] = 2,
    own_share: Annotated[float, typer.Option(min=0, max=0.9, help="Their share of each later batch too.")] = 0.2,
    taught: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=10_000_000,
            help=f"Positions labelled by the shipped network of design ours, to learn from alone. Default: ours 0, "
            f"paper {TAUGHT}.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**20, help="Same seed, same held-out fifth, first weights and order.")
    ] = 1,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Processor cores for torch and for labelling.")] = 1,
    backend: BackendOption = None,
    cluster: ClusterOption = None,
    trial: Annotated[
        bool,
        typer.Option(
            "--trial", help="Try the recipe: learn from four fifths of the training data, measure on the other fifth."
        ),
    ] = False,
    afresh: Annotated[bool, typer.Option("--afresh", help="Discard a stopped run and start again.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the held-out figures as one JSON object.")] = False,
) -> None:
    """Trains the networks of the agent neural on good moves, and measures them on a fifth that was kept apart.

    A state and its images under the board's sixteen symmetries are held out together, so that no held-out state was
    seen turned or mirrored. A stopped run continues where it was. The learning curve, one JSON line per epoch, is in
    --work. Writes ONNX files with weights in half precision, and manifest.toml. With --taught, only the positions come
    from the good moves, and the shipped network of design ours, trained with the same --seed, labels them.

    Build the endgame tables first, so that the search knows how endgames end: kibitzer tables build --men 9, with
    --rule flying=true --rule mill_protected=true and without.

    Example, a trial of some minutes: kibitzer train neural-morris --epochs 1 --own 2000 --out /tmp/weights --work
    /tmp/run
    """
    with training_packages():
        from lab.train.neural_morris import make_neural_morris, try_recipe
        from lab.train.neural_morris_fit import Recipe
    if design not in DESIGNS:
        raise stop("train", f"--design is ours or paper, not {design!r}")
    if own and taught:
        raise stop("train", f"--taught {taught} learns from these alone: leave --own {own} out")
    if taught is None:
        taught = 0 if own or design == "ours" else TAUGHT
    own = own if own is not None else 0 if taught else OWN
    epochs = epochs or (TAUGHT_EPOCHS if taught else EPOCHS)
    batch = batch or (TAUGHT_BATCH if taught else BATCH)
    dropout = dropout if dropout is not None else 0.0 if taught else DROPOUT
    say_progress()
    try:
        where = Backend.chosen(backend, cluster, None, most=threads)
    except JobsError as error:
        raise stop("train", error) from None
    recipe = Recipe(
        design,
        epochs,
        batch=batch,
        peak_rate=rate,
        decay=decay,
        dropout=dropout,
        own=own,
        own_nodes=own_nodes,
        own_epochs=own_epochs,
        own_share=own_share,
        taught=taught,
        seed=seed,
        threads=threads,
    )
    command = (
        f"kibitzer train neural-morris --design {design} --epochs {epochs} --batch {batch} "
        f"--rate {rate:g} --decay {decay:g} --dropout {dropout:g} --seed {seed}"
        + (f" --own {own} --own-nodes {own_nodes} --own-epochs {own_epochs} --own-share {own_share:g}" if own else "")
        + (f" --taught {taught}" if taught else "")
    )
    try:
        with progress_bar() as progress:
            task = progress.add_task(design, total=None)

            def report(done: int, total: int, how: str) -> None:
                progress.update(task, completed=done, total=total, description=f"{design}: {how}")

            if trial:
                figures = try_recipe(good_moves, work, recipe, report, afresh=afresh, backend=where)
            else:
                figures = make_neural_morris(
                    good_moves, out, work, recipe, command, report, afresh=afresh, backend=where
                )
    except (ValueError, OSError) as error:
        raise stop("train", error) from None
    except KeyboardInterrupt:
        sys.stderr.write("kibitzer train: stopped; the same command goes on from there\n")
        raise typer.Exit(130) from None
    text = json.dumps(figures) if as_json else ", ".join(f"{name} {value}" for name, value in figures.items())
    sys.stdout.write(f"{text}\n")


def neural_curve(
    curves: Annotated[list[Path], typer.Argument(help="Learning curves that training wrote, .jsonl in its --work.")],
    plot: Annotated[Path, typer.Option(help="Picture to write, .png, .svg or .pdf.")],
) -> None:
    """Draws learning curves of neural-morris beside the published figures.

    Example: kibitzer train neural-curve var/train/neural_morris/ours.jsonl --plot curve.png
    """
    try:
        draw_curves([read_curve(path) for path in curves], plot)
    except ModuleNotFoundError:
        raise stop("train", "the picture needs matplotlib: .venv/bin/python -m pip install matplotlib") from None
    except (ValueError, OSError) as error:
        raise stop("train", error) from None
