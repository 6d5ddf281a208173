"""Players limited by processor time have the same mean of it, whatever the other does with what it is told.

They think on a clock of the test: on a machine that gives them half of the processor, and nothing in an ending.
"""

from __future__ import annotations

import dataclasses
import random
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import games
from agents import players, registry
from agents.agent import Answer, GameAgent, Limits
from agents.arena import play
from agents.arena.match import Terms, pairing
from agents.arena.report import Summary, lines_of, summary
from agents.pace import MOST, SPAN, Pace
from rules import EMPTY

REVERSI = games.load("reversi")
SHARE = 0.5
SOLVED = 12
"""Empty cells from which on nobody thinks."""
SECONDS = 0.03


class Thinker(GameAgent):
    """Plays random moves, and uses exactly the time that it is told."""

    name = "thinker"
    clock_s = 0.0
    used_s = 0.0

    @dataclasses.dataclass(frozen=True)
    class Options:
        pass

    def __init__(self, game: Any, options: Any = None) -> None:
        super().__init__(game, options)
        self._draw = random.Random(1)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        assert limits.time_s is not None
        if REVERSI.board(position).count(EMPTY) > SOLVED:
            thought_s = self.thinks_s(limits.time_s)
            Thinker.clock_s += thought_s
            type(self).used_s += SHARE * thought_s
        return Answer(self._draw.choice(self.game.legal_moves(position)), None, 0, 0, 0.0, ())

    def thinks_s(self, told_s: float) -> float:
        return told_s

    def processor_s(self) -> float:
        return self.used_s


class Peer(Thinker):
    """Another program, which knows little of the time that it is told."""

    name = "peer"
    coarseness = 1

    def thinks_s(self, told_s: float) -> float:
        return max(min(0.75 * told_s, told_s - 0.05), 0.02)


class Deep(Peer):
    """Is told plies, which cost 2.5 times as much each, and is told fewer only once it was late."""

    name = "deep"
    coarseness = 2
    depth = 12

    def thinks_s(self, told_s: float) -> float:
        took_s = min(0.02 * 2.5 ** (self.depth - 12) * self._draw.lognormvariate(0, 0.5), told_s + 0.1)
        self.depth += -1 if took_s > told_s else 6.25 * took_s < told_s
        return took_s


class Steady(Peer):
    """Knows no time."""

    name = "steady"
    coarseness = 3

    def thinks_s(self, told_s: float) -> float:
        return self._draw.choice((0.3, 0.5))


class Idle(Peer):
    name = "idle"
    coarseness = 3

    def thinks_s(self, told_s: float) -> float:
        return 0.004


class Pondering(Peer):
    """Thinks in the other's time."""

    name = "pondering"

    def prepare(self, stop: threading.Event) -> None:
        type(self).used_s += 0.01


AGENTS = (Thinker, Peer, Deep, Steady, Idle, Pondering)


@pytest.fixture(autouse=True)
def agents_of_the_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    real = registry._classes()
    monkeypatch.setattr(registry, "_classes", lambda: {**real, **{agent.name: agent for agent in AGENTS}})
    monkeypatch.setattr(players, "time", SimpleNamespace(perf_counter=lambda: Thinker.clock_s))
    yield
    play._prepare.cache_clear()
    play._paces.cache_clear()


def duel(a: str, b: str, count: int = 20, limits: tuple[float, float] = (SECONDS, SECONDS)) -> Summary:
    words = [f"{name}:processor_s={limit}" for name, limit in zip((a, b), limits, strict=True)]
    met = pairing(Terms(REVERSI), players.parse(words[0]), players.parse(words[1]), count)
    return summary(met, {job.id: play.play(job) for job in met.jobs})


@pytest.mark.parametrize("peer", ["thinker", "peer", "deep", "pondering"])
def test_who_can_be_steered_has_the_processor_time_of_a_duel_in_the_mean(peer: str) -> None:
    found = duel("thinker", peer)
    assert found.processor_ratio == pytest.approx(1, abs=0.05)
    assert [one.processor_s for one in found.spent] == pytest.approx([SECONDS, SECONDS], rel=0.1)
    assert not [line for line in lines_of(found) if "NOT at equal" in line]


@pytest.mark.parametrize("peer", ["steady", "idle"])
def test_the_mean_of_a_peer_that_cannot_be_steered_is_the_others_too(peer: str) -> None:
    found = duel(peer, "thinker")
    assert found.processor_ratio == pytest.approx(1, abs=0.05)
    assert found.spent[0].processor_s != pytest.approx(SECONDS, rel=0.5)


def test_of_two_programs_the_one_that_is_told_more_follows_the_other() -> None:
    assert duel("steady", "deep").processor_ratio == pytest.approx(1, abs=0.05)


def test_a_handicap_in_processor_time_is_kept_beside_a_peer_that_cannot_be_steered() -> None:
    found = duel("thinker", "steady", limits=(2 * SECONDS, SECONDS))
    assert found.processor_ratio is None
    assert found.spent[0].processor_s == pytest.approx(2 * found.spent[1].processor_s, rel=0.05)


def test_a_duel_that_was_not_at_equal_processor_time_says_so() -> None:
    found = duel("steady", "idle", 2)
    assert found.processor_ratio == pytest.approx(100, rel=0.2)
    [told] = [line for line in lines_of(found) if "NOT at equal" in line]
    assert "steady:processor_s=0.03 used" in told and "times as much a move as idle" in told
    assert found.as_json()["processor_ratio"] == found.processor_ratio


@pytest.mark.parametrize("brings", [lambda _: 0.0, lambda asked_s: 100 * asked_s])
def test_a_move_is_never_asked_for_without_bounds(brings: Callable[[float], float]) -> None:
    pace = Pace(SECONDS)
    for _ in range(10 * SPAN):
        asked_s = pace.next_s()
        assert SECONDS / MOST**2 <= asked_s <= 2 * SECONDS * MOST
        pace.count(asked_s, brings(asked_s))
