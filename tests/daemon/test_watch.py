"""What `kibitzer watch` prints."""

from __future__ import annotations

import json

import pytest

import games
from daemon.cli.watch import print_event
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from daemon.match.match import Match
from tests.daemon.match_bench import FIRST, SECOND, lay, two_people
from wording import untranslated


def test_moves_and_passes_are_printed_with_side_gains_and_scores(capsys: pytest.CaptureFixture[str]) -> None:
    bench = two_people("left", "right")
    bench.match.listeners.append(lambda announcement: print_event(bench.match, announcement, bench.eyes.observation))
    lay(bench, FIRST, "left")
    lay(bench, SECOND, "left")
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["event"], one["move"], one["side"], one["scores"]) for one in events] == [
        ("move", FIRST, "red", [0, 0]),
        ("pass", "pass", "green", [0, 0]),
        ("move", SECOND, "red", [0, 0]),
    ]
    assert events[0]["gains"] == [{"points": 0, "bonus": 0}] * 2


def test_a_game_without_points_has_neither_gains_nor_scores(capsys: pytest.CaptureFixture[str]) -> None:
    match = Match(Referee(games.load("morris")))
    print_event(match, Announcement("move", (untranslated("Light: d2."),), "." * 24, 1, move="d2", side=0), None)
    event = json.loads(capsys.readouterr().out)
    assert event["side"] == "light"
    assert not {"gains", "scores"} & set(event)
