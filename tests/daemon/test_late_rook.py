"""A king castles, the other side answers, and the rook follows: three plies that nobody played were told before."""

from __future__ import annotations

from pathlib import Path

import pytest

import games
from daemon.cli.watch import follow
from daemon.judging.referee import Referee
from rules import AnyGame
from tests.daemon.match_bench import watching
from tests.daemon.readings import see
from vision.sources.opening import open_source

CASTLED = "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6".split()
LONG = "d4 d5 Bf4 Bf5 Nc3 Nc6 Qd2 Qd7 O-O-O Nf6".split()


def test_the_pictures_of_castling_with_a_late_rook_are_followed(real_data: Path) -> None:
    if not (real_data / "records" / "castle").is_dir():
        pytest.skip("the pictures of castling are absent")
    eyes, heard = watching(games.load("chess"), in_photos=True)
    follow(eyes, open_source(str(real_data / "records" / "castle"), hold_s=3.0, give_up_s=3.0))
    assert eyes.match.referee.moves == CASTLED
    told = [one.text for one in heard if one.code == "unfinished"]
    assert told == 2 * ["Move the white rook from h1 to f1 to finish the turn."]


@pytest.mark.parametrize("texts", [CASTLED, LONG])
@pytest.mark.parametrize("rook_first", [False, True])
def test_castling_is_told_whichever_piece_goes_first_and_whenever_the_other_follows(
    texts: list[str], rook_first: bool
) -> None:
    game = games.load("chess")
    referee, boards, position = Referee(game), [game.board(game.initial())], game.initial()
    for text in texts:
        position = game.apply(position, game.parse_move(position, text))
        boards.append(game.board(position))
    begun = half(game, boards[-3], boards[-2], rook=rook_first)
    answered = half(game, boards[-2], boards[-1], over=begun)
    for board in (*boards[:-2], begun, *(() if rook_first else (answered,)), *boards[-2 if rook_first else -1 :]):
        see(referee, board)
    assert referee.moves == texts


def half(game: AnyGame, before: str, after: str, *, rook: bool = False, over: str = "") -> str:
    """The board with only the king's, or the rook's, part of castling done; `over` adds the answer to it."""
    changed = [cell for cell, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
    if over:
        return "".join(after[cell] if cell in changed else letter for cell, letter in enumerate(over))
    long = game.cells.index("a1") in changed
    kings, rooks = ("e1", "c1" if long else "g1"), ("a1" if long else "h1", "d1" if long else "f1")
    moved = [game.cells.index(name) for name in (rooks if rook else kings)]
    return "".join(after[cell] if cell in moved else letter for cell, letter in enumerate(before))
