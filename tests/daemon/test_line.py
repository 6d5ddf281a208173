"""The line of play, and its correction when somebody knows better who made a move."""

from __future__ import annotations

import pytest

import games
from daemon.game.effects import Known
from daemon.game.line_of_play import LineOfPlay
from rules import AnyGame, MoveError
from rules.turns import line_of_play

TILES = ("8H6-8I1", "8J1-8K4", "6K2-7K4", "8F2-8G6")


@pytest.fixture
def game() -> AnyGame:
    return games.load("dominoes")


def line(game: AnyGame, *texts: str, known: tuple[Known, ...] = ()) -> LineOfPlay:
    return LineOfPlay.of(game, line_of_play(game, texts), texts, known)


def correct(line: LineOfPlay, number: int, side: int) -> int:
    """Somebody says who made a move. Returns the ply up to which nothing changes."""
    return line.become(line.with_mover(number, side, "said"))


def told(line: LineOfPlay) -> list[tuple[str, str]]:
    """Text and side of every ply."""
    return [(ply.text, line.game.sides[ply.side]) for ply in line.plies]


def test_a_corrected_mover_turns_the_sides_after_it(game: AnyGame) -> None:
    corrected = line(game, *TILES)
    assert correct(corrected, 2, 0) == 1
    assert told(corrected) == [
        ("8H6-8I1", "red"),
        ("pass", "green"),
        ("8J1-8K4", "red"),
        ("6K2-7K4", "green"),
        ("8F2-8G6", "red"),
    ]
    assert corrected.game.scores(corrected.position) == (0, 1)
    assert [ply.known for ply in corrected.plies] == ["", "", "said", "", ""]


def test_movers_that_are_known_stay(game: AnyGame) -> None:
    corrected = line(game, *TILES, known=("", "", "seat", ""))
    correct(corrected, 2, 0)
    assert told(corrected)[2:] == [("8J1-8K4", "red"), ("pass", "green"), ("6K2-7K4", "red"), ("8F2-8G6", "green")]


def test_a_correction_back_gives_the_line_as_it_was(game: AnyGame) -> None:
    corrected, before = line(game, *TILES), line(game, *TILES)
    correct(corrected, 2, 0)
    correct(corrected, 2, 1)
    assert told(corrected) == told(before)
    assert corrected.positions == before.positions


def test_the_first_move_may_be_the_other_sides(game: AnyGame) -> None:
    corrected = line(game, *TILES[:2])
    assert correct(corrected, 1, 1) == 0
    assert told(corrected) == [("pass", "red"), ("8H6-8I1", "green"), ("8J1-8K4", "red")]


def test_a_pass_that_was_said_stays_and_one_that_was_inferred_goes(game: AnyGame) -> None:
    texts = ("8H6-8I1", "pass", "8J1-8K4", "pass", "6K2-7K4")
    corrected = line(game, *texts, known=("", "", "", "said", ""))
    correct(corrected, 2, 1)
    assert told(corrected) == [("8H6-8I1", "red"), ("8J1-8K4", "green"), ("6K2-7K4", "red")]
    again = line(game, *texts, known=("", "", "", "said", ""))
    correct(again, 3, 0)
    assert told(again) == [
        (text, side) for text, side in zip(texts, ("red", "green", "red", "green", "red"), strict=True)
    ]


def test_a_side_that_was_said_to_pass_and_then_to_have_moved_has_not_passed(game: AnyGame) -> None:
    corrected = line(game, "8H6-8I1", "pass", "8J1-8K4", known=("", "said", ""))
    correct(corrected, 2, 1)
    assert told(corrected) == [("8H6-8I1", "red"), ("8J1-8K4", "green")]


def test_a_double_of_the_other_side_is_joined_by_passes_where_they_are_needed(game: AnyGame) -> None:
    corrected = line(game, "8H6-8I1", "8G6-9G6", "10G6-11G2")
    assert told(corrected)[1:] == [("8G6-9G6", "green"), ("10G6-11G2", "green")]
    correct(corrected, 3, 0)
    assert told(corrected)[1:] == [("8G6-9G6", "green"), ("pass", "green"), ("10G6-11G2", "red")]


def test_a_line_that_ends_earlier_keeps_the_rest_for_the_next_correction(game: AnyGame) -> None:
    start = game.parse_position("red;pawns=99,0;bag=40;holds=4,3;tiles=8H6-8I1,8J1-8K4")
    texts = ("8F2-8G6", "6K2-7K4", "8D5-8E2")
    made = LineOfPlay.of(game, line_of_play(game, texts, start), texts)
    correct(made, 2, 0)  # a point, which takes red to the last space
    assert game.outcome(made.position) is not None
    assert (told(made)[-1], [ply.text for ply in made.beyond]) == (("6K2-7K4", "red"), ["8D5-8E2"])
    correct(made, 2, 1)
    assert told(made) == [("8F2-8G6", "red"), ("6K2-7K4", "green"), ("8D5-8E2", "red")]
    assert (game.outcome(made.position), made.beyond) == (None, ())


def test_what_cannot_be_is_refused_and_nothing_is_changed(game: AnyGame) -> None:
    # The bag is empty and both sides have passed: the game would have been over before the last tile.
    start = game.parse_position("red;pawns=0,0;bag=0;holds=3,3;passes=1;tiles=8H6-8I1")
    made = LineOfPlay.of(game, line_of_play(game, ["8J1-8K4"], start), ["8J1-8K4"])
    before = told(made)
    with pytest.raises(MoveError, match="move 1, 8J1-8K4 by green, could not have been made"):
        correct(made, 1, 1)
    assert told(made) == before and made.start is start


def test_moves_are_counted_without_passes(game: AnyGame) -> None:
    assert line(game, "8H6-8I1", "pass", "pass", "8J1-8K4").seen == [0, 3]
