"""The legal moves of the side to move as data, each with the steps that a hand makes for it; for pages and programs."""

from __future__ import annotations

from daemon.commands.command import mark_of
from daemon.game.hands import shown_hands
from daemon.judging.referee import Referee
from daemon.words.translation import alone
from rules import AnyGame, Step, Words

MAX_MOVES = 4096
"""Greatest number of moves listed; no game here has as many."""


def legal_moves_of(referee: Referee, game_id: str) -> dict[str, object]:
    """`game_id`, `ply`, `mark`, `side`, `moves`, `hand`: a person's moves and tiles; none unless a person is to move.

    A move is its text and its steps: `kind` (place, move, remove, flip), the `cell` where the piece arrives, stays or
    is taken from, for `move` the `origin` it comes from, and the `piece` on `cell` afterwards. Moves that look alike on
    the board have a `choice`, the name of what tells them apart.
    """
    game, position, moves = referee.game, referee.position, []
    if referee.awaiting == "move":
        for move in game.legal_moves(position)[:MAX_MOVES]:
            steps = [_step(game, step) for step in game.steps(position, move)]
            term = Words.of(game).choice(position, move)
            chosen = {} if term is None else {"choice": alone(term.kind, term.name)}
            moves.append({"move": game.format_move(position, move), "steps": steps} | chosen)
    side = game.sides[game.to_move(position)] if referee.outcome is None else None
    hand = shown_hands(game, position, referee.agents)[game.to_move(position)] if moves else None
    which = {"game_id": game_id, "ply": referee.ply, "mark": mark_of(game_id, referee.moves)}
    return {**which, "side": side, "moves": moves, "hand": hand}


def _step(game: AnyGame, step: Step) -> dict[str, object]:
    fields: dict[str, object] = {"kind": step.kind, "cell": game.cells[step.cell], "piece": step.piece}
    return fields if step.origin is None else fields | {"origin": game.cells[step.origin]}
