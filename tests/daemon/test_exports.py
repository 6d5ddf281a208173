"""Every export is read back by a small independent parser and replayed to the same final position."""

from __future__ import annotations

import itertools
import json
import random
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import games
from agents.protocols import ggf
from calibration.annotations import annotation_paths, read_annotation, read_movers
from daemon.game.clocks import TimeControl
from daemon.game.effects import Record
from daemon.record.formats.document import as_object
from daemon.record.formats.dominoes import write_tile_files
from daemon.record.formats.formats import FORMATS, check, suiting, to_json, to_transcript
from daemon.record.formats.movetext import to_movetext
from daemon.record.formats.played import ExportError, Played, play_again
from daemon.record.formats.reading import read_text
from daemon.record.formats.reversi import to_ggf
from daemon.record.formats.sgf import to_sgf
from daemon.record.journal import Journal
from games.reversi import Reversi
from rules import AnyGame, Outcome
from rules.turns import line_of_play
from tests.daemon.recorded_games import PLAYERS, kept_journal, random_moves, record_game, set_up_game

EXAMPLES = settings(max_examples=20)
RULES: dict[str, list[dict[str, object]]] = {
    "nine_mens_morris": [{}, {"first": "auto", "flying": True}, {"first": "dark", "men": 12, "diagonals": True}],
    "reversi": [{}, {"first": "white"}],
    "go": [{}, {"size": 19, "handicap": 3, "komi": "0.5"}, {"set": "new_zealand"}, {"superko": True}],
    "gomoku": [{}, {"size": 19, "exact_five": True}, {"swap2": True}, {"first": "white"}, {"renju": True}],
    "chess": [{}, {"start": 5, "draws": "automatic"}],
    "draughts": [{}, {"set": "international"}, {"set": "russian", "first": "dark"}],
    "co_ganh": [{}, {"capture": "flip", "mo": True}, {"first": "down", "limit": 30}],
    "double_double_dominoes": [{}, {"first": "green"}],
}
CONTROLS = (None, TimeControl("game", 300.0, 2.0), TimeControl("move", 60.0), TimeControl())


@st.composite
def recorded(draw: st.DrawFn, name: str, most: int = 90) -> Played:
    """A random game of that name, as the journal stores it."""
    game = games.load(name, draw(st.sampled_from(RULES[name])))
    seed, control = draw(st.integers(0, 2**20)), draw(st.sampled_from(CONTROLS))
    start, texts = random_moves(game, random.Random(seed), draw(st.integers(0, most)))
    ends = [None, Outcome(0, "resigned", None), Outcome(1, "time", None)]
    outcome = draw(st.sampled_from(ends)) if texts else None
    return play_again(record_game(kept_journal(), game, start, texts, control, outcome, seed=seed))


def final(game: AnyGame, start: Any, texts: list[str]) -> Any:
    return line_of_play(game, texts, start)[-1]


# --- Smart Game Format: a reader for one line of play, strictly by FF[4]


def read_sgf(text: str) -> list[dict[str, str]]:
    """The nodes of a game tree without variations; each property has one value."""
    nodes: list[dict[str, str]] = []
    assert text.startswith("(;") and text.endswith(")\n")
    place = 1
    while text[place] != ")":
        if text[place] == ";":
            nodes.append({})
            place += 1
        elif text[place].isspace():
            place += 1
        else:
            end = text.index("[", place)
            name, place, value = text[place:end], end + 1, ""
            while text[place] != "]":
                place += text[place] == "\\"
                value += text[place]
                place += 1
            place += 1
            assert name.isupper() and name not in nodes[-1]
            nodes[-1][name] = value
    return nodes


@EXAMPLES
@given(played=recorded("gomoku"))
def test_sgf_is_read_back_to_the_same_stones(played: Played) -> None:
    root, *nodes = read_sgf(to_sgf(played))
    size = int(root["SZ"])
    assert (root["FF"], root["GM"], size) == ("4", "4", played.game.size)  # type: ignore[attr-defined]
    board = ["."] * size**2
    for node in nodes:
        for colour in "BW":
            if colour in node:
                column, row = (ord(letter) - ord("a") for letter in node[colour])
                assert board[row * size + column] == "."
                board[row * size + column] = colour
    assert "".join(board) == played.game.board(played.positions[-1])
    read = read_text(to_sgf(played), "it", "sgf")
    assert games.load("gomoku", read.rules).rules == played.game.rules
    assert read.moves == played.stored.moves


