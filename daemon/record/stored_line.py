"""A recorded game as a line of play and as a score sheet; corrects a mover afterwards."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import games
from daemon.game.effects import Announcement, Rewrite
from daemon.game.line_of_play import LineOfPlay, Ply
from daemon.judging import corrections
from daemon.judging.referee import Referee
from daemon.record.journal import Journal
from daemon.record.stored_game import StoredGame, StoredPly
from daemon.words.translation import in_words
from rules import AnyGame, Counts, Gain, GameError
from rules.turns import line_of_play
from wording import Sentence


def history_of(game: AnyGame, stored: StoredGame) -> list[Any]:
    """The positions of a recorded game, from the start whose side made the first ply. Raises GameError."""
    start = game.parse_position(stored.start) if stored.start else game.initial()
    if stored.plies and not stored.start:
        start = next((one for one in game.starts if game.to_move(one) == stored.plies[0].side), start)
    return line_of_play(game, stored.moves, start)


def repaired(game: AnyGame, stored: StoredGame) -> StoredGame:
    """The game as far as it is certain what was played; the same if nothing is damaged.

    A ply is certain if two of its recorded move, board and position are those of one legal move.
    """
    best: tuple[StoredPly, ...] = ()
    for start in _starts(game, stored):
        best = max(best, tuple(_certain(game, stored, start)), key=len)
        if len(best) == len(stored.plies):
            break
    return dataclasses.replace(stored, plies=best)


def _starts(game: AnyGame, stored: StoredGame) -> Sequence[Any]:
    if not stored.start:
        return [game.initial(), *game.starts]
    try:
        return [game.parse_position(stored.start)]
    except GameError:
        return []


def _certain(game: AnyGame, stored: StoredGame, position: Any) -> Iterator[StoredPly]:
    """The plies that are certain from a start on, each as its move makes it."""
    for ply in stored.plies:
        if (move := _certain_move(game, position, ply)) is None:
            return
        side, after = game.to_move(position), game.apply(position, move)
        text = ply.move if move == _parsed(game, position, ply) else game.format_move(position, move)
        written = ply.position if _is_position(game, after, ply) else game.format_position(after)
        yield dataclasses.replace(ply, move=text, side=side, position=written, board=game.board(after))
        position = after


def _certain_move(game: AnyGame, before: Any, ply: StoredPly) -> Any:
    """The legal move of which two of three are recorded; None if there is none."""
    written = _parsed(game, before, ply)
    others = (move for move in game.legal_moves(before) if move != written)
    for move in others if written is None else itertools.chain([written], others):
        after = game.apply(before, move)
        if (move == written) + (game.board(after) == ply.board) + _is_position(game, after, ply) >= 2:
            return move
    return None


def _parsed(game: AnyGame, before: Any, ply: StoredPly) -> Any:
    try:
        return game.parse_move(before, ply.move)
    except GameError:
        return None


def _is_position(game: AnyGame, position: Any, ply: StoredPly) -> bool:
    """Whether a ply names a position; an earlier version may have written it in another way."""
    text = game.format_position(position)
    try:
        return text == ply.position or text == game.format_position(game.parse_position(ply.position))
    except GameError:
        return False


def line_of(game: AnyGame, stored: StoredGame) -> LineOfPlay:
    """The line of a recorded game, with the moves after its end that no longer count. Raises GameError."""
    line = LineOfPlay.of(game, history_of(game, stored), stored.moves, stored.known, stored.assumed)
    line.beyond = tuple(Ply(None, None, side, True, known, text=text) for text, side, known in stored.beyond)
    return line


def correct_mover(journal: Journal, stored: StoredGame, side: str, number: int) -> str:
    """Records that move `number` was made by that side, and returns what follows from it.

    Raises Refusal if that is impossible, GameError if the game cannot be read, and JournalError.
    """
    game = games.load(stored.game, stored.rules)
    referee = Referee(game)
    referee.line = line_of(game, stored)
    effects = corrections.set_mover(referee, side, number)
    told: list[Sentence] = []
    for effect in effects:
        if isinstance(effect, Rewrite):
            journal.rewrite(stored.game_id, effect)
        elif isinstance(effect, Announcement):
            journal.note(stored.game_id, effect.code, in_words(*effect.said))
            told += effect.said
    return in_words(*told)


@dataclasses.dataclass(frozen=True)
class Row:
    number: int | None
    side: str
    move: str
    gains: tuple[Gain, Gain]
    scores: tuple[int, int]
    known: str
    """How it is known who made it; empty if the turn order was assumed."""

    def text(self, width: int) -> str:
        """The row as text, with the side's name padded to `width`."""
        number = "" if self.number is None else self.number
        brought = f"+{self.gains[0].total} +{self.gains[1].total}"
        scores = f"{self.scores[0]:>5}{self.scores[1]:>5}"
        return f"{number:>3}  {self.side:<{width}}  {self.move:<12}{brought:>9}{scores}  {self.known}".rstrip()


def score_sheet(stored: StoredGame) -> list[Row]:
    """A row for every ply; empty if the game counts no points or can no longer be read."""
    try:
        game = games.load(stored.game, stored.rules)
        return rows_of(line_of(game, stored))
    except GameError:
        return []


def rows_of(line: LineOfPlay) -> list[Row]:
    """A row for every ply of a line; empty if the game counts no points."""
    game, rows = line.game, []
    numbers = {index: number for number, index in enumerate(line.seen, 1)}
    for index, ply in enumerate(line.plies):
        gains, scores = (
            Counts.of(game).gains(line.positions[index], ply.move),
            Counts.of(game).scores(line.positions[index + 1]),
        )
        if gains is not None and scores is not None:
            rows.append(Row(numbers.get(index), game.sides[ply.side], ply.text, gains, scores, ply.known))
    return rows
