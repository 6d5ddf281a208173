"""The match continues whatever a worker does; the misbehaving workers are whole programs on a real bus."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import games
from agents.messages import LimitsPart
from daemon.bus.bus import Bus
from daemon.config.seats import Seat
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.record.journal import Journal
from daemon.record.record import GameRecord
from tests.daemon.match_bench import PICTURE, ScriptedPipeline
from tests.daemon.readings import board_with, reading_of
from vision.frame import Frame
from wording import untranslated

ROOT = Path(__file__).resolve().parents[2]
GAME = games.load("morris")
TOLD_S = 8.0
"""Seconds within which a player hears of a worker's illegal answers."""


class Table:
    """A match of a person against `mascot`, on a real bus and with a real journal."""

    def __init__(self, folder: Path) -> None:
        self.bus = Bus("tcp://127.0.0.1:*", "tcp://127.0.0.1:*")
        self.journal = Journal(folder / "journal.sqlite")
        self.heard: list[Announcement] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.eyes = ScriptedPipeline()
        game_id = self.journal.new_game(GAME.name, {}, ["person", "mascot"])
        self.match = Match(
            Referee(GAME, (None, "mascot")),
            seats=(Seat(), Seat("mascot", {}, LimitsPart(time_s=0.5))),
            recorder=GameRecord(self.journal, game_id),
            publisher=self.bus,
            listeners=[lambda announcement: self.heard.append(announcement)],
            game_id=game_id,
        )
        self.seeing = BoardTracker(self.eyes, self.match)  # type: ignore[arg-type]
        self.match.start()

    def show(self, **men: str) -> None:
        """Shows a settled board."""
        self.eyes.readings.append(reading_of(GAME, board_with(GAME, **men)))
        self.seeing.feed(Frame(PICTURE, 0.0, 0))

    def hostile(self, manner: str) -> subprocess.Popen[bytes]:
        """Starts a misbehaving worker."""
        program = Path(__file__).with_name("hostile_worker.py")
        return self._start(str(program), self.bus.state_endpoint, self.bus.reply_endpoint, manner)

    def good(self) -> subprocess.Popen[bytes]:
        """Starts the twenty-line example worker from docs/protocol.md."""
        text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
        program = text.split("```python\n", 1)[1].split("```", 1)[0]
        return self._start("-c", program, self.bus.state_endpoint, self.bus.reply_endpoint)

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        worker = subprocess.Popen([sys.executable, *words], stderr=subprocess.DEVNULL)
        self.workers.append(worker)
        return worker

    def wait(self, condition: Callable[[], object], timeout_s: float = 15.0) -> None:
        """Polls the match until the condition holds."""
        deadline_s = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < deadline_s, [one.text for one in self.heard]
            self.seeing.poll()
            time.sleep(0.005)

    def codes(self) -> list[str]:
        """Codes announced so far."""
        return [one.code for one in self.heard]

    def close(self) -> None:
        """Ends the workers, the bus and the journal."""
        for worker in self.workers:
            worker.kill()
            worker.wait()
        self.bus.close()
        self.journal.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path)
    yield table
    table.close()


def test_liar_is_told_of_once_and_a_good_worker_that_joins_is_heard(table: Table) -> None:
    table.hostile("lie")
    table.show(W="d2")
    table.wait(lambda: table.match.requests.refused >= 3)
    table.wait(lambda: "trouble" in table.codes(), TOLD_S)
    assert table.heard[-1].text == "mascot answers with illegal moves. I ask again."
    table.good()
    table.wait(lambda: "agent_move" in table.codes())
    assert table.codes() == ["move", "trouble", "agent_move"]
    assert not any("stupid" in one.text or "script" in one.text for one in table.heard)
    (game,) = table.journal.games()
    assert [note.kind for note in game.notes] == ["trouble", "agent_move"]


def test_flood_of_rubbish_does_not_keep_the_good_worker_from_being_heard(table: Table) -> None:
    table.hostile("flood")
    table.wait(lambda: table.bus.counters()["flood"] > 1000)
    table.good()
    table.show(W="d2")
    table.wait(lambda: "agent_move" in table.codes())
    counters = table.bus.counters()
    assert counters["illegal_format"] > 0
    assert table.bus.status()["ok"] is True


def test_late_answers_are_counted_and_the_good_worker_is_heard(table: Table) -> None:
    table.hostile("delay")
    table.wait(lambda: table.bus.workers())
    table.show(W="d2")
    table.match.trouble(untranslated("the question is asked again"))
    table.wait(lambda: table.bus.counters()["late"] > 0)
    assert "agent_move" not in table.codes()
    table.good()
    table.wait(lambda: "agent_move" in table.codes())
    assert table.match.requests.refused == 0


def test_what_no_worker_may_send_is_counted_and_never_spoken_and_the_good_worker_is_heard(table: Table) -> None:
    table.hostile("strange")
    table.wait(lambda: table.bus.workers())
    table.show(W="d2")
    table.wait(lambda: table.bus.counters()["forged"] == 2)
    counted = table.bus.counters()
    assert (counted["illegal_format"], counted["too_long"], counted["late"]) == (8, 1, 2)
    assert counted["unasked"] >= 1 and counted["unknown_worker"] >= 1
    assert counted["accepted"] == 0 and table.match.requests.refused == 0 and table.codes() == ["move"]
    assert [one.agents for one in table.bus.workers()] == [("mascot",)]
    table.good()
    table.wait(lambda: "agent_move" in table.codes())
    assert table.codes() == ["move", "agent_move"]


def test_worker_that_dies_over_the_question_is_followed_by_a_good_one(table: Table) -> None:
    dying = table.hostile("die")
    table.wait(lambda: table.bus.workers())
    table.show(W="d2")
    table.wait(lambda: dying.poll() == 3)
    table.good()
    table.wait(lambda: "agent_move" in table.codes())
    move = table.heard[-1].move
    table.show(W="d2", B=move)
    assert table.codes()[-1] == "move"
    (game,) = table.journal.games()
    assert list(game.moves) == ["d2", move]
