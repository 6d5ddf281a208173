"""On random games with faults the lines are never worse than the referee that they are to replace."""

from __future__ import annotations

import collections

import pytest

import games
from tests.bench.belief_shadow import GAMES, play
from tests.bench.belief_table import RANKS


@pytest.mark.parametrize("name", GAMES)
def test_the_lines_are_right_wherever_the_referee_is(name: str) -> None:
    counts: collections.Counter[tuple[str, str, str]] = collections.Counter()
    for seed in (1,) if name == "dominoes" else (1, 3):
        table = play(games.load(name), seed, 12, counts)
        assert table.most_lines <= 64
    worse = {row: number for row, number in counts.items() if RANKS[row[1]] < RANKS[row[2]]}
    assert not worse
