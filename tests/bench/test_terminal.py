"""Whole games typed into the terminal, and what the bench makes of a screen that refuses what it offers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from lab.bench.terminal import Typist, figures_of, listed, play, recorded


def test_a_game_is_typed_to_its_end_and_the_record_has_every_move(tmp_path: Path) -> None:
    told = play("reversi", "two", tmp_path / "game.sqlite", seed=1, most=90)
    assert (told["refused"], told["lost"], told["untold"]) == ([], [], [])
    assert told["ended"] == "neither_can_lay"
    assert told["typed"] == told["accepted"] > 50
    assert told["offered"] > told["accepted"]


def test_what_the_record_or_the_screen_lacks_is_counted(tmp_path: Path) -> None:
    play("ganh", "agent", tmp_path / "game.sqlite", seed=1, most=90)
    stored = recorded(tmp_path / "game.sqlite")
    typist = Typist(Screen("x> "), random.Random(1))
    typist.accepted = [*stored.moves[:3], "a1 to nowhere"]
    told = figures_of(typist, stored)
    assert told["lost"] == ["a1 to nowhere"]
    assert len(told["untold"]) == 1 and "wins" in told["untold"][0]


class Screen:
    """A terminal that shows these texts, one after the other."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)

    def prompted(self) -> str:
        return self.texts.pop(0)

    def say(self, _: str) -> str:
        return self.texts.pop(0)


@pytest.mark.parametrize(
    ("answer", "refused"),
    [
        (
            "d2\nd2 cannot be played: d2 is occupied.\nlight> ",
            ["0: d2: d2 d2 cannot be played: d2 is occupied. light>"],
        ),
        ("d2\nLight: d2.\n\n7 ├──┤\n\ndark> ", []),
    ],
)
def test_a_move_that_is_offered_and_not_drawn_was_refused(answer: str, refused: list[str]) -> None:
    typist = Typist(Screen("light> ", "?\nd2\nlight> ", answer), random.Random(1))
    typist.turn(weary=False)
    assert typist.refused == refused
    assert len(typist.accepted) == 1 - len(refused)


def test_only_moves_are_read_from_a_list() -> None:
    shown = "?\nblack (Take the black stones)  a15  b15  and 22 more\nBlack 3.\nblack> "
    assert listed(shown) == ["black", "a15", "b15"]


def test_someone_weary_passes_where_that_can_be_done() -> None:
    shown = "black> ", "?\npass  A9  B9\nblack> ", "pass\nBlack passes.\n\n9 ┌──┐\n\nwhite> "
    typist = Typist(Screen(*shown), random.Random(1))
    typist.turn(weary=True)
    assert typist.accepted == ["pass"]
