"""`kibitzer train`: reproduces the shipped weights, makes pictures to train on, and draws learning curves."""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from agents.command_line import STOPPED, BackendOption, ClusterOption, new_app, progress, stop
from agents.jobs import Backend
from system import paths
from system.weights import MADE_HERE
from vision.cli import progress_bar

app = new_app(rich_markup_mode="markdown", no_args_is_help=True)

OutOption = Annotated[Path, typer.Option(help="Folder for the weights and their manifest.")]
MODELS = Path("models")
WorkOption = Annotated[Path, typer.Option(help="Folder for drawn patches, kept for the next run.")]
WORK = Path("var/train")
ThreadsOption = Annotated[int, typer.Option(min=1, help="Processor cores for torch.")]
FirstWeightsOption = Annotated[int, typer.Option(min=0, help="Same seed, same patches and first weights.")]
ChunksOption = Annotated[
    int | None,
    typer.Option(
        min=1, max=1024, help="Chunks of games at once; the weights are the same. Default: 1, or all of a cluster."
    ),
]
GamesSeedOption = Annotated[int, typer.Option(min=0, max=2**30, help="Same seed, same games and weights.")]


@contextlib.contextmanager
def making(out: Path | None = None, command: str = "train", stopped: str = "") -> Iterator[None]:
    """Makes the folder, shows progress on standard error, and ends with one line if something is wrong.

    `stopped` is said after Ctrl-C.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    for name in ("onnxscript", "onnx_ir"):
        logging.getLogger(name).setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", message=r"`isinstance\(treespec, LeafSpec\)`", category=FutureWarning)
    warnings.filterwarnings("ignore", message="# The axis name", category=UserWarning)
    try:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        yield
    except ModuleNotFoundError as error:
        raise stop(command, f"{error.name} is not installed; {paths.installs('train', 'train')}") from None
    except (OSError, ValueError) as error:
        raise stop(command, error) from None
    except KeyboardInterrupt:
        if stopped:
            sys.stderr.write(f"kibitzer {command}: {stopped}\n")
        raise typer.Exit(STOPPED) from None


def say(as_json: bool, facts: object, text: str) -> None:
    sys.stdout.write(f"{json.dumps(facts) if as_json else text}\n")


@app.callback()
def main() -> None:
    """Trains the networks again. Needs torch, which `./kibitzer train` installs; no graphics card."""


@app.command("resnet18")
def resnet18(
    out: OutOption = MODELS,
    work: WorkOption = WORK,
    photographs: Annotated[
        Path, typer.Option(help="Folder with go/stones_yolo; absent, drawn patches alone are used.")
    ] = Path("../shared/data"),
    patches: Annotated[int, typer.Option(min=200, help="Patches to draw; 100000 take 8 minutes.")] = 100_000,
    tables: Annotated[int, typer.Option(min=0, help="Tables to simulate for the second phase; a second each.")] = 400,
    epochs: Annotated[float, typer.Option(min=0.01, help="Times each patch is seen.")] = 3.0,
    seed: FirstWeightsOption = 1,
    threads: ThreadsOption = 1,
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
    command = f"kibitzer train resnet18 --patches {patches} --tables {tables} --epochs {epochs} --seed {seed}"
    command += "".join(f" --scenes {folder}" for folder in scenes) + f" --scenes-share {scenes_share}"
    with making(out):
        from lab.train.resnet18 import make_resnet18
        from lab.train.scenes import trace_scene_set

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


@app.command("halves")
def halves(
    out: OutOption = MODELS,
    work: WorkOption = WORK,
    patches: Annotated[int, typer.Option(min=400, help="Patches to draw; 160000 take 5 minutes.")] = 160_000,
    epochs: Annotated[float, typer.Option(min=0.01, help="Times each patch is seen.")] = 5.0,
    seed: FirstWeightsOption = 1,
    threads: ThreadsOption = 1,
) -> None:
    """Trains the small network that reads halves of domino tiles, and the head that reads boards without a profile.

    Draws random boards with tiles, cuts their cells, trains, exports to ONNX, quantises to eight bits, fits the head,
    and writes halves.onnx, halves_head.npz and manifest.toml. No photographs.

    Example: kibitzer train halves --out /tmp/weights --patches 20000 --epochs 2
    """
    with making(out):
        from lab.train.halves import make_halves

        make_halves(out, work, patches=patches, epochs=epochs, seed=seed, threads=threads)


@app.command("boards")
def boards(
    out: OutOption = MODELS,
    work: Annotated[Path, typer.Option(help="Folder for drawn tables, kept for the next run.")] = WORK,
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
    command = f"kibitzer train boards --tables {tables} --steps {steps} --seed {seed}{' --further' * further}"
    with making(out):
        from lab.train.boards import make_boards

        make_boards(out, work, tables=tables, steps=steps, seed=seed, further=further, command=command)


@app.command("figures")
def figures(
    out: OutOption = MODELS,
    work: WorkOption = WORK,
    scenes: Annotated[
        int, typer.Option(min=8, help="Boards to path-trace; two seconds each, kept for the next run.")
    ] = 2000,
    photos: Annotated[
        Path | None, typer.Option(help="Folder of photographs with labels.json, to learn from too.")
    ] = None,
    only: Annotated[list[str], typer.Option(help="Name or pattern of photographs to take. Repeatable.")] = [],  # noqa: B006
    epochs: Annotated[float, typer.Option(min=0.01, help="Times each board is seen.")] = 16.0,
    seed: FirstWeightsOption = 1,
    threads: ThreadsOption = 1,
) -> None:
    """Trains the two networks that tell which chess man stands where.

    Path-traces boards with chess sets of many cuts, an eighth of them with flat men; trains on them, and on photographs
    where they are named; exports to ONNX, and writes figures_cells.onnx, figures_board.onnx and manifest.toml.

    Example, a trial of some minutes: kibitzer train figures --out /tmp/weights --scenes 40 --epochs 2
    """
    command = f"kibitzer train figures --scenes {scenes} --epochs {epochs:g} --seed {seed}"
    command += " --photos DIR" + "".join(f" --only '{name}'" for name in only) if photos else ""
    with making(out), progress_bar() as bar:
        import games
        from calibration.template import load_template
        from lab.train.figures import Recipe, make_figures
        from lab.train.scenes import SEED, write_scenes

        game, folders, made = games.load("chess"), [], 0
        task = bar.add_task("path-tracing", total=scenes)
        for kind, eighths in (("tall", 7), ("flat", 1)):
            count = scenes * eighths // 8
            write_scenes(
                work / "scenes" / "chess" / kind,
                game,
                count=count,
                seed=SEED,
                flat=kind == "flat",
                progress=lambda done, before=made: bar.update(task, completed=before + done),  # type: ignore[misc]
            )
            folders.append(work / "scenes" / "chess" / kind)
            made += count
        recipe = Recipe(epochs=epochs, seed=seed, threads=threads)
        make_figures(out, load_template(game.name), folders, photos, only, recipe, command)


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
    with making(), progress_bar() as bar:
        from lab.train.imagenet import find_published, make_imagenet

        task = bar.add_task("fetching the weights", total=None)
        find_published(fetch, lambda done, total: bar.update(task, completed=done, total=total or None))
        task = bar.add_task("loading", total=3)
        path = make_imagenet(out, False, lambda what: bar.update(task, advance=1, description=what))
    sys.stderr.write(f"{path}: {path.stat().st_size / 1e6:.1f} MB\n")


@app.command("patches")
def show_patches(
    out: Annotated[Path, typer.Argument(help="Picture to write, .png or .jpg.")],
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same patches.")] = 1,
    each: Annotated[int, typer.Option(min=1, max=500, help="Patches of each class.")] = 60,
) -> None:
    """Draws a sheet of training patches to look at: empty, light, dark, other from top to bottom."""
    import cv2

    from lab.train.patch_pool import draw_pool, write_sheet
    from lab.train.patches import CLASSES

    try:
        write_sheet(draw_pool(each * len(CLASSES) * 3, seed), out, each)
    except (OSError, cv2.error) as error:
        raise stop("train", f"{out} cannot be written: {error}") from None


@app.command("reversi")
def reversi(
    out: OutOption = MODELS,
    games: Annotated[
        int, typer.Option(min=100, help="Games of the last round; 200000 take about 25 minutes of processor.")
    ] = 200_000,
    seed: GamesSeedOption = 1,
    further: Annotated[
        bool, typer.Option("--further", help="Play only the last two rounds, first by the weights that are there.")
    ] = False,
) -> None:
    """Trains reversi's evaluation by games of the program against itself. Needs no torch.

    Plays games, fits weights of patterns on groups of squares to what their positions are worth, and repeats with the
    new weights: five rounds, the later by deeper searches. Writes reversi_patterns.npz and manifest.toml. Games are
    played on all cores.

    Example: kibitzer train reversi --out /tmp/weights --games 2000
    """
    command = f"kibitzer train reversi --games {games} --seed {seed}{' --further' * further}"
    with making(out):
        from lab.train.reversi import make_reversi

        make_reversi(out, games=games, seed=seed, further=further, command=command)


@app.command("morris")
def morris(
    out: OutOption = MODELS,
    games: Annotated[
        int, typer.Option(min=100, help="Games of the last round; 60000 take 14 minutes of processor.")
    ] = 60_000,
    seed: GamesSeedOption = 1,
) -> None:
    """Trains the evaluation of nine men's morris by games of the program against itself. Needs no torch.

    Plays games, fits weights of patterns on squares and sides to what their positions are worth, and repeats with the
    new weights: four rounds. Writes morris_patterns.npz and manifest.toml. Games are played on all cores.

    Example: kibitzer train morris --out /tmp/weights --games 2000
    """
    with making(out):
        from lab.train.morris import make_morris

        make_morris(out, games=games, seed=seed, command=f"kibitzer train morris --games {games} --seed {seed}")


@app.command("gomoku")
def gomoku(
    out: OutOption = MODELS,
    games: Annotated[int, typer.Option(min=100, help="Games to learn from; 30000 take an hour of processor.")] = 30_000,
    seed: GamesSeedOption = 1,
    jobs: ChunksOption = None,
    backend: BackendOption = None,
    cluster: ClusterOption = None,
) -> None:
    """Trains gomoku's network, which judges positions and moves, by games of the program against itself.

    Plays games by the network that is there, and fits a new one to what their positions are worth and to the moves that
    searches chose. Writes gomoku_network.npz and manifest.toml.

    Example: kibitzer train gomoku --out /tmp/weights --games 500 --jobs 2
    """
    with making(out):
        from lab.train.gomoku import make_gomoku

        command, where = f"kibitzer train gomoku --games {games} --seed {seed}", Backend.chosen(backend, cluster, jobs)
        make_gomoku(out, count=games, seed=seed, backend=where, command=command)


@app.command("judgement", hidden=True)
@app.command("evaluation")
def evaluation(
    game: Annotated[str, typer.Option(help="chess, nine_mens_morris, co_ganh or draughts.")],
    rule: Annotated[list[str], typer.Option(help="Rule option k=v, such as capture=flip. Repeatable.")] = [],  # noqa: B006
    games: Annotated[
        int | None,
        typer.Option(min=20, max=10**6, help="Games to learn from. Default: the game's own number, 2000 up."),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(min=10, max=10**7, help="Positions to search a move. Default: 1000, chess 500, morris 2000."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**20, help="Same seed, same games and weights.")] = 1,
    jobs: ChunksOption = None,
    backend: BackendOption = None,
    cluster: ClusterOption = None,
    spsa: Annotated[
        int,
        typer.Option(min=0, max=10**7, help="Tune the weights by so many pairs of games that they play, instead."),
    ] = 0,
    match: Annotated[
        int, typer.Option(min=0, max=10**5, help="Games of the new weights against the shipped ones; 0 is none.")
    ] = 0,
    match_nodes: Annotated[int, typer.Option(min=10, max=10**7, help="Positions to search a move in those.")] = 5000,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Fits the evaluation of an engine's search again to its own games. Needs no torch, and writes nothing.

    Plays games of the engine's search against itself, counts the features of their positions, and fits their weights to
    the results by logistic regression. Prints the weights in the form that the kernel's module holds, and how well they
    and the shipped ones predict games that were kept apart. With --spsa it plays matches of weights moved by chance
    against those moved the other way, and goes towards the winners: slower, and by what counts.

    Example: kibitzer train evaluation --game co_ganh --rule capture=flip --games 400 --match 40
    """
    with making():
        from lab.train.search_fit import make_evaluation
        from lab.train.search_spsa import make_tuned
        from rules.options import rules_from_words

        if spsa and (games or jobs or backend or cluster):
            others = "--games, --jobs, --backend and --cluster"
            raise ValueError(f"--spsa plays its own pairs, one after another: leave out {others}")
        make = functools.partial(
            make_tuned if spsa else make_evaluation,
            game,
            rules_from_words(rule),
            nodes=nodes,
            seed=seed,
            match_games=match,
            match_nodes=match_nodes,
        )
        made = make(pairs=spsa) if spsa else make(count=games, backend=Backend.chosen(backend, cluster, jobs))
    say(as_json, made.as_json(), "\n".join(made.lines()))


