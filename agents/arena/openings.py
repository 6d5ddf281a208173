"""Openings, drawn at random or read from a file; each is played twice with the sides exchanged."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import games
from rules import AnyGame, GameError
from rules.turns import line_of_play
from system.named_files import read_text

MAX_BYTES = 16 << 20

TRIES = 50
"""Draws of an opening before a duplicate is accepted."""


class OpeningError(ValueError):
    pass


@dataclasses.dataclass(frozen=True)
class Opening:
    deal: int | None
    moves: tuple[str, ...]

    def position(self, game: AnyGame) -> Any:
        return line_of_play(game, list(self.moves), game.initial(self.deal))[-1]


def is_dealt(game: AnyGame) -> bool:
    return game.initial(1) not in game.starts


def drawn(game: AnyGame, plies: int, seed: int, count: int) -> tuple[Opening, ...]:
    """That many openings of random legal moves: none ends the game, and their positions differ if possible.

    The first openings are the same whatever their number. In dealt games every opening has its own deal.
    """
    return tuple(itertools.islice(_stream(game, plies, seed), count))


def _stream(game: AnyGame, plies: int, seed: int) -> Iterator[Opening]:
    dealt, seen = is_dealt(game), set()
    for number in itertools.count():
        draw = random.Random(f"opening {seed} {number}")  # a text seeds alike on every machine
        found = None
        for _ in range(TRIES):
            opening, key = _draw(game, plies, draw, dealt)
            found = found if key is None else (opening, key)
            if key is not None and key not in seen:
                break
        if found is None:
            raise OpeningError(f"no opening of {plies} plies leaves {game.title} undecided")
        seen.add(found[1])
        yield found[0]


def _draw(game: AnyGame, plies: int, draw: random.Random, dealt: bool) -> tuple[Opening, Any]:
    """An opening and a key that identifies its position; None as the key if the game is over."""
    deal = draw.randrange(1, 2**31) if dealt else None
    position, moves = game.initial(deal), []
    for _ in range(plies):
        legal = game.legal_moves(position)
        if not legal:
            break
        move = draw.choice(list(legal))
        moves.append(game.format_move(position, move))
        position = game.apply(position, move)
    opening = Opening(deal, tuple(moves))
    return opening, None if game.outcome(position) else (deal, game.format_position(position))


def read(game: AnyGame, path: Path, seed: int, count: int) -> tuple[Opening, ...]:
    """The openings of a file, one line of move texts each, repeated from the first if there are too few.

    Blank lines and text after `#` are skipped. Raises OpeningError naming the line.
    """
    try:
        lines = read_text(path, MAX_BYTES).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OpeningError(f"{path} cannot be read: {error}") from None
    draw, found = random.Random(f"deal {seed}"), []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        opening = Opening(draw.randrange(1, 2**31) if is_dealt(game) else None, tuple(words))
        try:
            over = game.outcome(opening.position(game))
        except GameError as error:
            raise OpeningError(f"{path}, line {number}: {error}") from None
        if over is not None:
            raise OpeningError(f"{path}, line {number}: the game is over after the opening: {over.reason}")
        found.append(opening)
    if not found:
        raise OpeningError(f"{path} has no opening")
    return tuple(found[index % len(found)] for index in range(count))


@functools.cache
def default_plies(game_name: str) -> int:
    """Default number of random plies: none if a deal already makes the games different."""
    return 0 if is_dealt(games.load(game_name)) else 4
