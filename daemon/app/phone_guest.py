"""Phones at a table: invites one where it is wanted, and makes the one that films the table's camera."""

from __future__ import annotations

import logging
from collections.abc import Callable

from daemon.app.session import Session
from daemon.commands.game_choice import with_source
from daemon.config.settings import Config
from daemon.outputs.phones.door import DoorError, Invitation
from daemon.perception.pipeline import Observation
from daemon.supervision.camera import Camera
from vision.sources.phone import PHONE, PhoneFeed

LOGGER = logging.getLogger(__name__)


class PhoneGuest:
    """Used by the session's thread."""

    def __init__(
        self,
        session: Session,
        camera: Camera,
        feed: PhoneFeed,
        on_invitation: Callable[[Invitation], None] | None = None,
    ) -> None:
        """`on_invitation` shows what must be scanned."""
        self._session, self._camera, self._feed, self._on_invitation = session, camera, feed, on_invitation
        self._invited_on: object = None
        """The page whose door was opened; a page that was opened anew has another door."""
        self._taken = feed.begun

    def turn(self, observation: Observation | None) -> Config | None:
        """Invites a phone if there is reason to. Returns the settings with a phone as camera if one begins to film."""
        session, page = self._session, self._session.page
        wanted = session.config.camera.source == PHONE or self._camera.state == "away"
        if wanted and page is not None and page is not self._invited_on:
            self._invited_on = page
            self._invite()
        begins, self._taken = self._feed.films and self._feed.begun != self._taken, self._feed.begun
        if not begins or session.config.camera.source == PHONE:
            return None
        return with_source(session.config, PHONE)

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
