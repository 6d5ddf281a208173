"""Stand-in for the vision pipeline that shows given looks one by one, so that a test can write a game as a list."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from daemon.perception.pipeline import Observation
from tests.daemon.sights import FROM_ABOVE, NoLooks, sight
from vision.frame import Frame
from vision.reading.board_reading import BoardReading
from vision.reading.heads import Head, judge
from vision.reading.reader import DescribedCells
from vision.watching.align import Alignment

PICTURE = np.zeros((4, 4, 3), np.uint8)
LOCKED = Alignment(None, "locked", relocked=False, quality=1.0, moved_px=0.0)
SETTLED = sight("settled", fresh=True)


class FakePipeline:
    """Replaces both the pipeline and its reader."""

    def __init__(
        self,
        template: BoardTemplate,
        first: Head,
        believe: Callable[[DescribedCells, Head | None], NDArray[np.float64]] | None = None,
    ) -> None:
        """`believe` says what a head sees in a look; without it each cell is judged by itself."""
        self.template, self.first = template, first
        self.look: DescribedCells | None = None
        self.alignment, self.gate = LOCKED, SETTLED
        self._believe = believe
        self.head: Head | None = None
        self.lesson = self.refused = None
        self.may_learn = False
        self.looks = NoLooks()

    @property
    def reader(self) -> FakePipeline:
        """Itself, since it replaces the reader too."""
        return self

    def adopt(self, head: Head | None) -> None:
        """Reads with that head from now on."""
        self.head = head

    def believe(self, look: DescribedCells, head: Head | None) -> NDArray[np.float64]:
        """(cells, classes) log probabilities."""
        if self._believe is not None:
            return self._believe(look, head)
        return judge(look.descriptors, self.template.letters, self.first if head is None else head, None)[0]

    def read(self) -> BoardReading:
        """Reads the present look."""
        assert self.look is not None
        present = self.first if self.head is None else self.head
        unknown = judge(self.look.descriptors, self.template.letters, present, None)[1]
        return BoardReading(self.believe(self.look, self.head), self.template.letters, 0.0, unknown=unknown)

    def feed(self, frame: Frame) -> Observation:
        """The present look, as an observation of a settled picture."""
        return Observation(frame, self.alignment, FROM_ABOVE, self.gate, self.read())

    def watched_s(self, time_s: float) -> float:
        """The time itself: pictures always come."""
        return time_s

    def ask_again(self) -> bool:
        """False: another picture would show nothing more."""
        return False


class AtOnce(Executor):
    """Runs each task within `submit`."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """A finished future with the result or the error."""
        done: Future[Any] = Future()
        try:
            done.set_result(function(*arguments, **named))
        except Exception as error:  # noqa: BLE001 - whoever asks for the result gets it
            done.set_exception(error)
        return done
