"""`kibitzer puzzles`: positions with one winning move, made of recorded games and by the solvers, and played here."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

import games
from daemon.cli.game_arguments import RECORD, opened
from daemon.cli.wrong_call import refusals
from daemon.drawing.text_board import TextBoard
from daemon.match.puzzle_play import question, verdict
from daemon.match.recovery import positions_of
from daemon.page.view import template_of
from daemon.record.journal import JournalError
from daemon.record.puzzles import Puzzle, PuzzleError, PuzzleStore, path_of, puzzle_of, store_beside
from daemon.record.stored_game import rule_texts
from daemon.words.translation import in_words
from rules import AnyGame, GameError, HiddenHands, figures_of
from system import paths
from system.processes import LineProcess

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    help="Puzzles: make, list and play positions in which exactly one move wins.",
)
COMMAND = (sys.executable, "-m", "daemon.cli", "certify", "--nice", "10")
DEADLINE_S = 120.0
"""Seconds for one answer; the first compiles the searches."""
FAULTS = (ValueError, PuzzleError, JournalError)
TRIES = 40
"""Games that are played for each puzzle wanted, at most."""
JournalOption = Annotated[Path, typer.Option(help="File of the record; the puzzles lie beside it.")]
GameOption = Annotated[str, typer.Option(help="Only of that game, by module or short name.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object per puzzle.")]


@app.command("make")
def make(
    game: Annotated[str, typer.Option(help="Game, by module or short name; empty: every game with puzzles.")] = "",
    count: Annotated[int, typer.Option(min=0, max=1000, help="Puzzles to find by the solver, of each game.")] = 5,
    from_games: Annotated[
        bool, typer.Option("--from-games", help="Look for wins that were missed in the recorded games, too.")
    ] = False,
    seed: Annotated[int | None, typer.Option(min=0, max=2**30, help="Makes the same puzzles again.")] = None,
    journal: JournalOption = RECORD,
) -> None:
    """Makes puzzles: exactly one move wins, and every other is proven not to.

    Gomoku: a win by continuous fours, while the enemy wins by fours after any other stone. Reversi: endings of up to
    12 empty squares, solved. Morris: by the endgame tables, and as in cờ gánh wins in up to four moves, of which every
    line is searched. Dominoes have none: what wins depends on hidden tiles.

    Example: kibitzer puzzles make --game gomoku --count 10
    """
    store = PuzzleStore(path_of(journal))
    with refusals("puzzles make", *FAULTS):
        able = [name for name in games.names() if not issubclass(games.find(name), HiddenHands)]
        for name in [games.find(game).name] if game else able:
            new, title = store.add(list(_missed(name, journal))) if from_games else 0, games.find(name).title
            first = random.randrange(2**30) if seed is None else seed
            try:
                new += store.add(list(_found(games.load(name), count, first)))
            except ValueError as error:
                if game:
                    raise
                sys.stdout.write(f"{title}: {error}\n")
            else:
                sys.stdout.write(f"{title}: {new} new puzzle{'s' * (new != 1)}\n")


@app.command("list")
def list_puzzles(
    game: GameOption = "",
    journal: JournalOption = RECORD,
    unsolved: Annotated[bool, typer.Option("--open", help="Only those not solved yet.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Lists the puzzles, the easiest first: id, game, moves to the win, source, and how you did.

    Example: kibitzer puzzles list --game reversi --open
    """
    with refusals("puzzles list", *FAULTS):
        found = store_beside(journal).all(games.find(game).name if game else "")
    for puzzle, standing in found:
        if unsolved and standing.solved:
            continue
        if as_json:
            told = {
                "id": puzzle.puzzle_id,
                **dataclasses.asdict(puzzle),
                "tried": standing.tried,
                "solved": standing.solved,
            }
            sys.stdout.write(json.dumps(told) + "\n")
        else:
            done = f"solved {standing.solved} of {standing.tried}" if standing.tried else "new"
            source = puzzle.source or "solver"
            sys.stdout.write(f"{puzzle.puzzle_id}  {puzzle.game:<17} {puzzle.moves:>2} moves  {source:<32} {done}\n")


