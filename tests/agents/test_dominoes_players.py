"""Greedy and expectimax: how they count, that they use only what a player can see, and that they play well."""

from __future__ import annotations

import dataclasses
import itertools
import random
import threading
from collections import Counter

import pytest

from agents import heuristics
from agents.agent import Limits
from agents.open_places import NOWHERE, OpenPlaces, difference, expected_best, unseen, worths
from agents.players import Player, parse
from agents.registry import load_agent
from games.double_double_dominoes import DIAMONDS, TILES, DoubleDoubleDominoes, Lay, Position
from games.double_double_dominoes.board import EACH, breach, slots
from games.double_double_dominoes.position import LAST_SPACE
from tests.agents.random_games import positions

NEVER = threading.Event()
GAME = DoubleDoubleDominoes()


def most_diamonds(board: str) -> list[int]:
    """The same as `OpenPlaces.diamonds`, but each tile is tried in each place by the rules."""
    found = [NOWHERE] * len(TILES)
    for cells, _, _ in slots(board, None):
        for index, (a, b) in enumerate(TILES):
            if any(breach(board, Lay(cells, pips)) is None for pips in ((a, b), (b, a))):
                found[index] = max(found[index], DIAMONDS[cells[0]] + DIAMONDS[cells[1]])
    return found


def test_the_outlook_after_a_lay_is_that_of_the_board_after_it() -> None:
    draw = random.Random(2)
    for position in [GAME.initial(seed=1), *positions(GAME, 4, 12)]:
        outlook = OpenPlaces(position.board)
        assert outlook.diamonds() == most_diamonds(position.board)
        lays = [move for move in GAME.legal_moves(position) if isinstance(move, Lay)]
        for lay in draw.sample(lays, min(3, len(lays))):
            assert outlook.diamonds(lay) == most_diamonds(GAME.apply(position, lay).board), lay.text


def test_the_mean_of_the_best_tile_drawn_is_exact() -> None:
    draw = random.Random(3)
    for _ in range(20):
        worth = [draw.choice([None, -3.0, 0.0, 2.0, 5.0, 8.0]) for _ in range(5)]
        counts = [draw.randrange(3) for _ in range(5)]
        bag = [value for value, count in zip(worth, counts, strict=True) for _ in range(count)]
        for draws, floor in itertools.product(range(4), (0.0, 3.0)):
            hands = list(itertools.combinations(bag, min(draws, len(bag))))
            bests = [max([floor, *(value for value in hand if value is not None)]) for hand in hands]
            assert expected_best(worth, counts, draws, floor) == pytest.approx(sum(bests) / len(bests))


def test_the_bonus_counts_for_both_pawns_and_doubles_twice() -> None:
    diamonds = [NOWHERE] * len(TILES)
    for tile, points in (((1, 2), 4), ((2, 2), 3), ((0, 5), 2)):
        diamonds[TILES.index(tile)] = points
    worth = worths(diamonds, 1, 2)  # the pawns are on spaces with the values 1 and 2
    assert worth[TILES.index((1, 2))] == 4 + 3 - 3
    assert worth[TILES.index((2, 2))] == 6 - 3
    assert worth[TILES.index((0, 5))] == 2
    assert worth[TILES.index((6, 6))] is None


def test_no_pawn_goes_beyond_the_last_space_and_reaching_it_is_worth_more_than_points() -> None:
    assert difference(10, 7, 20, 3) == 4
    assert difference(95, 9, 20, 0) > 30
    assert difference(20, 9, 98, 3) < -20
    assert difference(LAST_SPACE - 5, 5, 50, 0) == difference(LAST_SPACE - 5, 9, 50, 0)


def test_unseen_tiles_are_those_neither_laid_nor_held() -> None:
    for position in positions(GAME, 9, 8):
        side = position.to_move
        seen = Counter(lay.tile for lay in position.tiles) + Counter(position.hands[side] or ())
        assert unseen(position, side) == [EACH - seen[tile] for tile in TILES]