@EXAMPLES
@given(played=recorded("gomoku"))
def test_sgf_tells_names_result_and_times(played: Played) -> None:
    root, *nodes = read_sgf(to_sgf(played))
    black = played.positions[-1].black
    assert (root["PB"], root["PW"]) == (PLAYERS[black], PLAYERS[1 - black])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", root["DT"])
    outcome, colours = played.stored.outcome, {black: "B", 1 - black: "W"}
    if outcome is None:
        assert "RE" not in root
    elif outcome.winner is None:
        assert root["RE"] == "0"
    else:
        assert root["RE"] == colours[outcome.winner] + {"time": "+T", "resigned": "+R"}.get(outcome.reason, "+")
    assert (root.get("TM"), root.get("OT")) == {"game": ("300", "2 fischer"), "move": (None, "60 simple")}.get(
        played.stored.clock.get("kind", ""), (None, None)
    )
    for node, ply in zip(nodes, played.stored.plies, strict=True):
        told = node.get("BL", node.get("WL"))
        if ply.left_s is not None and "KC" not in node:
            assert told is not None and float(told) == pytest.approx(ply.left_s[ply.side], abs=0.051)


# --- Generic Game Format


def read_ggf(text: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The properties of the head, and the moves with their colours."""
    match = re.fullmatch(r"\(;((?:[A-Z]+\[[^\[\]]*\])*);\)\n", text)
    assert match is not None
    found = re.findall(r"([A-Z]+)\[([^\[\]]*)\]", match[1])
    return {name: value for name, value in found if len(name) == 2}, [one for one in found if len(one[0]) == 1]


@EXAMPLES
@given(played=recorded("reversi"))
def test_ggf_is_read_back_to_the_same_discs(played: Played) -> None:
    head, moves = read_ggf(to_ggf(played))
    assert (head["GM"], head["TY"]) == ("Othello", "8")
    size, *rows, mover = head["BO"].split()
    assert (size, len(rows)) == ("8", 8)
    start = played.game.parse_position("".join(rows).replace("*", "X") + " " + mover.replace("*", "X"))
    texts = []
    for (colour, move), ply in zip(moves, played.stored.plies, strict=True):
        cell, _, time = move.partition("//")
        assert "BW".index(colour) == ply.side
        assert (float(time) if time else None) == ply.spent_s
        texts.append("pass" if cell == "PA" else cell.lower())
    assert final(played.game, start, texts) == played.positions[-1]
    # The engine's own reader, meant for what NBoard sends, reads it too.
    assert ggf.read(Reversi(), to_ggf(played)) == played.positions[-1]


@EXAMPLES
@given(played=recorded("reversi"))
def test_ggf_tells_names_result_and_times(played: Played) -> None:
    head, _ = read_ggf(to_ggf(played))
    assert (head["PB"], head["PW"]) == ('Ana (a) \\ "x"', "level-5, )")
    outcome = played.stored.outcome
    black, white = (discs.bit_count() for discs in played.positions[-1].discs)
    ends = {None: "?", "resigned": "+64.00:r", "time": "-64.00:t"}
    assert head["RE"] == ends.get(outcome.reason if outcome else None, f"{black - white:+.2f}")
    assert head["TI"] == ("05:00/00:02/00:00" if played.stored.clock.get("kind") == "game" else "0")


@EXAMPLES
@given(played=recorded("reversi"))
def test_a_transcript_is_read_back_to_the_same_discs(played: Played) -> None:
    word = to_transcript(played).strip()
    texts: list[str] = []
    position = played.positions[0]
    for cell in re.findall("..", word):
        while played.game.format_move(position, played.game.legal_moves(position)[0]) == "pass":
            texts.append("pass")
            position = final(played.game, played.positions[0], texts)
        texts.append(cell)
        position = final(played.game, played.positions[0], texts)
    assert position.discs == played.positions[-1].discs


# --- Move text


def read_movetext(text: str) -> tuple[dict[str, str], list[str], str]:
    """Tags, moves and result of a PGN-like file."""
    head, _, body = text.partition("\n\n")
    tags = {
        match[1]: re.sub(r"\\(.)", r"\1", match[2])
        for match in re.finditer(r'^\[(\w+) "((?:\\.|[^"\\])*)"\]$', head, re.M)
    }
    assert len(tags) == head.count("\n") + 1
    assert max(map(len, body.splitlines())) <= 80
    words = re.sub(r"\{[^{}]*\}", " ", body).split()
    numbers = [word for word in words if word.endswith(".")]
    assert numbers == [f"{number}." for number in range(1, len(numbers) + 1)]
    *moves, result = (word for word in words if not word.endswith("."))
    return tags, moves, result


@pytest.mark.parametrize("name", ["nine_mens_morris", "co_ganh"])
@EXAMPLES
@given(data=st.data())
def test_move_text_is_read_back_to_the_same_men(name: str, data: st.DataObject) -> None:
    played = data.draw(recorded(name))
    tags, moves, result = read_movetext(to_movetext(played))
    game = games.load(tags["Variant"], dict(word.split("=") for word in tags["Rules"].split()))
    start = next(one for one in game.starts if game.sides[game.to_move(one)] == tags["First"])
    assert final(game, start, moves) == played.positions[-1]
    assert (tags["White"], tags["Black"]) == PLAYERS
    outcome = played.stored.outcome
    winner = None if outcome is None else {0: "1-0", 1: "0-1", None: "1/2-1/2"}[outcome.winner]
    assert result == tags["Result"] == (winner or "*")


@EXAMPLES
@given(played=recorded("co_ganh"))
def test_move_text_says_what_is_taken_where_the_move_does_not(played: Played) -> None:
    body = " ".join(to_movetext(played).split("\n\n")[1].split())
    told = re.findall(r"(\w\d[-x]\w\d)(?: \{([^{}]*)\})?", body)
    game = played.game
    for (text, comment), before, ply in zip(told, played.positions, played.line.plies, strict=False):
        steps = game.steps(before, ply.move)[1:]
        taken = re.match(r"(?:takes|turns)((?: [a-e]\d)+)", comment)
        assert text == ply.text
        assert (taken[1].split() if taken else []) == [game.cells[step.cell] for step in steps]


# --- Annotation files


@EXAMPLES
@given(played=recorded("double_double_dominoes", most=40))
def test_annotation_files_are_read_back_to_the_same_tiles_and_points(played: Played) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = write_tile_files(played, folder)
        movers = read_movers(folder / "1_mutari.txt")
        tiles = [read_annotation(folder / f"1_{number:02d}.txt") for number in range(1, count + 1)]
        names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    assert names == {"1_mutari.txt", *(f"1_{number:02d}.txt" for number in range(1, count + 1))}
    board, game = ["."] * len(played.game.cells), played.game
    scores = [game.scores(position) or (0, 0) for position in played.positions]
    pairs_of_scores = zip(itertools.pairwise(scores), played.line.plies, strict=True)
    brought = [after[ply.side] - before[ply.side] for (before, after), ply in pairs_of_scores if ply.seen]
    for tile, points in zip(tiles, brought, strict=True):
        assert tile.points == points or 100 in scores[-1]  # a score stops at the last space
        for cell, pips in zip(tile.cells, tile.pips, strict=True):
            assert board[game.cells.index(cell)] == "."
            board[game.cells.index(cell)] = str(pips)
    assert "".join(board) == game.board(played.positions[-1])
    assert list(movers.values()) == [ply.side for ply in played.line.plies if ply.seen]


def test_an_export_of_a_shorter_game_takes_the_files_of_the_longer_one_away(tmp_path: Path, journal: Journal) -> None:
    write_tile_files(dominoes(journal, 12), tmp_path / "out")
    write_tile_files(dominoes(journal, 5), tmp_path / "out", force=True)
    names = sorted(path.name for path in (tmp_path / "out").glob("*.txt"))
    assert names == ["1_01.txt", "1_02.txt", "1_03.txt", "1_04.txt", "1_05.txt", "1_mutari.txt"]


def test_annotation_files_of_somebody_else_are_left_alone_unless_forced(tmp_path: Path, journal: Journal) -> None:
    played, folder = dominoes(journal, 4), tmp_path / "out"
    folder.mkdir()
    (folder / "1_02.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ExportError, match=r"1_02\.txt was not written by this command.*--force"):
        write_tile_files(played, folder)
    assert (folder / "1_02.txt").read_text(encoding="utf-8") == "mine"
    write_tile_files(played, folder, number=2)
    assert write_tile_files(played, folder, force=True) == 4
    (folder / "1_mutari.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(ExportError, match=r"1_mutari\.txt is there already"):
        write_tile_files(played, folder)


def dominoes(journal: Journal, tiles: int) -> Played:
    """A game of this many tiles, without passes."""
    game = games.load("dominoes")
    position, texts, chance = game.initial(), [], random.Random(tiles)
    while len(texts) < tiles:
        seen = [move for move in game.legal_moves(position) if game.steps(position, move)]
        move = chance.choice(seen)
        texts.append(game.format_move(position, move))
        position = game.apply(position, move)
    return play_again(record_game(journal, game, game.initial(), texts))


@pytest.mark.parametrize("number", range(1, 6))
def test_an_annotated_series_that_is_recorded_and_exported_is_the_same_again(
    tmp_path: Path, journal: Journal, real_data: Path, number: int
) -> None:
    folder = real_data / "dominoes"
    theirs = {name: path for name, path in annotation_paths(folder).items() if name.game == number}
    movers = folder / f"{number}_mutari.txt"
    sides, texts = list(read_movers(movers).values()), list[str]()
    game = games.load("dominoes", {"first": ("red", "green")[sides[0]]})
    start = position = game.initial()
    for path, side in zip(theirs.values(), sides, strict=True):
        tile = read_annotation(path)
        words = ["-".join(f"{cell}{pips}" for cell, pips in zip(tile.cells, tile.pips, strict=True))]
        for text in ["pass", *words] if game.to_move(position) != side else words:
            texts.append(text)
            position = game.apply(position, game.parse_move(position, text))
    played = play_again(record_game(journal, game, start, texts))
    assert write_tile_files(played, tmp_path / "out", number) == len(theirs)
    assert (tmp_path / "out" / movers.name).read_bytes() == movers.read_bytes()
    for path in theirs.values():  # a few of the originals have blanks or an empty line at the end
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        assert (tmp_path / "out" / path.name).read_bytes() == "\r\n".join(lines).encode()


# --- JSON, and refused formats


@pytest.mark.parametrize("name", games.names())
@EXAMPLES
@given(data=st.data())
def test_json_is_read_back_to_the_same_positions(name: str, data: st.DataObject) -> None:
    played = data.draw(recorded(name, most=40))
    read = json.loads(to_json(played.stored), parse_constant=lambda _: pytest.fail("no JSON number"))
    assert read == json.loads(json.dumps(as_object(played.stored)))
    game = games.load(read["game"], read["rules"])
    start = next((one for one in game.starts if game.to_move(one) == [*read["plies"], {"side": 0}][0]["side"]), None)
    positions = line_of_play(game, read["moves"], start)
    assert [game.format_position(one) for one in positions[1:]] == [ply["position"] for ply in read["plies"]]
    assert [ply["spent_s"] for ply in read["plies"]] == [ply.spent_s for ply in played.stored.plies]
    assert read["players"] == list(PLAYERS)


def pairs() -> Iterator[tuple[str, str]]:
    """Every format with every game that it does not suit."""
    for name in FORMATS:
        for game in games.names():
            if name not in suiting(game):
                yield name, game


@pytest.mark.parametrize(("name", "game"), list(pairs()))
def test_a_format_of_another_game_is_refused_with_those_that_suit(name: str, game: str) -> None:
    with pytest.raises(ExportError, match=rf"--format {name} is for .*; {game} is written as .*json, png"):
        check(name, game)


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ExportError, match=r"--format is one of sgf, ggf.* not 'pdf'"):
        check("pdf", "gomoku")


def test_a_game_that_cannot_be_played_again_can_still_be_had_as_json(journal: Journal) -> None:
    game_id = journal.new_game("reversi", {"first": "black"}, ["a", "b"])
    journal.append(game_id, Record(1, 0, "a1", "p", "b"))
    with pytest.raises(ExportError, match=r"cannot be played again.*ply 1, 'a1'.*--format json"):
        play_again(journal.game(game_id))
    assert json.loads(to_json(journal.game(game_id)))["moves"] == ["a1"]


def test_a_game_that_began_with_a_set_up_position_is_written_from_there(journal: Journal) -> None:
    played = play_again(set_up_game(journal, games.load("reversi"), ["f5", "d6"], "c3"))
    assert played.positions[0] == line_of_play(played.game, ["f5", "d6"])[-1]
    head, moves = read_ggf(to_ggf(played))
    assert head["BO"].split()[1:] == ["--------"] * 3 + ["---O*---", "---O**--", "---O----"] + ["--------"] * 2 + ["*"]
    assert moves == [("B", "C3")]
    with pytest.raises(ExportError, match=r"set up by hand, which a transcript cannot tell: --format ggf"):
        to_transcript(played)


def test_stones_and_men_set_up_by_hand_stand_in_sgf_and_move_text(journal: Journal) -> None:
    text = to_sgf(play_again(set_up_game(journal, games.load("gomoku"), ["a15", "h8", "b15"], "c15")))
    assert text.endswith("AB[aa][ba]AW[hh]PL[W]\n;W[ca])\n")
    played = play_again(set_up_game(journal, games.load("morris"), ["d2", "f4"], "d3"))
    tags, moves, _ = read_movetext(to_movetext(played))
    assert (tags["SetUp"], moves) == ("1", ["d3"])
    assert final(played.game, played.game.parse_position(tags["FEN"]), moves) == played.positions[-1]
