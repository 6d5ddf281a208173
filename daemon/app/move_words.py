"""The words by which people may say a move where a game has its own: "knight to f3", its two cells, or a choice."""

from __future__ import annotations

from daemon.commands.spoken.grammar import spelled
from daemon.core.legal_moves import MAX_MOVES
from daemon.i18n.translation import as_words, called
from daemon.judging.referee import Referee
from rules.turns import alike


def move_words(referee: Referee, language: str) -> dict[str, str]:
    """Texts of the legal moves by their words; of several moves with the same words the first is meant."""
    game, position, found = referee.game, referee.position, choice_words(referee, language)
    for move in game.legal_moves(position)[:MAX_MOVES]:
        words = game.spoken(position, move)
        if words is None:
            continue
        text = game.format_move(position, move)
        found.setdefault(spelled(as_words(words), language), text)
        went = next((step for step in game.steps(position, move) if step.origin is not None), None)
        if went is not None and went.origin is not None:
            found.setdefault(spelled(f"{game.cells[went.origin]} {game.cells[went.cell]}", language), text)
    return found


def choice_words(referee: Referee, language: str) -> dict[str, str]:
    """Texts of what the last move may have been instead, by the names of the choice."""
    line, game = referee.line, referee.game
    if not line.plies or line.plies[-1].move is None:
        return {}
    before = line.positions[len(line.plies) - 1]
    return {
        spelled(name, language): game.format_move(before, move)
        for move in alike(game, before, line.plies[-1].move)
        if (term := game.choice(before, move)) is not None
        for name in called(term)
    }
