"""`kibitzer solve`: exact results of reversi endgames, and proofs of gomoku wins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

import games
from agents.command_line import stop
from agents.obf import read_obf, table_for

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

Object = dict[str, object]


@app.command("solve")
def solve(
    game: Annotated[str, typer.Option(help="reversi, with --obf; or gomoku, with --mates.")],
    obf: Annotated[
        Path | None, typer.Option(help="File of reversi positions, one a line: 64 of X O -, the mover.")
    ] = None,
    mates: Annotated[Path | None, typer.Option(help="File of gomoku positions, one JSON object a line.")] = None,
    every_best: Annotated[
        bool, typer.Option("--every-best", help="Find all best moves, not one: takes longer.")
    ] = False,
    table_mb: Annotated[
        int | None,
        typer.Option(min=1, max=4096, help="Mebibytes for known positions; else 16 to 256, as the file needs."),
    ] = None,
    time_s: Annotated[float, typer.Option(min=0.001, max=3600, help="Seconds to look for a gomoku win.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line, one line a position.")] = False,
) -> None:
    """Solves reversi endgames to the last disc, or proves gomoku wins.

    Reversi: score (discs for the side to move less the enemy's, the winner gets the empty squares), best (squares
    proven to reach it), nodes (positions visited), seconds. 20 empty squares take about a second, two more three times
    as long.

    Gomoku: proven, move and line as [x, y], milliseconds.

    Both print one line per position, in the order of the file, each as soon as it is found. If a line of the file is
    not a position, nothing is solved.

    Example: kibitzer solve --game reversi --obf endgames.obf --json
    """
    try:
        name = games.find(game).name
        found = _answers(name, obf, mates, every_best, table_mb, time_s)
        for answer in found:
            typer.echo(json.dumps(answer) if as_json else _sentence(answer))
    except ValueError as error:
        raise stop("solve", error) from None


def _answers(
    game: str, obf: Path | None, mates: Path | None, every_best: bool, table_mb: int | None, time_s: float
) -> Iterator[Object]:
    """The answers for the game's file. Raises ValueError."""
    if game == "reversi" and obf is not None and mates is None:
        return _solved(obf, every_best, table_mb)
    if game == "gomoku" and mates is not None and obf is None:
        from agents.mates import solve_mates

        return iter(solve_mates(mates, time_s))
    if game in ("reversi", "gomoku"):
        raise ValueError("--game reversi takes --obf FILE, --game gomoku takes --mates FILE")
    raise ValueError(f"there is no solver for {game}; there is one for reversi and one for gomoku")


def _solved(path: Path, every_best: bool, table_mb: int | None) -> Iterator[Object]:
    """The exact results of an OBF file, one by one as they are found."""
    endgames = read_obf(path)
    from agents.endgames import Solver  # compiles the kernel, which takes a while the first time

    solver = Solver(table_mb or table_for(endgames))
    # Compiled code does not react to Ctrl-C, so it runs in a worker thread while this one waits.
    with ThreadPoolExecutor(1) as thread:
        try:
            for endgame in track(endgames, "solving", console=Console(stderr=True), transient=True):
                solution = thread.submit(solver.solve, endgame.position, every_best).result()
                yield {
                    "line": endgame.line,
                    "position": solver.game.format_position(endgame.position),
                    "empties": endgame.empties,
                    "score": solution.score,
                    "best": [solver.game.format_move(endgame.position, move) for move in solution.best],
                    "nodes": solution.nodes,
                    "seconds": round(solution.seconds, 6),
                }
        finally:
            solver.interrupt()


def _sentence(answer: Object) -> str:
    return "  ".join(f"{name} {_words(value)}" for name, value in answer.items())


def _words(value: object) -> str:
    return " ".join(map(_words, value)) if isinstance(value, list) else str(value)
