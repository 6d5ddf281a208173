"""`kibitzer solve`: exact results of reversi endgames and proofs of gomoku wins; `kibitzer certify`: proven puzzles."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

import games
from agents import puzzles
from agents.command_line import GameOption, RuleOption, new_app, refusing
from games.reversi import Position, Reversi
from rules import AnyGame, PositionError
from rules.options import rules_from_words
from system.named_files import read_text

app = new_app(rich_markup_mode="markdown")
MAX_SEED = 2**31
MAX_BYTES = 64 << 20

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
    with refusing("solve"):
        for answer in _answers(games.find(game).name, obf, mates, every_best, table_mb, time_s):
            words = (f"{name} {_words(value)}" for name, value in answer.items())
            typer.echo(json.dumps(answer) if as_json else "  ".join(words))


def _answers(
    game: str, obf: Path | None, mates: Path | None, every_best: bool, table_mb: int | None, time_s: float
) -> Iterator[Object]:
    if game == "reversi" and obf is not None and mates is None:
        return _solved(obf, every_best, table_mb)
    if game == "gomoku" and mates is not None and obf is None:
        from agents.mates import solve_mates

        return iter(solve_mates(mates, time_s))
    if game in ("reversi", "gomoku"):
        raise ValueError("--game reversi takes --obf FILE, --game gomoku takes --mates FILE")
    raise ValueError(f"there is no solver for {game}; there is one for reversi and one for gomoku")


def _solved(path: Path, every_best: bool, table_mb: int | None) -> Iterator[Object]:
    endgames = read_obf(path)
    from agents.endgames import Solver  # compiles the kernel, which takes a while the first time

    hard = max(endgame.empties for endgame in endgames) > 17
    solver = Solver(table_mb or (256 if hard else 16))  # a large table itself costs time
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


@dataclasses.dataclass(frozen=True)
class Endgame:
    line: int
    position: Position

    @property
    def empties(self) -> int:
        return 64 - sum(discs.bit_count() for discs in self.position.discs)


def read_obf(path: Path) -> list[Endgame]:
    """The positions of an OBF file. Raises ValueError naming the line.

    A line is 64 characters X, O and - from a1 along the rows, a space, the side to move, a semicolon; the rest, such as
    published results, is ignored. Empty lines and lines that begin with % or # are skipped.
    """
    game, found = Reversi(), []
    try:
        text = read_text(path, MAX_BYTES)
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no text file") from None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip()[0] in "%#":
            continue
        position, _, _ = line.partition(";")
        try:
            found.append(Endgame(number, game.parse_position(position)))
        except PositionError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    if not found:
        raise ValueError(f"{path} holds no position")
    return found


def _words(value: object) -> str:
    return " ".join(map(_words, value)) if isinstance(value, list) else str(value)


@app.command("certify")
def certify(
    game: GameOption,
    rule: RuleOption = [],  # noqa: B006
    nice: Annotated[int, typer.Option(min=0, max=19, help="How far other processes come first.")] = 0,
) -> None:
    """Answers each line of its input by one: is the position a puzzle, with exactly one winning move?

    A line is {"position": "..."} or {"seed": 7}, which plays a game and takes its first puzzle. An answer has
    `position` and `certificate`: move, plies, discs, proof (fours, exact, table, full_search), line, and others: every
    other move with its result, amount and reply. It is null where there is none. `kibitzer puzzles make` uses this.

    Example: echo '{"seed": 7}' | kibitzer certify --game reversi
    """
    with refusing("certify"):
        the_game = games.load(game, rules_from_words(rule))
        os.nice(nice)
        ways = puzzles.certifiers(the_game)
        if not ways:
            raise ValueError(f"no puzzles can be proven in {the_game.title} under these rules")
    for line in sys.stdin:
        try:
            told = _certified(the_game, ways, json.loads(line))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            told = {"error": str(error)}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


def _certified(game: AnyGame, ways: list[puzzles.Certifier], asked: Any) -> dict[str, object]:
    if "seed" in asked:
        seed = asked["seed"]
        if type(seed) is not int or not 0 <= seed < MAX_SEED:
            raise ValueError(f"seed is a whole number from 0 to {MAX_SEED - 1}, not {seed!r}")
        for position in puzzles.played(game, seed, threading.Event()):
            if (found := puzzles.certify(ways, position)) is not None:
                return {"position": game.format_position(position), "certificate": found.as_object()}
        return {"position": "", "certificate": None}
    position = game.parse_position(str(asked.get("position", "")))
    proven = None if game.outcome(position) is not None else puzzles.certify(ways, position)
    return {"position": game.format_position(position), "certificate": None if proven is None else proven.as_object()}
