"""Generated records, with what departs from their formats: read, written and read again, they are the same game.

Chess is played by python-chess, which knows nothing of our rules. KIBITZER_EXAMPLES sets how many games each has.
"""

from __future__ import annotations

import itertools
import os
import random
import re

import chess
from hypothesis import given, settings
from hypothesis import strategies as st

import games
from daemon.record.formats.formats import content_of
from daemon.record.formats.reading import read_several
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


def played(game: AnyGame, how: dict[str, int]) -> list[str]:
    chance, position, texts = random.Random(how["seed"]), game.initial(), list[str]()
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
