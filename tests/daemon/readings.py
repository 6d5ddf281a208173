"""Board readings made from board strings, so that a test can write a match as a list."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from daemon.game.effects import Announcement, Effect, Record
from daemon.judging.referee import Referee
from lab.bench.readings import judged, look_at, reading_of
from rules import EMPTY, AnyGame, Figures
from rules.turns import line_of_play
from vision.reading.board_reading import BoardReading, SeenFigures

__all__ = ["board_with", "judged", "look_at", "reading_of"]


def board_with(game: AnyGame, **men: str) -> str:
    """A board with the named cells filled, as in `board_with(game, W="a1 d1", B="g7")`."""
    cells = ["."] * len(game.cells)
    for letter, names in men.items():
        for name in names.split():
            cells[game.cells.index(name)] = letter
    return "".join(cells)


def with_figures(
    game: AnyGame, reading: BoardReading, figures: str, doubts: Mapping[str, Mapping[str, float]] | None = None
) -> BoardReading:
    """The reading with these figures seen, each at .99; `doubts` maps a cell's name to other letters' probabilities."""
    letters = EMPTY + Figures.of(game).kinds
    table = np.full((len(figures), len(letters)), 0.01 / (len(letters) - 1))
    table[np.arange(len(figures)), [letters.index(letter) for letter in figures]] = 0.99
    for name, others in (doubts or {}).items():
        cell = game.cells.index(name)
        table[cell] = 1e-6
        for letter, probability in others.items():
            table[cell, letters.index(letter)] = probability
        table[cell] /= table[cell].sum()
    return dataclasses.replace(reading, figures=SeenFigures(np.log(table), letters, np.zeros(len(figures))))


def after(
    game: AnyGame, texts: Sequence[str], agents: tuple[str | None, str | None] = (None, None), start: Any = None
) -> Referee:
    """A referee that believes these moves and has seen nothing."""
    return Referee(game, agents, line_of_play(game, texts, start), texts)


def see(referee: Referee, board: str, **doubts: tuple[str, float]) -> list[Effect]:
    return judged(referee, reading_of(referee.game, board, doubts=doubts))


def announced(effects: Iterable[Effect]) -> list[Announcement]:
    return [one for one in effects if isinstance(one, Announcement)]


def codes(effects: Iterable[Effect]) -> list[str]:
    return [one.code for one in announced(effects)]


def moves(effects: Iterable[Effect]) -> list[str]:
    """The moves that are recorded."""
    return [one.move for one in effects if isinstance(one, Record)]
