"""Eyes that see one look after another, so that a game in a test is a list of looks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from daemon.perception.pipeline import Observation
from vision.frame import Frame
from vision.reading.board_reading import BoardReading
from vision.reading.heads import Head, judge
from vision.reading.reader import Look
from vision.watching.align import Alignment
from vision.watching.gate import GateState

PICTURE = np.zeros((4, 4, 3), np.uint8)
LOCKED = Alignment(None, "locked", relocked=False, quality=1.0, moved_px=0.0)
SETTLED = GateState("settled", settled=True, fresh=True, motion=0.0, light_gain=1.0)


class StillEyes:
    """Stands where the pipeline stands, and where its reader does."""

    def __init__(
        self,
        template: BoardTemplate,
        first: Head,
        believe: Callable[[Look, Head | None], NDArray[np.float64]] | None = None,
    ) -> None:
        """`believe` says what a head sees in a look; else each cell is read by itself."""
        self.template, self.first = template, first
        self.look: Look | None = None
        self.alignment, self.gate = LOCKED, SETTLED
        self._believe = believe
        self.head: Head | None = None

    @property
    def reader(self) -> StillEyes:
        """Itself."""
        return self

    def adopt(self, head: Head | None) -> None:
        """Reads with that head from now on."""
        self.head = head

    def believe(self, look: Look, head: Head | None) -> NDArray[np.float64]:
        """(cells, classes) logarithms."""
        if self._believe is not None:
            return self._believe(look, head)
        return judge(look.descriptors, self.template.letters, self.first if head is None else head, None)[0]

    def read(self) -> BoardReading:
        """What is seen now."""
        assert self.look is not None
        present = self.first if self.head is None else self.head
        unknown = judge(self.look.descriptors, self.template.letters, present, None)[1]
        return BoardReading(self.believe(self.look, self.head), self.template.letters, 0.0, unknown=unknown)

    def feed(self, frame: Frame) -> Observation:
        """The look as a settled picture gives it."""
        return Observation(frame, self.alignment, PICTURE, self.gate, self.read())

    def ask_again(self) -> bool:
        """There is nothing more to see."""
        return False


class AtOnce(Executor):
    """Does what it is given before it returns."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """The result, or the error, is there at once."""
        done: Future[Any] = Future()
        try:
            done.set_result(function(*arguments, **named))
        except Exception as error:  # noqa: BLE001 - whoever asks for the result gets it
            done.set_exception(error)
        return done
