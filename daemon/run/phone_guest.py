"""Phones at a table: invites one, makes the one that films the camera of the table, and says how to aim a camera."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

from calibration.template import BoardTemplate
from daemon.commands.game_choice import with_source
from daemon.config.settings import Config
from daemon.page.phones.door import DoorError, Invitation
from daemon.page.phones.filming import Aim
from daemon.perception.pipeline import Observation
from daemon.run.session import Session
from daemon.supervision.camera import Camera
from daemon.words.translation import in_words
from vision.finding.finder import find_board
from vision.finding.proposals import Edge
from vision.finding.why_unseen import Unseen, exposure_fault, place_fault, why_unseen
from vision.frame import Frame, Image
from vision.pose import project
from vision.sources.phone import PHONE
from wording import Sentence, Sentences, sentence

LOGGER = logging.getLogger(__name__)
AIM_S = 0.2
"""Seconds between two looks at how the camera is aimed, at least."""
PAUSE_S = 1.0
"""Seconds between two searches for the reason that no board is found, at least; and as long as the last one took."""
MISSING: dict[Edge, Sentence] = {
    "top": sentence("The far edge is missing."),
    "bottom": sentence("The near edge is missing."),
    "left": sentence("The left edge is missing."),
    "right": sentence("The right edge is missing."),
}
CLOSER = sentence("Closer.")
HIGHER = sentence("Higher: the board is seen from too low.")
SHAKES = sentence("Lean it: the picture shakes.")
MIRRORED = sentence("That is the front camera: the picture is mirrored.")
FRONT = sentence("That is the front camera. Use the one on the back.")
LATE = sentence("The computer is too busy: moves are seen late."), sentence("End other programs on it.")


class Aiming:
    """Looks at observations while somebody aims. Used by one thread; a second one searches where no board is found."""

    def __init__(self, search: Callable[[Image, BoardTemplate], Unseen] | None = None) -> None:
        self._search = search or why_not_found
        self._why: Unseen | None = None
        self._light: str | None = None
        """What was wrong with light and sharpness in the picture that `_why` is of: in another light it is old."""
        self._thread: threading.Thread | None = None
        self._due_s = 0.0

    def words(
        self,
        seen: Observation,
        template: BoardTemplate,
        size_px: tuple[int, int],
        facing: str,
        *,
        shakes: bool,
        late: bool = False,
    ) -> Sentences:
        """What to change; empty if the board is seen well, and in time.

        `size_px` is the picture's width and height, `facing` is `user` for a camera on a phone's front.
        """
        front = (FRONT,) if facing == "user" else ()
        if seen.alignment.pose is None:
            light = exposure_fault(seen.frame.image)
            code = None if light is None else light.code
            if code != self._light:
                # A phone that is being moved is often not sharp: whether that is the reason, the search says.
                self._why, self._light = None if code == "blurred" else light, code
            self._ask(seen.frame, template, code)
            return front if self._why is None else in_short(self._why, facing) or front
        self._why = None
        if shakes:
            return (SHAKES,)
        fault = place_fault(seen.alignment.pose, template, size_px)
        if fault is not None:
            return in_short(fault, facing)
        return LATE if late else front

    def _ask(self, frame: Frame, template: BoardTemplate, light: str | None) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        if time.monotonic() < self._due_s:  # read last: a thread sets it when it ends
            return
        self._thread = threading.Thread(target=self._run, args=(frame, template, light), name="aiming", daemon=True)
        self._thread.start()

    def _run(self, frame: Frame, template: BoardTemplate, light: str | None) -> None:
        began_s = time.monotonic()
        try:
            why = self._search(frame.image, template)
            if light == self._light:
                self._why = why
        except Exception:  # the top of the thread
            LOGGER.exception("why no board is seen could not be found out")
        now_s = time.monotonic()
        self._due_s = now_s + max(PAUSE_S, now_s - began_s)


def why_not_found(image: Image, template: BoardTemplate) -> Unseen:
    """Why no board is found in a picture; also if it is so far away that it is found in a part of the picture only.

    Takes some seconds.
    """
    why = why_unseen(image, template)
    if why.code == "no_board" and any(find_board(part, template) is not None for part in _halves(image)):
        return Unseen("too_small", CLOSER, CLOSER)
    return why


def _halves(image: Image) -> Iterator[Image]:
    height, width = image.shape[0] // 2, image.shape[1] // 2
    for top, left in ((height // 2, width // 2), (0, 0), (0, width), (height, 0), (height, width)):
        yield np.ascontiguousarray(image[top : top + height, left : left + width])


def in_short(why: Unseen, facing: str) -> Sentences:
    match why.code:
        case "no_board":
            return ()
        case "cut_off":
            return tuple(MISSING[edge] for edge in why.edges)
        case "too_small":
            return (CLOSER,)
        case "too_low":
            return (HIGHER,)
        case "mirrored" if facing == "user":
            return (MIRRORED,)
        case _:
            return why.matter, why.remedy


def corners_of(seen: Observation, template: BoardTemplate, size_px: tuple[int, int]) -> list[tuple[float, float]]:
    if seen.alignment.pose is None:
        return []
    corners = project(seen.alignment.pose.image_from_board, template.corners_mm) / np.array(size_px)
    return [(round(float(x), 4), round(float(y), 4)) for x, y in corners]


class PhoneGuest:
    def __init__(
        self,
        session: Session,
        camera: Camera,
        on_invitation: Callable[[Invitation], None] | None = None,
        is_late: Callable[[], bool] = lambda: False,
    ) -> None:
        """`is_late` tells whether pictures are judged too late."""
        self._session, self._services = session, session.services
        self._camera, self._on_invitation, self._is_late = camera, on_invitation, is_late
        self._feed = session.services.phone_feed
        self._invited_on: object = None
        """The page whose door was opened; a page that was opened anew has another door."""
        self._taken = self._feed.begun
        self._films = False
        self._aiming, self._aimed_s = Aiming(), 0.0

    def turn(self, observation: Observation | None) -> Config | None:
        """Invites a phone if there is reason to. Returns the settings with a phone as camera if one begins to film."""
        services, page = self._services, self._services.page
        wanted = services.config.camera.source == PHONE or self._camera.state == "away"
        if wanted and page is not None and page is not self._invited_on:
            self._invited_on = page
            self._invite()
        begins, self._taken = self._feed.films and self._feed.begun != self._taken, self._feed.begun
        if begins:
            self._aiming = Aiming()  # what another phone saw says nothing of this one
        if services.config.camera.source == PHONE:
            self._films = True
            if observation is not None:
                self._aim(observation)
            return None
        if self._films and page is not None:
            page.end_filming()  # another camera was chosen
        self._films = False
        return with_source(services.config, PHONE) if begins else None

    def _aim(self, observation: Observation) -> None:
        page, eyes, now_s = self._services.page, self._session.eyes, time.monotonic()
        size_px, facing = self._feed.delivery.size_px, self._feed.facing
        if page is None or eyes is None or size_px is None or now_s - self._aimed_s < AIM_S:
            return
        self._aimed_s, template = now_s, eyes.pipeline.template
        told = self._aiming.words(observation, template, size_px, facing, shakes=eyes.shakes, late=self._is_late())
        page.update_aim(Aim(corners_of(observation, template, size_px), in_words(*told)))

    def _invite(self) -> None:
        assert self._services.page is not None
        try:
            invitation = self._services.page.invite_phone()
        except DoorError as error:
            LOGGER.warning("phones: %s", error)
            if self._services.config.camera.source == PHONE:
                self._services.say(str(error))
            return
        if self._on_invitation is not None:
            self._on_invitation(invitation)
