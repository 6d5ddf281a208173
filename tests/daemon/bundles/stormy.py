"""Simulated board through a series of faults, watched as a phone's JPEGs, with scene bundles kept."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import cv2

import games
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.bundles.bundle import PipelineSettings
from daemon.bundles.bundle_writer import TableFacts
from daemon.bundles.scene_keeper import Limits, SceneKeeper
from daemon.commands.command import Command, Undo
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from lab.simulated.scenes import profile_of
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from rules import Step
from vision.frame import Frame
from vision.sources.encoded import EncodedFrame, peek

RATE_HZ = 10.0
SIZE_PX = (640, 360)
LIGHT, DARK = 0, 1


@functools.cache
def calibrated(name: str) -> TableProfile:
    game = games.load(name)
    template = load_template(game.name)
    table = SimulatedTable(template, game.board(game.initial()), default_style(), seed=1, size_px=SIZE_PX)
    return profile_of(game, template, table, 1)


class StormyTable:
    """Simulated board at which someone does what the test says; time passes as fast as the machine allows."""

    def __init__(
        self, folder: Path, *, as_jpeg: bool = True, limits: Limits | None = None, game: str = "morris"
    ) -> None:
        self.game = games.load(game)
        template = load_template(self.game.name)
        board = self.game.board(self.game.initial())
        self.table = SimulatedTable(template, board, default_style(), seed=1, size_px=SIZE_PX)
        self.match = Match(Referee(self.game))
        self.eyes = BoardTracker(Pipeline(template, calibrated(game)), self.match)
        self.said: list[Announcement] = []
        self.match.listeners.append(lambda announcement: self.said.append(announcement))
        self.match.start()
        facts = TableFacts(
            "table", self.game, (None, None), ("", ""), PipelineSettings(settle_s=0.4, readings=3, lost_s=3), {}, None
        )
        self.keeper = SceneKeeper(folder, limits or Limits(40.0, 64_000_000, 100_000_000, 0.0), facts)
        self._as_jpeg, self._index = as_jpeg, 0
        self.bundles: dict[int, Path] = {}

    def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds * RATE_HZ)):
            self.table.advance(1 / RATE_HZ)
            self.keeper.look(self.eyes, self._frame())

    def hand(self, *steps: Step, side: int = LIGHT) -> None:
        """A hand takes these steps and leaves; then the board rests 1.2 s."""
        self.table.perform(steps, side)
        self._until(lambda: not self.table.busy)
        self.pass_time(1.2)

    def hover(self, seconds: float) -> None:
        """A hand hovers over the board and leaves; then the board rests 1 s."""
        self.table.hover(seconds, DARK)
        self._until(lambda: not self.table.busy)
        self.pass_time(1.0)

    def lay(self, cell: str, letter: str, side: int = LIGHT) -> None:
        self.hand(Step("place", self.cell(cell), piece=letter), side=side)

    def lift(self, cell: str, side: int = LIGHT) -> None:
        self.hand(Step("remove", self.cell(cell)), side=side)

    def say(self, command: Command) -> None:
        self.keeper.add_command(command)
        obey(self.match, command, self.eyes)

    def cell(self, name: str) -> int:
        return self.game.cells.index(name)

    def storm(self) -> None:
        """Moves, a hovering hand, an illegal move put right, a lamp, a takeback by hand and one by command."""
        white, black = self.game.pieces
        self.pass_time(2.0)
        self.lay("d2", white)
        self.hover(1.0)
        self.lay("f4", white)  # out of turn
        self.lift("f4")
        self.lay("f4", black, DARK)
        self.table.switch_lamp(0.75)
        self.pass_time(1.5)
        self.lay("a1", white)
        self.lift("a1")  # taken back
        self.lay("g7", white)
        self.say(Undo())
        self.pass_time(1.0)
        self.lift("g7")

    def _until(self, done: Callable[[], bool]) -> None:
        for _ in range(600):
            self.pass_time(1 / RATE_HZ)
            if done():
                return
        raise AssertionError("the hand never went away")

    def _frame(self) -> Frame:
        image, time_s, self._index = self.table.render(), 1000 + self.table.time_s, self._index + 1
        if not self._as_jpeg:
            return Frame(image, time_s, self._index)
        picture = peek(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes())
        assert picture is not None
        return EncodedFrame(picture, time_s, self._index)
