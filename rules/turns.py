"""How a turn looks on the board: after every step, half done, and in any order that hands choose."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from rules import EMPTY, AnyGame, MoveError, Step, Words
from wording import sentence


def carry_out(board: str, steps: Sequence[Step]) -> str:
    cells = list(board)
    for step in steps:
        if step.origin is not None:
            cells[step.origin] = EMPTY
        cells[step.cell] = step.piece
    return "".join(cells)


def letters_after(steps: Sequence[Step]) -> dict[int, str]:
    """What the steps leave on each cell that they touch."""
    after: dict[int, str] = {}
    for step in steps:
        if step.origin is not None:
            after[step.origin] = EMPTY
        after[step.cell] = step.piece
    return after


def changed_cells(before: str, after: str) -> tuple[int, ...]:
    """Indices of the cells that differ between two boards, ascending."""
    return tuple(cell for cell, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1])


def turned_boards(board: str) -> Iterator[tuple[int, str]]:
    """A board, row by row, turned by two, one and three quarters; only by two where its cells form no square."""
    side = math.isqrt(len(board))
    yield 2, board[::-1]
    if side * side == len(board):
        columns = [board[column::side] for column in range(side)]
        yield 1, "".join(reversed(columns))
        yield 3, "".join(column[::-1] for column in columns)


def cells_of(bits: int) -> Iterator[int]:
    """The cells of a bit set, ascending."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def bits_of(board: str, letters: Sequence[str]) -> tuple[int, int]:
    """The cells that show each of two letters, as bit sets."""
    one, other = (sum(1 << cell for cell, here in enumerate(board) if here == letter) for letter in letters)
    return one, other


def letters_of(sets: tuple[int, int], letters: Sequence[str], cells: int) -> str:
    """The board of so many cells that shows each of two letters on a bit set of cells, EMPTY on the others."""
    board = [EMPTY] * cells
    for bits, letter in zip(sets, letters, strict=True):
        for cell in cells_of(bits):
            board[cell] = letter
    return "".join(board)


def boards_of_turn(game: AnyGame, position: Any, move: Any) -> tuple[str, ...]:
    """The board after each step of a move; the last is the board after the turn, the others are unfinished."""
    steps = game.steps(position, move)
    board = game.board(position)
    return tuple(carry_out(board, steps[:done]) for done in range(1, len(steps) + 1))


def begins_turn(game: AnyGame, position: Any, board: str) -> bool:
    """Whether the board shows a legal move carried out, wholly or in part."""
    before = game.board(position)
    changed = set(changed_cells(before, board))
    for move in game.legal_moves(position):
        steps = game.steps(position, move)
        if not changed <= {cell for step in steps for cell in (step.cell, step.origin)}:
            continue
        if board in boards_of_turn(game, position, move) or _is_done_in_another_order(before, steps, board):
            return True
        if game.about.any_order and any(carry_out(before, done) == board for done, _ in parts_of_turn(game, steps)):
            return True
    return False


def seen_moves(game: AnyGame, position: Any) -> list[tuple[Any, tuple[Step, ...]]]:
    """The legal moves, each with its steps; of moves that lead to the same board by `choice`, only the first."""
    found, known, words = [], set[str](), Words.of(game)
    for move in game.legal_moves(position):
        steps = game.steps(position, move)
        if words.choice(position, move) is not None:
            after = carry_out(game.board(position), steps)
            if after in known:
                continue
            known.add(after)
        found.append((move, steps))
    return found


def alike(game: AnyGame, position: Any, move: Any) -> list[Any]:
    """The other legal moves that lead to the same board by another `choice`, in their order."""
    words = Words.of(game)
    if words.choice(position, move) is None:
        return []
    board = game.board(position)
    after = carry_out(board, game.steps(position, move))
    return [
        other
        for other in game.legal_moves(position)
        if other != move
        and words.choice(position, other) is not None
        and carry_out(board, game.steps(position, other)) == after
    ]


