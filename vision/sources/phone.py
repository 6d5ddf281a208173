"""The camera of a phone: its page sends JPEGs over the network, the daemon's loop reads the newest one."""

from __future__ import annotations

import dataclasses
import threading
import time

from vision.frame import Frame, SourceEnded
from vision.sources.delivery import Delivery
from vision.sources.encoded import MAX_MEGAPIXELS, EncodedFrame, Picture
from wording import Sentence, sentence

PHONE = "phone"
AWAITED = sentence("No phone yet. Scan the code with its camera.")
OPENING = sentence("The phone is connected. Its first picture is awaited.")
GONE = sentence("The phone sends no picture. Open its page again, or scan the code.")


@dataclasses.dataclass(frozen=True)
class Asked:
    """What is asked of a phone; it sends less where it, or the network, cannot bear that."""

    width_px: int = 1280
    height_px: int = 720
    rate_hz: float = 15.0
    max_megapixels: float = MAX_MEGAPIXELS


class PhoneFeed:
    """The newest picture that a phone has sent. It outlives the sources that read it. Thread-safe."""

    def __init__(self) -> None:
        self.delivery = Delivery(PHONE)
        self.films = False
        self.facing = ""
        """`user` for a camera on the phone's front, `environment` for one on its back; empty if that is not known."""
        self.begun = 0
        self.dropped = 0
        """Pictures replaced by a newer one before anybody read them."""
        self.asked = Asked()
        self.delivery.codec = "JPEG"
        self._news = threading.Condition()
        self._frame: Frame | None = None
        self._index = 0
        self._first = 0
        """Number of the first picture since filming began last."""

    def begin(self) -> None:
        self.delivery.opened()
        self.films, self.begun, self._first = True, self.begun + 1, self._index

    def end(self) -> None:
        self.films = False

    @property
    def is_opening(self) -> bool:
        """Whether a phone is connected that has not sent a picture yet."""
        return self.films and self._index == self._first

    @property
    def silence(self) -> Sentence:
        """Why no picture comes."""
        if self.is_opening:
            return OPENING
        return GONE if self.begun else AWAITED

    def offer(self, picture: Picture) -> None:
        """Takes the next picture; an older one that nobody has read is dropped."""
        now_s = time.monotonic()
        self.delivery.count(now_s, picture.size_px)
        with self._news:
            self.dropped += self._frame is not None
            self._frame = EncodedFrame(picture, now_s, self._index)
            self._index += 1
            self._news.notify_all()

    def take(self, timeout_s: float) -> Frame | None:
        """The newest unread picture; None if none came in time."""
        with self._news:
            self._news.wait_for(lambda: self._frame is not None, timeout_s)
            frame, self._frame = self._frame, None
        return frame


class PhoneSource:
    """Reads the feed as the camera of a table; waits for a phone, and survives its going away."""

    live = True

    def __init__(self, feed: PhoneFeed, asked: Asked | None = None) -> None:
        self._feed = feed
        feed.asked = asked or Asked()
        self._closed = False
        self.delivery = feed.delivery
        feed.take(0)  # a picture from before may be old

    @property
    def films(self) -> bool:
        return self._feed.films

    @property
    def silence(self) -> Sentence:
        return self._feed.silence

    @property
    def dropped(self) -> int:
        return self._feed.dropped

    @property
    def reconnects(self) -> int:
        return max(0, self._feed.begun - 1)

    def read(self, timeout_s: float) -> Frame | None:
        """The newest unread picture; None if none came in time. Raises SourceEnded once closed."""
        if self._closed:
            raise SourceEnded
        return self._feed.take(timeout_s)

    def close(self) -> None:
        self._closed = True
