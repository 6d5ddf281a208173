"""Pieces that belong to nobody: who laid them, in which order, and after which passes, none of which can be seen."""

from __future__ import annotations

from pathlib import Path

import pytest

import games
from daemon.belief import moving
from daemon.belief.plies import MAX_MOVES, MAX_PLIES, MIN_LINES
from daemon.judging.referee import Referee
from lab.bench.watch_dominoes import Tile, annotated
from rules import EMPTY, AnyGame, Step
from rules.turns import carry_out, line_of_play, seen_moves
from tests.daemon import dominoes
from tests.daemon.belief.once import TOGETHER, Counted, played, referee_at, said, show
from tests.daemon.dominoes import laid_points
from tests.daemon.readings import board_with, judged, reading_of

FIRST = "8H6-8I1"
"""An opening tile that is not a double."""


@pytest.fixture
def game() -> AnyGame:
    return games.load("dominoes")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> type[Counted]:
    monkeypatch.setattr(Counted, "made", [], raising=False)
    monkeypatch.setattr(moving, "PlySearch", Counted)
    return Counted


def with_tile(game: AnyGame, position: object, text: str) -> str:
    """The board with one more tile, legal or not."""
    board = list(game.board(position))
    for end in text.split("-"):
        board[game.cells.index(end[:-1])] = end[-1]
    return "".join(board)


def laid(game: AnyGame, texts: list[str], tile: str, movers: tuple[int, ...] = ()) -> list[str]:
    """The plies that are believed when a tile is seen after others."""
    referee = referee_at(game, *texts)
    return played(referee, with_tile(game, referee.position, tile), movers)


def test_a_tile_is_laid_by_the_side_to_move_where_nobody_is_known(game: AnyGame) -> None:
    assert laid(game, [FIRST], "8J1-8K4") == ["8J1-8K4"]


def test_a_tile_of_the_side_that_is_not_to_move_is_the_others_pass(game: AnyGame) -> None:
    assert laid(game, [FIRST], "8J1-8K4", (0,)) == ["pass", "8J1-8K4"]
    assert laid(game, [FIRST], "8J1-8K4", (1,)) == ["8J1-8K4"]


def test_after_a_double_a_tile_joined_to_it_is_the_same_sides_and_another_is_not(game: AnyGame) -> None:
    assert laid(game, [FIRST, "8G6-9G6"], "10G6-11G2") == ["10G6-11G2"]
    assert laid(game, [FIRST, "8G6-9G6"], "8J1-8K4") == ["pass", "8J1-8K4"]


def test_two_passes_are_believed_where_the_mover_is_known(game: AnyGame) -> None:
    assert laid(game, [FIRST, "8G6-9G6"], "8J1-8K4", (1,)) == ["pass", "pass", "8J1-8K4"]


def test_a_mover_aligns_with_the_last_of_two_tiles(game: AnyGame) -> None:
    after = game.board(line_of_play(game, [FIRST, "8J1-8K4", "8G6-8F2"])[-1])
    assert sorted(played(referee_at(game, FIRST), after, (0,))) == ["8F2-8G6", "8J1-8K4"]
    assert "pass" in played(referee_at(game, FIRST), after, (1,))


def test_order_of_two_tiles_laid_together_is_assumed_and_said_to_be(game: AnyGame) -> None:
    texts = [FIRST, "8J1-8K4"]
    referee = referee_at(game, *texts)
    told = said(show(referee, game.board(line_of_play(game, [*texts, "6K2-7K4", "8G6-8F2"])[-1])))
    assert (referee.verdict, told.count(TOGETHER)) == ("legal", 1)
    assert game.scores(referee.position) in ((1, 0), (0, 1))
    referee = referee_at(game, *texts)
    assert TOGETHER not in said(show(referee, with_tile(game, referee.position, "6K2-7K4")))


def test_of_passes_that_differ_in_the_tile_put_away_one_is_assumed_silently(game: AnyGame) -> None:
    dealt = game.initial(seed=1)
    first = next(move for move in game.legal_moves(dealt) if game.steps(dealt, move))
    referee = referee_at(game, game.format_move(dealt, first), start=dealt)
    passes = [move for move in game.legal_moves(referee.position) if not game.steps(referee.position, move)]
    after = game.apply(referee.position, passes[0])
    assert len(passes) > 1
    lay = next(move for move in game.legal_moves(after) if game.steps(after, move))
    effects = show(referee, game.board(game.apply(after, lay)), (0,))
    assert (referee.verdict, [ply.seen for ply in referee.line.plies]) == ("legal", [True, False, True])
    assert TOGETHER not in said(effects)


def test_no_pass_stands_at_the_end_of_a_line(game: AnyGame) -> None:
    referee = referee_at(game, FIRST)
    judged(referee, reading_of(game, with_tile(game, referee.position, "8J1-8K4"), sure=0.9))
    assert referee.moves == [FIRST, "8J1-8K4"]
    assert all(line.plies[-1].seen for line in referee.belief.lines if line.plies)


@pytest.mark.parametrize("hidden", ["8J", "8K"])
def test_half_a_tile_is_unfinished_whichever_half_it_is(game: AnyGame, hidden: str) -> None:
    referee = referee_at(game, FIRST)
    whole, cell = with_tile(game, referee.position, "8J1-8K4"), game.cells.index(hidden)
    effects = show(referee, whole[:cell] + EMPTY + whole[cell + 1 :])
    assert (referee.verdict, referee.moves) == ("unfinished", [FIRST])
    assert said(effects).startswith("I see only half of the tile on ")
    assert played(referee, whole) == ["8J1-8K4"]


