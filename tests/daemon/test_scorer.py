"""Scoring a series of photos: tiles and points from readings, helped by the rules and by later photos."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from calibration.annotations import Annotation
from daemon.scoring.photo_series import Series
from daemon.scoring.scorer import Look, ScoredMove, Scorer, line_of
from games.double_double_dominoes import CELLS
from tests.daemon.dominoes_play import GAME, Laid, random_game, series_of
from tests.daemon.readings import reading_of
from vision.reading.board_reading import BoardReading

TILES = 16


def with_tile(board: str, **halves: int) -> str:
    """The board with more tile halves, as in `with_tile(board, _8H=6, _8I=1)`."""
    cells = list(board)
    for name, pips in halves.items():
        cells[CELLS.index(name[1:])] = str(pips)
    return "".join(cells)


EMPTY_BOARD = "." * len(CELLS)
FIRST = with_tile(EMPTY_BOARD, _8H=6, _8I=1)
SECOND = with_tile(FIRST, _8F=5, _8G=6)
THIRD = with_tile(SECOND, _7E=3, _7F=5)


def noisy(board: str, seed: int, cells: int = 6) -> BoardReading:
    """A reading in which a few cells are random."""
    reading, chance = reading_of(GAME, board), np.random.default_rng(seed)
    table = np.exp(reading.log_probabilities)
    for cell in chance.choice(len(board), size=cells, replace=False):
        table[cell] = chance.dirichlet(np.ones(8) * 0.3) + 1e-4
    return dataclasses.replace(reading, log_probabilities=np.log(table / table.sum(axis=1, keepdims=True)))


def score(series: Series, looks: list[Look | None]) -> Scorer:
    scorer = Scorer(series)
    for look in looks:
        scorer.look([] if look is None else [look])
    return scorer


def score_boards(*boards: str | None, movers: str = "") -> list[ScoredMove]:
    """The scored moves of these boards; `movers` holds a digit 1 or 2 for each, or is empty if nobody knows them."""
    shots = series_of([Laid(Annotation(("8H", "8I"), (0, 0), 0), 0, "", (0, 0))] * len(boards)).shots
    known = [int(movers[index]) - 1 if movers else None for index in range(len(boards))]
    shots = tuple(dataclasses.replace(shot, mover=mover) for shot, mover in zip(shots, known, strict=True))
    looks = [None if board is None else Look(reading_of(GAME, board)) for board in boards]
    return score(Series(1, shots, ()), looks).moves()


@pytest.mark.parametrize("seed", range(4))
def test_random_game_is_scored_as_the_rules_score_it(seed: int) -> None:
    laid = random_game(seed, TILES)
    scorer = score(series_of(laid), [Look(reading_of(GAME, one.board)) for one in laid])
    assert [move.annotation for move in scorer.moves()] == [one.annotation for one in laid]
    assert scorer.pawns == laid[-1].pawns
    assert all(move.placed is not None and not move.placed.fault for move in scorer.moves())


def test_cells_that_are_misread_in_single_photos_do_not_matter() -> None:
    laid = random_game(5, TILES)
    scorer = score(series_of(laid), [Look(noisy(one.board, number)) for number, one in enumerate(laid)])
    assert [move.annotation for move in scorer.moves()] == [one.annotation for one in laid]


@pytest.mark.parametrize("seed", range(3))
def test_tiles_whose_photos_are_missing_are_found_in_the_next_one(seed: int) -> None:
    laid = random_game(seed, TILES)
    missing = (4, 8, 12)
    looks = [
        None if number in missing else Look(reading_of(GAME, one.board), one.pawns)
        for number, one in enumerate(laid, 1)
    ]
    moves = score(series_of(laid, missing), looks).moves()
    certain = [number for number in range(1, TILES + 1) if number not in missing and number - 1 not in missing]
    assert [moves[number - 1].annotation for number in certain] == [laid[number - 1].annotation for number in certain]
    for number in missing:
        move = moves[number - 1]
        assert move.status == "inferred"
        # What is uncertain is not written; what is written is right.
        assert move.annotation in (None, laid[number - 1].annotation)
    assert any(moves[number - 1].annotation for number in missing)


def test_known_players_tell_in_which_order_two_tiles_came() -> None:
    # The double and the tile joined to it are one turn; the 1-2 on the other side is the other player's.
    both = with_tile(FIRST, _8J=1, _8K=1, _8L=1, _8M=4)
    first, double, joined = score_boards(FIRST, None, both, movers="122")
    assert [move.placed and move.placed.lay.text for move in (first, double, joined)] == [
        "8H6-8I1",
        "8J1-8K1",
        "8L1-8M4",
    ]
    assert double.annotation is not None


def test_two_tiles_in_either_order_are_written_down_as_unsure() -> None:
    moves = score_boards(FIRST, None, with_tile(FIRST, _8F=5, _8G=6, _8J=1, _8K=5), movers="121")
    assert moves[1].annotation is None
    assert moves[2].annotation is not None
    assert moves[2].rivals
    assert "unsure" in line_of(moves[2]) and "no file" in line_of(moves[1])


@pytest.mark.parametrize(("pawns", "third", "fourth"), [((4, 0), "7E3-7F5", "8J1-8K5"), ((0, 1), "8J1-8K5", "7E3-7F5")])
def test_pawns_tell_in_which_order_two_tiles_came(pawns: tuple[int, int], third: str, fourth: str) -> None:
    # 7E holds the only diamond. A pawn that it takes to space 1 meets the 1 of the other tile, if that comes later.
    laid = random_game(0, 1)[0]
    scorer = Scorer(series_of([dataclasses.replace(laid, side=side) for side in (0, 1, 0, 1)], missing=(3,)))
    for look in (Look(reading_of(GAME, FIRST)), Look(reading_of(GAME, SECOND)), None):
        scorer.look([] if look is None else [look])
    scorer.look([Look(reading_of(GAME, with_tile(THIRD, _8J=1, _8K=5)), pawns)])
    moves = scorer.moves()
    assert [move.placed.lay.text for move in moves if move.placed] == ["8H6-8I1", "8F5-8G6", third, fourth]
    assert scorer.pawns == pawns and all(move.annotation is not None for move in moves)


def test_clearer_photo_later_corrects_an_earlier_guess() -> None:
    blurred = reading_of(GAME, SECOND, doubts={"8F": ("3", 0.7)})
    scorer = score(series_of(random_game(0, 2)), [Look(reading_of(GAME, FIRST)), Look(blurred)])
    guess = scorer.moves()[1].annotation
    assert guess is not None and guess.pips == (3, 6)
    scorer = score(
        series_of(random_game(0, 3)),
        [Look(reading_of(GAME, FIRST)), Look(blurred), Look(reading_of(GAME, THIRD))],
    )
    assert [move.annotation and move.annotation.pips for move in scorer.moves()] == [(6, 1), (5, 6), (3, 5)]


def test_rules_overrule_one_end_that_is_misread_beyond_doubt() -> None:
    # A 4 on 8G would lie beside the 6 on 8H.
    moves = score_boards(FIRST, with_tile(FIRST, _8F=5, _8G=4))
    assert moves[1].annotation is not None
    assert moves[1].annotation.pips == (5, 6)


def test_tile_against_the_rules_is_written_as_seen_and_said() -> None:
    moves = score_boards(FIRST, with_tile(FIRST, _2B=5, _2C=4), with_tile(FIRST, _2B=5, _2C=4, _8F=5, _8G=6))
    assert moves[1].annotation == Annotation(("2B", "2C"), (5, 4), 3)
    assert "against the rules (the tile on 2B and 2C touches no other tile)" in line_of(moves[1])
    assert moves[2].annotation is not None and moves[2].annotation.pips == (5, 6)


def test_photo_without_a_new_tile_has_no_file_and_stops_nothing() -> None:
    moves = score_boards(FIRST, FIRST, SECOND)
    assert moves[1].annotation is None
    assert line_of(moves[1]) == "1_02  no new tile is seen; no file"
    assert moves[2].annotation == Annotation(("8F", "8G"), (5, 6), 0)


def test_photo_of_something_else_is_passed_over() -> None:
    covered = with_tile(FIRST, **{f"_{row}{column}": 3 for row in range(1, 5) for column in "ABCDEFGH"})
    moves = score_boards(FIRST, covered, THIRD)
    assert [move.status for move in moves] == ["seen", "inferred", "seen"]
    assert [move.placed and move.placed.lay.text for move in moves] == ["8H6-8I1", "8F5-8G6", "7E3-7F5"]


def test_second_way_to_read_a_photo_is_taken_where_the_first_contradicts_the_board() -> None:
    turned = reading_of(GAME, "".join(reversed(THIRD)).replace(".", "2", 40))
    scorer = Scorer(series_of(random_game(0, 2)))
    scorer.look([Look(reading_of(GAME, FIRST))])
    scorer.look([Look(turned), Look(reading_of(GAME, SECOND))])
    assert scorer.moves()[1].annotation == Annotation(("8F", "8G"), (5, 6), 0)


def test_tiles_that_lay_there_before_the_first_photo_are_told() -> None:
    scorer = score(
        series_of(random_game(0, 2))[:0] if False else series_of(random_game(0, 1)), [Look(reading_of(GAME, THIRD))]
    )
    assert len(scorer.uncounted()) == 2
    placed = scorer.moves()[0].placed
    assert placed is not None and placed.lay.text in ("7E3-7F5", "8H6-8I1")


def test_without_movers_the_players_lay_in_turn() -> None:
    moves = score_boards(FIRST, SECOND, THIRD)
    assert [move.placed and move.placed.side for move in moves] == [0, 1, 0]


def test_pawns_tell_who_laid_where_nobody_wrote_it_down() -> None:
    # The tile on the diamond of 7E takes the pawn of the side that laid it to space 1.
    for pawns, sides in (((1, 0), [0, 1, 0]), ((0, 1), [0, 1, 1])):
        shots = (dataclasses.replace(shot, mover=None) for shot in series_of(random_game(0, 3)).shots)
        scorer = Scorer(Series(1, tuple(shots), ()))
        for board, seen in ((FIRST, (0, 0)), (SECOND, (0, 0)), (THIRD, pawns)):
            scorer.look([Look(reading_of(GAME, board), seen)])
        assert [move.placed.side for move in scorer.moves() if move.placed] == sides


def test_who_began_follows_from_the_first_mover_known() -> None:
    shots = series_of(random_game(0, 3)).shots
    known = tuple(dataclasses.replace(shot, mover=mover) for shot, mover in zip(shots, (None, 0, None), strict=True))
    scorer = score(Series(1, known, ()), [Look(reading_of(GAME, board)) for board in (FIRST, SECOND, THIRD)])
    assert [move.placed and (move.placed.side, move.placed.passes) for move in scorer.moves()] == [
        (1, 0),
        (0, 0),
        (1, 0),
    ]


def test_player_who_lays_again_after_no_double_is_taken_at_the_word() -> None:
    moves = score_boards(FIRST, SECOND, THIRD, movers="122")
    assert [move.placed and (move.placed.side, move.placed.passes) for move in moves] == [(0, 0), (1, 0), (1, 1)]
    assert not any(move.placed and move.placed.fault for move in moves)


def test_pawn_on_another_space_than_the_moves_give_is_said() -> None:
    scorer = score(
        series_of(random_game(0, 3)),
        [Look(reading_of(GAME, FIRST)), Look(reading_of(GAME, SECOND)), Look(reading_of(GAME, THIRD), (4, None))],
    )
    move = scorer.moves()[2]
    assert move.annotation == Annotation(("7E", "7F"), (3, 5), 1)
    assert "pawn stands on 4, the moves give" in line_of(move)
