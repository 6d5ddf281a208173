"""The journal on the command line: points shown, and movers corrected afterwards."""

from __future__ import annotations

import contextlib
import json
import random
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import games
from daemon.cli import games as games_cli
from daemon.game.effects import Finish, Known, Record
from daemon.game.line_of_play import played
from daemon.judging.referee import Referee
from daemon.page.web import WebPage
from daemon.record.journal import Journal
from tests.daemon.test_web import state

MOVES = ("8H6-8I1", "8J1-8K4", "6K2-7K4", "8F2-8G6")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Settings of a daemon that is not running."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        path = tmp_path / "config.toml"
        path.write_text(f"[page]\nport = {holder.getsockname()[1]}\n", encoding="utf-8")
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def recorded(path: Path, moves: tuple[str, ...] = MOVES, start: str = "", known: tuple[Known, ...] = ()) -> str:
    """Records a game of dominoes and returns its id."""
    game = games.load("dominoes")
    referee, journal = Referee(game), Journal(path)
    if start:
        referee.line.know(game.parse_position(start))
    game_id = journal.new_game(game.name, {"first": "red"}, ["person", "person"])
    for text in moves:
        move = game.parse_move(referee.position, text)
        for effect in referee.make(played(game, referee.position, move)):
            if isinstance(effect, Record):
                journal.append(game_id, Record(effect.ply, effect.side, effect.move, effect.position, effect.board))
            elif isinstance(effect, Finish):
                journal.finish(game_id, effect.outcome)
    journal.close()
    return game_id


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(games_cli.app, [str(word) for word in words])
    return result.exit_code, result.output


def test_a_game_with_points_is_shown_with_who_laid_what_for_what(path: Path) -> None:
    recorded(path)
    status, text = run("show", "--journal", path)
    assert status == 0
    assert text.splitlines()[2:] == [
        "    1  red    8H6-8I1         +0 +0    0    0",
        "    2  green  8J1-8K4         +0 +0    0    0",
        "    3  red    6K2-7K4         +1 +0    1    0",
        "    4  green  8F2-8G6         +0 +0    1    0",
    ]


def test_a_mover_is_corrected_in_a_game_that_nobody_plays_any_more(path: Path, config: Path) -> None:
    game_id = recorded(path)
    status, text = run("mover", game_id, 2, "Red", "--journal", path, "--config", config)
    assert (status, text) == (0, "Move 2 was red's. Red 0, green 1. Green's turn.\n")
    shown = json.loads(run("show", "--journal", path, "--json")[1])
    assert shown["moves"] == ["8H6-8I1", "pass", "8J1-8K4", "6K2-7K4", "8F2-8G6"]
    assert [(ply["side"], ply["known"], ply["scores"]) for ply in shown["plies"]] == [
        (0, "", [0, 0]),
        (1, "", [0, 0]),
        (0, "said", [0, 0]),
        (1, "", [0, 1]),
        (0, "", [0, 1]),
    ]
    assert shown["scores"] == [0, 1]
    assert [note.kind for note in Journal(path).game(game_id).notes] == ["rewritten", "mover"]


def test_what_cannot_be_is_refused_and_the_record_stays(path: Path, config: Path) -> None:
    game_id = recorded(path)
    before = Journal(path).game(game_id)
    assert run("mover", game_id, 9, "red", "--journal", path, "--config", config) == (
        1,
        "kibitzer games mover: There is no move 9: 4 are made.\n",
    )
    assert run("mover", game_id, 1, "blue", "--journal", path, "--config", config)[0] == 1
    assert run("mover", "nobody", 1, "red", "--journal", path, "--config", config)[0] == 2
    assert run("mover", game_id, 1, "red", "--journal", path.with_name("absent"), "--config", config)[0] == 2
    assert Journal(path).game(game_id) == before


@pytest.fixture
def page() -> Iterator[WebPage]:
    made = WebPage(port=0)
    yield made
    made.close()


def test_a_game_that_is_being_played_is_corrected_by_the_daemon_only(path: Path, config: Path, page: WebPage) -> None:
    game_id = recorded(path)
    page.publish(state=state(game_id=game_id))
    config.write_text(f"[page]\nport = {page.port}\n", encoding="utf-8")
    status, text = run("mover", game_id, 2, "red", "--journal", path, "--config", config)
    assert status == 1
    assert "kibitzer tell mover" in text


