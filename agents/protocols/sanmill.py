"""Sanmill's notation for morris: its own FEN, and removals as separate moves."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from games.nine_mens_morris import CELLS, Move, NineMensMorris, Position
from rules import MoveError, PositionError, Side

RINGS = (
    "d5 e5 e4 e3 d3 c3 c4 c5".split(),
    "d6 f6 f4 f2 d2 b2 b4 b6".split(),
    "d7 g7 g4 g1 d1 a1 a4 a7".split(),
)
"""Order of the letters in a FEN: each ring clockwise from the middle of its upper side, the inner ring first."""
ORDER = tuple(CELLS.index(name) for ring in RINGS for name in ring)
MEN = "O@"
"""Letters of white's and black's men; empty points are `*`."""


@dataclasses.dataclass(frozen=True)
class Standing:
    """A position, possibly in the middle of a turn."""

    position: Position
    """Position before the unfinished turn."""
    journey: Move | None = None
    """The man laid or moved to close a mill, while its removal is pending; else None."""

    def removals(self, game: NineMensMorris) -> list[Move]:
        if self.journey is None:
            return []
        begun = self.journey[:2]
        return [move for move in game.legal_moves(self.position) if move[:2] == begun]


def tokens(text: str) -> list[str]:
    """A turn as Sanmill's moves: `a1-a4xg7` becomes `a1-a4` and `xg7`."""
    journey, cross, removed = text.partition("x")
    return [journey, cross + removed] if cross else [journey]


def read(game: NineMensMorris, words: Sequence[str]) -> Standing:
    """The state for `startpos`, or `fen` and its fields, with the following `moves`. Raises GameError."""
    at = list(words).index("moves") if "moves" in words else len(words)
    match list(words[:at]):
        case ["startpos"]:
            standing = Standing(game.initial())
        case ["fen", *fields]:
            standing = from_fen(game, fields)
        case _:
            raise PositionError(f"a position begins with startpos or fen, not {' '.join(words)[:60]!r}")
    for word in words[at + 1 :]:
        standing = play(game, standing, word)
    return standing


def play(game: NineMensMorris, standing: Standing, word: str) -> Standing:
    position, text = standing.position, word.lower()
    if standing.journey is not None:
        if not text.startswith("x"):
            raise MoveError("must_remove", f"{word[:20]!r}: a mill is closed, a man must be taken first, as in xd2")
        whole = game.format_move(position, standing.journey) + text
        return Standing(game.apply(position, game.parse_move(position, whole)))
    if text.startswith("x"):
        raise MoveError("nothing_to_remove", f"{word[:20]!r}: no mill was just closed")
    try:
        return Standing(game.apply(position, game.parse_move(position, text)))
    except MoveError as error:
        if error.rule != "must_remove":
            raise
    origin, _, to = text.rpartition("-")
    return Standing(position, Move(CELLS.index(to), CELLS.index(origin) if origin else None))


def from_fen(game: NineMensMorris, fields: Sequence[str]) -> Standing:
    """The position of a FEN without history. Raises PositionError.

    Fields: men by RINGS, side (w, b), phase, action (p, s, r), men of white on the board and in hand, the same of
    black, and others, which are ignored. Action `r` does not say which mill was closed: any man in one of the mover's
    mills that can have closed it is taken for the last one moved.
    """
    letters = fields[0].replace("/", "") if fields else ""
    if len(fields) < 8 or len(letters) != 24 or set(letters) - {*MEN, "*"} or fields[1] not in ("w", "b"):
        raise PositionError(
            f"{' '.join(fields)[:80]!r} is no position of morris: 24 of O @ * in three rows, w or b, ..."
        )
    white, black = (sum(1 << cell for cell, letter in zip(ORDER, letters, strict=True) if letter == man) for man in MEN)
    side, counts = "wb".index(fields[1]), fields[4:8]
    if not all(
        count.isascii() and count.isdigit() and len(count) < 4 and int(count) <= game.rules.men for count in counts
    ):
        raise PositionError(f"{' '.join(counts)!r} are no counts of men, of which each side has {game.rules.men}")
    on_board, hands = (int(counts[0]), int(counts[2])), (int(counts[1]), int(counts[3]))
    if on_board != (white.bit_count(), black.bit_count()):
        raise PositionError(f"{' '.join(counts)!r}: {letters} shows other numbers of men")
    if max(count + hand for count, hand in zip(on_board, hands, strict=True)) > game.rules.men:
        raise PositionError(f"{' '.join(counts)!r}: each side has {game.rules.men} men")
    position = Position((white, black), hands, side)
    return _in_the_middle(game, position) if fields[3] == "r" else Standing(position)


def _in_the_middle(game: NineMensMorris, position: Position) -> Standing:
    """The state before the removal: takes back the laying of a man in a mill, or its step from a neighbouring point."""
    men, hands, side = position.men, position.hands, position.side
    mine, free = men[side], ~(men[0] | men[1])
    in_mills = [cell for cell in ORDER if any(mill & mine == mill and mill >> cell & 1 for mill in game.mills)]
    if not in_mills:
        raise PositionError("the FEN asks for a removal, but the mover has closed no mill")
    moved = [(cell, origin) for cell in in_mills for origin in ORDER if free & game.neighbours[cell] >> origin & 1]
    if any(hands) or not moved:
        cell = in_mills[0]
        before = Position(_one_side(men, side, mine & ~(1 << cell)), _one_side(hands, side, hands[side] + 1), side)
        return Standing(before, Move(cell))
    cell, origin = moved[0]
    before = Position(_one_side(men, side, mine & ~(1 << cell) | 1 << origin), hands, side)
    return Standing(before, Move(cell, origin))


def _one_side(pair: tuple[int, int], side: Side, value: int) -> tuple[int, int]:
    return (value, pair[1]) if side == 0 else (pair[0], value)


def to_fen(game: NineMensMorris, position: Position) -> str:
    board = game.board(position)
    letters = "".join({"W": MEN[0], "B": MEN[1]}.get(board[cell], "*") for cell in ORDER)
    rows = "/".join(letters[at : at + 8] for at in (0, 8, 16))
    laying = position.hands[position.side] > 0
    counts = " ".join(f"{position.men[side].bit_count()} {position.hands[side]}" for side in (0, 1))
    phase = "p p" if laying else "m s"
    return f"{rows} {'wb'[position.side]} {phase} {counts} 0 0 0 0 0 0 0 {position.quiet} 1"


def options(game: NineMensMorris) -> dict[str, str]:
    """The options of Sanmill that tell it the rules that differ from its own."""
    return {"MayFly": str(game.rules.flying).lower()}