def test_greedy_takes_the_most_points_of_its_hand() -> None:
    player = load_agent("greedy", GAME)
    for position in positions(GAME, 5, 20):
        answer = player.choose(position, Limits(), NEVER)
        lays = [move for move in GAME.legal_moves(position) if isinstance(move, Lay)]
        if not lays:
            assert GAME.format_move(position, answer.move).startswith("pass")
            continue
        points = [GAME.gains(position, lay)[position.to_move].total for lay in lays]
        assert answer.score == max(points)
        assert GAME.gains(position, answer.move)[position.to_move].total == max(points)


@pytest.mark.parametrize("agent", ["greedy", "expectimax", "expectimax:plies=2", "expectimax:plies=1"])
def test_they_see_no_more_than_a_player_does(agent: str) -> None:
    for position in positions(GAME, 6, 10):
        hidden = GAME.view(position, position.to_move)
        player = Player(parse(agent), GAME)
        assert player.choose(position).move == player.choose(hidden).move
        other = GAME.deal(hidden, seed=77)
        assert player.choose(other).move == player.choose(position).move


@pytest.mark.parametrize("agent", ["greedy", "expectimax"])
def test_a_hand_that_nobody_named_is_answered_for_too(agent: str) -> None:
    player, position = load_agent(agent, GAME), GAME.initial()
    for _ in range(6):
        answer = player.choose(position, Limits(), NEVER)
        assert answer.move in GAME.legal_moves(position)
        position = GAME.apply(position, answer.move)


def test_expectimax_takes_a_win_at_once() -> None:
    for position in positions(GAME, 8, 30):
        near = Position(**{**{name: getattr(position, name) for name in Position.__slots__}, "pawns": (97, 97)})
        wins = [move for move in GAME.legal_moves(near) if _wins(near, move)]
        if wins:
            assert load_agent("expectimax", GAME).choose(near, Limits(), NEVER).move in wins
            return
    raise AssertionError("no position in which a move wins")


def _wins(position: Position, move: object) -> bool:
    outcome = GAME.outcome(GAME.apply(position, move))  # type: ignore[arg-type]
    return outcome is not None and outcome.winner == position.to_move


def difference_of_a_deal(first: str, second: str, deal: int) -> float:
    """The first player's mean lead over two games with the same deal and swapped sides."""
    total = 0
    for mine in (0, 1):
        sides = [Player(parse(text), GAME) for text in ((first, second) if mine == 0 else (second, first))]
        position = GAME.initial(seed=deal)
        while GAME.outcome(position) is None:
            position = GAME.apply(position, sides[position.to_move].choose(position).move)
        total += position.pawns[mine] - position.pawns[1 - mine]
    return total / 2


def test_expectimax_outscores_greedy_and_greedy_random() -> None:
    deals = range(1, 9)
    assert sum(difference_of_a_deal("expectimax:seed=1", "greedy:seed=1", deal) for deal in deals) > 0
    assert sum(difference_of_a_deal("greedy:seed=1", "random:seed=1", deal) for deal in deals) > 100


def test_heuristics_are_opposite_for_the_other_side() -> None:
    for position in positions(GAME, 11, 12):
        other = dataclasses.replace(position, to_move=1 - position.to_move)
        for name, heuristic in heuristics.of(GAME).items():
            assert heuristic(GAME, position, None) == -heuristic(GAME, other, None), name


def test_prospects_count_points_and_tiles_that_bring_the_bonus() -> None:
    start = GAME.initial(seed=1)
    prospects = heuristics.of(GAME)["prospects"]
    assert prospects(GAME, start, None) == 0
    # Space 1 shows the value 1, which the tiles 0-1 to 1-6 and 1-1 bear, each of which exists twice.
    assert prospects(GAME, dataclasses.replace(start, pawns=(1, 0)), None) == 10 + 14
    laid = GAME.apply(start, GAME.legal_moves(start)[0])
    ones = 14 - (1 in laid.tiles[0].tile)
    assert prospects(GAME, dataclasses.replace(laid, pawns=(0, 1)), None) == (10 + ones) * (1 if laid.to_move else -1)
