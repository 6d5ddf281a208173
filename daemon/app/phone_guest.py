"""Phones at a table: invites one where it is wanted, and makes the one that films the table's camera."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from daemon.app.aiming import Aiming, corners_of
from daemon.app.session import Session
from daemon.commands.game_choice import with_source
from daemon.config.settings import Config
from daemon.i18n.translation import in_words
from daemon.outputs.phones.door import DoorError, Invitation
from daemon.outputs.phones.filming import Aim
from daemon.perception.pipeline import Observation
from daemon.supervision.camera import Camera
from vision.sources.phone import PHONE, PhoneFeed

LOGGER = logging.getLogger(__name__)
AIM_S = 0.2
"""Seconds between two looks at how the camera is aimed, at least."""


class PhoneGuest:
    def __init__(
        self,
        session: Session,
        camera: Camera,
        feed: PhoneFeed,
        on_invitation: Callable[[Invitation], None] | None = None,
    ) -> None:
        self._session, self._camera, self._feed, self._on_invitation = session, camera, feed, on_invitation
        self._invited_on: object = None
        """The page whose door was opened; a page that was opened anew has another door."""
        self._taken = feed.begun
        self._films = False
        self._aiming, self._aimed_s = Aiming(), 0.0

    def turn(self, observation: Observation | None) -> Config | None:
        """Invites a phone if there is reason to. Returns the settings with a phone as camera if one begins to film."""
        session, page = self._session, self._session.page
        wanted = session.config.camera.source == PHONE or self._camera.state == "away"
        if wanted and page is not None and page is not self._invited_on:
            self._invited_on = page
            self._invite()
        begins, self._taken = self._feed.films and self._feed.begun != self._taken, self._feed.begun
        if session.config.camera.source == PHONE:
            self._films = True
            if observation is not None:
                self._aim(observation)
            return None
        if self._films and page is not None:
            page.end_filming()  # another camera was chosen
        self._films = False
        return with_source(session.config, PHONE) if begins else None

    def _aim(self, observation: Observation) -> None:
        page, eyes, now_s = self._session.page, self._session.eyes, time.monotonic()
        size_px, facing = self._feed.delivery.size_px, self._feed.facing
        if page is None or eyes is None or size_px is None or now_s - self._aimed_s < AIM_S:
            return
        self._aimed_s, template = now_s, eyes.pipeline.template
        told = self._aiming.words(observation, template, size_px, facing, shakes=eyes.shakes)
        page.update_aim(Aim(corners_of(observation, template, size_px), in_words(*told)))

    def _invite(self) -> None:
        assert self._session.page is not None
        try:
            invitation = self._session.page.invite_phone()
        except DoorError as error:
            LOGGER.warning("phones: %s", error)
            if self._session.config.camera.source == PHONE:
                self._session.say(str(error))
            return
        if self._on_invitation is not None:
            self._on_invitation(invitation)
