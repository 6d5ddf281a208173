"""What stands where is told by the whole board: there are only so many pieces of each kind."""

from __future__ import annotations

import dataclasses
import itertools
import random

import numpy as np
import pytest

import games
from games.chess import Chess
from rules import EMPTY, AnyGame, PositionError, figures_of
from tests.daemon.readings import reading_of, with_figures
from vision.reading.arrangements import Arrangements, position_seen
from vision.reading.board_reading import BoardReading, SeenFigures

CHESS = Chess()
START = figures_of(CHESS, CHESS.initial())


def chess(fen: str, doubts: dict[str, dict[str, float]] | None = None) -> BoardReading:
    """A reading of the position's board and figures."""
    position = CHESS.parse_position(fen)
    return with_figures(CHESS, reading_of(CHESS, CHESS.board(position)), CHESS.figures(position), doubts)


def shown(reading: BoardReading, side: int = 0) -> str:
    return CHESS.format_position(position_seen(CHESS, reading, side).position).split()[0]


def test_what_is_seen_clearly_is_the_position() -> None:
    seen = position_seen(CHESS, chess("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), 1)
    assert CHESS.format_position(seen.position) == "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"
    assert seen.doubtful == ()


def test_of_two_kings_one_is_another_piece() -> None:
    fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    doubts = {"d1": {"♔": 0.6, "♕": 0.4}, "e1": {"♔": 0.7, "♕": 0.3}}
    assert shown(chess(fen, doubts)) == fen.split()[0]
    doubts = {"d1": {"♔": 0.7, "♕": 0.3}, "e1": {"♔": 0.6, "♕": 0.4}}
    assert shown(chess(fen, doubts)) == fen.split()[0], "most pieces on the cells of the start are those of the start"
    doubts = {"d1": {"♔": 0.999, "♕": 0.001}, "e1": {"♔": 0.5, "♕": 0.5}}
    seen = position_seen(CHESS, chess(fen, doubts), 0)
    assert "/RNBKQBNR " in CHESS.format_position(seen.position)
    assert {CHESS.cells[cell] for cell in seen.doubtful} == {"d1", "e1"}


def test_where_no_king_is_seen_the_likeliest_piece_is_one() -> None:
    doubts = {"e1": {"♕": 0.9, "♔": 0.1}, "c3": {"♗": 0.99, "♔": 0.01}}
    assert shown(chess("4k3/8/8/8/8/2B5/8/4K3 w - - 0 1", doubts)) == "4k3/8/8/8/8/2B5/8/4K3"


def test_no_pawn_stands_on_a_first_or_last_row() -> None:
    seen = chess("4k3/8/8/8/8/8/8/4K2R w - - 0 1", {"h1": {"♙": 0.9, "♖": 0.06, "♘": 0.04}})
    assert shown(seen) == "4k3/8/8/8/8/8/8/4K2R"


def test_a_ninth_pawn_is_another_piece() -> None:
    fen = "4k3/8/8/8/8/3B4/PPPPPPPP/4K3 w - - 0 1"
    assert shown(chess(fen, {"d3": {"♙": 0.9, "♗": 0.08, "♘": 0.02}})) == fen.split()[0]


def test_only_gone_pawns_are_promoted() -> None:
    two = {"c3": {"♗": 0.7, "♘": 0.3}, "e3": {"♗": 0.8, "♘": 0.2}}  # both on dark squares
    eight, seven = "4k3/8/8/8/8/2B1B3/PPPPPPPP/4K3 w - - 0 1", "4k3/8/8/8/8/2B1B3/PPPPPPP1/4K3 w - - 0 1"
    assert shown(chess(eight, two)) == "4k3/8/8/8/8/2N1B3/PPPPPPPP/4K3"
    assert shown(chess(seven, two)) == "4k3/8/8/8/8/2B1B3/PPPPPPP1/4K3"


def test_sides_are_told_by_the_board_though_the_figures_look_like_others() -> None:
    doubts = {"h1": {"♜": 0.99, "♖": 0.008, "♘": 0.002}}
    assert shown(chess("4k3/8/8/8/8/8/8/4K2R w - - 0 1", doubts)) == "4k3/8/8/8/8/8/8/4K2R"


def test_of_the_likeliest_boards_that_is_told_which_the_game_allows() -> None:
    """The likeliest king stands beside the other king, or in check and not to move."""
    doubts = {"e7": {"♔": 0.8, "♘": 0.2}, "e1": {"♔": 0.3, "♘": 0.7}}
    beside = chess("4k3/4N3/8/8/8/8/8/4K3 w - - 0 1", doubts)
    assert shown(beside) == "4k3/4N3/8/8/8/8/8/4K3"
    check = chess("4k3/8/8/8/8/8/8/4R1K1 b - - 0 1", {"e1": {"♖": 0.9, "♗": 0.1}})
    assert shown(check, 1) == "4k3/8/8/8/8/8/8/4R1K1"
    assert shown(check, 0) == "4k3/8/8/8/8/8/8/4B1K1"


def test_no_king_is_put_where_nothing_stands() -> None:
    position = CHESS.parse_position("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    board, figures = (
        text.replace(one, EMPTY) for text, one in ((CHESS.board(position), "W"), (CHESS.figures(position), "♔"))
    )
    with pytest.raises(PositionError, match="White has 0 kings"):
        position_seen(CHESS, with_figures(CHESS, reading_of(CHESS, board), figures), 0)


def test_more_pieces_than_a_set_has_are_refused() -> None:
    board, figures = CHESS.board(CHESS.initial()), START
    board, figures = board[:32] + "W" + board[33:], figures[:32] + "♙" + figures[33:]
    with pytest.raises(PositionError, match="17 pieces"):
        position_seen(CHESS, with_figures(CHESS, reading_of(CHESS, board), figures), 0)


def test_boards_come_in_the_order_of_what_contradicts_them() -> None:
    """Against all boards of five unknown pieces beside eight pawns, tried one by one under the counts of a set."""
    position = CHESS.parse_position("4k3/8/8/2R5/PPPPPPPP/8/1R2R3/R1K5 w - - 0 1")
    unknown = [cell for cell, letter in enumerate(CHESS.figures(position)) if letter in "♔♖"]
    reading = with_figures(CHESS, reading_of(CHESS, CHESS.board(position)), CHESS.figures(position))
    assert reading.figures is not None
    table = np.exp(reading.figures.log_probabilities)
    table[unknown] = np.random.default_rng(40).dirichlet(np.ones(table.shape[1]), len(unknown))
    seen = SeenFigures(np.log(table), reading.figures.letters, reading.figures.unknown)
    weighed = Arrangements(CHESS, dataclasses.replace(reading, figures=seen))
    figures, allowed = list(CHESS.figures(position)), list[str]()
    for kinds in itertools.product("♔♕♖♗♘", repeat=len(unknown)):
        bishops = {(cell // 8 + cell % 8) % 2 for cell, kind in zip(unknown, kinds, strict=True) if kind == "♗"}
        counts = [kinds.count(kind) for kind in "♔♕♖♘"]
        if counts[0] == 1 and max(counts) <= 2 and counts[1] <= 1 and len(bishops) == kinds.count("♗"):
            for cell, kind in zip(unknown, kinds, strict=True):
                figures[cell] = kind
            allowed.append("".join(figures))
    found = list(itertools.islice(weighed.likeliest(), 100))
    assert found == sorted(allowed, key=weighed.nats)[:100]


@pytest.mark.parametrize("name", ["chess", "draughts"])
def test_every_board_of_play_is_one_of_its_set(name: str) -> None:
    game: AnyGame = games.load(name)
    promoted = 0
    for seed in range(6):
        draw, position = random.Random(seed), game.initial()
        while game.outcome(position) is None:
            board, figures = game.board(position), figures_of(game, position)
            if draw.random() < 0.1 or set(figures) & set("KQ"):
                seen = position_seen(game, with_figures(game, reading_of(game, board), figures), game.to_move(position))
                assert seen.figures == figures
                promoted += 1
            position = game.apply(position, draw.choice(list(game.legal_moves(position))))
    assert promoted
