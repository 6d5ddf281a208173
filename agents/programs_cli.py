"""`kibitzer one-move` and `kibitzer match`: reversi by programs that read and overwrite a JSON board file."""

from __future__ import annotations

import json
import math
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from agents import players, programs
from agents.agent import Limits
from agents.command_line import JsonOption, new_app, refusing
from agents.players import Player, PlayerSpec
from agents.programs import SYMBOLS
from agents.search import MAX_DEPTH
from games.reversi import PASS, Position, Reversi

app = new_app()

DEPTH = 4
"""Plies that `one-move` searches when no option sets a depth, time or agent."""
HEURISTIC = "adaptive"
MAX_S = 86_400.0


@app.command("one-move")
def one_move(
    symbol: Annotated[int, typer.Argument(help="1 plays black (X), 2 white (O).")],
    file: Annotated[Path, typer.Argument(help="JSON board: eight rows of eight numbers, 0 empty, 1 black, 2 white.")],
    agent: Annotated[
        str | None, typer.Option(help="Another player, such as level-5 or mcts:simulations=100.", show_default=False)
    ] = None,
    depth: Annotated[int | None, typer.Option(min=1, max=MAX_DEPTH, help=f"Plies to search. Default: {DEPTH}.")] = None,
    time_s: Annotated[float | None, typer.Option(help="Seconds to think.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Plays one reversi move on a JSON board file and overwrites it, by alpha-beta with the adaptive strategy.

    If the side has no move, the file stays as it is. Fields: move (null without one), symbol.

    Example: kibitzer one-move 1 board.json --depth 6
    """
    with refusing("one-move"):
        if symbol not in SYMBOLS:
            raise ValueError(f"SYMBOL is 1 (black) or 2 (white), not {symbol}")
        position, game = Position(programs.read_board(file), SYMBOLS.index(symbol)), Reversi()
        moves = game.legal_moves(position)
        text = None
        if moves and moves != [PASS]:
            move = Player(_spec(agent, depth, time_s), game).choose(position).move
            text = game.format_move(position, move)
            programs.write_board(file, game.apply(position, move).discs)
    if as_json:
        typer.echo(json.dumps({"move": text, "symbol": symbol}))
    else:
        typer.echo(text or "no move")


def _spec(agent: str | None, depth: int | None, time_s: float | None) -> PlayerSpec:
    if time_s is not None and not (math.isfinite(time_s) and 0 < time_s <= MAX_S):
        raise ValueError(f"--time-s is above 0 and at most {MAX_S:g} seconds, not {time_s:g}")
    spec = players.parse(agent or f"alphabeta:heuristic={HEURISTIC}")
    if depth is None and time_s is None:
        return spec if agent else PlayerSpec(spec.agent, spec.options, Limits(depth=DEPTH))
    return PlayerSpec(spec.agent, spec.options, Limits(time_s, depth, spec.limits.nodes))


@app.command("match")
def match(
    pair: Annotated[
        tuple[str, str], typer.Option("--programs", help="Two commands, called as A 1 FILE and B 2 FILE in turn.")
    ],
    board: Annotated[
        Path | None, typer.Option(help="Play on this file from the board in it. Default: a clean board.")
    ] = None,
    first: Annotated[int, typer.Option(help="Symbol that begins: 1 (black, program A) or 2.")] = 1,
    timeout_s: Annotated[float, typer.Option(help="Longest time for one call.")] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the boards.")] = False,
) -> None:
    """Plays a game of reversi between any two programs, on one JSON board file.

    Each is called as PROGRAM SYMBOL FILE, plays one move and overwrites the file; if its side has no move, it leaves
    the file as it is. A program loses if it fails, is late, or changes the file by anything but one legal move.
    Fields: winner (A, B, or null for a tie), reason, text, scores (discs of A and B), moves, board.

    Example: kibitzer match --programs "./kibitzer one-move" "python3 mine.py"
    """
    with refusing("match"):
        if first not in SYMBOLS:
            raise ValueError(f"--first is 1 (black) or 2 (white), not {first}")
        if not (math.isfinite(timeout_s) and 0 < timeout_s <= MAX_S):
            raise ValueError(f"--timeout-s is above 0 and at most {MAX_S:g} seconds, not {timeout_s:g}")
        made = (programs.program("A", pair[0]), programs.program("B", pair[1]))
        discs = Reversi().initial().discs if board is None else programs.read_board(board)
        start = programs.start(discs, SYMBOLS.index(first))
        with tempfile.TemporaryDirectory(prefix="kibitzer-match-") as folder:
            path = Path(folder) / "board.json" if board is None else board.resolve()
            on_turn = (lambda _position, _move: None) if as_json else _Printer(start)
            played = programs.Match(made, path, timeout_s, on_turn).play(start)
    _tell(played, as_json)


class _Printer:
    def __init__(self, start: Position) -> None:
        self._side = start.side
        typer.echo(f"{programs.shown(start)}\n")

    def __call__(self, position: Position, move: str) -> None:
        typer.echo(f"{programs.NAMES[self._side]} ({'XO'[self._side]}) {move}\n{programs.shown(position)}\n")
        sys.stdout.flush()
        self._side = position.side


def _tell(played: programs.Played, as_json: bool) -> None:
    scores = [discs.bit_count() for discs in played.position.discs]
    winner = None if played.winner is None else programs.NAMES[played.winner]
    if played.forfeit is not None:
        assert played.winner is not None
        reason, text = played.forfeit.rule, f"{programs.NAMES[1 - played.winner]} {played.forfeit.text}"
    else:
        reason, text = "neither_can_lay", f"{scores[0]} to {scores[1]} discs"
    if as_json:
        found = {
            "winner": winner,
            "reason": reason,
            "text": text,
            "scores": scores,
            "moves": list(played.moves),
            "board": Reversi().format_position(played.position),
        }
        typer.echo(json.dumps(found))
    else:
        typer.echo(f"{'A tie' if winner is None else f'{winner} wins'} ({reason}): {text}")
