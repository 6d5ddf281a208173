"""The go kernel against the rules in Python, and as a player."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator

import pytest

pytest.importorskip("numba")
import games
from games.go import PASS, Go, Move, Position
from games.go.kernel import GoSearch, board
from games.go.kernel import memory as layout
from rules.turns import cells_of

NEVER = threading.Event()
RULES: list[dict[str, object]] = [
    {},
    {"superko": True},
    {"suicide": True},
    {"size": 13, "suicide": True, "scoring": "area"},
    {"size": 19},
]


def go(**rules: object) -> Go:
    game = games.load("go", rules)
    assert isinstance(game, Go)
    return game


def line(game: Go, seed: int, plies: int) -> Iterator[tuple[Position, Move]]:
    """A random game in which captures come often, and passes seldom, with the move made in each position."""
    draw, position = random.Random(seed), game.initial()
    for _ in range(plies):
        moves = game.legal_moves(position)
        taking = [move for move in moves if move.cell is not None and game.taken(position, move.cell)]
        move = draw.choice(taking if taking and draw.random() < 0.6 else moves)
        if move == PASS and position.passes:
            move = moves[0]
        if move == PASS and position.passes:
            return
        yield position, move
        position = game.apply(position, move)


def stones(search: GoSearch) -> tuple[int, int]:
    found = [0, 0]
    for cell in range(len(search.game.cells)):
        colour = int(search.memory[layout.COLOUR + search.point(cell)])
        if colour != layout.EMPTY:
            found[colour - 1] |= 1 << cell
    return found[0], found[1]


def check_chains(search: GoSearch, position: Position) -> None:
    """Every chain has the stones and the liberties that the rules see."""
    game, memory = search.game, search.memory
    for cell in cells_of(position.stones[0] | position.stones[1]):
        chain = game.geometry.chain(cell, position.stones)
        head = int(memory[layout.HEAD + search.point(cell)])
        assert memory[layout.STONES + head] == chain.stones.bit_count()
        beside = [
            search.point(one)
            for stone in cells_of(chain.stones)
            for one in cells_of(game.geometry.near_cell[stone] & chain.liberties)
        ]
        assert memory[layout.BREATH + head] == len(beside)
        assert board.in_atari(memory, head) == (chain.liberties.bit_count() == 1)
        if chain.liberties.bit_count() == 1:
            assert board.last_liberty(memory, head) == beside[0]


def is_eye(game: Go, position: Position, cell: int) -> bool:
    """Whether the mover's stones are all around, and the enemy holds fewer than two corners, at the edge none."""
    own, enemy = position.stones[position.side], position.stones[1 - position.side]
    corners, near = game.geometry.corners[cell], game.geometry.near_cell[cell]
    return not near & ~own and (corners & enemy).bit_count() + (near.bit_count() < 4) < 2


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_board_is_that_of_the_rules_after_every_move(rules: dict[str, object]) -> None:
    game = go(**rules)
    search, taken, kos = GoSearch(game, 1, 1), 0, 0
    for seed in range(4):
        search.place(game.initial())
        for position, move in line(game, seed, 260):
            memory, side = search.memory, position.side + 1
            assert (stones(search), int(memory[layout.SIDE])) == (position.stones, side)
            assert int(memory[layout.HASH]) == search.hash_of(position.stones)
            check_chains(search, position)
            empty = list(cells_of(game.empty(position)))
            assert sorted(
                search.move(int(point)).cell or 0
                for point in memory[layout.FREE : layout.FREE + memory[layout.EMPTIES]]
            ) == sorted(empty)
            if not game.rules.superko:
                may = {cell for cell in empty if board.may_lie(memory, search.point(cell), side)}
                assert may == set(cells_of(game.open(position)))
            for cell in empty:
                assert board.is_eye(memory, search.point(cell), side) == is_eye(game, position, cell)
            balance = sum(
                (1 - 2 * one) * (position.stones[one].bit_count() + position.prisoners[1 - one]) for one in (0, 1)
            )
            assert memory[layout.BALANCE] == balance
            taken += position.prisoners != game.apply(position, move).prisoners
            kos += position.ko is not None
            board.play(memory, layout.PASS if move.cell is None else search.point(move.cell))
    assert taken > 20 and (kos > 0 or game.rules.superko)
