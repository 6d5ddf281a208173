"""Answers to questions about the position as judged, for people who cannot see the board. Pure.

What differs by game is the game's own (`rules.Described`). What a hand holds is never told.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from typing import Any

from daemon.commands import command as told
from daemon.commands.command import Question
from daemon.game.clocks import GameClock
from daemon.game.line_of_play import shares_pieces
from daemon.judging import phrases
from daemon.judging.cell_overrides import cell_of
from daemon.judging.corrections import Refusal
from daemon.judging.referee import Referee
from daemon.match.clock_service import spoken_time
from daemon.words.translation import called_together
from rules import EMPTY, AnyGame, Counts, Described, Figures, HiddenHands, figures_of, piece_noun
from rules.turns import by_piece
from wording import Given, Sentence, Sentences, Term, listing, sentence, sentence_n


def answer(question: Question, referee: Referee, seen: str | None, clock: GameClock | None) -> Sentences:
    """The answer; `seen` is the board in view, None if there is none. Raises Refusal."""
    match question:
        case told.WhatIsOn(cell):
            return _on(referee, cell, seen)
        case told.LastMove():
            return _last_move(referee)
        case told.HowMany():
            return counted(referee.game, referee.position)
        case told.WhoseTurn():
            return _whose_turn(referee)
        case told.WhereAre(piece):
            return _where(referee.game, referee.position, piece)
        case told.ReadBoard():
            return _read(referee)
        case told.MovesFrom(cell):
            return _moves_from(referee, cell)
        case told.Clocks():
            return _clocks(referee.game, clock)
        case _:
            raise AssertionError(f"nobody answers {question}")


def pieces_called(game: AnyGame) -> dict[str, str]:
    """Letters of the board or of `figures_of` by what people call one or several such pieces."""
    letters = dict.fromkeys([*game.classes.replace(EMPTY, ""), *game.about.nouns])
    nouns = {letter: piece_noun(game, letter) for letter in letters}
    return {name: letter for letter, noun in nouns.items() if isinstance(noun, Term) for name in called_together(noun)}


def counted(game: AnyGame, position: Any) -> Sentences:
    """How many pieces both sides have: on the board, in hand, taken; and their points."""
    counts, board = Counts.of(game), game.board(position)
    own = Described.of(game).tally(position)
    if own:
        return (*own, *_points(game, position))
    if shares_pieces(game):
        stones = [letter for letter in game.classes if letter != EMPTY]
        found: Sentences = tuple(
            sentence("{piece:Pl}: {number}.", piece=piece_noun(game, letter), number=board.count(letter))
            for letter in stones
        )
    else:
        one, other = (board.count(letter) for letter in game.pieces)
        found = (sentence("On the board: {one} {ones}, {other} {others}.", **_both(game, one, other)),)
    if any(to_lay := counts.to_lay(position) or ()):
        found = *found, sentence("Still to lay: {one} {ones}, {other} {others}.", **_both(game, *to_lay))
    if (taken := counts.prisoners(position)) is not None:
        found = *found, sentence("Prisoners: {one} {ones}, {other} {others}.", **_both(game, *taken))
    return (*found, *_points(game, position))


def _points(game: AnyGame, position: Any) -> Sentences:
    scores = Counts.of(game).scores(position)
    return () if scores is None else (sentence("Points: {one} {ones}, {other} {others}.", **_both(game, *scores)),)


def _both(game: AnyGame, one: int, other: int) -> dict[str, Given]:
    return {"one": phrases.named(game, 0), "ones": one, "other": phrases.named(game, 1), "others": other}


def _on(referee: Referee, name: str, seen: str | None) -> Sentences:
    game, position = referee.game, referee.position
    if ends := Described.of(game).ends(position):
        return (*ends, *counted(game, position))
    if not name:
        raise Refusal(sentence("Name a cell, such as {cell}.", cell=game.cells[0]))
    cell = cell_of(game, name)
    stands = _standing(game, figures_of(game, position)[cell], game.cells[cell])
    if seen is None or seen[cell] == game.board(position)[cell]:
        return (stands,)
    return stands, sentence("I see something else there now.")


def _standing(game: AnyGame, letter: str, cell: str) -> Sentence:
    if letter == EMPTY:
        return sentence("{cell} is empty.", cell=cell)
    return sentence("{piece:Name} on {cell}.", piece=piece_noun(game, letter), cell=cell)


def _last_move(referee: Referee) -> Sentences:
    line, game = referee.line, referee.game
    if not line.plies:
        return (sentence("No move has been made."),)
    ply, before = line.plies[-1], line.before(len(line.plies) - 1)
    if ply.move is None:
        return (sentence("{side:Nom}: {move}.", side=phrases.named(game, ply.side), move=ply.text),)
    said = phrases.ply_sentences(game, before, ply.move)
    if isinstance(game, Figures):
        taken = [step.cell for step in game.steps(before, ply.move) if step.kind == "remove"]
        pieces = [piece_noun(game, game.figures(before)[cell]) for cell in taken]
        said = (*said, *(sentence("Taken: {pieces:name}.", pieces=phrases.listed(pieces)) for _ in taken[:1]))
    return said if referee.awaiting != "carry_out" else (*said, referee.whose_turn())


def _whose_turn(referee: Referee) -> Sentences:
    if referee.outcome is not None:
        return phrases.result(referee.game, referee.outcome)
    paused = (sentence("The game is paused."),) if referee.paused else ()
    return (*paused, referee.whose_turn())


def _where(game: AnyGame, position: Any, name: str) -> Sentences:
    letter = pieces_called(game).get(name.strip().casefold())
    if letter is None:
        raise Refusal(sentence("I know no such piece: {text}.", text=name))
    by_figure = isinstance(game, Figures) and letter in game.kinds
    shown = figures_of(game, position) if by_figure else game.board(position)
    cells, noun = [game.cells[cell] for cell, here in enumerate(shown) if here == letter], piece_noun(game, letter)
    if not cells:
        return (sentence("None on the board: {piece:name}.", piece=noun),)
    if len(cells) == 1:
        return (_standing(game, letter, cells[0]),)
    return (sentence("{piece:Pl}: {cells}.", piece=noun, cells=phrases.listed(cells)),)


def _read(referee: Referee) -> Sentences:
    game, figures = referee.game, figures_of(referee.game, referee.position)
    own = Described.of(game).rows()
    rows = _numbered(game) if own is None else [("", row) for row in own]
    if not rows:
        return (*Described.of(game).ends(referee.position), *counted(game, referee.position), *_last_move(referee))
    read = [
        _row(game, number, figures, [cell for cell in row if figures[cell] != EMPTY])
        for number, row in rows
        if any(figures[cell] != EMPTY for cell in row)
    ]
    return tuple(read) or (sentence("The board is empty."),)


def _numbered(game: AnyGame) -> list[tuple[str, list[int]]]:
    """The rows of cells that have the same number in their names, in the order of `Game.cells`."""
    rows = dict[str, list[int]]()
    for cell, name in enumerate(game.cells):
        rows.setdefault("".join(re.findall(r"\d+", name)), []).append(cell)
    return list(rows.items())


def _row(game: AnyGame, number: str, figures: str, cells: Sequence[int]) -> Sentence:
    groups = (list(own) for _, own in itertools.groupby(cells, key=lambda cell: figures[cell]))
    what = phrases.listed([_group(game, figures[group[0]], group) for group in groups])
    return sentence("Row {row}: {what}.", row=number, what=what) if number else sentence("{what:Nom}.", what=what)


def _group(game: AnyGame, letter: str, cells: Sequence[int]) -> Sentence:
    what: dict[str, Given] = {"piece": piece_noun(game, letter), "cells": phrases.named_cells(game, cells)}
    return sentence_n("{piece:name} {cells}", "{piece:pl} {cells}", len(cells), **what)


def _moves_from(referee: Referee, name: str) -> Sentences:
    game, position = referee.game, referee.position
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over."))
    if isinstance(game, HiddenHands):
        raise Refusal(sentence("Hands are hidden, so I tell nobody's moves."))
    cell, side = cell_of(game, name), phrases.named(game, game.to_move(position))
    ways = [_way(game, position, move) for move in game.legal_moves(position)]
    if to := dict.fromkeys(game.cells[end] for origin, end in filter(None, ways) if origin == cell):
        what = listing(to, most=len(to), joint="or")
        return (sentence("From {cell}: to {cells}.", cell=game.cells[cell], cells=what),)
    if (None, cell) in ways:
        return (sentence("{side:Nom} can lay on {cell}.", side=side, cell=game.cells[cell]),)
    return (sentence("{side:Nom} has no move on {cell}.", side=side, cell=game.cells[cell]),)


def _way(game: AnyGame, position: Any, move: Any) -> tuple[int | None, int] | None:
    """Where a move's piece comes from, None if it is laid, and where it ends; None for a move without a piece."""
    pieces = by_piece(game.steps(position, move))
    went = next((piece for piece in pieces if piece[0].origin is not None), None)
    if went is not None:
        return went[0].origin, went[-1].cell
    return next(((None, piece[0].cell) for piece in pieces if piece[0].kind == "place"), None)


def _clocks(game: AnyGame, clock: GameClock | None) -> Sentences:
    left_s: Iterable[float] = () if clock is None or clock.left_s is None else clock.left_s
    if not left_s:
        raise Refusal(sentence("This game has no clock."))
    return tuple(_left(phrases.named(game, side), seconds) for side, seconds in enumerate(left_s))


def _left(side: Term, seconds: float) -> Sentence:
    if seconds <= 0:
        return sentence("{side:Gen}'s time is up.", side=side)
    return sentence("{side:Nom} has {time} left.", side=side, time=spoken_time(seconds))
