"""Measures what a camera or stream really delivers, which seldom matches the request."""

from __future__ import annotations

import collections
import logging
import threading

from wording import Sentence, Sentences, plain, sentence

log = logging.getLogger(__name__)

MEASURED_FRAMES = 30
"""Pictures after which the rate is logged."""
MEASURED_S = 3.0
"""Seconds at most until it is logged, once there are a few pictures."""
MIN_FRAMES = 5
REMEMBERED = 90
"""Pictures over which the rate is measured."""
FAR_UNDER = 0.6
"""Share of the requested rate below which something is wrong."""


class Delivery:
    """Measures one source's incoming pictures; written by the camera's thread, read by any."""

    def __init__(self, name: str, asked_rate_hz: float | None = None) -> None:
        self.name = name
        self.asked_rate_hz = asked_rate_hz
        """None where no rate was requested: a stream sets its own."""
        self.claimed = ""
        self.codec = ""
        """The pictures' codec, such as MJPG; empty where it is not known."""
        self.size_px: tuple[int, int] | None = None
        self.exposure = ""
        """State of exposure and white balance, in words; empty where they cannot be queried."""
        self._times_s: collections.deque[float] = collections.deque(maxlen=REMEMBERED)
        self._lock = threading.Lock()
        self._told = False

    @property
    def rate_hz(self) -> float | None:
        """Pictures per second as they arrive; None until a few have come."""
        with self._lock:
            if len(self._times_s) < MIN_FRAMES:
                return None
            passed_s = self._times_s[-1] - self._times_s[0]
            return (len(self._times_s) - 1) / passed_s if passed_s > 0 else None

    @property
    def slow(self) -> bool:
        """Whether far fewer pictures come than were requested."""
        rate_hz = self.rate_hz
        return self.asked_rate_hz is not None and rate_hz is not None and rate_hz < FAR_UNDER * self.asked_rate_hz

    def opened(self) -> None:
        """Restarts the measurement: the source was opened, perhaps again."""
        with self._lock:
            self._times_s.clear()
            self._told = False
        self.exposure = ""

    def count(self, time_s: float, size_px: tuple[int, int] | None = None) -> None:
        """Counts a picture. Logs the rate once, as soon as it is known."""
        self.size_px = size_px or self.size_px
        with self._lock:
            self._times_s.append(time_s)
            passed_s = time_s - self._times_s[0]
            enough = len(self._times_s) >= MEASURED_FRAMES or (
                len(self._times_s) >= MIN_FRAMES and passed_s > MEASURED_S
            )
            due, self._told = enough and not self._told, self._told or enough
        if due:
            log.info("%s: %s", self.name, self.text())
            if self.slow:
                log.warning("%s: %s", self.name, self.advice())

    def text(self) -> str:
        """One line such as "1280x720 pixels, MJPG, 14.9 pictures a second (asked: 15), exposure locked", in English."""
        return ", ".join(map(str, self.parts()))

    def parts(self) -> list[Sentence | str]:
        """The parts of `text`, translatable."""
        size, rate_hz = self.size_px, self.rate_hz
        parts: list[Sentence | str] = [sentence("{size} pixels", size=f"{size[0]}x{size[1]}")] if size else []
        parts += [self.codec] if self.codec else []
        if rate_hz is not None and self.asked_rate_hz is not None:
            rates = {"rate": f"{rate_hz:.1f}", "asked": f"{self.asked_rate_hz:g}"}
            parts.append(sentence("{rate} pictures a second (asked: {asked})", **rates))
        elif rate_hz is not None:
            parts.append(sentence("{rate} pictures a second", rate=f"{rate_hz:.1f}"))
        return [*parts, self.exposure] if self.exposure else parts

    def advice(self) -> str:
        return plain(self.remedy())

    def remedy(self) -> Sentences:
        rates = {"rate": f"{self.rate_hz or 0:.1f}", "asked": f"{self.asked_rate_hz or 0:g}"}
        return (
            sentence("only {rate} of {asked} pictures a second come.", **rates),
            sentence("With too little light a camera exposes longer: add a lamp. Else ask for a smaller picture."),
        )
