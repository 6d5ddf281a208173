"""`kibitzer train`: reproduces the shipped weights."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import cv2
import typer

from agents.command_line import BackendOption, ClusterOption
from agents.jobs import Backend
from lab.train import neural_cli, scenes_cli
from lab.train.console import say_progress, training_packages
from places.weights import MADE_HERE
from vision.cli import progress_bar, stop

app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown", no_args_is_help=True
)


@app.callback()
def main() -> None:
    """Trains the networks again. Needs torch, which `./kibitzer train` installs; no graphics card."""


@app.command("resnet18")
def resnet18(
    out: Annotated[Path, typer.Option(help="Folder for the weights and their manifest.")] = Path("models"),
    work: Annotated[Path, typer.Option(help="Folder for drawn patches, kept for the next run.")] = Path("var/train"),
    photographs: Annotated[
        Path, typer.Option(help="Folder with go/stones_yolo; absent, drawn patches alone are used.")
    ] = Path("../shared/data"),
    patches: Annotated[int, typer.Option(min=200, help="Patches to draw; 100000 take 8 minutes.")] = 100_000,
    tables: Annotated[int, typer.Option(min=0, help="Tables to simulate for the second phase; a second each.")] = 400,
    epochs: Annotated[float, typer.Option(min=0.01, help="Times each patch is seen.")] = 3.0,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same patches and first weights.")] = 1,
    threads: Annotated[int, typer.Option(min=1, help="Processor cores for torch.")] = 1,
    scenes: Annotated[
        list[Path],
        typer.Option(
            help="Folder that `kibitzer train scenes` wrote, for the second phase. Repeatable. "
            "Without it the shipped network's scenes are path-traced first, in half an hour."
        ),
    ] = [],  # noqa: B006
    scenes_share: Annotated[
        float, typer.Option(min=0, max=0.95, help="Share of the second phase that their cells take; 0: no scenes.")
    ] = 0.3,
) -> None:
    """Trains the ResNet-18 that describes cells, and the head that reads uncalibrated boards.

    Path-traces scenes, draws random patches, simulates tables, adds photographs of go stones, trains in two phases,
    exports to ONNX, quantises to eight bits, fits the heads, and writes resnet18.onnx, resnet18_fp16.onnx,
    generic_head.npz and manifest.toml.

    Example, a trial of some minutes: kibitzer train resnet18 --out /tmp/weights --patches 20000 --epochs 1
    --scenes-share 0
    """
    with training_packages():
        from lab.train.resnet18 import make_resnet18
        from lab.train.scenes import trace_scene_set
    say_progress()
    out.mkdir(parents=True, exist_ok=True)
    command = f"kibitzer train resnet18 --patches {patches} --tables {tables} --epochs {epochs} --seed {seed}"
    command += "".join(f" --scenes {folder}" for folder in scenes) + f" --scenes-share {scenes_share}"
    try:
        if scenes_share and not scenes:
            scenes = trace_scene_set(work / "scenes")
        make_resnet18(
            out,
            work,
            photographs,
            patches=patches,
            tables=tables,
            epochs=epochs,
            seed=seed,
            threads=threads,
            scenes=scenes,
            scenes_share=scenes_share,
            command=command,
        )
    except ValueError as error:
        raise stop("train", error) from None


@app.command("halves")
def halves(
    out: Annotated[Path, typer.Option(help="Folder for the weights and their manifest.")] = Path("models"),
    work: Annotated[Path, typer.Option(help="Folder for drawn patches, kept for the next run.")] = Path("var/train"),
    patches: Annotated[int, typer.Option(min=400, help="Patches to draw; 160000 take 5 minutes.")] = 160_000,
    epochs: Annotated[float, typer.Option(min=0.01, help="Times each patch is seen.")] = 5.0,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same patches and first weights.")] = 1,
    threads: Annotated[int, typer.Option(min=1, help="Processor cores for torch.")] = 1,
) -> None:
    """Trains the small network that reads halves of domino tiles, and the head that reads boards without a profile.

    Draws random boards with tiles, cuts their cells, trains, exports to ONNX, quantises to eight bits, fits the head,
    and writes halves.onnx, halves_head.npz and manifest.toml. No photographs.

    Example: kibitzer train halves --out /tmp/weights --patches 20000 --epochs 2
    """
    with training_packages():
        from lab.train.halves import make_halves
    say_progress()
    out.mkdir(parents=True, exist_ok=True)
    make_halves(out, work, patches=patches, epochs=epochs, seed=seed, threads=threads)


@app.command("boards")
def boards(
    out: Annotated[Path, typer.Option(help="Folder for the weights and their manifest.")] = Path("models"),
    work: Annotated[Path, typer.Option(help="Folder for drawn tables, kept for the next run.")] = Path("var/train"),
    tables: Annotated[int, typer.Option(min=16, help="Tables to draw; half a second each.")] = 2500,
    steps: Annotated[int, typer.Option(min=1, help="Batches of 16 views; 100 take a minute.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same tables and first weights.")] = 1,
    further: Annotated[bool, typer.Option("--further", help="Go on from the weights that the last run kept.")] = False,
) -> None:
    """Trains the network that proposes where a board lies in a picture.

    Draws tables of all games, trains on views of them, exports to ONNX, and writes board_proposals.onnx and
    manifest.toml. No photographs.

    Example, a trial of some minutes: kibitzer train boards --out /tmp/weights --tables 200 --steps 200
    """
    with training_packages():
        from lab.train.boards import make_boards
    say_progress()
    out.mkdir(parents=True, exist_ok=True)
    command = f"kibitzer train boards --tables {tables} --steps {steps} --seed {seed}{' --further' * further}"
    try:
        make_boards(out, work, tables=tables, steps=steps, seed=seed, further=further, command=command)
    except (OSError, ValueError) as error:
        raise stop("train", error) from None


@app.command("imagenet")
def imagenet(
    out: Annotated[Path, typer.Option(help="Folder for the network; profiles look for it in the default.")] = MADE_HERE,
    fetch: Annotated[
        bool, typer.Option("--fetch/--no-fetch", help="Load the published weights where they are not here yet.")
    ] = True,
) -> None:
    """Makes the descriptor of `calibrate --weights imagenet` from torchvision's published ResNet-18.

    Fetches the weights (47 MB), checks their SHA-256, and writes them in eight bits, so that reading needs no torch.
    Trains nothing. Without a network, put resnet18-f37072fd.pth where the error message says.

    Example: kibitzer train imagenet
    """
    with training_packages():
        from lab.train.imagenet import make_imagenet
        from lab.train.published import Missing, find_published
    say_progress()
    try:
        with progress_bar() as progress:
            task = progress.add_task("fetching the weights", total=None)
            find_published(fetch, lambda done, total: progress.update(task, completed=done, total=total or None))
            task = progress.add_task("loading", total=3)
            path = make_imagenet(out, False, lambda what: progress.update(task, advance=1, description=what))
    except (Missing, OSError) as error:
        raise stop("train", error) from None
    sys.stderr.write(f"{path}: {path.stat().st_size / 1e6:.1f} MB\n")


@app.command("patches")
def show_patches(
    out: Annotated[Path, typer.Argument(help="Picture to write, .png or .jpg.")],
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same patches.")] = 1,
    each: Annotated[int, typer.Option(min=1, max=500, help="Patches of each class.")] = 60,
) -> None:
    """Draws a sheet of training patches to look at: empty, light, dark, other from top to bottom."""
    from lab.train.patch_pool import draw_pool, write_sheet
    from lab.train.patches import CLASSES

    try:
        write_sheet(draw_pool(each * len(CLASSES) * 3, seed), out, each)
    except (OSError, cv2.error) as error:
        raise stop("train", f"{out} cannot be written: {error}") from None


@app.command("reversi")
def reversi(
    out: Annotated[Path, typer.Option(help="Folder for the weights and their manifest.")] = Path("models"),
    games: Annotated[
        int, typer.Option(min=100, help="Games of the largest round; 120000 take 22 minutes of processor.")
    ] = 120_000,
    seed: Annotated[int, typer.Option(min=0, max=2**30, help="Same seed, same games and weights.")] = 1,
    further: Annotated[
        bool, typer.Option("--further", help="Play only the last round, and move the weights that are there.")
    ] = False,
) -> None:
    """Trains reversi's evaluation by games of the program against itself. Needs no torch.

    Plays games, fits weights of patterns on groups of squares to what their positions are worth, and repeats with the
    new weights: six rounds, the last by deeper searches. Writes reversi_patterns.npz and manifest.toml. Games are
    played on all cores.

    Example: kibitzer train reversi --out /tmp/weights --games 2000
    """
    from lab.train.reversi import make_reversi

    out.mkdir(parents=True, exist_ok=True)
    command = f"kibitzer train reversi --games {games} --seed {seed}{' --further' * further}"
    make_reversi(out, games=games, seed=seed, further=further, command=command)


@app.command("morris")
def morris(
    out: Annotated[Path, typer.Option(help="Folder for the weights and their manifest.")] = Path("models"),
    games: Annotated[
        int, typer.Option(min=100, help="Games of the last round; 60000 take 14 minutes of processor.")
    ] = 60_000,
    seed: Annotated[int, typer.Option(min=0, max=2**30, help="Same seed, same games and weights.")] = 1,
) -> None:
    """Trains the evaluation of nine men's morris by games of the program against itself. Needs no torch.

    Plays games, fits weights of patterns on squares and sides to what their positions are worth, and repeats with the
    new weights: four rounds. Writes morris_patterns.npz and manifest.toml. Games are played on all cores.

    Example: kibitzer train morris --out /tmp/weights --games 2000
    """
    from lab.train.morris import make_morris

    out.mkdir(parents=True, exist_ok=True)
    make_morris(out, games=games, seed=seed, command=f"kibitzer train morris --games {games} --seed {seed}")


@app.command("evaluation")
def evaluation(
    game: Annotated[str, typer.Option(help="gomoku, nine_mens_morris or co_ganh.")],
    rule: Annotated[list[str], typer.Option(help="Rule option k=v, such as capture=flip. Repeatable.")] = [],  # noqa: B006
    games: Annotated[
        int | None,
        typer.Option(min=20, max=10**6, help="Games to learn from. Default: the game's own number, 2000 up."),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(min=10, max=10**7, help="Positions to search a move. Default: 1000, morris 2000.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**20, help="Same seed, same games and weights.")] = 1,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, max=1024, help="Chunks of games at once; the weights are the same. Default: 1, or all of a cluster."
        ),
    ] = None,
    backend: BackendOption = None,
    cluster: ClusterOption = None,
    match: Annotated[
        int, typer.Option(min=0, max=10**5, help="Games of the new weights against the shipped ones; 0 is none.")
    ] = 0,
    match_nodes: Annotated[int, typer.Option(min=10, max=10**7, help="Positions to search a move in those.")] = 5000,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Fits the evaluation of an engine's search again to its own games. Needs no torch, and writes nothing.

    Plays games of the engine's search against itself, counts the features of their positions, and fits their weights to
    the results by logistic regression. Prints the weights in the form that the kernel's module holds, and how well they
    and the shipped ones predict games that were kept apart.

    Example: kibitzer train evaluation --game co_ganh --rule capture=flip --games 400 --match 40
    """
    from lab.train.search_fit import make_evaluation
    from rules.options import rules_from_words

    try:
        made = make_evaluation(
            game,
            rules_from_words(rule),
            count=games,
            nodes=nodes,
            seed=seed,
            backend=Backend.chosen(backend, cluster, jobs),
            match_games=match,
            match_nodes=match_nodes,
        )
    except ValueError as error:
        raise stop("train", error) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    text = json.dumps(made.as_json()) if as_json else "\n".join(made.lines())
    sys.stdout.write(f"{text}\n")


app.command("judgement", hidden=True)(evaluation)
app.command("scenes")(scenes_cli.scenes)
app.command("neural-morris")(neural_cli.neural_morris)
app.command("neural-curve")(neural_cli.neural_curve)
