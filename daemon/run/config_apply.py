"""Applies reloaded settings to the running parts."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from pathlib import Path

from daemon.config.settings import Config
from daemon.run.health import Supervision
from daemon.run.session import Session, logged
from daemon.supervision.camera import Camera
from daemon.supervision.logs import Log
from daemon.supervision.reloading import Reading, read_again
from daemon.supervision.watchdog import Watchdog
from daemon.words.translation import worded

LOGGER = logging.getLogger(__name__)


class ConfigApplier:
    def __init__(
        self,
        path: Path,
        session: Session,
        camera: Camera,
        supervision: Supervision,
        watchdog: Watchdog,
        log: Log | None = None,
    ) -> None:
        self.path = path
        self.readings = 0
        self.overlaid: Callable[[Config], Config] = lambda config: config
        """Applies what was since chosen on the page to the file's settings."""
        self._session, self._services = session, session.services
        self._camera, self._supervision = camera, supervision
        self._watchdog, self._log = watchdog, log
        self._last: Reading | None = None
        session.services.reports["settings"] = self.status

    def read(self) -> Reading:
        reading = read_again(self.path, self._services.config, self.overlaid)
        if reading.fault and self._last is not None:
            reading = dataclasses.replace(reading, waiting=self._last.waiting)
        self.readings += 1
        self._last = reading
        if reading.fault:
            LOGGER.error("settings not taken:\n%s", reading.fault)
        else:
            LOGGER.info("%s", reading.text)
            self._take(reading)
        self._services.say(reading.spoken, urgent=bool(reading.fault), code="settings")
        return reading

    def status(self) -> dict[str, object]:
        last, figures = self._last, {"readings": self.readings, "file": str(self.path)}
        if last is None:
            return {"ok": True, "text": worded("as at the start"), **figures}
        fault = " ".join(last.fault.split())[:300]
        text = f"{last.text} {fault}" if fault else last.text
        return {"ok": not last.fault, "text": text, "waiting": list(last.waiting), **figures}

    def _take(self, reading: Reading) -> None:
        session, config, before = self._session, reading.config, self._services.config
        changed = {key.partition(".")[0] for key in reading.taken}
        session.retune(config)
        if "log" in changed and self._log is not None:
            try:
                self._log.change(config.log)
            except OSError as error:
                LOGGER.error("the log stays where it is: %s", error)
        if "camera" in changed:
            self._camera.change(config.camera.source, config.camera)
        if "supervision" in changed:
            self._supervision.change(config.supervision)
            self._watchdog.stuck_s, self._watchdog.end_s = config.supervision.stuck_s, config.supervision.end_s
        if "listening" in changed:
            session.services.renew("listening")
        if "page.enabled" in reading.taken:
            try:
                session.services.renew("page")
            except RuntimeError as error:  # the supervision tries again
                LOGGER.warning("the page: %s", error)
        if "players" in changed:
            session.reseat()
            with logged("who plays now is not recorded"):
                session.rename(before.players)
        if "eyes" in changed and session.eyes is not None:
            session.eyes.lost_s = config.eyes.lost_s
            session.eyes.pipeline.retune(settle_s=config.eyes.settle_s, readings=config.eyes.readings)
