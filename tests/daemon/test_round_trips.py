"""Generated records, with what departs from their formats: read, written and read again, they are the same game.

Chess is played by python-chess, which knows nothing of our rules; what we write of go is read by sgfmill and GNU Go,
and of draughts by pydraughts. KIBITZER_EXAMPLES sets how many games each has.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import draughts
import pytest
from draughts.PDN import PDNReader
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import boards, sgf, sgf_moves

import games
from daemon.record.formats.formats import content_of
from daemon.record.formats.imported import Imported, ImportedPly, judged
from daemon.record.formats.reading import read_several, text_of
from daemon.record.stored_game import StoredGame
from rules import AnyGame

EXAMPLES = int(os.environ.get("KIBITZER_EXAMPLES", "40"))
CHOICES = st.fixed_dictionaries({"seed": st.integers(0, 2**32), "plies": st.integers(0, 60)})
FLAGS = st.lists(st.sampled_from(["dots", "dashes", "check", "marks", "comments", "short", "width"]), unique=True)
END = {
    "1-0": ["1-0", "1\u20130", "1:0"],
    "0-1": ["0-1", "0:1"],
    "1/2-1/2": ["1/2-1/2", "1/2", "\u00bd-\u00bd"],
    "*": ["*"],
}


def only(text: str, name: str) -> StoredGame:
    (game,) = read_several(text, name)
    assert isinstance(game, StoredGame)
    return game


def comes_back(game: StoredGame, chosen: str) -> None:
    again = only(content_of(game, chosen).decode(), f"x.{chosen}")
    assert [ply.position for ply in again.plies] == [ply.position for ply in game.plies]
    assert (again.outcome, again.start, again.players) == (game.outcome, game.start, game.players)
    assert (again.rules, again.event, again.comments) == (game.rules, game.event, game.comments)


@settings(max_examples=EXAMPLES, deadline=None)
@given(CHOICES, FLAGS)
def test_chess_played_by_another_program_is_read_as_it_was_played(how: dict[str, int], flags: list[str]) -> None:
    chance, board, words = random.Random(how["seed"]), chess.Board(), list[str]()
    for ply in range(how["plies"]):
        if not (moves := list(board.legal_moves)):
            break
        if not ply % 2:
            words.append(f"{ply // 2 + 1}" + "." * ("dots" not in flags))
        move = chance.choice(moves)
        san = board.san(move)
        board.push(move)
        words.append(written(san, flags, chance))
        if "comments" in flags and chance.random() < 0.3:
            words.append(chance.choice(["{good}", "$1", "(1. a3 {a {})", "; to the end\n"]))
    result = chance.choice(END[board.result()]) if "short" in flags else board.result()
    body = f'[Event "x"]\n[White "A"]\n[Black "B"]\n[Result "{result}"]\n\n{" ".join(words)} {result}\n'
    game = only(body.replace(" ", " \u200b", 3) if "width" in flags else body, "x.pgn")
    assert [ply.position.split()[0] for ply in game.plies][-1:] == ([board.board_fen()] if game.plies else [])
    assert len(game.plies) == len(board.move_stack)
    comes_back(game, "pgn")


def written(san: str, flags: list[str], chance: random.Random) -> str:
    if "dashes" in flags:
        san = san.replace("-", "\u2013")
    if "check" in flags and san[-1] in "+#":
        san = f"{san[:-1]}{' ' * (not san[-2].isdigit())}ch" if san[-2].isdigit() else san[:-1]
    return san + chance.choice(["!", "?!", "!!"]) if "marks" in flags and chance.random() < 0.3 else san


def played(game: AnyGame, how: dict[str, int], start: str = "") -> list[str]:
    chance, texts = random.Random(how["seed"]), list[str]()
    position: Any = game.parse_position(start) if start else game.initial()
    for _ in range(how["plies"]):
        if game.outcome(position) is not None:
            break
        move = chance.choice(game.legal_moves(position))
        texts.append(game.format_move(position, move))
        position = game.apply(position, move)
    return texts


@settings(max_examples=EXAMPLES, deadline=None)
@given(CHOICES, st.booleans(), st.booleans(), st.sampled_from(["6.5", "6,5", "650", "6 1/2"]))
def test_go_in_old_and_careless_sgf_is_read_as_it_was_played(
    how: dict[str, int], old: bool, head: bool, komi: str
) -> None:
    game = games.load("go", {"size": "9", "komi": "6.5"})
    texts = [one for one in played(game, how) if " " not in one]
    points = {name: "abcdefghi"[cell % 9] + "abcdefghi"[cell // 9] for cell, name in enumerate(game.cells)}
    moves = "".join(f";{'BW'[ply % 2]}[{points.get(text, '')}]" for ply, text in enumerate(texts))
    root = f"SZ[9]KM[{komi}]RU[Japanese]PB[A]PW[B]"
    if old:
        root = "GaMe[1]" + re.sub("SZ|KM|PB|PW", lambda name: {"SZ": "SiZe", "KM": "KoMi"}.get(name[0], name[0]), root)
        moves = moves.replace(";B[", ";Black[").replace(";W[", ";White[")
    read = only(f"{'From: a server' * head}\n\n(;{root}{moves})", "x.sgf")
    assert read.rules["komi"] == "6.5" and [text.split()[0] for text in read.moves] == texts
    comes_back(read, "sgf")


@settings(max_examples=EXAMPLES, deadline=None)
@given(CHOICES, st.booleans(), st.booleans(), st.booleans(), st.sampled_from(["21", "20", "25"]))
def test_draughts_in_careless_pdn_are_read_as_they_were_played(
    how: dict[str, int], dots: bool, digits: bool, apart: bool, kind: str
) -> None:
    rules = {"21": "english", "20": "international", "25": "russian"}[kind]
    game = games.load("draughts", {"set": rules})
    texts, words = played(game, how), list[str]()
    position = game.initial()
    for ply, text in enumerate(texts):
        if not ply % 2:
            words.append(f"{ply // 2 + 1}{'.' * dots}")
        path = [str(cell + 1) for cell in game.parse_move(position, text).path]
        position = game.apply(position, game.parse_move(position, text))
        if "x" in text and apart and len(path) > 2:
            words += [f"{one}x{two}" for one, two in itertools.pairwise(path)]
        elif "x" not in text and digits:
            words.append("".join(one.zfill(2) for one in text.split("-")))
        else:
            words.append(text)
    read = only(f'[Event "x"]\n[GameType "{kind}"]\n[White "A"]\n[Black "B"]\n\n{" ".join(words)} *\n', "x.pdn")
    assert list(read.moves) == texts
    comes_back(read, "pdn")


def set_up(game: AnyGame, how: dict[str, int]) -> str:
    """A start position that was set up: the board of a random game, with either side to move."""
    position: Any = game.initial()
    for text in played(game, {"seed": how["seed"] + 1, "plies": how["plies"] // 2}):
        position = game.apply(position, game.parse_move(position, text))
    if game.outcome(position) is not None:
        return ""
    made = game.set_up(game.board(position), how["seed"] % 2, position)
    return "" if game.outcome(made) is not None or made in game.starts else str(game.format_position(made))


def record(name: str, rules: dict[str, object], how: dict[str, int], start: bool = False) -> StoredGame:
    """A game that was played at random, from a position that was set up if `start`."""
    game = games.load(name, rules)
    begun = set_up(game, how) if start else ""
    plies = tuple(map(ImportedPly, played(game, how, begun)))
    return judged(Imported(name, rules, plies, ("A", "B"), start=begun), "it")


GO = st.sampled_from([{"size": "9"}, {"size": "13", "handicap": "3"}, {"size": "19", "suicide": "true"}])
LONGER = st.fixed_dictionaries({"seed": st.integers(0, 2**32), "plies": st.integers(0, 250)})


def stones(game: Any, board: str) -> set[tuple[str, int, int]]:
    """Colour, row from below and column of each stone."""
    return {
        (letter.lower(), game.size - 1 - cell // game.size, cell % game.size)
        for cell, letter in enumerate(board)
        if letter in "BW"
    }


@settings(max_examples=EXAMPLES, deadline=None)
@given(LONGER, GO, st.booleans())
def test_what_we_write_of_go_is_the_same_game_to_another_program(
    how: dict[str, int], rules: dict[str, object], start: bool
) -> None:
    stored = record("go", rules | {"komi": "6.5"}, how, start and "handicap" not in rules)
    game: Any = games.load("go", stored.rules)
    told = sgf.Sgf_game.from_bytes(content_of(stored, "sgf"))
    root = told.get_root()
    assert (told.get_size(), told.get_komi(), told.get_handicap()) == (
        game.size,
        6.5,
        int(rules.get("handicap", 0)) or None,
    )
    assert (told.get_player_name("b"), told.get_player_name("w")) == stored.players
    assert told.get_winner() == (None if stored.outcome is None else "bw"[stored.outcome.winner or 0])
    if stored.outcome is not None and stored.outcome.scores is not None:
        black, white = stored.outcome.scores
        assert root.get("RE") == f"{'BW'[white > black]}+{abs(black - white):g}"
    board, moves = sgf_moves.get_setup_and_moves(told)
    first = game.parse_position(stored.start) if stored.start else game.initial()
    assert of_board(board) == stones(game, game.board(first)) and len(moves) == len(stored.plies)
    for (colour, place), ply in zip(moves, stored.plies, strict=True):
        assert colour == "bw"[ply.side]
        if place is not None:
            board.play(*place, colour)
        assert of_board(board) == stones(game, ply.board)


def of_board(board: boards.Board) -> set[tuple[str, int, int]]:
    return {(colour, *place) for colour, place in board.list_occupied_points()}


GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")


@pytest.fixture(scope="module")
def ask() -> Iterator[Callable[[str], str]]:
    """Asks GNU Go by GTP; the answer without its mark."""
    command = [str(GNUGO), "--mode", "gtp", "--chinese-rules", "--allow-suicide"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None

        def asked(line: str) -> str:
            assert process.stdin is not None and process.stdout is not None
            print(line, file=process.stdin, flush=True)
            answer = "".join(itertools.takewhile(str.strip, process.stdout))
            assert answer.startswith("="), (line, answer)
            return answer[1:].strip()

        yield asked
        asked("quit")


@pytest.mark.skipif(GNUGO is None, reason="gnugo is not installed")
def test_what_we_write_of_go_leaves_gnu_go_with_the_same_stones(ask: Callable[[str], str], tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    for seed in range(max(6, EXAMPLES // 10)):
        rules: dict[str, object] = [{"size": "9"}, {"size": "13", "handicap": "4"}, {"size": "19"}][seed % 3]
        stored = record("go", rules, {"seed": seed, "plies": 20 + 60 * (seed % 5)}, seed % 2 == 1 and seed % 3 != 1)
        path.write_bytes(content_of(stored, "sgf"))
        game: Any = games.load("go", stored.rules)
        ask(f"loadsgf {path}")
        board = stored.plies[-1].board
        for colour, letter in (("black", "B"), ("white", "W")):
            ours = {game.cells[cell] for cell, one in enumerate(board) if one == letter}
            assert set(ask(f"list_stones {colour}").split()) == ours
        assert int(ask("query_boardsize")) == game.size


VARIANTS = {"english": "english", "international": "standard", "russian": "russian", "brazilian": "brazilian"}


@settings(max_examples=EXAMPLES, deadline=None)
@given(CHOICES, st.sampled_from(sorted(VARIANTS)), st.booleans())
def test_what_we_write_of_draughts_is_the_same_game_to_another_program(
    how: dict[str, int], kind: str, start: bool
) -> None:
    stored = record("draughts", {"set": kind}, how, start)
    text = content_of(stored, "pdn").decode()
    (told,) = PDNReader(text).games
    moves, board = told.moves, draughts.Board(VARIANTS[kind], told.tags.get("FEN", "startpos"))
    if start:  # it has the first mover of a FEN always as the first of a number
        moves = [word for word in text.partition("\n\n")[2].split()[:-1] if not word.endswith(".")]
    elif stored.plies:
        assert told.variant == VARIANTS[kind]
    game = games.load("draughts", stored.rules)
    for move, ply in zip(moves, stored.plies, strict=True):
        board.push(draughts.Move(board, pdn_move=move.replace(":", "x")))  # which it does not know in captures
        assert game.parse_position(board.fen) == game.parse_position(ply.position)


Change = Callable[[str, random.Random], str]
"""What makes a record depart: it returns the text as it was where there is nothing to change."""


def body(change: Callable[[str], str]) -> Change:
    """The change made to the moves behind the tags, but not to comments."""

    def changed(text: str, _chance: random.Random) -> str:
        tags, _, moves = text.partition("\n\n")
        parts = re.split(r"(\{[^}]*\})", moves)
        return f"{tags}\n\n{''.join(one if one.startswith('{') else change(one) for one in parts)}"

    return changed


def once(pattern: str, instead: str) -> Change:
    """The first place that fits is written otherwise."""
    return lambda text, _chance: re.sub(pattern, instead, text, count=1)


def blank(text: str, chance: random.Random) -> str:
    """A blank without width beside one that is seen, or at a line's end."""
    at = chance.choice([found.start() for found in re.finditer(r"[ \n]", text)])
    return text[:at] + chance.choice("\u200b\u2060\ufeff") + text[at:]