@app.command("scenes")
def scenes(
    game: Annotated[str, typer.Option(help="Game, by module or short name, such as morris.")],
    out: Annotated[Path, typer.Option(help="Folder for the pictures and labels.json; one of its own for each game.")],
    rule: Annotated[list[str], typer.Option(help="Rule option k=v, such as size=19. Repeatable.")] = [],  # noqa: B006
    count: Annotated[int, typer.Option(min=1, max=4000, help="Pictures; 2 to 8 seconds each on one core.")] = 20,
    seed: Annotated[int, typer.Option(min=0, max=2**31, help="Same seed, same scenes.")] = 1,
    size: Annotated[str, typer.Option(help="Width x height in pixels, such as 640x480. Default: by chance.")] = "",
    flat: Annotated[
        bool, typer.Option("--flat", help="Flat men, all of a side alike, on the board of chess, too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
) -> None:
    """Path-traces pictures of random boards, with the truth about their cells, to measure and to train on.

    Every scene is another board, table, set of men (flat, domed, go stones, tall, pawns, rings, coins, buttons, glass),
    light (lamps, windows, hard sun, coloured lamps, glare, dim rooms), lens and camera, tilted by up to 50 degrees.
    labels.json is in the format that `kibitzer calibrate --photos` reads, and lists the random choices of each scene. A
    stopped run continues where it was. Needs Mitsuba 3, which `./kibitzer train` installs, and Debian's libllvm19.

    Example: kibitzer train scenes --game morris --count 200 --seed 7 --out var/scenes/morris
    """
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with making(command="train scenes"), progress(*columns) as bar:
        import games
        from lab.train.scenes import write_scenes
        from rules.options import rules_from_words

        the_game = games.load(game, rules_from_words(rule))
        task = bar.add_task(the_game.title, total=count)
        made = write_scenes(
            out,
            the_game,
            count=count,
            seed=seed,
            size_px=_size(size),
            flat=flat,
            progress=lambda done: bar.update(task, completed=done),
        )
    facts = {"game": the_game.name, "out": str(out), "scenes": count, "made": made, "seed": seed}
    say(as_json, facts, f"{count} scenes of {the_game.title} in {out}, {made} of them new")


def _size(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and 200 <= int(width) <= 2000 and 200 <= int(height) <= 2000):
        raise ValueError(f"--size is WIDTHxHEIGHT, each from 200 to 2000 pixels, not {text!r}")
    return int(width), int(height)


DESIGNS = ("ours", "paper")
EPOCHS, TAUGHT_EPOCHS = 14, 20
OWN, TAUGHT = 60_000, 1_000_000
BATCH, TAUGHT_BATCH = 512, 1024
DROPOUT = 0.15


@app.command("neural-morris")
def neural_morris(
    good_moves: Annotated[
        Path, typer.Option(help="File of good moves, a line each: the state, a hyphen, the move.")
    ] = Path("../shared/data/morris/good-moves.train.txt"),
    design: Annotated[
        str, typer.Option(help="ours: one network built on the board's symmetries. paper: three residual networks.")
    ] = "ours",
    out: Annotated[Path, typer.Option(help="Folder for the networks and their manifest.")] = MODELS,
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
    chosen: dict[str, Any] = {"epochs": epochs, "batch": batch, "rate": rate, "decay": decay, "dropout": dropout}
    chosen["seed"] = seed
    if own:
        chosen |= {"own": own, "own_nodes": own_nodes, "own_epochs": own_epochs, "own_share": own_share}
    if taught:
        chosen["taught"] = taught
    words = (f"--{name.replace('_', '-')} {value:.9g}" for name, value in chosen.items())
    command = f"kibitzer train neural-morris --design {design} {' '.join(words)}"
    with making(stopped="stopped; the same command goes on from there"), progress_bar() as bar:
        from lab.train.neural_morris import make_neural_morris, try_recipe
        from lab.train.neural_morris_fit import Recipe

        where = Backend.chosen(backend, cluster, None, most=threads)
        recipe = Recipe(design, threads=threads, **chosen)
        task = bar.add_task(design, total=None)

        def report(done: int, total: int, how: str) -> None:
            bar.update(task, completed=done, total=total, description=f"{design}: {how}")

        if trial:
            figures = try_recipe(good_moves, work, recipe, report, afresh=afresh, backend=where)
        else:
            figures = make_neural_morris(good_moves, out, work, recipe, command, report, afresh=afresh, backend=where)
    say(as_json, figures, ", ".join(f"{name} {value}" for name, value in figures.items()))


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


@app.command("neural-curve")
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
