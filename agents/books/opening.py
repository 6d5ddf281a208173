"""The opening book of a game under its rules, what it knows in a position, and how positions are named."""

from __future__ import annotations

import dataclasses
import hashlib
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agents import levels
from agents.books import BookError, book
from agents.books.book import Book, Entry
from agents.values import value_of
from rules import EMPTY, AnyGame, Arranged, Counts, GameError, figures_of
from rules.symmetry import symmetries
from rules.turns import line_of_play
from system import paths
from system.weights import MODELS, WeightsError, find_weights

EQUAL = 0.01
"""Shares of the point by which moves may differ and still be equally good."""

_log = logging.getLogger(__name__)
_books: dict[tuple[str, Any], OpeningBook | None] = {}


@dataclasses.dataclass(frozen=True)
class Known:
    move: Any
    score: int
    depth: int


class OpeningBook:
    def __init__(self, game: AnyGame, found: Book) -> None:
        """Raises BookError where the book is of another game or other rules."""
        if found.game != game.name or dict(found.rules) != rules_of(game):
            raise BookError(f"the book is of {found.game} under other rules: {dict(found.rules)}, not {rules_of(game)}")
        self.game, self.book = game, found
        self.keys = Keys(game)
        self._scale = levels.scale(game.name)

    def known(self, position: Any) -> list[Known]:
        """The moves that the book knows here, best first, with all that symmetry makes the same; empty outside it.

        Raises BookError where the book is wrong about its own position.
        """
        key = self.keys.key(position)
        entry = self.book.entries.get(key)
        if entry is None:
            return []
        there = self.position(key, entry)
        by_text = {self.game.format_move(there, move): move for move in self.game.legal_moves(there)}
        if unknown := [one.move for one in entry.moves if one.move not in by_text]:
            raise BookError(f"after {' '.join(entry.line) or 'the start'}, {unknown[0]!r} is not legal")
        worth = {by_text[one.move]: one for one in entry.moves}
        found = [
            Known(move, worth[other].score, worth[other].depth)
            for move, others in self.keys.counterparts(position, there).items()
            for other in others
            if other in worth
        ]
        return sorted({one.move: one for one in found}.values(), key=lambda one: -one.score)

    def good(self, position: Any) -> list[Known]:
        """The moves that are as good as the best one that the book knows here, best first; empty outside it."""
        found = self.known(position)
        return [one for one in found if self.chance(found[0].score) - self.chance(one.score) <= EQUAL]

    def chance(self, score: float) -> float:
        return value_of(self._scale, score).chance

    def position(self, key: str, entry: Entry) -> Any:
        """The position of an entry. Raises BookError where its moves do not lead to it."""
        for start in self.game.starts:
            try:
                position = line_of_play(self.game, list(entry.line), start)[-1]
            except GameError:
                continue
            if self.keys.key(position) == key:
                return position
        raise BookError(f"the moves {' '.join(entry.line)!r} do not lead to the position {key}")


def rules_of(game: AnyGame) -> dict[str, str]:
    return {name: str(value) for name, value in vars(game.rules).items()}


def name_of(game: AnyGame) -> str:
    """The name of a game's book under its rules: `reversi_book`, `nine_mens_morris_flying-true_book`."""
    usual = vars(type(game.rules)())
    words = [f"{name}-{value}" for name, value in vars(game.rules).items() if value != usual[name]]
    return re.sub(r"[^A-Za-z0-9_-]", "-", "_".join([game.name, *words, "book"]))


def own_folder() -> Path:
    """Folder of the books that were made on this computer, which come before those that Kibitzer brings."""
    return paths.state_folder() / "books"


def find(game: AnyGame) -> OpeningBook | None:
    """The book of a game under its rules; None where there is none. Raises BookError for a damaged one."""
    title = name_of(game)
    for folder in (own_folder(), MODELS):
        if (folder / f"{title}.jsonl").is_file():
            try:
                return OpeningBook(game, book.read(find_weights(title, folder).path))
            except WeightsError as error:
                raise BookError(str(error)) from None
    return None


def of(game: AnyGame) -> OpeningBook | None:
    """The same, looked for once in a process; a damaged book is named in the log, and none is used."""
    known = game.name, game.rules
    if known not in _books:
        try:
            _books[known] = find(game)
        except BookError as error:
            _log.warning("no opening book is used: %s", error)
            _books[known] = None
    return _books[known]


KEY_BYTES = 8


class Keys:
    def __init__(self, game: AnyGame) -> None:
        """Keeps the symmetries of the board that also change nothing about the start and the moves from it.

        Chess has none: its board may be turned, its game not.
        """
        self.game = game
        self._symmetries = tuple(
            turn for turn in symmetries(game) if all(self._is_same(start, start, turn) for start in game.starts)
        )

    def key(self, position: Any) -> str:
        """Sixteen hexadecimal digits for the pieces, the side to move, the pieces in hand and the rights."""
        game = self.game
        figures = figures_of(game, position)
        least = min(turned(figures, turn) for turn in self._symmetries)
        rights = sorted(right.code for right in Arranged.of(game).rights(position) if right.held)
        text = f"{game.to_move(position)} {least} {Counts.of(game).to_lay(position)} {rights}"
        return hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()

    def counterparts(self, position: Any, other: Any) -> dict[Any, list[Any]]:
        """The legal moves of a position, each with the moves of `other` that are the same one turned or mirrored.

        Empty where the positions differ by more than a symmetry, or allow other moves.
        """
        here, there = self._after(position), self._after(other)
        found: dict[Any, list[Any]] = {}
        for turn in self._symmetries:
            if turned(figures_of(self.game, other), turn) != figures_of(self.game, position):
                continue
            images = {turned(figures, turn): move for figures, move in there.items()}
            if images.keys() == here.keys():
                for figures, move in here.items():
                    found.setdefault(move, []).append(images[figures])
        return found

    def _is_same(self, position: Any, other: Any, turn: Sequence[int]) -> bool:
        """Whether one position is the other turned, and so is every position a move later."""
        if turned(figures_of(self.game, other), turn) != figures_of(self.game, position):
            return False
        return {turned(figures, turn) for figures in self._after(other)} == self._after(position).keys()

    def _after(self, position: Any) -> dict[str, Any]:
        """The legal moves by the pieces that stand after each."""
        game = self.game
        return {figures_of(game, game.apply(position, move)): move for move in game.legal_moves(position)}


def turned(figures: str, turn: Sequence[int]) -> str:
    letters = [EMPTY] * len(figures)
    for letter, image in zip(figures, turn, strict=True):
        letters[image] = letter
    return "".join(letters)