def parts_of_turn(game: AnyGame, steps: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], tuple[Step, ...]]]:
    """The ways in which a turn may be half done, as steps done and missing; a lifted piece counts as removed.

    Steps that only place may be seen in any order: they are one piece, or one grip.
    """
    if game.about.any_order:
        yield from _parts_in_any_order(steps)
        return
    if steps[0].origin is not None:
        yield (Step("remove", steps[0].origin, piece=EMPTY),), steps
    for done in range(1, len(steps)):
        yield steps[:done], steps[done:]
    if len(steps) > 1 and all(step.kind == "place" for step in steps):
        for done in range(1, len(steps)):
            yield steps[done:], steps[:done]


def by_piece(steps: Sequence[Step]) -> list[tuple[Step, ...]]:
    """The steps of a turn, together those of a piece that goes on and on, such as a man that jumps thrice."""
    found: list[tuple[Step, ...]] = []
    for step in steps:
        goes_on = found and step.origin is not None and found[-1][-1].cell == step.origin
        found[-1:] = [(*found[-1], step)] if goes_on else [*found[-1:], (step,)]
    return found


MAX_PARTS = 5000
"""Most ways in which a turn is looked for half done; a man that takes eight others has fewer."""


def _parts_in_any_order(steps: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], tuple[Step, ...]]]:
    """Every step done or not, moved pieces also lifted or on their way; missing steps of lifted pieces come first."""
    pieces = by_piece(steps)
    ways = [range(0 if piece[0].origin is None else -1, len(piece) + 1) for piece in pieces]
    for chosen in itertools.islice(itertools.product(*ways), MAX_PARTS):
        now = list(zip(pieces, chosen, strict=True))  # steps done of each piece; -1 is lifted
        if not any(chosen) or all(done == len(piece) for piece, done in now):
            continue
        left = {piece[0].cell for piece, done in now if not done and piece[0].kind == "remove"}
        left |= {piece[0].origin for piece, done in now if not done and piece[0].origin is not None}
        if any(piece[done - 1].cell in left for piece, done in now if done > 0):
            continue  # no piece stands on another
        up = [piece for piece, done in now if done < 0]
        lifted = [Step("remove", piece[0].origin, piece=EMPTY) for piece in up if piece[0].origin is not None]
        done_steps = (step for piece, done in now for step in piece[: max(0, done)])
        missing = sorted(now, key=lambda one: one[1] >= 0)
        yield (*lifted, *done_steps), tuple(step for piece, done in missing for step in piece[max(0, done) :])


def in_any_order(steps: Sequence[Step]) -> bool:
    """Whether all steps after the first only remove or turn pieces, so that the hand may choose their order."""
    return len(steps) > 2 and all(step.kind in ("remove", "flip") for step in steps[1:])


def _is_done_in_another_order(before: str, steps: Sequence[Step], board: str) -> bool:
    if not in_any_order(steps):
        return False
    done = [step for step in steps[1:] if board[step.cell] == step.piece]
    return board == carry_out(before, [steps[0], *done])


def example_of(game: AnyGame, rule: int) -> tuple[Any, Any]:
    """The position and the move in it that show a rule of `About.in_short`, by its index."""
    *before, text = game.about.examples[rule].split()
    position = line_of_play(game, before)[-1]
    return position, game.parse_move(position, text)


def line_of_play(game: AnyGame, texts: Sequence[str], start: Any = None) -> list[Any]:
    """The positions of a game given as move texts, the start first. Raises MoveError naming the ply."""
    positions = [game.initial() if start is None else start]
    for ply, text in enumerate(texts, 1):
        try:
            positions.append(game.apply(positions[-1], game.parse_move(positions[-1], text)))
        except MoveError as error:
            why = error.said or str(error)
            raise MoveError(
                error.rule, sentence("ply {ply}, {move}: {why}", ply=ply, move=repr(text), why=why)
            ) from None
    return positions
