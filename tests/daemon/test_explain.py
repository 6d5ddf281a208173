"""Boards explained by moves, some of which nobody can see."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import games
from daemon.interpret import lookahead
from daemon.interpret.explain import explain
from rules import EMPTY, AnyGame, Step
from rules.turns import carry_out, line_of_play
from tests.daemon.dominoes import Tile, annotated, played
from tests.daemon.readings import reading_of

FIRST = "8H6-8I1"
"""An opening tile that is not a double."""
DOUBLE = "8H6-8I6"


@pytest.fixture
def game() -> AnyGame:
    return games.load("dominoes")


def line(game: AnyGame, *texts: str) -> list[object]:
    return line_of_play(game, texts)


def with_tile(game: AnyGame, position: object, text: str) -> str:
    """The board with one more tile, legal or not."""
    board = list(game.board(position))
    for end in text.split("-"):
        board[game.cells.index(end[:-1])] = end[-1]
    return "".join(board)


def moves_of(game: AnyGame, history: list[object], board: str, movers: tuple[int, ...] = ()) -> list[str]:
    event = explain(game, history, reading_of(game, board), movers)
    assert not event.ambiguous
    best, position, texts = event.explanations[0], event.explanations[0].start, []
    for move, after in zip(best.moves, best.positions, strict=True):
        texts.append(game.format_move(position, move))
        position = after
    return texts


def test_a_tile_is_laid_by_the_side_to_move_where_nobody_is_known(game: AnyGame) -> None:
    history = line(game, FIRST)
    assert moves_of(game, history, with_tile(game, history[-1], "8J1-8K4")) == ["8J1-8K4"]


def test_a_tile_of_the_side_that_is_not_to_move_is_the_others_pass(game: AnyGame) -> None:
    history = line(game, FIRST)
    assert moves_of(game, history, with_tile(game, history[-1], "8J1-8K4"), (0,)) == ["pass", "8J1-8K4"]
    assert moves_of(game, history, with_tile(game, history[-1], "8J1-8K4"), (1,)) == ["8J1-8K4"]


def test_after_a_double_a_tile_joined_to_it_is_the_same_sides_and_another_is_not(game: AnyGame) -> None:
    history = line(game, FIRST, "8G6-9G6")
    assert moves_of(game, history, with_tile(game, history[-1], "10G6-11G2")) == ["10G6-11G2"]
    assert moves_of(game, history, with_tile(game, history[-1], "8J1-8K4")) == ["pass", "8J1-8K4"]


def test_two_passes_are_believed_where_the_mover_is_known(game: AnyGame) -> None:
    history = line(game, FIRST, "8G6-9G6")
    assert moves_of(game, history, with_tile(game, history[-1], "8J1-8K4"), (1,)) == ["pass", "pass", "8J1-8K4"]


def test_a_mover_aligns_with_the_last_of_two_tiles(game: AnyGame) -> None:
    history = line(game, FIRST)
    after = line_of_play(game, ["8J1-8K4", "8G6-8F2"], history[-1])[-1]
    texts = moves_of(game, history, game.board(after), (0,))
    assert sorted(texts) == ["8F2-8G6", "8J1-8K4"]
    assert "pass" in moves_of(game, history, game.board(after), (1,))


def test_order_of_two_tiles_laid_together_is_assumed_and_said_to_be(game: AnyGame) -> None:
    history = line(game, FIRST, "8J1-8K4")
    after = line_of_play(game, ["6K2-7K4", "8G6-8F2"], history[-1])[-1]
    event = explain(game, history, reading_of(game, game.board(after)))
    assert event.order_assumed and not event.ambiguous
    assert {game.scores(one.positions[-1]) for one in event.explanations} == {(1, 0), (0, 1)}
    one = explain(game, history, reading_of(game, with_tile(game, history[-1], "6K2-7K4")))
    assert not one.order_assumed


def test_of_passes_that_differ_in_the_tile_put_away_one_is_assumed_silently(game: AnyGame) -> None:
    dealt = game.initial(seed=1)
    first = next(move for move in game.legal_moves(dealt) if game.steps(dealt, move))
    history = [dealt, game.apply(dealt, first)]
    passes = [move for move in game.legal_moves(history[-1]) if not game.steps(history[-1], move)]
    after = [game.apply(history[-1], move) for move in passes]
    assert len(passes) > 1
    lays = [move for move in game.legal_moves(after[0]) if game.steps(after[0], move)]
    board = game.board(game.apply(after[0], lays[0]))
    event = explain(game, history, reading_of(game, board), (0,))
    assert len(event.rivals) == len(passes) - 1
    assert not event.ambiguous and not event.order_assumed


def test_no_pass_stands_at_the_end_of_a_line(game: AnyGame) -> None:
    history = line(game, FIRST)
    event = explain(game, history, reading_of(game, with_tile(game, history[-1], "8J1-8K4"), sure=0.9))
    plies = [one for one in event.explanations if one.kind == "plies"]
    assert plies and all(game.steps(([one.start, *one.positions])[-2], one.moves[-1]) for one in plies)


def test_half_a_tile_is_unfinished_whichever_half_it_is(game: AnyGame) -> None:
    history = line(game, FIRST)
    whole = with_tile(game, history[-1], "8J1-8K4")
    for hidden in ("8J", "8K"):
        cell = game.cells.index(hidden)
        board = whole[:cell] + EMPTY + whole[cell + 1 :]
        event = explain(game, history, reading_of(game, board))
        assert (event.ambiguous, event.explanations[0].kind) == (False, "unfinished"), hidden


def test_a_tile_lifted_goes_back_before_the_passes_that_led_to_it(game: AnyGame) -> None:
    history = line(game, FIRST, "pass", "pass", "8J1-8K4")
    best = explain(game, history, reading_of(game, game.board(history[1]))).explanations[0]
    assert (best.kind, best.ply) == ("takeback", 1)


def test_passes_do_not_shorten_how_far_back_a_takeback_is_recognised(game: AnyGame) -> None:
    history = line(game, FIRST, *["pass"] * 10, "8J1-8K4")
    best = explain(game, history, reading_of(game, game.board(history[0]))).explanations[0]
    assert (best.kind, best.ply) == ("takeback", 0)


def test_a_loose_tile_is_explained_by_nothing(game: AnyGame) -> None:
    history = line(game, FIRST)
    assert explain(game, history, reading_of(game, with_tile(game, history[-1], "1A3-1B4"))).explanations == ()


@pytest.mark.parametrize("seed", range(6))
def test_every_tile_of_a_game_is_found_where_the_movers_are_known(game: AnyGame, seed: int) -> None:
    follow(game, played(game, seed, 24))


@pytest.mark.parametrize("number", range(1, 6))
def test_every_tile_of_a_real_game_is_found_with_its_points(game: AnyGame, real_data: Path, number: int) -> None:
    follow(game, annotated(real_data / "dominoes", number))


def follow(game: AnyGame, tiles: list[Tile]) -> None:
    history = [game.initial()]
    for tile in tiles:
        event = explain(game, history, reading_of(game, tile.board), (tile.side,))
        best = event.explanations[0]
        assert not event.ambiguous
        history += best.positions
        gains = game.gains(history[-2], best.moves[-1])
        assert gains is not None
        assert (game.board(history[-1]), gains[tile.side].total) == (tile.board, tile.points)


def test_work_for_an_illegal_board_is_bounded(game: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    position, looked_at = game.initial(), [0]
    for tile in played(game, 3, 20):
        position = explain(game, [position], reading_of(game, tile.board), (tile.side,)).explanations[0].positions[-1]
    legal_moves = game.legal_moves

    def counted(of: object) -> object:
        moves = legal_moves(of)
        looked_at[0] += len(moves)
        return moves

    monkeypatch.setattr(game, "legal_moves", counted)
    wrong = carry_out(game.board(position), [Step("place", cell, None, "3") for cell in (0, 224)])
    assert explain(game, [position], reading_of(game, wrong)).explanations == ()
    assert 0 < looked_at[0] <= lookahead.MAX_MOVES + 3 * len(legal_moves(position))


def test_nothing_is_searched_where_the_picture_rules_out_every_other_board(
    game: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = line(game, FIRST)
    monkeypatch.setattr(game, "legal_moves", lambda _position: pytest.fail("searched"))
    event = explain(game, history, reading_of(game, game.board(history[-1])))
    assert [one.kind for one in event.explanations] == ["unchanged"]


def test_a_single_tile_needs_one_look_at_the_legal_moves(game: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    history, calls = line(game, FIRST), []
    legal_moves = game.legal_moves
    monkeypatch.setattr(game, "legal_moves", lambda position: calls.append(position) or legal_moves(position))
    explain(game, history, reading_of(game, with_tile(game, history[-1], "8J1-8K4")))
    assert calls == [history[-1]]


def test_a_sure_board_has_no_loss_at_all(game: AnyGame) -> None:
    history = line(game, FIRST)
    best = explain(game, history, reading_of(game, with_tile(game, history[-1], "8J1-8K4"))).explanations[0]
    assert best.loss == 0.0


def test_in_a_game_whose_men_show_their_side_movers_are_not_needed() -> None:
    game = games.load("morris")
    history = line_of_play(game, ["d2"])
    board = np.array(list(game.board(history[-1])))
    board[game.cells.index("f4")] = "B"
    event = explain(game, history, reading_of(game, "".join(board)))
    assert not event.shared_pieces
    assert event.explanations[0].moves[0].to == game.cells.index("f4")


@pytest.mark.parametrize("missed", [4, 5, 6, 7])
def test_tiles_that_came_while_nobody_looked_are_caught_up_with(game: AnyGame, missed: int) -> None:
    for seed in range(3):
        tiles = played(game, seed, 8 + missed)
        history = [game.initial()]
        for tile in tiles[:8]:
            best = explain(game, history, reading_of(game, tile.board), (tile.side,)).explanations[0]
            history += best.positions
        event = explain(game, history, reading_of(game, tiles[-1].board))
        best = event.explanations[0]
        assert (best.kind, best.board, best.seen) == ("plies", tiles[-1].board, missed)
        assert event.order_assumed and not event.ambiguous


def test_men_that_show_their_side_are_not_caught_up_with_beyond_three_plies() -> None:
    game = games.load("morris")
    history = line_of_play(game, ["d2", "f4", "a1", "g7"])
    assert explain(game, history[:1], reading_of(game, game.board(history[4]))).explanations == ()
    assert explain(game, history[:2], reading_of(game, game.board(history[4]))).explanations != ()


def test_a_man_put_where_it_may_not_go_is_no_three_plies_of_which_nothing_is_left() -> None:
    game = games.load("morris")
    before = game.parse_position("light:MMOOMOOMOMMOEOOOOOEOOEEE1165")
    by_three = [before]
    for move in ("g7xa1", "a1xa7", "g7-g4"):  # legal; only a7 and g4 look different in the end
        by_three.append(game.apply(by_three[-1], game.parse_move(by_three[-1], move)))
    board = game.board(by_three[-1])
    assert board == game.board(before)[1:14].join((".", "W")) + game.board(before)[15:]
    assert explain(game, [before], reading_of(game, board)).explanations == ()
    # Two plies of which one leaves no trace are common: a man laid and taken at once.
    assert explain(game, by_three[:2], reading_of(game, board)).explanations[0].seen == 2
