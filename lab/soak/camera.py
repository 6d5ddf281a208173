"""The simulated agent and the camera over a simulated table, both of which can fail."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from agents.messages import ReplyMessage, StateMessage
from lab.simulated.arrays import Float32Array
from lab.simulated.phone import Phone, RandomWay
from lab.simulated.table import SimulatedTable
from vision.frame import Frame, Image

NAME = "simulated"
FLOOD = 200
"""Answers per poll of a flooding agent."""
LIES = ("zz9", "a1", "pass", "e4", "0-0", "a1-a1", "d4xd4", "?" * 64)
"""Answers that are no moves at all, or mostly illegal ones."""


class SimulatedAgent:
    """Takes the place of the bus in a match and answers after 0.3 seconds."""

    def __init__(self, clock: Callable[[], float], seed: int) -> None:
        self.stalls = self.silent = self.floods = self.lies = False
        """`silent` works like `stalls`, but for a player who moves in the agent's place: either may end before the
        other."""
        self._clock, self._seed = clock, seed
        self._state: StateMessage | None = None
        self._due_s = 0.0
        self._lied = 0
        self._answered = "", -1
        """Session and sequence number of the state answered last; a restarted daemon counts anew."""

    def publish(self, state: StateMessage) -> None:
        self._state = state
        self._due_s = self._clock() + 0.3

    def poll(self) -> Sequence[ReplyMessage]:
        state = self._state
        if state is None or state.awaiting != "agent" or self.stalls or self.silent or self._clock() < self._due_s:
            return []
        replies = []
        if self.floods:
            replies += [self._reply(state, self._lie(), state.sequence - 1 - number) for number in range(FLOOD)]
        if self.lies:
            self._due_s = self._clock() + 0.5
            return [*replies, self._reply(state, self._lie())]
        if self._answered == (state.session, state.sequence) and not self.floods:
            return replies
        self._answered = state.session, state.sequence
        # The same position gets the same answer, as with most agents.
        chance = random.Random(f"{self._seed} {state.position} {state.ply}")
        return [*replies, self._reply(state, chance.choice(state.legal_moves))] if state.legal_moves else replies

    def _lie(self) -> str:
        self._lied += 1
        return LIES[self._lied % len(LIES)]

    def _reply(self, state: StateMessage, move: str, sequence: int | None = None) -> ReplyMessage:
        return ReplyMessage(
            worker="simulated-worker",
            agent=NAME,
            session=state.session,
            game_id=state.game_id,
            sequence=max(0, state.sequence if sequence is None else sequence),
            move=move,
        )


RATE_HZ, IDLE_HZ = 10.0, 5.0
"""Pictures a second while something moves, and while nothing does: the pipeline would not use more of a still scene."""


@dataclasses.dataclass(frozen=True, eq=False)
class Glare:
    """A lamp's reflection in the board's varnish."""

    glow: Float32Array
    """Grey levels that it adds, (height, width, 1)."""


class Camera:
    def __init__(self, table: SimulatedTable, seed: int) -> None:
        self.table = table
        self.unplugged = False
        self.frozen = False
        self.rate_hz: float | None = None
        """Pictures a second; None for as many as the pipeline needs."""
        self.noise_levels = 0.0
        """Standard deviation, in grey levels, of noise on top of the sensor's own."""
        self.glare: Glare | None = None
        self.phone = Phone(RandomWay(seed, share=0.0))
        self.cut = False
        """Whether an edge of the board is out of the picture."""
        self.ahead_s = 0.0
        """Seconds by which the computer's clock is ahead of the table's."""
        self.frames = 0
        self.last: Frame | None = None
        self.pictured = ""
        """Cells of the board in the picture being sent; out of date while the camera is frozen."""
        self._noise: tuple[float, NDArray[np.int16]] | None = None
        self._rng = np.random.default_rng([seed, 9])

    @property
    def shows(self) -> bool:
        return not (self.unplugged or self.frozen or self.cut or self.glare is not None)

    def read(self, *, idle: bool) -> Frame | None:
        """The next picture, or None if there is none. Advances the table's time."""
        step_s = 1 / (self.rate_hz or (IDLE_HZ if idle else RATE_HZ))
        self.table.advance(step_s)
        if self.unplugged:
            return None
        if self.frozen and self.last is not None:
            image = self.last.image
        else:
            image, self.pictured = self._picture(), self.table.board
        self.frames += 1
        self.last = Frame(image, self.table.time_s + self.ahead_s, self.frames)
        return self.last

    def _picture(self) -> Image:
        image = self.table.render()
        if self.glare is not None:
            image = np.clip(image + self.glare.glow, 0, 255).astype(np.uint8)
        image = self.phone.look(image, self.table.time_s)
        if self.noise_levels:
            # Roll the same noise to another place each time: drawing it anew would take longer than rendering.
            place = tuple(int(number) for number in self._rng.integers(0, image.shape[:2]))
            noise = np.roll(self._noise_of(image), place, axis=(0, 1))
            image = np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), dtype=np.uint8)
        return self.phone.send(image)

    def _noise_of(self, image: Image) -> NDArray[np.int16]:
        if self._noise is None or self._noise[0] != self.noise_levels:
            drawn = self._rng.standard_normal(image.shape, dtype=np.float32) * np.float32(self.noise_levels)
            self._noise = self.noise_levels, np.asarray(np.rint(drawn), dtype=np.int16)
        return self._noise[1]


def glare_on(table: SimulatedTable, place_mm: tuple[float, float], radius_mm: float, levels: float) -> Glare:
    around = np.array(place_mm) + radius_mm * np.array([[0, 0], [1, 0], [0, 1]])
    centre, right, down = table.seen_px(around)
    width, height = table.picture_px
    xs, ys = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    reach = (max(float(np.hypot(*(right - centre))), 1.0), max(float(np.hypot(*(down - centre))), 1.0))
    squared = ((xs - centre[0]) / reach[0]) ** 2 + ((ys - centre[1]) / reach[1]) ** 2
    return Glare(np.asarray(levels * np.exp(-squared), dtype=np.float32)[..., None])
