"""Positions found in the record in any symmetry, and the symmetries themselves."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

import games
from daemon.cli import games as games_cli
from daemon.storage.browsing import find
from daemon.storage.journal import Journal
from rules import GameError
from rules.symmetry import images, symmetries
from rules.turns import line_of_play
from tests.daemon.recorded_games import random_moves, record_game

COUNTS = {"reversi": 8, "gomoku": 8, "co_ganh": 8, "nine_mens_morris": 16}


@pytest.mark.parametrize("name", COUNTS)
def test_every_symmetry_is_one_to_one_and_they_are_a_group(name: str) -> None:
    game = games.load(name)
    found = symmetries(game)
    assert len(found) == COUNTS[name] and found[0] == tuple(range(len(game.cells)))
    for one in found:
        for other in found:
            assert tuple(one[other[cell]] for cell in range(len(one))) in found


@pytest.mark.parametrize("name", COUNTS)
def test_a_turned_board_has_as_many_moves(name: str) -> None:
    game, chance = games.load(name), random.Random(5)
    start, texts = random_moves(game, chance, 9)
    position = line_of_play(game, texts, start)[-1]
    side = game.to_move(position)
    counts = set()
    for board in images(game, game.board(position)):
        counts.add(len(game.legal_moves(game.set_up(board, side, game.initial()))))
    assert len(counts) == 1 and counts != {0}


def turned(name: str, texts: list[str], symmetry: tuple[int, ...]) -> list[str]:
    """The moves of a game whose moves are cells, turned."""
    cells = games.load(name).cells
    return [cells[symmetry[cells.index(text)]] for text in texts]


@pytest.mark.parametrize(
    ("name", "texts", "follows"),
    [("gomoku", "h8 i9 h7 j10", "g6"), ("nine_mens_morris", "d6 f4 d2 b4", "a7"), ("reversi", "f5 d6 c3 d3", "c4")],
)
def test_a_position_is_found_however_the_board_is_turned(tmp_path: Path, name: str, texts: str, follows: str) -> None:
    game, journal = games.load(name), Journal(tmp_path / "journal.sqlite")
    moves = [*texts.split(), follows]
    asked = line_of_play(game, moves[:-1])[-1]
    whole = 0
    for symmetry in symmetries(game):
        other = turned(name, moves, symmetry)
        try:
            line_of_play(game, other)
        except GameError:  # a turned game of reversi begins with the colours exchanged
            continue
        record_game(journal, game, game.initial(), other)
        whole += 1
    found = find(journal, game, asked)
    assert len(found) == whole >= 4
    assert {one.ply for one in found} == {len(moves) - 1}
    # A position that is its own mirror image leaves two moves to choose from.
    assert all(one.next and one.next in _images(name, follows, asked) for one in found)
    assert find(journal, game, line_of_play(game, moves[:1])[-1]) != []
    journal.close()


def _images(name: str, follows: str, asked: object) -> set[str]:
    game = games.load(name)
    board = game.board(asked)
    same = [one for one in symmetries(game) if all(board[one[cell]] == board[cell] for cell in range(len(one)))]
    return {game.cells[one[game.cells.index(follows)]] for one in same}


def test_other_rules_and_the_other_side_to_move_are_other_positions(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    game, flying = games.load("nine_mens_morris"), games.load("nine_mens_morris", {"flying": True})
    record_game(journal, game, game.initial(), ["d6", "f4"])
    record_game(journal, flying, flying.initial(), ["d6", "f4"])
    assert len(find(journal, game, line_of_play(game, ["d6", "f4"])[-1])) == 1
    position = game.set_up(game.board(line_of_play(game, ["d6", "f4"])[-1]), 1, game.initial())
    assert find(journal, game, position) == []
    journal.close()


def test_the_command_lists_the_games_and_counts_what_followed(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal, game = Journal(path), games.load("gomoku")
    first = record_game(journal, game, game.initial(), ["h8", "i9", "h7"], players=("Ana", "Ben"))
    record_game(journal, game, game.initial(), ["h8", "g7", "h9"], players=("Ben", "Ana"))
    journal.close()

    def run(*words: object) -> tuple[int, str]:
        told = CliRunner().invoke(games_cli.app, ["find", *map(str, words), "--journal", str(path)])
        return told.exit_code, told.output

    status, text = run("--game", "gomoku", "--moves", "h8 i9")
    assert status == 0 and "Ana - Ben  after 2: then h7" in text and text.splitlines()[-1].startswith("h7: 2 games")
    status, text = run("--like", first.game_id, "--ply", 2, "--json")
    assert status == 0 and {json.loads(line)["next"] for line in text.splitlines()} == {"h7"}
    nothing = "no recorded game by these rules went through this position\n"
    assert run("--game", "gomoku", "--moves", "a1 b1")[1] == nothing
    for words in ([], ["--game", "gomoku"], ["--like", first.game_id, "--ply", 9], ["--game", "ludo", "--moves", "e4"]):
        assert run(*words)[0] == 2
