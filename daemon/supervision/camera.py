"""The daemon's camera: opened in the background, monitored and reopened, without ever blocking the loop."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Literal

from daemon.config.settings import CameraSection
from daemon.supervision.restarts import Pauses
from daemon.words.translation import as_words, in_words, worded
from vision.frame import Frame, FrameSource, SourceEnded, SourceError
from vision.sources.live import LiveSource
from vision.sources.opening import open_source
from vision.sources.phone import PHONE, Asked, PhoneFeed, PhoneSource
from vision.sources.slot import Attempt, NewestFrame, Stillness
from wording.outside import clean, without_secrets

LOGGER = logging.getLogger(__name__)
REOPEN_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds between attempts to open a missing camera; the last one repeats."""
FROZEN_REOPEN_S = (0.0, 15.0, 60.0, 300.0)
"""Seconds before each further reopening of a camera whose picture is frozen; the last one repeats."""
NONE = "none"
IDLE_S = 0.02
"""Seconds, longest wait for a frame when there is no camera: commands meanwhile are answered at once."""
SLOW_OPENING_S = 20.0
"""Seconds: an attempt to open a camera that takes longer hangs in its driver."""

State = Literal["unwanted", "opening", "on", "silent", "frozen", "away", "hangs"]


class Camera:
    """Delivers frames; tells the players once when something is wrong and once when it is fixed. Used by one thread."""

    def __init__(
        self,
        spec: str,
        settings: CameraSection,
        say: Callable[..., object],
        opener: Callable[[str, CameraSection], FrameSource] | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """`say` takes a sentence, and whether it is `urgent`."""
        self.trouble = ""
        """The current problem, in the words shown to the players; empty if there is none."""
        self.state: State = "opening"
        self._spec, self._settings, self._say = spec, settings, say
        self._opener = opener or open_by_settings
        self._clock, self._sleep = clock, sleep
        self._frames: NewestFrame | None = None
        self._attempt: Attempt | None = None
        self._began_s = 0.0
        self._openings = 0
        self._missing, self._thaws = Pauses(REOPEN_S), Pauses(FROZEN_REOPEN_S)
        self._thaws_next = False
        """Whether a frozen picture waits for the camera to be opened again."""
        self._picture_s = clock()
        self._seen = False
        self._stillness = Stillness(settings.frozen_s)

    def read(self, timeout_s: float) -> Frame | None:
        """The newest frame; None if none came in time, including while the camera is away.

        Raises SourceEnded after the last frame of a file or folder.
        """
        if not self.wanted:
            self._sleep(min(timeout_s, IDLE_S))
            return None
        if self._frames is None:
            self._open(timeout_s)
            return None
        try:
            frame = self._frames.read(timeout_s)
        except SourceEnded:
            raise
        except Exception as error:  # noqa: BLE001 - whatever error a source raises, reopening may help
            self._lost(clean(without_secrets(str(error))) or type(error).__name__)
            return None
        self._watch(frame)
        return frame

    def change(self, spec: str, settings: CameraSection) -> None:
        self._let_go()
        self._spec, self._settings = spec, settings
        self._stillness = Stillness(settings.frozen_s)
        self._missing.reset()
        self._thaws.reset()
        self._thaws_next = False
        self._picture_s, self.state = self._clock(), "opening"
        if not self.wanted:
            self.trouble, self._seen = "", False

    @property
    def wanted(self) -> bool:
        return self._spec != NONE

    @property
    def is_live(self) -> bool:
        """Whether frames carry the monotonic time at which they were taken."""
        return self._frames is not None and self._frames.source.live

    @property
    def answers(self) -> bool:
        """Whether capture works: pictures come, or the reason is known and it keeps trying.

        A missing camera is no reason to restart the daemon, which would not help. A driver that hangs in as many
        threads as allowed is one: only ending the process releases it.
        """
        return self.state != "hangs"

    @property
    def settled(self) -> bool:
        return self._seen or bool(self.trouble) or not self.wanted

    @property
    def age_s(self) -> float | None:
        return self._clock() - self._picture_s if self._seen else None

    def status(self) -> dict[str, object]:
        figures: dict[str, object]
        if not self.wanted:
            figures = {"age_s": None, "reopened": 0, "dropped": 0}
            return {"ok": True, "text": worded("none is wanted: moves are told"), "state": "unwanted", **figures}
        frames = self._frames
        figures = {"age_s": None if self.age_s is None else round(self.age_s, 2)}
        figures |= {"reopened": max(0, self._openings - 1), "dropped": 0 if frames is None else frames.dropped}
        text = self.trouble or (worded("sends pictures") if self._seen else worded("is being opened"))
        if frames is not None and isinstance(source := frames.source, PhoneSource | LiveSource):
            rate_hz = source.delivery.rate_hz
            figures |= {"rate_hz": None if rate_hz is None else round(rate_hz, 1), "reconnects": source.reconnects}
            figures["dropped"] = source.dropped + frames.dropped
            text = self.trouble or ", ".join(map(as_words, source.delivery.parts())) or text
            if isinstance(source, LiveSource):
                figures |= {"hanging_threads": source.abandoned}
                text += f" ({source.trouble})" if self.trouble and source.trouble else ""
                if not self.trouble and source.delivery.slow:
                    text = f"{text}: {in_words(*source.delivery.remedy())}"
        return {"ok": not self.trouble, "text": text, "state": self.state, **figures}

    def close(self) -> None:
        if frames := self._taken_away():
            frames.close()

    def _open(self, timeout_s: float) -> None:
        """One step towards an open camera. No new attempt begins while one hangs: never more than one thread."""
        now_s = self._clock()
        if self._attempt is None:
            if now_s < self._missing.due_s:
                self._sleep(timeout_s)
                return
            spec, settings = self._spec, self._settings
            self._attempt, self._began_s = Attempt(lambda: self._opener(spec, settings)), now_s
        if not self._attempt.wait(timeout_s):
            if self._clock() - self._began_s > SLOW_OPENING_S:
                self.state = "hangs"
                self._tell(worded("The camera does not answer. Unplug it and plug it in again."))
            return
        attempt, self._attempt = self._attempt, None
        try:
            source = attempt.result()
        except SourceError as error:
            self._lost(str(error))
            return
        self._missing.reset()
        self._openings += 1
        self._picture_s, self.state = self._clock(), "opening"
        self._frames = NewestFrame(source, self._settings.frozen_s, self._stillness)

    def _watch(self, frame: Frame | None) -> None:
        now_s = self._clock()
        assert self._frames is not None
        if frame is not None:
            self._picture_s, self._seen = now_s, True
        source = self._frames.source
        phone = source if isinstance(source, PhoneSource) else None
        awaited = phone is not None and not phone.films and not self._seen
        missing = awaited or now_s - self._picture_s > self._settings.frozen_s
        if self._frames.frozen:
            self._frozen(now_s)
        elif missing and isinstance(source, LiveSource) and source.hangs:
            self.state = "hangs"
            self._tell(worded("The camera does not answer. Unplug it and plug it in again."))
        elif missing:
            self.state = "silent"
            plugged = worded("No picture comes from the camera. Is it plugged in?")
            self._tell(plugged if phone is None else in_words(phone.silence))
        elif frame is not None:
            self.state, self._thaws_next = "on", False
            self._thaws.reset()
            if self.trouble:
                self.trouble = ""
                back = worded("The camera's picture is back.")
                self._say(back if phone is None else worded("I see what the phone films."))

    def _frozen(self, now_s: float) -> None:
        self.state = "frozen"
        self._tell(worded("The camera's picture is frozen."))
        if not self._thaws_next:
            self._thaws_next = True
            self._thaws.begin(now_s)
        if now_s >= self._thaws.due_s:
            LOGGER.warning("the camera's picture stands still; it is opened again")
            self._thaws_next = False
            self._let_go()

    def _lost(self, why: str) -> None:
        """Reports the lost camera once, and schedules a retry at growing intervals."""
        self._let_go()
        self.state = "away"
        LOGGER.log(logging.DEBUG if self.trouble else logging.WARNING, "no camera: %s", why)
        said = worded("I have no camera. Is it plugged in? I keep trying.")
        self._tell(worded("I have no camera ({why}).", why=why), said)
        self._missing.begin(self._clock())

    def _tell(self, text: str, said: str = "") -> None:
        """Shows the problem and speaks it, possibly in other words, once until it is fixed."""
        if not self.trouble:
            self._say(said or text, urgent=True)
        # A further problem on top of the first is shown but not spoken: the player's remedy is the same.
        self.trouble = text

    def _let_go(self) -> None:
        if frames := self._taken_away():
            threading.Thread(target=frames.close, name="closing a camera", daemon=True).start()

    def _taken_away(self) -> NewestFrame | None:
        frames, self._frames = self._frames, None
        if self._attempt is not None:
            self._attempt.abandon()
            self._attempt = None
        return frames


def opener_with(feed: PhoneFeed) -> Callable[[str, CameraSection], FrameSource]:
    def opened(spec: str, settings: CameraSection) -> FrameSource:
        if spec != PHONE:
            return open_by_settings(spec, settings)
        asked = Asked(settings.width_px, settings.height_px, settings.rate_hz, settings.max_megapixels)
        return PhoneSource(feed, asked)

    return opened


def open_by_settings(spec: str, settings: CameraSection) -> FrameSource:
    return open_source(
        spec,
        hold_s=settings.photo_hold_s,
        rate_hz=settings.rate_hz,
        size_px=(settings.width_px, settings.height_px),
        give_up_s=settings.give_up_s or None,
        max_megapixels=settings.max_megapixels,
    )