EVERYWHERE: dict[str, Change] = {
    "": lambda text, _chance: text.replace("\n", "\r\n"),
    "characters without width are passed over": blank,
    "Ctrl-Z is passed over": lambda text, chance: text + "\x1a" * chance.randint(1, 2),
}
MOVES: dict[str, Change] = {
    "move numbers have no dots": body(lambda moves: re.sub(r"(\d)\.+(?= )", r"\1", moves)),
    "dashes are read as hyphens": body(lambda moves: moves.replace("-", "\u2013")),
    "a quotation mark in the tag Event is not escaped": once(r'\[Event "', '[Event "The "old" '),
    "the tag Site stands twice: the first counts": once(r"\[Site .*\n", r'\g<0>[Site "elsewhere"]\n'),
}
WRITTEN: dict[str, dict[str, Change]] = {
    "pgn": MOVES
    | {
        "the check ch is not written as + or #": body(lambda moves: moves.replace("+", "ch")),
        "the sign ?! beside a move is passed over": body(lambda moves: re.sub(r"\b([a-h][1-8])(?= )", r"\1 ?!", moves)),
        "the result 1/2 is read as 1/2-1/2": lambda text, _chance: text.replace("1/2-1/2", "1/2"),
    },
    "pdn": MOVES
    | {
        "the sign * beside a move is passed over": body(lambda moves: re.sub(r"(\d-\d+)(?= )", r"\1*", moves, count=1)),
        "squares are written by two digits, without a hyphen": body(
            lambda moves: re.sub(r"\b(\d\d)-(\d\d)\b(?=[ \n])", r"\1\2", moves)
        ),
    },
    "sgf": {
        "small letters in names such as GaMe are passed over, as before FF[4]": once(r"GM\[", "GaMe["),
        "no GM: taken for go": once(r"GM\[1\]", ""),
        "KM[6,5] is read as 6.5": once(r"KM\[6.5\]", "KM[6,5]"),
        "what stands before the record is passed over": lambda text, _chance: "Subject: a game\n\n" + text,
        "AW[] sets up nothing": once(r"KM\[", "AW[]KM["),
        "PL after the first node is passed over": once(r"\n;B\[", "\n;PL[W]B["),
    },
}  # fmt: skip
CLASHES = [
    {"no GM: taken for go", "small letters in names such as GaMe are passed over, as before FF[4]"},
    {"dashes are read as hyphens", "squares are written by two digits, without a hyphen"},
    {"dashes are read as hyphens", "the sign * beside a move is passed over"},
    {"dashes are read as hyphens", "the result 1/2 is read as 1/2-1/2"},
]
"""Of each only the first is made: the other would find nothing, or something else, to change."""
PLAYED = {"pgn": ("chess", {}), "pdn": ("draughts", {"set": "english"}), "sgf": ("go", {"size": "9", "komi": "6.5"})}
CODES = st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])


