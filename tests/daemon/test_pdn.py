"""Draughts in PDN: what is written is read again, and what others write is read."""

from __future__ import annotations

import random

import pytest

import games
from daemon.storage.exporting.movetext import to_movetext
from daemon.storage.exporting.played import play_again
from daemon.storage.importing.imported import Imported, ImportedPly, ImportFault
from daemon.storage.importing.judge import judged
from daemon.storage.importing.reading import read_text
from daemon.storage.stored_game import StoredGame

THEIRS = """[Event "Cup"]
[White "Ana"]
[Black "Ben"]
[Result "1-1"]
[GameType "20,W,10,10,N2,0"]

1. 32-28 {a good start} 19-23 $1 2. 28x19 14x23 ; they go on
3. 37-32! (3. 37-31 {or so} (3. 34-29) 10-14) 10-14 1-1
"""


def played(rules: dict[str, object], start: str = "") -> StoredGame:
    game, draw = games.load("draughts", rules), random.Random(7)
    position = game.parse_position(start) if start else game.initial()
    plies = []
    while len(plies) < 60 and (moves := game.legal_moves(position)):
        move = draw.choice(list(moves))
        plies.append(ImportedPly(game.format_move(position, move)))
        position = game.apply(position, move)
    options = {name: str(value) for name, value in vars(game.rules).items()}
    return judged(Imported("draughts", options, tuple(plies), ("Ana", "Ben"), start=start), "here")


@pytest.mark.parametrize("rules", [*games.find("draughts").about.rule_sets, "changed"])
def test_what_is_written_is_read_again(rules: str) -> None:
    stored = played({"flying": True, "king_plies": 70} if rules == "changed" else {"set": rules})
    text = to_movetext(play_again(stored))
    again = read_text(text, "game.pdn")
    assert (again.rules, again.players, again.outcome) == (stored.rules, stored.players, stored.outcome)
    assert [ply.move for ply in again.plies] == [ply.move for ply in stored.plies]
    assert "\n1. " in text and ("GameType" in text) and ("takes" not in text)


def test_a_game_that_was_set_up_is_written_with_its_fen() -> None:
    stored = played({}, "W:W18,24,K10:B12,K22")
    text = to_movetext(play_again(stored))
    assert '[FEN "W:WK10,18,24:B12,K22"]' in text and "\n1... " in text
    assert read_text(text, "game.pdn").start == stored.start


def test_what_others_write_is_read() -> None:
    read = read_text(THEIRS, "cup.pdn")
    assert [ply.move for ply in read.plies] == ["32-28", "19-23", "28x19", "14x23", "37-32", "10-14"]
    assert read.rules["size"] == "10" and read.outcome is not None and read.outcome.winner is None
    assert read_text("1. 11-15 23-19 2. 8-11 2-0", "old.pdn").outcome.winner == 0  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (THEIRS.replace("20,W", "24,W"), "GameType 24 of PDN is another game"),
        (THEIRS.replace("14x23", "18-22"), r"move 2\.\.\., 18-22: must_take: dark must take"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(ImportFault, match=said):
        read_text(text, "cup.pdn")
