"""Two programs play reversi against each other on one board file, called in turn as `PROGRAM SYMBOL FILE`.

A program reads the board, plays one move for its symbol and overwrites the file; if its side has no move, it leaves the
file as it is. Anything else forfeits the game: the file is checked after every call.
"""

from __future__ import annotations

import dataclasses
import shlex
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import DEVNULL, TimeoutExpired

from agents import board_file
from agents.board_file import SYMBOLS, BoardFileError
from games.reversi import PASS, Move, Position, Reversi
from processes import Process
from rules import Outcome, Side
from rules.turns import changed_cells

NAMES = ("A", "B")
MAX_TAIL_LENGTH = 200


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    words: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Forfeit:
    rule: str
    text: str


@dataclasses.dataclass(frozen=True)
class Played:
    position: Position
    moves: tuple[str, ...]
    winner: Side | None
    outcome: Outcome | None
    """None where a program forfeited."""
    forfeit: Forfeit | None = None


def program(name: str, command: str) -> Program:
    """The program for a command line. Raises ValueError if there is no such program."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"program {name}: {command!r} is no command: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise ValueError(f"program {name}: {command!r} cannot be run: there is no program {(words or [''])[0]!r}")
    return Program(name, tuple(words))


class Match:
    def __init__(
        self,
        pair: tuple[Program, Program],
        path: Path,
        timeout_s: float,
        on_turn: Callable[[Position, str], None],
    ) -> None:
        """The first program is black, symbol 1. `on_turn` gets each position after a move, and the move's text."""
        self._pair, self._path, self._timeout_s, self._on_turn = pair, path, timeout_s, on_turn
        self._game = Reversi()

    def play(self, position: Position) -> Played:
        """Plays until the game is over or a program forfeits; the file then holds the last valid board.

        Raises BoardFileError if the file cannot be written.
        """
        game = self._game
        moves: list[str] = []
        board_file.write(self._path, position.discs)
        while (outcome := game.outcome(position)) is None:
            result = self._turn(position)
            if isinstance(result, Forfeit):
                board_file.write(self._path, position.discs)
                return Played(position, tuple(moves), 1 - position.side, None, result)
            moves.append(game.format_move(position, result))
            position = game.apply(position, result)
            self._on_turn(position, moves[-1])
        return Played(position, tuple(moves), outcome.winner, outcome)

    def _turn(self, position: Position) -> Move | Forfeit:
        if (failure := self._call(position.side)) is not None:
            return failure
        try:
            discs = board_file.read(self._path)
        except BoardFileError as error:
            return Forfeit("broken_file", f"left no board behind: {error}")
        return self._judge(position, discs)

    def _judge(self, position: Position, discs: tuple[int, int]) -> Move | Forfeit:
        game = self._game
        legal = game.legal_moves(position)
        for move in legal:
            if game.apply(position, move).discs == discs:
                return move
        if discs == position.discs:
            names = ", ".join(game.format_move(position, move) for move in legal)
            return Forfeit("no_move_made", f"left the board as it was, though it could play {names}")
        board = game.board(Position(discs, position.side))
        if legal == [PASS]:
            changed = ", ".join(game.cells[cell] for cell in changed_cells(game.board(position), board))
            return Forfeit("must_pass", f"has no move and must leave the board as it is, but changed {changed}")
        fault = game.fault(position, board)
        return Forfeit(fault.rule, fault.text)

    def _call(self, side: Side) -> Forfeit | None:
        command = [*self._pair[side].words, str(SYMBOLS[side]), str(self._path)]
        with tempfile.TemporaryFile() as output:
            try:
                process = Process(command, stdin=DEVNULL, stdout=output, stderr=output)
            except OSError as error:
                return Forfeit("program_failed", f"cannot be started: {error.strerror}")
            try:
                status = process.wait(self._timeout_s)
            except TimeoutExpired:
                return Forfeit("out_of_time", f"gave no answer within {self._timeout_s:g} s")
            finally:
                process.end()
            if status:
                output.seek(max(0, output.tell() - MAX_TAIL_LENGTH))
                tail = " ".join(output.read(MAX_TAIL_LENGTH).decode("utf-8", "replace").split())
                return Forfeit("program_failed", f"ended with status {status}" + (f": {tail}" if tail else ""))
        return None


def start(discs: tuple[int, int], side: Side) -> Position:
    position = Position(discs, side)
    if Reversi().outcome(position) is not None:
        raise ValueError("on this board neither side can lay a disc: the game is over already")
    return position
