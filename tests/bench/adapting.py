"""Plays games in drifting light with and without learning during play, and compares what is read.

    .venv/bin/python -m tests.bench.adapting --tables 6 --plies 20

At every table two games in drifting light (dusk, light turning yellow, a lamp that is lit) and one in steady light,
each without a profile and with one made in the first light; see `drifting_light`. Every position is seen once. Prints
one JSON object a game and a total by kind of light and profile: cells read wrong before any rules help, the mean
logarithm of the probability of the truth, and reports that no player caused, each without and with learning.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import functools
import json
import sys
from pathlib import Path

import numpy as np

import games
from calibration.profile import TableProfile
from daemon.core.match import Match
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.learning.adapting import Adaptation
from tests.bench.drifting_light import Sitting, sittings
from tests.daemon.fake_pipeline import PICTURE, AtOnce, FakePipeline
from vision.frame import Frame
from vision.reading.reader import Reader

ORDINARY = ("start", "move", "game_over", "resumed", "pass")


@dataclasses.dataclass
class Tally:
    """Reading results of one game."""

    cells: int = 0
    wrong: int = 0
    """Cells whose most probable class was wrong."""
    log_probability: float = 0.0
    """Sum over the cells of the logarithm of the true class's probability."""
    reports: int = 0
    """Complaints and doubts that no player caused."""
    wrong_boards: int = 0
    """Boards that were believed but were not on the table."""
    accepted: int = 0
    refused: int = 0
    reverted: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(one + two for one, two in zip(dataclasses.astuple(self), dataclasses.astuple(other))))  # noqa: B905

    def told(self) -> dict[str, object]:
        """The tally for JSON, with the sum of logarithms as their mean."""
        facts = dataclasses.asdict(self)
        facts["log_probability"] = round(self.log_probability / max(self.cells, 1), 4)
        return facts


def play(sitting: Sitting, profile: TableProfile | None, *, learns: bool) -> Tally:
    """Plays one game through the referee, position by position."""
    game, tally = games.load(sitting.game), Tally()
    reader = Reader(sitting.template, profile)
    assert reader.first is not None
    eyes = FakePipeline(sitting.template, reader.first, reader.believe)
    adaptation = Adaptation(eyes, executor=AtOnce()) if learns else None
    match = Match(Referee(game))
    seeing = BoardTracker(eyes, match, learner=adaptation)  # type: ignore[arg-type]
    match.listeners.append(functools.partial(_hear, tally, sitting))
    match.start()
    letters = sitting.template.letters
    for number, (look, board) in enumerate(zip(sitting.looks, sitting.boards, strict=True)):
        eyes.look = look
        logs = eyes.read().log_probabilities
        columns = [letters.index(letter) for letter in board]
        tally.cells += len(board)
        tally.wrong += int((logs.argmax(axis=1) != columns).sum())
        tally.log_probability += float(logs[np.arange(len(board)), columns].sum())
        seeing.feed(Frame(PICTURE, float(number), number))
        seeing.poll()
    if adaptation is not None:
        tally.accepted, tally.refused, tally.reverted = (
            adaptation.counts["accepted"],
            adaptation.counts["refused"],
            adaptation.counts["reverted"],
        )
    return tally


def _hear(tally: Tally, sitting: Sitting, announcement: Announcement) -> None:
    if announcement.code not in ORDINARY:
        tally.reports += 1
    elif announcement.code == "move":
        tally.wrong_boards += announcement.board not in sitting.boards


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--first", type=int, default=0, help="number of the first table")
    parser.add_argument("--plies", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="folder that keeps the pictures for the next time")
    given = parser.parse_args()
    totals: dict[str, tuple[Tally, Tally]] = collections.defaultdict(lambda: (Tally(), Tally()))
    for table in range(given.first, given.first + given.tables):
        played, profile = sittings(table, given.plies, given.keep)
        for sitting in played:
            for name, taught in (("no profile", None), ("profile", profile)):
                plain, learning = (play(sitting, taught, learns=learns) for learns in (False, True))
                report = {"table": table, "game": sitting.game, "light": sitting.drift, "profile": name}
                _print(report, plain, learning)
                light = "steady" if sitting.drift == "steady" else "drifting"
                before = totals[f"{light}, {name}"]
                totals[f"{light}, {name}"] = before[0] + plain, before[1] + learning
    for kind, (plain, learning) in totals.items():
        _print({"total": kind}, plain, learning)
    return 0


def _print(report: dict[str, object], plain: Tally, learning: Tally) -> None:
    sys.stdout.write(json.dumps(report | {"without": plain.told(), "with": learning.told()}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
