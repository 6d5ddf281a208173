"""Names of openings in chess, draughts and gomoku; reversi's are in `test_reversi_openings`."""

from __future__ import annotations

import pytest

import games
from games.chess.openings import LINES as CHESS
from games.draughts.openings import LINES as DRAUGHTS
from games.gomoku.openings import LINES as GOMOKU
from rules.symmetry import symmetries
from rules.turns import line_of_play


def uci(moves: str) -> list[str]:
    return [moves[at : at + 4] for at in range(0, len(moves), 4)]


ALL = {
    "chess": {name: uci(moves) for name, moves in CHESS.items()},
    "draughts": {name: moves.split() for name, moves in DRAUGHTS.items()},
    "gomoku": {name: list(moves) for name, moves in GOMOKU.items()},
}


@pytest.mark.parametrize("name", ALL)
def test_every_line_is_legal_and_ends_in_its_own_name(name: str) -> None:
    game = games.load(name)
    assert game.opening(game.initial()) == ""
    for opening, moves in ALL[name].items():
        assert game.opening(line_of_play(game, moves)[-1]) == opening, moves


@pytest.mark.parametrize(
    ("name", "moves", "said"),
    [
        ("chess", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", "Sicilian Defence, Najdorf"),
        ("chess", "e4 c5 Nf3 d6 d4", "Sicilian Defence"),
        ("chess", "Nf3 Nf6 c4 e6 d4 b6", "Queen's Indian Defence"),
        ("chess", "c4 e6 d4 d5", "Queen's Gambit Declined"),
        ("chess", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7", "Closed Spanish Game"),
        ("chess", "e4", ""),
        ("chess", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 h6", ""),
        ("draughts", "11-15 23-18", "Cross"),
        ("draughts", "9-14 23-19 11-15 27-23", "Defiance"),
        ("draughts", "11-15", ""),
        ("gomoku", "h8 h9 g9", "Kagetsu"),
        ("gomoku", "h8 g7 g9", "Hogetsu"),
        ("gomoku", "h8 h10 i9", ""),
        ("gomoku", "h8 h9", ""),
    ],
)
def test_openings_are_named_as_players_do_by_any_order_of_moves(name: str, moves: str, said: str) -> None:
    game = games.load(name)
    assert game.opening(line_of_play(game, moves.split())[-1]) == said


def test_openings_of_gomoku_hold_in_every_symmetry() -> None:
    game = games.load("gomoku")
    for opening, moves in GOMOKU.items():
        for turn in symmetries(game):
            line = [game.cells[turn[game.cells.index(cell)]] for cell in moves]
            assert game.opening(line_of_play(game, line)[-1]) == opening


@pytest.mark.parametrize(
    ("name", "rules", "moves"),
    [
        ("chess", {"start": 0}, ""),
        ("draughts", {"backwards": True, "flying": True}, "11-15 23-18"),
        ("gomoku", {"size": "19"}, "h8 h9 g9"),
    ],
)
def test_other_rules_have_no_names(name: str, rules: dict[str, object], moves: str) -> None:
    game = games.load(name, rules)
    assert {game.opening(position) for position in line_of_play(game, moves.split())} == {""}