def test_a_tile_lifted_goes_back_before_the_passes_that_led_to_it(game: AnyGame) -> None:
    referee = referee_at(game, FIRST, "pass", "pass", "8J1-8K4")
    show(referee, game.board(referee.history[1]))
    assert (referee.verdict, referee.moves) == ("takeback", [FIRST])


def test_passes_do_not_shorten_how_far_back_a_takeback_is_recognised(game: AnyGame) -> None:
    referee = referee_at(game, FIRST, *["pass"] * 10, "8J1-8K4")
    show(referee, game.board(referee.history[0]))
    assert (referee.verdict, referee.moves) == ("takeback", [])


def test_a_loose_tile_is_explained_by_nothing(game: AnyGame) -> None:
    referee = referee_at(game, FIRST)
    show(referee, with_tile(game, referee.position, "1A3-1B4"))
    assert (referee.verdict, referee.moves) == ("illegal", [FIRST])


@pytest.mark.parametrize("seed", range(6))
def test_every_tile_of_a_game_is_found_where_the_movers_are_known(game: AnyGame, seed: int) -> None:
    follow(game, dominoes.played(game, seed, 24))


@pytest.mark.parametrize("number", range(1, 6))
def test_every_tile_of_a_real_game_is_found_with_its_points(game: AnyGame, real_data: Path, number: int) -> None:
    follow(game, annotated(real_data / "dominoes", number))


def follow(game: AnyGame, tiles: list[Tile]) -> Referee:
    referee = referee_at(game)
    for count, tile in enumerate(tiles, 1):
        show(referee, tile.board, (tile.side,))
        assert (referee.verdict, game.board(referee.position)) == ("legal", tile.board)
        assert laid_points(referee) == [(one.side, one.points) for one in tiles[:count]]
    return referee


def test_work_for_an_illegal_board_is_bounded(game: AnyGame, counted: type[Counted]) -> None:
    referee = follow(game, dominoes.played(game, 3, 20))
    moves = len(game.legal_moves(referee.position))
    wrong = carry_out(game.board(referee.position), [Step("place", cell, None, "3") for cell in (0, 224)])
    counted.made.clear()
    show(referee, wrong)
    assert (referee.verdict, len(referee.belief.lines)) == ("illegal", 1)
    assert 0 < counted.moves() <= MAX_MOVES + MIN_LINES * MAX_PLIES * moves
    counted.made.clear()
    show(referee, wrong)
    assert counted.moves() == 0  # searched in vain before


def test_nothing_is_searched_where_the_picture_rules_out_every_other_board(
    game: AnyGame, counted: type[Counted]
) -> None:
    referee = referee_at(game, FIRST)
    show(referee, game.board(referee.position))
    assert (referee.verdict, counted.moves()) == ("unchanged", 0)


def test_a_single_tile_needs_one_look_at_the_legal_moves(game: AnyGame, counted: type[Counted]) -> None:
    referee = referee_at(game, FIRST)
    board, moves = with_tile(game, referee.position, "8J1-8K4"), len(seen_moves(game, referee.position))
    assert played(referee, board) == ["8J1-8K4"]
    assert counted.moves() == moves


def test_a_sure_board_contradicts_nothing(game: AnyGame) -> None:
    referee = referee_at(game, FIRST)
    assert played(referee, with_tile(game, referee.position, "8J1-8K4"))
    assert referee.belief.lines[0].cost == 0.0


def test_in_a_game_whose_men_show_their_side_movers_are_not_needed() -> None:
    game = games.load("morris")
    assert played(referee_at(game, "d2"), board_with(game, W="d2", B="f4")) == ["f4"]


@pytest.mark.parametrize("missed", [4, 5, 6, 7])
@pytest.mark.parametrize("seed", range(3))
def test_tiles_that_came_while_nobody_looked_are_caught_up_with(game: AnyGame, missed: int, seed: int) -> None:
    tiles = dominoes.played(game, seed, 8 + missed)
    referee = follow(game, tiles[:8])
    effects = show(referee, tiles[-1].board)
    assert (referee.verdict, game.board(referee.position)) == ("legal", tiles[-1].board)
    assert len(referee.line.seen) == 8 + missed
    assert TOGETHER in said(effects)


def test_men_that_show_their_side_are_not_caught_up_with_beyond_three_plies() -> None:
    game = games.load("morris")
    texts = ["d2", "f4", "a1", "g7"]
    after = game.board(line_of_play(game, texts)[-1])
    referee = referee_at(game)
    show(referee, after)
    assert (referee.verdict, referee.moves) == ("illegal", [])
    assert set(played(referee_at(game, "d2"), after)) == set(texts[1:])


def test_a_man_put_where_it_may_not_go_is_no_three_plies_of_which_nothing_is_left() -> None:
    game = games.load("morris")
    before = game.parse_position("light:MMOOMOOMOMMOEOOOOOEOOEEE1165")
    texts = ["g7xa1", "a1xa7", "g7-g4"]  # legal; only a7 and g4 look different in the end
    board = game.board(line_of_play(game, texts, before)[-1])
    assert board == game.board(before)[1:14].join((".", "W")) + game.board(before)[15:]
    referee = referee_at(game, start=before)
    show(referee, board)
    assert (referee.verdict, referee.moves) == ("illegal", [])
    # Two plies of which one leaves no trace are common: a man laid and taken at once.
    assert len(played(referee_at(game, texts[0], start=before), board)) == 2