@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(CHOICES, st.sampled_from(sorted(WRITTEN)), st.data(), CODES, st.booleans())
def test_a_departing_record_is_the_same_game_and_tells_how_it_departs(
    how: dict[str, int], chosen: str, data: st.DataObject, code: str, joined: bool
) -> None:
    name, rules = PLAYED[chosen]
    clean = content_of(record(name, dict(rules), how), chosen).decode()
    game, chance = only(clean, f"x.{chosen}"), random.Random(how["seed"])
    assert game.departures == ()
    known = WRITTEN[chosen] | EVERYWHERE
    flags = data.draw(st.lists(st.sampled_from(sorted(known)), unique=True))
    flags = [
        one
        for one in flags
        if not any(one in clash and clash & set(flags) - {one} and one == max(clash) for clash in CLASHES)
    ]
    text, told = clean, set[str]()
    for flag in (one for one in known if one in flags):
        if (changed := known[flag](text, chance)) != text:
            text, told = changed, told | {flag}
    found = [*read_several(text_of((text * (1 + joined)).encode(code)), f"x.{chosen}")]
    assert len(found) == 1 + joined
    for one in found:
        assert isinstance(one, StoredGame)
        assert set(one.departures) == told - {""}
        assert (one.moves, one.outcome, one.start) == (game.moves, game.outcome, game.start)
        assert (one.rules, one.players, one.comments) == (game.rules, game.players, game.comments)