def test_moves_after_an_end_that_was_none_come_back(path: Path, config: Path) -> None:
    """With every tile counted for one side the game ends early; correcting the movers brings the later moves back."""
    game, moves = games.load("dominoes"), long_game()
    game_id = recorded(path, moves)
    plain = Journal(path).game(game_id)
    assert plain.outcome is None
    # All tiles are made green's, who then reaches the last space before the last tile.
    for number in range(1, len(moves) + 1):
        run("mover", game_id, number, "green", "--journal", path, "--config", config)
        if (ended := Journal(path).game(game_id)).outcome is not None and ended.beyond:
            break
    assert ended.beyond and ended.outcome is not None and ended.outcome.reason == "space_100"
    for again in range(number, 0, -1):
        side = plain.plies[again - 1].side
        status, text = run("mover", game_id, again, game.sides[side], "--journal", path, "--config", config)
        assert status == 0, text
    mended = Journal(path).game(game_id)
    assert (mended.moves, mended.outcome, mended.beyond) == (plain.moves, None, ())


def long_game() -> tuple[str, ...]:
    """An unfinished game without passes in which the two sides' scores add up to 130 or more."""
    game = games.load("dominoes")
    for seed in range(200):
        dice, position, texts = random.Random(seed), game.initial(), list[str]()
        while game.outcome(position) is None and len(texts) < 40 and sum(game.scores(position) or ()) < 130:
            seen = [move for move in game.legal_moves(position) if game.steps(position, move)]
            if not seen:
                break
            best = max(seen, key=lambda move: (game.gains(position, move)[game.to_move(position)].total, dice.random()))
            texts.append(game.format_move(position, best))
            position = game.apply(position, best)
        if game.outcome(position) is None and sum(game.scores(position) or ()) >= 130:
            return tuple(texts)
    raise AssertionError("no such game")


@pytest.fixture
def every(record: Path) -> tuple[Path, dict[str, str]]:
    """A journal with one game of each kind, and their ids."""
    with contextlib.closing(Journal(record)) as journal:
        return record, {one.game: one.game_id for one in journal.summaries()}


def test_the_list_tells_id_day_game_players_plies_and_result(path: Path) -> None:
    game_id = recorded(path)
    status, text = run("list", "--journal", path)
    assert status == 0
    day = f"{game_id[:4]}-{game_id[4:6]}-{game_id[6:8]} {game_id[9:11]}:{game_id[11:13]}"
    assert text == f"{game_id}  {day}  double_double_dominoes  person - person  4 plies  not finished\n"
    (line,) = run("list", "--journal", path, "--json")[1].splitlines()
    listed = json.loads(line)
    assert (listed["id"], listed["plies"], listed["outcome"]) == (game_id, 4, None)


def test_the_list_holds_the_newest_games_oldest_first(every: tuple[Path, dict[str, str]]) -> None:
    path, ids = every
    lines = run("list", "--journal", path, "--limit", 2, "--json")[1].splitlines()
    assert [json.loads(line)["id"] for line in lines] == list(ids.values())[-2:]


def test_a_game_is_named_by_its_id_a_beginning_of_it_or_as_the_last(every: tuple[Path, dict[str, str]]) -> None:
    path, ids = every
    wanted = ids["gomoku"]
    for word in (wanted, wanted[:-1]):
        assert json.loads(run("show", word, "--json", "--journal", path)[1])["id"] == wanted
    assert json.loads(run("show", "last", "--json", "--journal", path)[1])["id"] == list(ids.values())[-1]
    status, text = run("show", wanted[:8], "--journal", path)
    assert (status, f"{len(ids)} games begin with" in text) == (2, True)
    status, text = run("show", "nobody", "--journal", path)
    assert (status, text) == (2, f"kibitzer games show: there is no game with the id 'nobody' in {path}\n")


def test_an_empty_record_has_no_last_game(path: Path) -> None:
    Journal(path).close()
    assert run("show", "last", "--journal", path) == (2, f"kibitzer games show: there is no game in {path}\n")
    assert run("list", "--journal", path) == (0, f"{path}: no game is recorded yet\n")


