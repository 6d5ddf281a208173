"""The go kernel against the rules in Python, and as a player."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("numba")
import games
from agents import kernels
from agents.agent import Limits
from agents.registry import load_agent
from games.go import PASS, Go, Move, Position
from games.go.kernel import GoSearch, board, playout
from games.go.kernel import memory as layout
from games.go.kernel.patterns import table
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


def code_of(rows: str, colour: int) -> bool:
    """Whether a stone of a colour in the middle of nine points, written with X black and O white, makes good shape."""
    signs = rows.replace(" ", "")
    code = sum({".": 0, "X": 1, "O": 2, "#": 3}[sign] << 2 * place for place, sign in enumerate(signs[:4] + signs[5:]))
    return bool(int(table()[1024 * (colour - 1) + (code >> 6)]) >> (code & 63) & 1)


def test_good_shape_is_seen_turned_and_by_both_colours() -> None:
    for rows in ("XO. .*. ...", "..X .*O ...", "... .*. .OX"):
        assert code_of(rows, 1)
        assert code_of(rows.translate(str.maketrans("XO", "OX")), 2)
    assert code_of("XO. O*. ...", 1)
    for rows in ("... .*. ...", "XXX X*X XXX", "... .*. ###"):
        assert not code_of(rows, 1) and not code_of(rows, 2)


@pytest.mark.parametrize("size", [9, 19])
def test_a_playout_ends_where_nothing_but_eyes_is_left(size: int) -> None:
    game = go(size=size)
    search = GoSearch(game, 1, 5)
    for _ in range(20):
        search.place(game.initial())
        length = playout.finish(search.memory, 0)
        position = Position(stones(search), 0)
        assert not game.geometry.breathless(position.stones)
        check_chains(search, position)
        assert length < 3 * size**2 and search.memory[layout.PASSES] == 2
        assert game.empty(position).bit_count() < size**2 // 3
        for colour in (1, 2):
            for cell in cells_of(game.empty(position)):
                ko = search.point(cell) == search.memory[layout.KO]
                assert ko or not playout.is_sensible(search.memory, search.point(cell), colour)


def position_of(game: Go, rows: str, side: str, rest: str = "- 0,0 0") -> Position:
    return game.parse_position(f"{rows.replace(' ', '/')} {side} {rest}")


def asked(game: Go, position: Position, nodes: int = 2000, **options: object) -> str:
    player = load_agent("mcts", game, {"seed": 1, **options})
    return game.format_move(position, player.choose(position, Limits(nodes=nodes), NEVER).move)


OPEN = "......... ......... ..XXX.... .XOOOX... ..XOOX... ...X..... ..O...O.. ......... ........."
SETTLED = " ".join(9 * [".XXXOOOO."])


def test_it_takes_five_stones_and_saves_them() -> None:
    game = go()
    assert asked(game, position_of(game, OPEN, "b")) == asked(game, position_of(game, OPEN, "w")) == "E4"


def test_it_passes_once_nothing_is_left_to_gain_and_not_before() -> None:
    for side, komi in (("b", "-0.5"), ("w", "0.5"), ("w", "-4.5")):
        game = go(komi=komi)
        for rest in ("- 0,0 0", "- 0,0 1"):
            assert asked(game, position_of(game, SETTLED, side, rest)) == "pass"
    for rest in ("- 0,0 0", "- 0,0 1"):
        assert asked(game, position_of(game, OPEN, "b", rest)) != "pass"


@pytest.mark.parametrize("rules", RULES[:3], ids=str)
def test_no_rule_is_broken_in_positions_full_of_captures(rules: dict[str, object]) -> None:
    game = go(**rules)
    player = load_agent("mcts", game, {"seed": 1})
    for position, _ in line(game, 9, 200):
        assert player.choose(position, Limits(nodes=40), NEVER).move in game.legal_moves(position)


def test_the_score_is_that_of_the_side_to_move_and_the_root_is_told() -> None:
    game = go(komi="40.5")
    player: Any = load_agent("mcts", game, {"seed": 1})
    black = player.choose(game.initial(), Limits(nodes=500), NEVER)
    assert black.score < -0.3 and player.standing[0] < -0.3 and player.standing[1] == black.nodes == 500
    white = player.choose(game.apply(game.initial(), black.move), Limits(nodes=500), NEVER)
    assert white.score > 0.3 and player.standing[0] > 0.3


def test_the_same_seed_plays_the_same_and_others_differ() -> None:
    game = go()
    assert len({asked(game, game.initial(), nodes=60, seed=3) for _ in range(2)}) == 1
    assert len({asked(game, game.initial(), nodes=60, seed=seed) for seed in range(1, 9)}) > 1


def test_options_of_the_plain_search_ask_for_it() -> None:
    game = go()
    for options, compiled in (({}, True), ({"simulations": 5}, True), ({"child": "robust"}, False)):
        player: Any = load_agent("mcts", game, options)
        player.choose(game.initial(), Limits(nodes=3), NEVER)
        assert (player._compiled is not None, player._root is None) == (compiled, compiled)


def test_it_beats_the_plain_search_with_as_many_playouts() -> None:
    game = go(scoring="area")
    for mine in (0, 1):
        players = [load_agent("mcts", game, {"seed": 7}), load_agent("mcts", game, {"seed": 7, "child": "robust"})]
        position = game.initial()
        while (outcome := game.outcome(position)) is None:
            player = players[0 if position.side == mine else 1]
            position = game.apply(position, player.choose(position, Limits(nodes=100), NEVER).move)
        assert outcome.winner == mine


def test_no_other_search_is_compiled_for_go() -> None:
    game = go()
    assert kernels.by_playouts(game) and not kernels.supports(game)
    assert kernels.search(game, 1, 0) is None and kernels.perft(game, game.initial(), 1) is None
    assert kernels.playouts(games.load("reversi"), 1, 0) is None
