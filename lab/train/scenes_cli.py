"""`kibitzer train scenes`: path-traced pictures of boards, with their labels."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from rules import GameError
from rules.options import rules_from_words


def scenes(
    game: Annotated[str, typer.Option(help="Game, by module or short name, such as morris.")],
    out: Annotated[Path, typer.Option(help="Folder for the pictures and labels.json; one of its own for each game.")],
    rule: Annotated[list[str], typer.Option(help="Rule option k=v, such as size=19. Repeatable.")] = [],  # noqa: B006
    count: Annotated[int, typer.Option(min=1, max=4000, help="Pictures; 2 to 8 seconds each on one core.")] = 20,
    seed: Annotated[int, typer.Option(min=0, max=2**31, help="Same seed, same scenes.")] = 1,
    size: Annotated[str, typer.Option(help="Width x height in pixels, such as 640x480. Default: by chance.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")] = False,
) -> None:
    """Path-traces pictures of random boards, with the truth about their cells, to measure and to train on.

    Every scene is another board, table, set of men (flat, domed, go stones, tall, pawns, rings, coins, buttons, glass),
    light (lamps, windows, hard sun, coloured lamps, glare, dim rooms), lens and camera, tilted by up to 50 degrees.
    labels.json is in the format that `kibitzer calibrate --photos` reads, and lists the random choices of each scene. A
    stopped run continues where it was. Needs Mitsuba 3, which `./kibitzer train` installs, and Debian's libllvm19.

    Example: kibitzer train scenes --game morris --count 200 --seed 7 --out var/scenes/morris
    """
    import games
    from lab.train.pathtraced_mesh import RendererError
    from lab.train.scenes import SceneFolderError, write_scenes

    try:
        the_game = games.load(game, rules_from_words(rule))
        with _bar() as progress:
            task = progress.add_task(the_game.title, total=count)
            made = write_scenes(
                out,
                the_game,
                count=count,
                seed=seed,
                size_px=_size(size),
                progress=lambda done: progress.update(task, completed=done),
            )
    except (GameError, SceneFolderError, RendererError, ValueError) as error:
        sys.stderr.write(f"kibitzer train scenes: {error}\n")
        raise typer.Exit(2) from None
    facts = {"game": the_game.name, "out": str(out), "scenes": count, "made": made, "seed": seed}
    text = json.dumps(facts) if as_json else f"{count} scenes of {the_game.title} in {out}, {made} of them new"
    sys.stdout.write(f"{text}\n")


def _size(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit() and 200 <= int(width) <= 2000 and 200 <= int(height) <= 2000):
        raise ValueError(f"--size is WIDTHxHEIGHT, each from 200 to 2000 pixels, not {text!r}")
    return int(width), int(height)


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
