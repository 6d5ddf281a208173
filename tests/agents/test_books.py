"""Opening books: built, found again in any symmetry, refused when damaged, and used by the players they are for."""

from __future__ import annotations

import json
import logging
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import games
from agents.agent import Limits
from agents.book_cli import app
from agents.books import BookError, book, opening
from agents.books.building import Builder
from agents.books.opening import Keys
from agents.registry import load_agent
from rules import AnyGame
from rules.symmetry import symmetries
from rules.turns import line_of_play
from system.weights import MODELS, write_entry

NEVER = threading.Event()
REVERSI = games.load("reversi")
SHIPPED = sorted(path.name for path in MODELS.glob("*_book.jsonl"))
NODES = 2000


@pytest.fixture(scope="module")
def small() -> book.Book:
    builder = Builder(REVERSI, NODES)
    for _ in zip(range(6), builder.grow(), strict=False):
        pass
    return builder.book()


@pytest.fixture
def own(small: book.Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of the book that players use here."""
    monkeypatch.setattr(opening, "own_folder", lambda: tmp_path)
    monkeypatch.setattr(opening, "_books", {})
    path = tmp_path / "reversi_book.jsonl"
    book.write(path, small)
    write_entry(tmp_path, "reversi_book", path.name, {})
    yield path


def images_of(game: AnyGame, texts: list[str]) -> set[tuple[str, ...]]:
    """The line of moves in every symmetry in which it is legal."""
    found = set()
    for turn in symmetries(game):
        images = [game.cells[turn[game.cells.index(text)]] for text in texts]
        try:
            line_of_play(game, images)
        except ValueError:
            continue
        found.add(tuple(images))
    return found


def test_a_book_answers_alike_however_the_board_is_turned(small: book.Book) -> None:
    known = opening.OpeningBook(REVERSI, small)
    asked = 0
    for entry in small.entries.values():
        straight = known.known(known.position(known.keys.key(line_of_play(REVERSI, list(entry.line))[-1]), entry))
        for line in images_of(REVERSI, list(entry.line)):
            position = line_of_play(REVERSI, list(line))[-1]
            found = known.known(position)
            assert [one.score for one in found] == [one.score for one in straight]
            assert {one.move for one in found} <= set(REVERSI.legal_moves(position))
            asked += 1
    assert asked == 4 * (len(small.entries) - 1) + 1


def test_values_are_passed_back_and_the_best_move_comes_first(small: book.Book) -> None:
    start = next(entry for entry in small.entries.values() if not entry.line)
    assert len(start.moves) == 1, "all four first moves are one"
    after = next(entry for entry in small.entries.values() if entry.line == (start.moves[0].move,))
    assert start.moves[0].score == -after.moves[0].score
    assert all(entry.moves[0].score == max(one.score for one in entry.moves) for entry in small.entries.values())


def test_no_symmetry_is_taken_where_the_board_has_it_and_the_game_has_not() -> None:
    chess, keys = games.load("chess"), Keys(games.load("chess"))
    assert len(symmetries(chess)) == 8
    after = [keys.key(line_of_play(chess, [move])[-1]) for move in ("d4", "e4")]
    assert after[0] != after[1]
    assert keys.key(chess.initial()) not in after


def test_building_goes_on_where_it_was(small: book.Book) -> None:
    grown = Builder(REVERSI, NODES, small)
    assert grown.book() == small
    next(grown.grow())
    assert len(grown) == len(small.entries) + 1
    unlikely = ("d3", "e3", "f2")
    assert next(Builder(REVERSI, NODES, small, [unlikely]).grow()) == unlikely
    with pytest.raises(BookError, match="--nodes 2000"):
        Builder(REVERSI, 5000, small)


def test_a_book_begins_as_told_and_knows_nothing_beside_it() -> None:
    builder = Builder(REVERSI, NODES, begin=("d3", "c5"))
    assert len(builder) == 2
    assert next(builder.grow()) == ("d3", "c5")
    entries = list(builder.book().entries.values())
    assert [(one.line, [move.move for move in one.moves]) for one in entries[:2]] == [((), ["d3"]), (("d3",), ["c5"])]
    first, second, third = (one.moves[0].score for one in entries)
    assert first == -second == third
    assert Builder(REVERSI, NODES, builder.book(), begin=("d3", "c5")).book() == builder.book()


def test_a_book_is_read_as_written_and_players_answer_from_it_unless_they_are_told_not_to(
    small: book.Book, own: Path
) -> None:
    assert book.read(own) == small
    start = REVERSI.initial()
    limits = Limits(nodes=500)
    assert load_agent("alphabeta", REVERSI).choose(start, limits, NEVER).from_book
    assert load_agent("level-8", REVERSI).choose(start, Limits(), NEVER).from_book
    for agent, options, less in (
        ("alphabeta", {"book": False}, limits),
        ("level-8", {"book": False}, limits),
        ("alphabeta", {}, Limits(depth=2)),
        ("alphabeta", {"depth": 2}, limits),
        ("alphabeta", {"heuristic": "static"}, limits),
        ("alphabeta", {"error_percent": 1}, limits),
        ("level-6", {}, limits),
    ):
        assert not load_agent(agent, REVERSI, options).choose(start, less, NEVER).from_book, (agent, options)
    other = games.load("reversi", {"handicap": 1})
    assert not load_agent("alphabeta", other).choose(other.initial(), limits, NEVER).from_book


def test_equally_good_moves_are_chosen_by_the_seed(own: Path) -> None:
    def first(seed: int) -> Any:
        return load_agent("alphabeta", REVERSI, {"seed": seed}).choose(REVERSI.initial(), Limits(nodes=1), NEVER).move

    assert first(7) == first(7)
    assert len({first(seed) for seed in range(1, 20)}) == 4


@pytest.mark.parametrize("how", ["cut", "other rules", "illegal move", "changed"])
def test_a_damaged_book_is_named_and_play_goes_on(own: Path, how: str, caplog: pytest.LogCaptureFixture) -> None:
    text = own.read_text()
    if how == "cut":
        own.write_text(text[: len(text) // 2])
    elif how == "other rules":
        own.write_text(text.replace('"handicap":"0"', '"handicap":"2"'))
    else:
        own.write_text(text.replace('[["d3"', '[["a1"'))
    if how != "changed":  # the others were damaged when the checksum was made
        write_entry(own.parent, "reversi_book", own.name, {})
    with caplog.at_level(logging.WARNING):
        answer = load_agent("alphabeta", REVERSI).choose(REVERSI.initial(), Limits(nodes=500), NEVER)
    assert answer.move in REVERSI.legal_moves(REVERSI.initial())
    assert not answer.from_book
    [record] = caplog.records
    assert "no opening book is used" in record.getMessage()
    done = CliRunner().invoke(app, ["check", "--game", "reversi"])
    assert done.exit_code == 2 and done.stderr.startswith("kibitzer book check: ")


def test_the_commands_build_check_and_show(tmp_path: Path, own: Path) -> None:
    words = ["build", "--game", "reversi", "--nodes", "500", "--sample", "2", "--json", "--out", str(tmp_path / "new")]
    for positions in (2, 3):
        done = CliRunner().invoke(app, [*words, "--positions", str(positions)])
        assert json.loads(done.stdout)["positions"] == positions
    assert "go on with those" in CliRunner().invoke(app, [*words, "--nodes", "700"]).stderr
    assert json.loads(CliRunner().invoke(app, ["check", "--game", "reversi", "--json"]).stdout)["positions"] == 6
    shown = json.loads(CliRunner().invoke(app, ["show", "--game", "reversi", "--moves", "f5", "--json"]).stdout)
    assert {one["opening"] for one in shown["moves"]} <= {"Diagonal", "Parallel", "Perpendicular"}
    assert len(shown["moves"]) >= 2
    assert "no book" in CliRunner().invoke(app, ["show", "--game", "reversi", "--rule", "handicap=1"]).stderr


def test_games_without_a_book_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BookError, match="hides pieces"):
        Builder(games.load("dominoes"), NODES)
    monkeypatch.setattr("agents.levels.lead", lambda _: None)
    with pytest.raises(BookError, match="its levels need a lead"):
        Builder(REVERSI, NODES)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_move_of_a_shipped_book_is_legal_in_a_turned_board_too(name: str) -> None:
    found = book.read(MODELS / name)
    game = games.load(found.game, dict(found.rules))
    assert opening.name_of(game) == name.removesuffix(".jsonl")
    known = opening.OpeningBook(game, found)
    keys = random.Random(1).sample(sorted(found.entries), min(8, len(found.entries)))
    for key in keys:
        position = known.position(key, found.entries[key])
        moves = known.known(position)
        assert len(moves) >= len(found.entries[key].moves)
        assert {one.move for one in moves} <= set(game.legal_moves(position))