@app.command("play")
def play(
    puzzle: Annotated[str, typer.Argument(help="Its id, or the beginning of it; empty: the next unsolved one.")] = "",
    game: Annotated[str, typer.Option(help="Game of the next one, by module or short name.")] = "morris",
    journal: JournalOption = RECORD,
) -> None:
    """Sets a puzzle in this terminal: type the move; an empty line gives up and shows the solution.

    At the table: `kibitzer tell puzzle`, or *Puzzle* on the page.

    Example: kibitzer puzzles play --game gomoku
    """
    with refusals("puzzles play", *FAULTS):
        store = store_beside(journal)
        found = store.get(puzzle) if puzzle else store.next(games.load(game))
        if found is None:
            raise ValueError("there is no such puzzle; `kibitzer puzzles make` makes some")
        the_game, position = found.opened()
        side = the_game.to_move(position)
        board = TextBoard(template_of(the_game)).draw(figures_of(the_game, position))
        sys.stdout.write(f"{board}\n\n{in_words(question(found, the_game, side))}\n")
        while True:
            sys.stdout.write("> ")
            sys.stdout.flush()
            text = sys.stdin.readline().strip()
            if not text:
                break
            try:
                answer = the_game.format_move(position, the_game.parse_move(position, text))
            except GameError as error:
                sys.stdout.write(f"{error}\n")
                continue
            store.tried(found, answer, answer == found.move)
            sys.stdout.write(f"{in_words(*verdict(found, the_game, position, answer))}\n")
            if answer == found.move:
                break
        sys.stdout.write(f"{' '.join(found.line)}\n")


def _found(game: AnyGame, count: int, seed: int) -> Iterator[Puzzle]:
    """Puzzles from games that the solver's players play, at most one of each game."""
    found = 0
    with contextlib.closing(_Certifier(game)) as certifier:
        tries = range(seed, seed + TRIES * count)
        for number in track(tries, game.about.short_name, console=Console(stderr=True), transient=True):
            if found == count:
                return
            told = certifier.ask({"seed": number})
            if told.get("certificate"):
                found += 1
                yield puzzle_of(game, told)


def _missed(name: str, journal: Path) -> Iterator[Puzzle]:
    """Puzzles from the recorded games: positions in which the one winning move was not played."""
    with opened(journal, read_only=True) as record:
        stored = [one for one in record.games() if one.game == name]
    by_rules: dict[str, list[Any]] = {}
    for one in stored:
        by_rules.setdefault(json.dumps(sorted(one.rules.items())), []).append(one)
    for alike in by_rules.values():
        with (
            contextlib.suppress(GameError),
            contextlib.closing(_Certifier(game := games.load(name, alike[0].rules))) as certifier,
        ):
            for one in track(alike, f"{game.about.short_name}, recorded", console=Console(stderr=True), transient=True):
                positions = positions_of(game, one)
                if not isinstance(positions, list):
                    continue
                for ply, (position, played) in enumerate(zip(positions, one.plies, strict=False), 1):
                    told = certifier.ask({"position": game.format_position(position)})
                    if told.get("certificate") and told["certificate"]["move"] != played.move:
                        yield puzzle_of(game, told, f"{one.game_id}#{ply}")


class _Certifier(LineProcess):
    def __init__(self, game: AnyGame) -> None:
        rules = [word for name, value in rule_texts(game).items() for word in ("--rule", f"{name}={value}")]
        self._title = game.title
        super().__init__([*COMMAND, "--game", game.name, *rules], cwd=paths.PROGRAM)

    def ask(self, asked: dict[str, object]) -> dict[str, Any]:
        """The answer. Raises ValueError where the process has none: this game, or these rules, have no puzzles."""
        self.say(json.dumps(asked))
        with contextlib.suppress(EOFError):
            told = json.loads(self.hear(DEADLINE_S) or "null")
            if isinstance(told, dict):
                return told
        raise ValueError(f"no puzzles of {self._title} can be proven, or not by these rules")
