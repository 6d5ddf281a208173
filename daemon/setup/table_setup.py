"""Sets a table up from the page: the board's place, and a guided calibration.

While a calibration runs it takes all frames: the match is paused, and nothing on the board counts as a move.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import numpy as np

from calibration.arrays import FloatArray
from calibration.guide import GuideError, lessons
from calibration.profile import ProfileError
from calibration.template import BoardTemplate
from daemon.commands.command import Answer
from daemon.commands.setup_requests import SetupRequest
from daemon.drawing import marks
from daemon.drawing.board_svg import Marks, board_svg
from daemon.page.view import class_names
from daemon.words.translation import in_a_row, in_words, worded
from rules import AnyGame
from system.weights import WeightsError
from vision.calibrating.guided import GuidedCalibration, Prompt
from vision.calibrating.lesson_check import GuidedFit, fit_guided
from vision.calibrating.verdict import RefusedError
from vision.frame import Frame, Image
from vision.pose import BoardPose, is_plausible, pose_from_corners, project
from vision.watching.align import Aligner

LOGGER = logging.getLogger(__name__)
OUTLINE = (76, 180, 240)
"""Colours (blue, green, red) drawn into the picture."""
MAX_TOLD = 6
AWAY_S = 2.0
"""Seconds without a picture after which the camera counts as away."""
Say = Callable[..., None]


class TableSetup:
    """Set-up of one table. Used by the session's thread; only the final fit runs in a thread of its own."""

    def __init__(self, game: AnyGame, template: BoardTemplate, out: Path, say: Say) -> None:
        """`out` is the path for a finished profile; `say` speaks and writes a sentence."""
        self.game, self._template, self._say = game, template, say
        self.out = out
        self.made: Path | None = None
        """A newly written profile to use from now on; its consumer sets this to None."""
        self._run: GuidedCalibration | None = None
        self._prompts: deque[Prompt] = deque(maxlen=MAX_TOLD)
        self._frame: Frame | None = None
        self._fit: Future[GuidedFit] | None = None
        self._ended = ""
        self._away_s = 0.0
        self._shown: tuple[str, tuple[int, ...], str] = "", (), ""

    @property
    def active(self) -> bool:
        return self._run is not None

    def obey(self, request: SetupRequest, aligner: Aligner | None) -> Answer:
        if request.action == "stop":
            return self._stop()
        if request.action == "right":
            if self._run is None:
                return Answer(False, worded("No calibration is under way."))
            self._run.insist()
            return Answer(True, worded("I take the board as it is."))
        if self._frame is None:
            return Answer(False, worded("No picture has come from the camera yet."))
        corners = self._corners_px(request)
        if request.corners and self._pose(corners) is None:
            return Answer(
                False, worded("These four points are no board: click its corners clockwise from the top left.")
            )
        return self._begin(corners) if request.action == "calibrate" else self._lock(corners, aligner)

    def see(self, frame: Frame) -> bool:
        before, self._frame = self._frame, frame
        run = self._run
        if run is None:
            return False
        # Nobody can continue without pictures, so time while the camera was away does not count.
        if before is not None and frame.time_s - before.time_s > AWAY_S:
            self._away_s += frame.time_s - before.time_s
        if self._fit is not None:
            self._finish(self._fit)
            return True
        if self._away_s:
            frame = Frame(frame.image, frame.time_s - self._away_s, frame.index, frame.name)
        try:
            self._tell(run.feed(frame))
        except ValueError as error:
            self._end(worded("The calibration ends: {why}", why=str(error)))
            return True
        if run.refusal:
            self._end(worded("The calibration ends without a profile. {why}", why=in_words(*run.refusal)))
        elif run.complete:
            self._say(worded("I learn from the pictures. One moment."), code="setup")
            self._fit = _fitting(run)
        return True

    def status(self) -> dict[str, object] | None:
        run = self._run
        if run is None:
            return {"active": False, "ended": self._ended} if self._ended else None
        last = self._prompts[-1] if self._prompts else None
        number = run.current if run.current is not None else len(run.lessons) - 1
        cells = last.cells if last is not None and last.code == "correct" else ()
        return {
            "active": True,
            "fitting": self._fit is not None,
            "lesson": number + 1,
            "lessons": len(run.lessons),
            "taken": len(run.taken),
            "wanted": in_words(run.lessons[number].said),
            "said": [in_words(*prompt.said) for prompt in self._prompts],
            "board": self._lesson_board(run.lessons[number].board, cells),
        }

    def picture(self, pose: BoardPose | None) -> Callable[[], Image] | None:
        """Returns a function that draws the camera picture with the board outlined; None before the first picture.

        `pose` is the board's pose in the match; a calibration uses its own.
        """
        run, frame = self._run, self._frame
        if frame is None:
            return None
        template = self._template if run is None else run.template
        return functools.partial(_outlined, frame, template, pose if run is None else run.seen)

    def _lesson_board(self, board: str, faults: tuple[int, ...]) -> str:
        if (board, faults) != self._shown[:2]:
            drawn = board_svg(self._template, board, marks=Marks(faults=faults), names=class_names(self._template))
            self._shown = board, faults, drawn
        return self._shown[2]

    def _begin(self, corners: FloatArray | None) -> Answer:
        if self._run is not None:
            return Answer(False, worded("A calibration is under way already."))
        try:
            plan = lessons(self.game, self._template)
            self._run = GuidedCalibration(self._template, plan, corners)
        except (GuideError, WeightsError) as error:
            return Answer(False, str(error))
        self._ended, self._fit, self._away_s = "", None, 0.0
        self._prompts.clear()
        self._tell(self._run.begin())
        return Answer(True, worded("I guide you through {count} boards. The game waits.", count=len(plan)))

    def _lock(self, corners: FloatArray | None, aligner: Aligner | None) -> Answer:
        pose = self._pose(corners)
        if aligner is None or pose is None or self._frame is None:
            return Answer(False, worded("No camera watches this table."))
        aligner.begin_at(pose, self._frame)
        return Answer(True, worded("I take it that the board lies there."))

    def _stop(self) -> Answer:
        if self._run is None:
            return Answer(False, worded("No calibration is under way."))
        if self._fit is not None:
            return Answer(False, worded("All pictures are taken: one moment."))
        self._run = None
        self._ended = worded("The calibration was stopped. Nothing is written.")
        return Answer(True, self._ended)

    def _corners_px(self, request: SetupRequest) -> FloatArray | None:
        assert self._frame is not None
        height, width = self._frame.image.shape[:2]
        return np.array(request.corners, dtype=np.float64) * [width, height] if request.corners else None

    def _pose(self, corners: FloatArray | None) -> BoardPose | None:
        if corners is None or self._frame is None:
            return None
        pose = pose_from_corners(corners, self._template)
        return pose if is_plausible(pose, self._template, self._frame.image) else None

    def _tell(self, prompts: tuple[Prompt, ...]) -> None:
        for prompt in prompts:
            self._prompts.append(prompt)
            self._say(in_words(*prompt.said), urgent=prompt.code in ("lost", "hand"), code="setup")

    def _end(self, text: str) -> None:
        self._run, self._fit, self._ended = None, None, text
        self._say(text, urgent=True, code="setup")

    def _finish(self, fit: Future[GuidedFit]) -> None:
        if not fit.done():
            return
        try:
            made = fit.result()
        except ValueError as error:
            self._end(worded("The calibration ends without a profile. {why}", why=str(error)))
            return
        except Exception:  # of the thread
            LOGGER.exception("the calibration failed")
            failed = worded("It failed, and the log says why.")
            self._end(worded("The calibration ends without a profile. {why}", why=failed))
            return
        try:
            self.out.parent.mkdir(parents=True, exist_ok=True)
            made.verdict.accepted(made.profile, accept=False).save(self.out)
        except RefusedError:
            why = in_a_row(in_words(*said) for said in made.verdict.objections)
            self._end(worded("The calibration ends without a profile. {why}", why=why))
            return
        except (OSError, ProfileError) as error:
            self._end(worded("The profile cannot be written: {why}", why=str(error)))
            return
        self.made = self.out
        expected = in_words(*made.verdict.expectation.said)
        text = worded("The profile is written, and in use. {expected}", expected=expected)
        self._run, self._fit, self._ended = None, None, text
        self._say(text, code="setup")


def _outlined(frame: Frame, template: BoardTemplate, pose: BoardPose | None) -> Image:
    """The picture with the board's edge and cells drawn in; decodes the frame only now."""
    drawn = frame.image.copy()
    if pose is None:
        return drawn
    width = max(1, round(drawn.shape[0] / 360))
    corners = project(pose.image_from_board, template.corners_mm)
    for one, other in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        marks.line(drawn, one, other, OUTLINE, 2 * width)
    for centre in project(pose.image_from_board, template.cells_mm):
        marks.ring(drawn, centre, 3.0 * width, OUTLINE, width)
    return drawn


def _fitting(run: GuidedCalibration) -> Future[GuidedFit]:
    """Fits a profile in a thread of its own, which does not keep the process from ending."""
    fit, taken = Future[GuidedFit](), [run.taken[number] for number in sorted(run.taken)]

    def work() -> None:
        try:
            fit.set_result(fit_guided(taken, run.template))
        except Exception as error:  # noqa: BLE001 - it belongs to whoever asks for the result
            fit.set_exception(error)

    threading.Thread(target=work, name="calibration", daemon=True).start()
    return fit