@pytest.mark.parametrize("command", [["list"], ["show"], ["export", "last"], ["delete", "last", "--yes"]])
def test_no_command_begins_a_record(path: Path, command: list[str]) -> None:
    status, text = run(*command, "--journal", path)
    assert (status, "there is no record yet" in text, path.exists()) == (2, True, False)


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("gomoku", "(;FF[4]GM[4]"),
        ("reversi", "(;GM[Othello]"),
        ("nine_mens_morris", '[Event "nine men\'s morris"]'),
        ("co_ganh", '[Event "cờ gánh"]'),
    ],
)
def test_a_game_is_exported_in_its_fields_format_to_standard_output(
    every: tuple[Path, dict[str, str]], name: str, beginning: str
) -> None:
    path, ids = every
    status, text = run("export", ids[name], "--journal", path)
    assert status == 0
    assert text.startswith(beginning)


def test_the_name_of_the_file_says_the_format(every: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    path, ids = every
    for name, starts in (("g.txt", b"("), ("g.json", b"{\n"), ("g.png", b"\x89PNG"), ("g.pgn", b"[Event")):
        game = "nine_mens_morris" if name == "g.pgn" else "reversi"
        out = tmp_path / name
        assert run("export", ids[game], "--journal", path, "--out", out)[0] == 0
        assert out.read_bytes().startswith(starts) == (name != "g.txt")
    assert re.fullmatch(r"([a-h][1-8])+\n", (tmp_path / "g.txt").read_text(encoding="utf-8"))


def test_what_is_there_is_not_written_over_unless_forced(every: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    path, ids = every
    out = tmp_path / "game.sgf"
    out.write_text("mine", encoding="utf-8")
    words = ("export", ids["gomoku"], "--journal", path, "--out", out)
    status, text = run(*words)
    assert (status, "--force" in text, out.read_text(encoding="utf-8")) == (2, True, "mine")
    assert run(*words, "--force")[0] == 0
    assert out.read_text(encoding="utf-8").startswith("(;FF[4]")
    status, text = run("export", ids["gomoku"], "--journal", path, "--out", tmp_path / "no" / "game.sgf")
    assert (status, "cannot be written: No such file" in text) == (2, True)


def test_annotations_are_a_folder_and_not_standard_output(every: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    path, ids = every
    status, text = run("export", ids["double_double_dominoes"], "--journal", path)
    assert (status, "name it with --out" in text) == (2, True)
    words = ("export", ids["double_double_dominoes"], "--journal", path, "--out", tmp_path / "tiles", "--number", 3)
    assert run(*words)[0] == 0
    assert (tmp_path / "tiles" / "3_mutari.txt").is_file()
    assert run(*words)[0] == 0  # writing the same export again loses nothing


def test_a_wrong_format_is_refused_with_those_that_suit(every: tuple[Path, dict[str, str]]) -> None:
    path, ids = every
    status, text = run("export", ids["reversi"], "--format", "sgf", "--journal", path)
    assert (status, "reversi is written as ggf, transcript, json, png" in text) == (2, True)


def test_a_game_is_deleted_only_when_that_is_confirmed(every: tuple[Path, dict[str, str]], config: Path) -> None:
    path, ids = every
    words = ["delete", ids["gomoku"], "--journal", str(path), "--config", str(config)]
    assert CliRunner().invoke(games_cli.app, words, input="n\n").exit_code == 1
    assert ids["gomoku"] in run("list", "--journal", path)[1]
    assert CliRunner().invoke(games_cli.app, words, input="y\n").exit_code == 0
    assert ids["gomoku"] not in run("list", "--journal", path)[1]
    assert run("delete", ids["reversi"], "--yes", "--journal", path, "--config", config)[0] == 0
    assert [json.loads(line)["id"] for line in run("list", "--json", "--journal", path)[1].splitlines()] == [
        one for name, one in ids.items() if name not in ("gomoku", "reversi")
    ]


def test_a_game_that_is_being_played_is_not_deleted(path: Path, config: Path, page: WebPage) -> None:
    game_id = recorded(path)
    page.publish(state=state(game_id=game_id))
    config.write_text(f"[page]\nport = {page.port}\n", encoding="utf-8")
    status, text = run("delete", "last", "--yes", "--journal", path, "--config", config)
    assert (status, "is being played" in text) == (1, True)
    assert Journal(path).ids() == [game_id]
