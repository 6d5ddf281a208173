"""The words by which people may say a move where a game has its own: "knight to f3", its two cells, or a choice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from daemon.commands.spoken.grammar import spelled
from daemon.commands.spoken.words import words_of
from daemon.judging.referee import Referee
from daemon.match.legal_moves import MAX_MOVES
from daemon.match.questions import pieces_called
from daemon.words.translation import as_words, called, worded
from rules import AnyGame, Described, Words
from rules.turns import alike, by_piece
from wording import Term


def move_words(referee: Referee, language: str) -> dict[str, str]:
    """Texts of the legal moves by their words, and of what the last may have been.

    Words that several moves share are left out, unless these look alike on the board: then the first is meant.
    """
    game, position, meant = referee.game, referee.position, dict[str, list[Any]]()
    for move in game.legal_moves(position)[:MAX_MOVES]:
        for phrase in dict.fromkeys(_phrases(game, position, move, language)):
            meant.setdefault(phrase, []).append(move)
    found = choice_words(referee, language)
    for phrase, (first, *others) in meant.items():
        if not others or set(others) <= set(alike(game, position, first)):
            found.setdefault(phrase, game.format_move(position, first))
    return found


def _phrases(game: AnyGame, position: Any, move: Any, language: str) -> Iterator[str]:
    """The ways to say a move: whole, without what follows from it, a capture without its piece, by its two cells."""
    words = Words.of(game).spoken(position, move)
    if words is None:
        return
    parts, between = as_words(words).split(", "), words_of(language).between
    whole = [spelled(" ".join(parts[:count]), language) for count in range(len(parts), 0, -1)]
    yield from whole
    told, steps = whole[-1].split(), game.steps(position, move)
    if any(step.kind == "remove" for step in steps):
        yield from (" ".join(told[place:]) for place in range(1, len(told) - 2) if told[place] in between)
    went = next((piece for piece in by_piece(steps) if piece[0].origin is not None), None)
    if went is not None and went[0].origin is not None:
        cells = spelled(f"{game.cells[went[0].origin]} {game.cells[went[-1].cell]}", language)
        yield cells
        if (term := Words.of(game).choice(position, move)) is not None:
            yield from (f"{start} {name}" for start in (cells, whole[-1]) for name in _names(term, language))


def choice_words(referee: Referee, language: str) -> dict[str, str]:
    """Texts of what the last move may have been instead, by the names of the choice: "knight", "promote to knight"."""
    line, game = referee.line, referee.game
    if not line.plies or line.plies[-1].move is None:
        return {}
    before = line.positions[len(line.plies) - 1]
    return {
        name: game.format_move(before, move)
        for move in alike(game, before, line.plies[-1].move)
        if (term := Words.of(game).choice(before, move)) is not None
        for name in _names(term, language)
    }


def side_words(referee: Referee, language: str) -> dict[str, str]:
    """The sides that may be to move in the position that is offered, by the words for them."""
    found = dict[str, str]()
    for side in map(referee.game.to_move, referee.offered):
        term = Term("side", referee.game.sides[side])
        for phrase in (*called(term), worded("{side:Nom} to move", side=term)):
            found[spelled(phrase, language)] = term.name
    return found


def named_words(game: AnyGame, language: str) -> dict[str, dict[str, str]]:
    """What people may ask about: cells and pieces, by the words for them; none where cells are not asked for."""
    pieces = {spelled(name, language): name for name in pieces_called(game)}
    if Described.of(game).ends(game.initial()):
        return {"cell": {}, "piece": pieces}
    return {"cell": {spelled(cell, language): cell for cell in game.cells}, "piece": pieces}


def _names(term: Term, language: str) -> list[str]:
    names = [spelled(name, language) for name in sorted(called(term))]
    starts = [spelled(start, language) for start in words_of(language).choosing]
    return [*names, *(f"{start} {name}" for start in starts for name in names)]
