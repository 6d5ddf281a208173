"""Whole games of Kibitzer as the engine of python-chess, which speaks UCI, judges each move and asks in every way.

The other side's moves are drawn. Each third game is one of Chess960.
"""

from __future__ import annotations

import itertools
import random
import time

import chess
import chess.engine

from lab.bench.talks.tally import OPINION, Tally, noted, our_engine, spent_s
from system import paths

MOVE_S = 0.02
ANALYSIS_S = 0.05
"""How long an endless analysis goes on before it is stopped."""
MAX_PLIES = 300
"""Plies after which a game is left: drawn moves may avoid the end long."""
WAYS = ("time", "clock", "depth", "nodes", "searchmoves", "infinite")


def play(tally: Tally, count: int, player: str = "alphabeta:depth=2") -> None:
    command = our_engine("chess", "uci", player)
    engine = chess.engine.SimpleEngine.popen_uci(command, cwd=paths.PROGRAM)
    began_s = time.process_time()
    try:
        with noted(tally, "chess.engine"):
            for number in range(count):
                _game(engine, tally, number)
                tally.games += 1
        tally.theirs_s = time.process_time() - began_s
        tally.ours_s = spent_s(command)
    except (chess.engine.EngineError, TimeoutError) as error:
        tally.fault(f"{type(error).__name__}: {error}")
    finally:
        engine.close()


def _game(engine: chess.engine.SimpleEngine, tally: Tally, number: int) -> None:
    draw, ways = random.Random(number), itertools.cycle(WAYS)
    board = chess.Board.from_chess960_pos(draw.randrange(960)) if number % 3 == 2 else chess.Board()
    ours = number % 2 == 0
    while board.outcome() is None and board.ply() < MAX_PLIES:
        if board.turn == ours:
            move = _asked(engine, board, next(ways), draw, number, tally)
            if move is None or move not in board.legal_moves:
                tally.fault(f"answered {move} in {board.fen()}", OPINION)
                return
            board.push(move)
        else:
            board.push(draw.choice([*board.legal_moves]))
        tally.plies += 1


def _asked(
    engine: chess.engine.SimpleEngine, board: chess.Board, way: str, draw: random.Random, number: int, tally: Tally
) -> chess.Move | None:
    """The engine's move, asked for in one of `WAYS`."""
    if way == "infinite":
        with engine.analysis(board, game=number) as analysis:
            time.sleep(ANALYSIS_S)
        best = analysis.wait()
        return best.move
    limit = {
        "clock": chess.engine.Limit(white_clock=1.0, black_clock=1.0, white_inc=0.1, black_inc=0.1),
        "depth": chess.engine.Limit(depth=1),
        "nodes": chess.engine.Limit(nodes=50),
    }.get(way, chess.engine.Limit(time=MOVE_S))
    legal = [*board.legal_moves]
    only = draw.sample(legal, min(3, len(legal))) if way == "searchmoves" else None
    found = engine.play(board, limit, game=number, root_moves=only).move
    if only and found not in only:
        tally.fault(f"answered {found}, which is not one of searchmoves {only}: {board.fen()}", OPINION)
    return found
