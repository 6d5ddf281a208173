"""Puzzles at the table: kept in their file, set, judged with the reason, taken back, and left again."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from typer.testing import CliRunner

import games
from agents import puzzles
from daemon.cli import puzzles as cli
from daemon.commands.command import Best, Puzzle, Undo
from daemon.judging import corrections
from daemon.judging.referee import Referee
from daemon.match.puzzle_play import PuzzlePlay, question, verdict
from daemon.page.view import puzzle_of
from daemon.record import puzzles as stored
from daemon.record.journal import Journal
from daemon.record.puzzles import Other, PuzzleError, PuzzleStore, Standing, path_of
from daemon.record.record import Beginning, GameRecord
from daemon.record.stored_game import rule_texts
from daemon.words.translation import in_words
from rules import Outcome
from tests.daemon.puzzles_made import made, store_with
from tests.daemon.test_command_handlers import at, refuse, tell

NAMES = ("gomoku", "reversi", "morris", "ganh")
BRINGING = ("chess", "co_ganh", "draughts", "gomoku", "nine_mens_morris", "reversi")


@pytest.fixture
def store(tmp_path: Path) -> PuzzleStore:
    return store_with(tmp_path / "journal.puzzles.sqlite", *NAMES)


def test_a_puzzle_is_kept_once_and_read_as_it_was(store: PuzzleStore) -> None:
    kept = store.all()
    assert [one.plies for one, _ in kept] == sorted(one.plies for one, _ in kept)
    assert {one.game: one for one, _ in kept} == {games.find(name).name: made(name) for name in NAMES}
    assert store.add([made("reversi")]) == 0
    one = made("gomoku")
    assert store.get(one.puzzle_id[:5]) == one and store.get("") is None and store.get("zz") is None


def test_progress_is_kept_and_the_next_puzzle_is_one_not_solved(store: PuzzleStore) -> None:
    one, other = made("reversi"), made("reversi", 40)
    game, _ = one.opened()
    assert store.add([other]) == 1
    first = store.next(game)
    assert first is not None
    store.tried(first, "a1", solved=False)
    store.tried(first, first.move, solved=True)
    assert {puzzle.puzzle_id: how for puzzle, how in store.all("reversi")}[first.puzzle_id] == Standing(2, 1, False)
    second = store.next(game)
    assert second is not None and {first.puzzle_id, second.puzzle_id} == {one.puzzle_id, other.puzzle_id}
    assert store.next(games.load("gomoku", {"size": 19})) is None  # a puzzle of other rules is none


@pytest.mark.parametrize(
    "data", ["nonsense", "[]", "{}", '{"game": "reversi", "others": {}, "proof": "luck"}', "[" * 9000]
)
def test_a_damaged_puzzle_is_left_out(store: PuzzleStore, data: str) -> None:
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE puzzles SET data = ? WHERE game = 'reversi'", [data])
    assert sorted(one.game for one, _ in store.all()) == ["co_ganh", "gomoku", "nine_mens_morris"]


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.puzzles.sqlite"
    path.write_bytes(b"This is no database at all. " * 99)
    with pytest.raises(PuzzleError, match=r"journal\.puzzles\.sqlite"):
        PuzzleStore(path).all()
    assert not PuzzleStore(path).has(games.load("morris"))
    assert (
        not PuzzleStore(tmp_path / "none.sqlite").has(games.load("morris")) and not (tmp_path / "none.sqlite").exists()
    )


def test_a_new_store_has_the_puzzles_of_the_games_and_an_old_one_stays_as_it_is(
    store: PuzzleStore, tmp_path: Path
) -> None:
    new = stored.store_beside(tmp_path / "new" / "journal.sqlite").all()
    assert {one.game for one, _ in new} == set(BRINGING) and len(new) == 3 * len(BRINGING)
    for name in BRINGING:
        assert stored.store_beside(tmp_path / "new" / "journal.sqlite").has(games.load(name))
    assert len(stored.store_beside(tmp_path / "journal.sqlite").all()) == len(NAMES)
    (tmp_path / "file").write_text("")
    assert stored.store_beside(tmp_path / "file" / "journal.sqlite").all() == []  # nothing can be written there


@pytest.mark.parametrize("name", BRINGING)
def test_the_puzzles_of_a_game_are_proven(name: str) -> None:
    game = games.load(name)
    ways = puzzles.certifiers(game)
    for one in stored.brought(name):
        found = puzzles.certify(ways, one.opened()[1])
        assert found is not None
        assert (found.move, found.plies, found.discs, found.proof) == (one.move, one.plies, one.discs, one.proof)
        results = {move: (other.result, other.amount) for move, other in one.others.items()}
        assert {move: (other.result, other.amount) for move, other in found.others.items()} == results


def test_puzzles_are_printed_as_a_games_package_brings_them(tmp_path: Path) -> None:
    journal = str(tmp_path / "journal.sqlite")
    printed = CliRunner().invoke(cli.app, ["list", "--game", "reversi", "--json", "--journal", journal])
    assert printed.stdout == games.file_of("reversi", stored.BROUGHT).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_is_judged_with_the_reason(name: str) -> None:
    puzzle = made(name)
    game, position = puzzle.opened()
    assert in_words(*verdict(puzzle, game, position, puzzle.move)).startswith("Right: ")
    for answer, other in puzzle.others.items():
        said = in_words(*verdict(puzzle, game, position, answer))
        assert said.startswith("Wrong: ") and (not other.reply or "The other side replies: " in said)
    assert in_words(question(puzzle, game, game.to_move(position))).startswith("Puzzle: ")


@pytest.mark.parametrize(
    ("proof", "other", "said"),
    [
        ("exact", Other("loses", 8, "pass"), "Wrong: d3 loses by 8 discs."),
        ("exact", Other("draws", 0, ""), "Wrong: d3 only draws."),
        ("table", Other("loses", 6, ""), "Wrong: after d3 the other side wins in 3 moves."),
        ("fours", Other("loses", 0, ""), "Wrong: d3 loses."),
        ("full_search", Other("slower", 0, ""), "Wrong: d3 does not win so soon."),
    ],
)
def test_the_words_of_a_wrong_answer(proof: str, other: Other, said: str) -> None:
    game = games.load("reversi")
    puzzle = stored.Puzzle("reversi", {}, "", "c4", 3, 2, proof, ("c4",), {"d3": other})
    assert in_words(*verdict(puzzle, game, game.initial(), "d3")) == said


def test_a_match_judges_the_first_move_and_again_after_a_takeback(store: PuzzleStore) -> None:
    puzzle = made("morris")
    game, position = puzzle.opened()
    side = game.to_move(position)
    agents = (None, "level-8") if side == 0 else ("level-8", None)
    play = PuzzlePlay(puzzle, store)
    referee = Referee(game, agents, [position])
    assert play.turn(referee) == [] and play.verdict == ""
    wrong = sorted(puzzle.others)[0]
    corrections.enter(referee, wrong)
    (told,) = play.turn(referee)
    assert told.code == "puzzle" and "Take your move back" in told.text  # type: ignore[union-attr]
    assert play.verdict == "wrong" and play.turn(referee) == [] and "Wrong" in in_words(*play.why)
    other = Referee(game, agents, [position])
    play.turn(other)
    assert play.verdict == ""
    corrections.enter(other, puzzle.move)
    play.turn(other)
    assert play.verdict == "right" and play.standing == Standing(2, 1, False)
    assert store.all("nine_mens_morris")[0][1] == Standing(2, 1, False)


def test_a_puzzle_is_asked_for_by_command(store: PuzzleStore) -> None:
    bench = at(moves=["d2"])
    assert "no puzzles" in refuse(bench, Puzzle())
    bench.match.puzzles = PuzzleStore(store.path.with_name("empty.sqlite"))
    assert "kibitzer puzzles make" in refuse(bench, Puzzle())
    bench.match.puzzles = store
    assert "puzzle of reversi" in refuse(bench, Puzzle(made("reversi").puzzle_id))
    assert not bench.match.new_game_due
    assert tell(bench, Puzzle()).startswith("Puzzle: ")
    assert bench.match.new_game_due and bench.match.puzzle_due == made("morris")


def test_no_help_is_drawn_in_a_puzzle(store: PuzzleStore) -> None:
    bench = at()
    bench.match.best.forbidden, bench.match.puzzle = True, PuzzlePlay(made("morris"), store)
    assert "puzzle" in refuse(bench, Best(True))
    told = puzzle_of(bench.match)
    assert told is not None and told["verdict"] == "" and made("morris").move not in json.dumps(told)
    assert Undo  # the way to try again


def test_the_terminal_lists_and_plays(store: PuzzleStore, tmp_path: Path) -> None:
    journal, one = str(tmp_path / "journal.sqlite"), made("reversi")
    listed = CliRunner().invoke(cli.app, ["list", "--journal", journal])
    assert len(listed.stdout.splitlines()) == 4 and "new" in listed.stdout
    wrong = sorted(one.others)[0]
    answers = f"zz\n{wrong}\n{one.move}\n"
    played = CliRunner().invoke(cli.app, ["play", one.puzzle_id, "--journal", journal], input=answers)
    assert "Wrong: " in played.stdout and "Right: " in played.stdout and played.exit_code == 0
    as_json = CliRunner().invoke(cli.app, ["list", "--game", "reversi", "--json", "--journal", journal])
    assert json.loads(as_json.stdout)["tried"] == 2
    left = CliRunner().invoke(cli.app, ["list", "--open", "--journal", journal])
    assert len(left.stdout.splitlines()) == 3
    absent = CliRunner().invoke(cli.app, ["play", "ffffffff0", "--journal", journal])
    assert absent.exit_code == 2 and "no such puzzle" in absent.output


def test_a_win_that_was_missed_in_a_recorded_game_becomes_a_puzzle(tmp_path: Path) -> None:
    puzzle = made("reversi")
    game, position = puzzle.opened()
    path = tmp_path / "journal.sqlite"
    journal = Journal(path)
    record = GameRecord(
        journal, "20260101T000000-aaaaaaaa", Beginning("reversi", rule_texts(game), ["Ann", "Bob"], {}, puzzle.position)
    )
    record.begin()
    wrong = sorted(puzzle.others)[0]
    referee = Referee(game, (None, None), [position])
    for effect in corrections.enter(referee, wrong):
        if hasattr(effect, "position"):
            record.write(effect)
    journal.finish(record.game_id, Outcome(None, "resigned"))
    journal.close()
    done = CliRunner().invoke(
        cli.app, ["make", "--game", "reversi", "--count", "0", "--from-games", "--journal", str(path)]
    )
    assert "1 new puzzle" in done.stdout, done.output
    ((found, _),) = PuzzleStore(path_of(path)).all()
    assert (found.position, found.move, found.source) == (puzzle.position, puzzle.move, f"{record.game_id}#1")
