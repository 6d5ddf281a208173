"""Imports read what exports write and judge every move: export, import, export gives the same file.

And games as other programs write them: encodings, line ends, odd headers, several in a file.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import games
from daemon.cli.export import keep
from daemon.cli.games import app
from daemon.config.player_names import recorded_name
from daemon.game.clocks import TimeControl
from daemon.game.effects import Rewrite
from daemon.record.browsing import names_seen
from daemon.record.formats.document import as_object
from daemon.record.formats.formats import download, suiting
from daemon.record.formats.imported import ImportFault
from daemon.record.formats.reading import guessed, read_game, read_games, read_text
from daemon.record.journal import Journal
from daemon.record.stored_game import StoredGame
from rules import GameError, Outcome
from rules.turns import line_of_play
from tests.daemon.recorded_games import kept_journal, random_moves, record_game, set_up_game
from tests.daemon.test_exports import RULES
from wording.outside import visible_lines

EXAMPLES = settings(max_examples=6)
CONTROLS = (None, TimeControl("game", 300.0, 2.0), TimeControl("move", 60.0))
PGN = '[White "José Müller"]\n[Black "Ana"]\n\n1. e4 e5 2. Nf3 {ça va} *\n'
SGF = "(;GM[1]SZ[9]PB[Müller]CA[{charset}];B[ee];W[gc])"
GGF = (
    "(;GM[Othello]PB[a]PW[b]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5]W[d6];)"
)
NAMES = ('Ana [ö] \\ "x"', "Nguyễn, 5")


def random_game(name: str, seed: int, most: int = 80, journal: Journal | None = None) -> StoredGame:
    """A random game as a journal stores it; some are ended by resigning or on time."""
    chance = random.Random(seed)
    game = games.load(name, chance.choice(RULES[name]))
    start, texts = random_moves(game, chance, chance.randrange(2, most))
    over = game.outcome(line_of_play(game, texts, start)[-1])
    ends = [None, Outcome(0, "resigned"), Outcome(1, "time")]
    outcome = over or chance.choice(ends)
    return record_game(journal or kept_journal(), game, start, texts, chance.choice(CONTROLS), outcome, NAMES, seed)


def exported(stored: StoredGame, name: str, folder: Path) -> Path:
    file = download(stored, name)
    path = folder / file.name
    path.write_bytes(file.content)
    return path


def contents(path: Path) -> object:
    """A zip's files by name, or another file's bytes."""
    if path.suffix != ".zip":
        return path.read_bytes()
    with zipfile.ZipFile(path) as file:
        return {one: file.read(one) for one in file.namelist()}


@pytest.mark.parametrize(
    ("name", "format_name"), [(name, one) for name in games.names() for one in suiting(name) if one != "png"]
)
@EXAMPLES
@given(seed=st.integers(0, 2**20))
def test_export_import_export_gives_the_same_file(
    tmp_path_factory: pytest.TempPathFactory, name: str, format_name: str, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("trip")
    stored = random_game(name, seed, most=40 if name == "double_double_dominoes" else 80)
    if format_name == "annotations" and not any(move != "pass" for move in stored.moves):
        return
    first = exported(stored, format_name, folder)
    read = keep(folder / "other.sqlite", read_game(first))
    with contextlib.closing(Journal(folder / "other.sqlite")) as journal:
        again = journal.game(read.game_id)
    assert again == read and again.source == first.name
    (folder / "again").mkdir()
    second = exported(again, format_name, folder / "again")
    assert contents(second) == contents(first)
    assert [ply.board for ply in again.plies if ply.move != "pass"] == [
        ply.board for ply in stored.plies if ply.move != "pass"
    ]
    shutil.rmtree(folder)


HOSTILE = st.text(
    st.characters() | st.sampled_from('[]()\\{}";:\r\n\t\x00\x07\x1b\u202e\u2067\u2028\ud800 אé👩'), max_size=160
)


@pytest.fixture(scope="module")
def recorded() -> dict[str, StoredGame]:
    """One short game of every kind that is written with names."""
    return {name: random_game(name, 7, most=4) for name in ("gomoku", "reversi", "nine_mens_morris")}


@pytest.mark.parametrize(
    ("name", "format_name"),
    [("gomoku", "sgf"), ("reversi", "ggf"), ("nine_mens_morris", "moves"), ("nine_mens_morris", "json")],
)
@settings(max_examples=100)
@given(names=st.tuples(HOSTILE, HOSTILE))
@example(names=(r"back\\slash\\", "] (;W[aa];)"))
@example(names=('say "\\"', "\x1b]0;title\x07\nB[aa]"))
@example(names=("محمد\u202eabc", "Zoë 👩\u200d🚀"))
def test_hostile_names_come_back_the_same_and_drive_no_terminal(
    recorded: dict[str, StoredGame], name: str, format_name: str, names: tuple[str, str]
) -> None:
    said = tuple(recorded_name(one) for one in names)
    first = download(dataclasses.replace(recorded[name], players=said), format_name).content
    read = read_text(first.decode(), "x", format_name)
    assert download(read, format_name).content == first
    assert visible_lines(first.decode()) == first.decode()
    assert format_name == "ggf" or read.players == said


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[4]PB[Ana\x1b[2J\\]\u202e]PW[\x07\nBen\x00];B[hh])",
        "(;GM[Othello]PC[x]PB[Ana\x1b[2J]PW[\x07\nBen]RE[?]BO[8 -------- -------- -------- ---O*--- ---*O---"
        " -------- -------- -------- *]B[F5];)",
        '[Variant "co_ganh"]\n[White "Ana\x1b[2J\u202e"]\n[Black "\x07Ben"]\n\n{\x1b[2J} *\n',
    ],
    ids=["sgf", "ggf", "moves"],
)
def test_control_characters_in_a_strangers_file_are_not_recorded(text: str) -> None:
    read = read_text(text, "x\x1b[2J.sgf")
    shown = "".join([*read.players, read.source])
    assert shown.isprintable() and "Ana" in shown and "Ben" in shown


def test_control_characters_in_a_strangers_document_are_not_recorded(tmp_path: Path) -> None:
    stored = random_game("gomoku", 5, most=6)
    document = as_object(stored) | {"players": ["Ana\x1b[2J\ud800", "\u202eBen"]}
    note = {"ply": 1, "kind": "illegal", "text": "one\x1b[2J\ntwo  three", "time": stored.started}
    document["notes"] = [note | {"data": {"\x07what": ["\ud800\u202e", 1]}}]
    read = keep(tmp_path / "other.sqlite", read_text(json.dumps(document), "x"))
    assert read.players == ("Ana[2J", "Ben")
    assert (read.notes[0].text, read.notes[0].data) == ("one[2J two  three", {"what": ["", 1]})


@pytest.mark.parametrize(
    "text",
    [
        '[Variant "co_ganh"]\n\n1. \x1b[2J\u202e *',
        "(;GM[\x1b[2J];B[hh])",
        "(;GM[Othello\x1b[2J]BO[8 --]B[F5];)",
        "(;GM[Othello]BO[8 \x1b[2J]B[F5];)",
    ],
)
def test_what_is_said_about_a_strangers_file_drives_no_terminal(text: str) -> None:
    with pytest.raises(ImportFault) as fault:
        read_text(text, "x")
    assert str(fault.value).isprintable()


def test_names_that_an_earlier_version_recorded_drive_no_terminal(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "5.sqlite")
    stored = random_game("gomoku", 5, 4, journal)
    journal.name_players(stored.game_id, ["Ana\x1b[2J", "\u202e\n"])
    journal.note(stored.game_id, "illegal", "\x1b[2Jno", {"said": ["\ud800"]})
    again = journal.game(stored.game_id)
    assert (again.players, again.notes[-1].text) == (("Ana[2J", "person"), "[2Jno")
    assert json.loads(download(again, "json").content)["notes"][-1]["data"] == {"said": [""]}
    assert names_seen(journal) == ["Ana[2J", "person"]
    journal.close()


@pytest.mark.parametrize("name", games.names())
def test_the_document_brings_everything_back_what_was_undone_and_said_too(tmp_path: Path, name: str) -> None:
    journal = Journal(tmp_path / "3.sqlite")
    stored = random_game(name, 3, 12, journal)
    journal.note(stored.game_id, "illegal", "Đen đi sai.", {"rule": "occupied", "cells": [1, 2]})
    journal.take_back(stored.game_id, len(stored.plies) - 1)
    journal.rewrite(stored.game_id, Rewrite(len(stored.plies) - 1, (), None))
    journal.finish(stored.game_id, Outcome(None, "resigned"))
    stored = journal.game(stored.game_id)
    path = exported(stored, "json", tmp_path)
    journal.delete(stored.game_id)
    journal.close()
    kept = keep(tmp_path / "3.sqlite", read_game(path))
    assert kept == dataclasses.replace(stored, source=path.name)


WRONG = {
    "occupied": ("x.sgf", "(;GM[4]SZ[15];B[hh];W[hh])", r"move 2, h8: occupied: h8 is occupied"),
    "other colour": ("x.sgf", "(;GM[4]SZ[15];B[hh];B[ii])", r"move 2, i7: not_your_turn: a stone of W"),
    "no choice": ("x.sgf", "(;GM[4];KC[black])", r"move 1, black: .*'black' is no move"),
    "false result": ("x.txt", '[Variant "nine_mens_morris"]\n\n1. d6 f4 x', r"move 3, x: not_a_move"),
    "no variant": ("x.txt", '[Site "home"]\n\n1. e4 *', r"do not say which game"),
    "variation": ("x.txt", '[Variant "co_ganh"]\n\n1. a2-b2 (a2-a3 *', r"a parenthesis is not closed"),
    "rules": ("x.txt", '[Variant "co_ganh"]\n[Rules "capture=all"]\n\n*', r"capture is one of remove, flip"),
    "after the end": ("x.txt", '[Variant "co_ganh"]\n\n1. a2-b2 * b2-a2', r"stands after the result"),
    "turns nothing": ("x.txt", "f5d6a1", r"a1.*turns_nothing"),
    "not there": ("x.ggf", "(;GM[Othello]BO[8 --]B[F5];)", r"no board of 8 by 8"),
    "json": ("x.json", '{"format": 2}', r"format is 1, not 2"),
    "nothing": ("x.txt", "", r"looks like none of"),
    "picture": ("x.png", "\x89PNG", r"looks like none of"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_is_refused_with_number_and_rule_and_nothing_is_kept(tmp_path: Path, case: str) -> None:
    name, text, why = WRONG[case]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ImportFault, match=why):
        read_game(path)
    journal = tmp_path / "journal.sqlite"
    told = CliRunner().invoke(app, ["import", str(path), "--journal", str(journal)])
    assert told.exit_code == 2 and "Traceback" not in told.output
    assert str(path) in told.stderr and not journal.exists()


def test_a_result_that_the_rules_contradict_is_refused() -> None:
    line = "".join(f";B[{column}a];W[{column}b]" for column in "abcd") + ";B[ea]"
    with pytest.raises(ImportFault, match="the file says white's win; by the rules of gomoku it is black's win"):
        read_text(f"(;GM[4]SZ[15]RE[W+]{line})", "x.sgf")
    assert read_text(f"(;GM[4]SZ[15]RE[B+]{line})", "x.sgf").outcome == Outcome(0, "five_in_a_row")


@pytest.mark.parametrize(
    ("told", "outcome"),
    [
        ("B+R", Outcome(0, "resigned")),
        ("W+Time", Outcome(1, "time")),
        ("W+", Outcome(1, "as_recorded")),
        ("0", Outcome(None, "as_recorded")),
        ("?", None),
        ("", None),
    ],
)
def test_an_end_that_only_the_file_knows_is_kept_with_its_reason(told: str, outcome: Outcome | None) -> None:
    assert read_text(f"(;GM[4]SZ[15]RE[{told}];B[hh];W[ii])", "x.sgf").outcome == outcome


def test_a_changed_document_is_refused_where_the_rules_lead_elsewhere(tmp_path: Path) -> None:
    path = exported(random_game("reversi", seed=5), "json", tmp_path)
    document = json.loads(path.read_text())
    changes: list[tuple[Callable[[dict[str, Any]], object], str]] = [
        (lambda one: one["plies"][2].update(board="." * 64), "move 3, .*another position"),
        (lambda one: one["plies"][2].update(side=1 - one["plies"][2]["side"]), "move 3, .*not_your_turn"),
        (lambda one: one["plies"].pop(1), "move 2"),
        (lambda one: one["plies"][0].update(time="yesterday"), r"plies\.0\.time"),
        (lambda one: one.update(players=["Ana"]), "players"),
        (lambda one: one.update(finished=None, outcome={"winner": 0, "reason": "resigned"}), "or neither"),
        (lambda one: one.update(rules={"first": "green"}), "first is one of black, white"),
    ]
    for change, why in changes:
        changed = json.loads(json.dumps(document))
        change(changed)
        with pytest.raises(ImportFault, match=why):
            read_text(json.dumps(changed), "x.json")


def test_wrong_points_and_missing_tiles_are_refused_by_number(tmp_path: Path) -> None:
    stored = random_game("double_double_dominoes", seed=8, most=20)
    with zipfile.ZipFile(io.BytesIO(download(stored, "annotations").content)) as file:
        file.extractall(tmp_path / "tiles")
    second = tmp_path / "tiles" / "1_02.txt"
    right = second.read_text()
    second.write_text(right.rsplit("\n", 1)[0] + "\n99")
    with pytest.raises(ImportFault, match=r"move 2, .*the file says 99 points"):
        read_game(tmp_path / "tiles")
    second.unlink()
    with pytest.raises(ImportFault, match="tiles are missing"):
        read_game(tmp_path / "tiles")
    (tmp_path / "tiles" / "7_01.txt").write_text(right)
    with pytest.raises(ImportFault, match="choose one with --number"):
        read_game(tmp_path / "tiles")


def test_a_zip_that_is_none_or_holds_nothing_of_ours_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(b"PK rubbish")
    with pytest.raises(ImportFault, match="cannot be unpacked"):
        read_game(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("../../1_01.txt", "8H 6\n8I 1\n0")
        file.writestr("/etc/passwd", "x")
    with pytest.raises(ImportFault, match="no annotations"):
        read_game(path)


def test_an_imported_game_is_never_resumed_and_the_interrupted_one_still_is(journal: Journal) -> None:
    playing = journal.new_game("reversi", {"first": "black"}, ["Ana", "Ben"])
    keep(journal.path, read_text("f5d6c3", "x.txt"))
    found = journal.unfinished()
    assert found is not None and found.game_id == playing


def test_names_rules_and_games_that_a_file_does_not_say_can_be_given(tmp_path: Path) -> None:
    path, journal = tmp_path / "x.txt", tmp_path / "journal.sqlite"
    path.write_text("f5d6c3")
    words = ["import", str(path), "--first", "Ana", "--second", "Zoë", "--journal", str(journal), "--json"]
    told = CliRunner().invoke(app, words)
    expected = {"id": "", "game": "reversi", "plies": 3, "departures": []}
    assert told.exit_code == 0 and json.loads(told.stdout) | {"id": ""} == expected
    with contextlib.closing(Journal(journal, read_only=True)) as record:
        assert record.games()[0].players == ("Ana", "Zoë")
    assert read_text("c5", "x").rules == {"first": "white", "handicap": "0"}  # only white can begin like this
    with pytest.raises(ImportFault, match="turns_nothing"):
        read_text("c5", "x", rules={"first": "black"})
    assert read_text('[White "Ana"]\n\n1. d6 f4 *', "x", game="morris").players == ("Ana", "person")


def test_a_set_up_start_comes_back(tmp_path: Path, journal: Journal) -> None:
    stored = set_up_game(journal, games.load("gomoku"), ["h8"], "i8")
    for name in ("sgf", "json"):
        path = exported(stored, name, tmp_path)
        read = read_game(path)
        assert (read.start, read.moves, read.rules) == (stored.start, stored.moves, stored.rules)


@pytest.mark.parametrize(
    ("text", "format_name", "comments", "told"),
    [
        ("(;GM[4]C[all];B[hh]C[a \\] \\\\ b];W[ii])", "sgf", {0: "all", 1: "a ] \\ b"}, r"C[a \] \\ b]"),
        ('[Variant "morris"]\n\n1. d6 {safe [%emt 0:00:01.0]} *', "moves", {1: "safe"}, "[%emt 0:00:01.0] safe}"),
    ],
)
def test_what_a_file_says_about_a_move_is_kept_and_written(
    text: str, format_name: str, comments: dict[int, str], told: str
) -> None:
    read = read_text(text, "x")
    first = download(read, format_name).content.decode()
    assert read.comments == comments and told in first
    assert download(read_text(first, "x"), format_name).content.decode() == first


def test_formats_are_told_apart_by_how_they_look() -> None:
    texts = "\n {}", "(;FF[4]GM[4];B[hh])", "(;GM[Othello]PC[x];)", '[Event "x"]\n\n1. d6 *', "F5 d6\nc3"
    assert [guessed(text) for text in texts] == ["json", "sgf", "ggf", "moves", "transcript"]


@EXAMPLES
@given(text=st.text(alphabet='(;)[]GMSZBWKCREhi4515 x1.d6-{}%"\\\n*', max_size=80))
def test_rubbish_is_refused_and_nothing_else_happens(text: str) -> None:
    for head in ("(;GM[4]", '[Variant "nine_mens_morris"]\n\n', "(;GM[Othello]BO[8 ", '{"format": 1, '):
        with contextlib.suppress(ImportFault):
            read_text(head + text, "x.txt")


@pytest.mark.parametrize(
    ("text", "game", "moves"),
    [
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n9,7,1500\n8,9,20\nC:\\brains\\pela.exe\nrapfi.zip\n-1\n", "", "h8 i9 h7"),
        ("h8 i9 h7", "gomoku", "h8 i9 h7"),
        ("h8i9h7", "gomoku", "h8 i9 h7"),
        ("1. h8 i9 2. h7!?", "gomoku", "h8 i9 h7"),
        ("1. f5 d6 2. c3", "reversi", "f5 d6 c3"),
        ("F5D6C3", "", "f5 d6 c3"),
        ("1. d6 f4 2. d2 b4 3. d7 xf4", "morris", None),
        ("d6 b4 d5 b6 d7 xb4", "morris", "d6 b4 d5 b6 d7xb4"),
        ("d6 b4 d5 b6 d7xb4 1-0", "morris", "d6 b4 d5 b6 d7xb4"),
        ("a3-a4 e2-d2", "ganh", None),
    ],
)
def test_others_write_moves_in_many_ways(text: str, game: str, moves: str | None) -> None:
    if moves is None:
        with pytest.raises(ImportFault, match=r"move \d"):
            read_text(text, "theirs.txt", game=game)
    else:
        assert read_text(text, "theirs.txt", game=game).moves == tuple(moves.split())


def test_a_psq_record_tells_names_and_times_and_what_is_wrong_with_it(tmp_path: Path) -> None:
    path = tmp_path / "game.psq"
    path.write_text("Piskvorky 15x15, 0:0, 0\r\n8,8,0\r\n9,7,1500\r\nC:\\brains\\pela.exe\r\nrapfi.zip\r\n-1\r\n")
    stored = read_game(path)
    assert stored.players == ("pela", "rapfi") and stored.plies[1].spent_s == 1.5
    for wrong, why in (
        ("Piskvorky 20x20, 0:0, 0\n1,1,0\n", "15"),
        ("Piskvorky 15x19, 0:0, 0\n", "square"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n16,1,0\n", r"move 2, 16,1: no_such_cell"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n8,8,0\n", r"move 2, h8: occupied"),
        ("Piskvorky\n", "begins with"),
    ):
        with pytest.raises((ImportFault, GameError), match=why):
            read_text(wrong, path.name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_pgn_is_read_in_any_encoding_with_any_line_ends(tmp_path: Path, encoding: str, end: str) -> None:
    path = tmp_path / "theirs.pgn"
    path.write_bytes(PGN.replace("\n", end).encode(encoding))
    game = read_game(path)
    assert (game.players, game.moves) == (("José Müller", "Ana"), ("e4", "e5", "Nf3"))
    assert game.comments == {3: "ça va"}


@pytest.mark.parametrize(
    ("name", "charset", "encoding"),
    [
        ("Müller", "UTF-8", "utf-8"),
        ("Müller", "ISO-8859-1", "latin-1"),
        ("Müller", "zlib", "latin-1"),
        ("古力", "GB2312", "gb2312"),
        ("Łukasz", "ISO8859-2", "iso-8859-2"),
    ],
)
def test_an_sgf_is_read_in_the_encoding_that_it_names(tmp_path: Path, name: str, charset: str, encoding: str) -> None:
    path = tmp_path / "theirs.sgf"
    path.write_bytes(SGF.format(charset=charset).replace("Müller", name).encode(encoding))
    assert read_game(path).players[0] == name


def test_bytes_of_another_kind_of_file_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "photo.sgf"
    path.write_bytes(bytes(range(256)) * 4)
    with pytest.raises(ImportFault, match="it is no text"):
        read_game(path)


@pytest.mark.parametrize(
    ("name", "text", "moves"),
    [
        ("bare.pgn", "1. e4 e5 2. Nf3 *", "e4 e5 Nf3"),
        ("tags.pgn", '[White  "a" ] [Black "b"]\n%line\n;words\n\n1.e4 e5 *', "e4 e5"),
        (
            "signs.pgn",
            '[White "a"]\n\n1. e4 !? +- e5 ± 2. d4 N exd4 $14 3. c4 dxc3 e.p. = 1/2-1/2',
            "e4 e5 d4 exd4 c4 dxc3",
        ),
        ("half.pgn", '[White "a"]\n\n1. e4 e5 ½-½', "e4 e5"),
        ("lines.sgf", "(\r\n;GM[1]SZ[9]\r\n;B[ee]\r\n;W[gc])", "E5 G7"),
        ("server.ggf", f"1 {GGF}", "f5 d6"),
        ("lines.ggf", GGF.replace("(;", "(\r\n;").replace(";)", ";\r\n)"), "f5 d6"),
    ],
)
def test_headers_and_signs_that_others_write(tmp_path: Path, name: str, text: str, moves: str) -> None:
    (tmp_path / name).write_text(text, newline="")
    assert read_game(tmp_path / name).moves == tuple(moves.split())


def test_a_tag_in_a_comment_is_no_name_and_begins_no_game(tmp_path: Path) -> None:
    path = tmp_path / "one.pgn"
    path.write_text('[White "a"]\n\n1. e4 {see\n[White "x"]\n; there} e5 1-0\n')
    game = read_game(path)
    assert (game.players[0], game.moves) == ("a", ("e4", "e5"))


def test_each_game_of_a_file_is_imported_and_a_faulty_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "club.pgn"
    path.write_text(PGN + "\n" + PGN.replace("2. Nf3", "2. Nf6") + "\n\n" + PGN.replace("e5", "c5"))
    first, fault, last = read_games(path)
    assert isinstance(first, StoredGame) and isinstance(last, StoredGame)
    assert (first.moves[1], last.moves[1]) == ("e5", "c5")
    assert str(fault).startswith("game 2: move 2, Nf6: wrong_movement: ")
    assert read_game(path, number=3).moves == last.moves
    with pytest.raises(ImportFault, match="it holds 3 games: choose one with --number"):
        read_game(path)
    with pytest.raises(ImportFault, match="it holds 3 games: there is no number 4"):
        read_game(path, number=4)
