"""People are told, once, that the start has not taught how the men of their table look."""

from __future__ import annotations

import dataclasses
import re

import games
from calibration.template import load_template
from daemon.game.effects import Announcement
from daemon.words.translation import in_words
from lab.simulated.style import ManStyle, Style
from lab.simulated.table import SimulatedTable
from tests.daemon.match_bench import watching
from vision.frame import Frame

NEARLY_ALIKE = Style(men=ManStyle(colours={"W": (110.0, 110.0, 110.0), "B": (90.0, 90.0, 90.0)}))


def _heard(style: Style) -> list[Announcement]:
    """What is said while the start of cờ gánh lies at rest for eight seconds."""
    game = games.load("co_ganh")
    eyes, heard = watching(game)
    table = SimulatedTable(load_template(game.name), game.board(game.initial()), style, seed=2, size_px=(640, 480))
    for number in range(40):
        table.advance(0.2)
        eyes.feed(Frame(table.render(), number * 0.2, number))
    return heard


def test_start_that_teaches_nothing_is_told_once_with_the_reason() -> None:
    told = [one for one in _heard(NEARLY_ALIKE) if one.code != "start"]
    assert [one.code for one in told] == ["trouble"]
    assert re.fullmatch(
        r"I cannot learn your pieces from this board: [a-e][1-5] does not look as it should\. "
        r"I go on with what I know of other boards\.",
        in_words(*told[0].said),
    )


def test_start_that_teaches_is_not_spoken_of() -> None:
    lighter = dataclasses.replace(NEARLY_ALIKE, men=ManStyle())
    assert [one.code for one in _heard(lighter)] == ["start"]
