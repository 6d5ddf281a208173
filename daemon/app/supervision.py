"""Supervises the daemon's components once a second: reopens them; informs players, page, Prometheus and systemd."""

from __future__ import annotations

import collections
import logging
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from daemon.app.health import health_of
from daemon.config.settings import SupervisionSection
from daemon.i18n.translation import worded
from daemon.perception.pipeline import Observation
from daemon.supervision import heap
from daemon.supervision.camera import Camera
from daemon.supervision.disk import DiskWatch
from daemon.supervision.heartbeat import Heartbeat
from daemon.supervision.process_figures import process_figures
from daemon.supervision.reopening import Reopener
from daemon.supervision.troubles import Troubles
from daemon.supervision.watchdog import Liveness

if TYPE_CHECKING:
    from daemon.app.session import Session

LOGGER = logging.getLogger(__name__)
LOOK_S = 1.0
STALE_S = 5.0
"""Seconds that the last frame of a ready table may be old."""


class Supervision:
    """Supervises a session's services, its camera and the loop; called by the loop after every turn."""

    def __init__(
        self,
        session: Session,
        camera: Camera,
        heartbeat: Heartbeat,
        settings: SupervisionSection,
        free_bytes: Callable[..., int] | None = None,
    ) -> None:
        self.stuck_s = settings.stuck_s
        self.verdicts: collections.Counter[str] = collections.Counter()
        self._session, self._camera, self._heartbeat = session, camera, heartbeat
        self._began_s = heartbeat.clock()
        folder = session.journal.path.parent
        given = {} if free_bytes is None else {"free_bytes": free_bytes}
        self.disk = DiskWatch(folder, settings.free_mb, heartbeat.clock, **given)
        self._troubles = Troubles()
        self._looked_s = self._returned_s = float("-inf")
        self._reading: object = None
        services = session.services
        self.reopened = {
            "page": Reopener("the page", self._page_fault, lambda: services.renew("page"), clock=heartbeat.clock),
            "bus": Reopener("the bus", self._bus_fault, self._renew_bus, clock=heartbeat.clock),
            "voice": Reopener("the voice", self._voice_fault, lambda: services.renew("voice"), clock=heartbeat.clock),
        }
        self._liveness = Liveness(capture=True, bus=True, settled=False, text="starting")
        session.reports |= {
            "camera": camera.status,
            "pipeline": lambda: heartbeat.status(self.stuck_s),
            "disk": self.disk.status,
            "process": self._process,
        }

    def change(self, settings: SupervisionSection) -> None:
        self.stuck_s, self.disk.least_mb = settings.stuck_s, settings.free_mb

    @property
    def liveness(self) -> Liveness:
        """State of the components at the last look; for the watchdog's thread."""
        return self._liveness

    def turn(self, observation: Observation | None) -> None:
        self._count(observation)
        now_s = self._heartbeat.clock()
        if now_s - self._looked_s < LOOK_S:
            return
        self._looked_s = now_s
        if now_s - self._returned_s >= heap.EVERY_S:
            self._returned_s = now_s
            heap.return_free_memory()
        for one in self.reopened.values():
            one.look()
        parts = health_of(self._session)
        for text in self._troubles.look(parts | self._unreported(), now_s):
            self._session.say(text, urgent=True)
        ready, why = self.ready()
        ailing = [f"{name}: {part['text']}" for name, part in parts.items() if not part["ok"]]
        self._liveness = Liveness(
            capture=self._camera.answers,
            bus=bool(parts["bus"]["ok"]),
            settled=self._camera.settled
            and (self._heartbeat.frames > 0 or bool(self._camera.trouble) or not self._camera.wanted),
            text=f"degraded: {'; '.join(ailing)}" if ailing else self._business(),
        )
        page = self._session.page
        if page is not None:
            page.update_health(parts)
            page.update_ready(ready, why)
            page.update_figures(self.figures())

    def ready(self) -> tuple[bool, str]:
        """Whether the table is ready for play, that is, frames are getting through; and why, or why not."""
        age_s = self._heartbeat.frame_age_s
        if not self._camera.wanted:
            return True, "no camera is wanted"
        if self._camera.trouble:
            return False, self._camera.trouble
        if age_s is None:
            return False, "no frame has come yet"
        if age_s > STALE_S:
            return False, f"the last frame went through {age_s:.0f} s ago"
        return True, f"{self._heartbeat.rate_hz:.1f} frames a second"

    def figures(self) -> dict[str, float]:
        session, heartbeat, camera = self._session, self._heartbeat, self._camera.status()
        voice = session.speaker.status()
        figures: dict[str, float] = {
            "uptime_seconds": heartbeat.clock() - self._began_s,
            "frames_total": heartbeat.frames,
            "frames_per_second": heartbeat.rate_hz,
            "frame_seconds": heartbeat.cost_s,
            "judged_after_seconds": heartbeat.late_s,
            "camera_reopened_total": _number(camera["reopened"]) + _number(camera.get("reconnects")),
            "camera_hanging_threads": _number(camera.get("hanging_threads")),
            "camera_dropped_frames_total": _number(camera["dropped"]),
            "speech_waiting": _number(voice["waiting"]),
            "speech_spoken_total": _number(voice["spoken"]),
            "speech_failed_total": _number(voice["failed"]),
            "speech_dropped_total": _number(voice["dropped"]),
            "voice_restarts_total": _number(voice["restarts"]) + self.reopened["voice"].restarts,
            "page_restarts_total": self.reopened["page"].restarts,
            "bus_restarts_total": self.reopened["bus"].restarts,
        }
        figures |= {f"{name}_age_seconds": age for name, age in self._ages().items() if age is not None}
        if session.match is not None:
            figures["record_waiting"] = session.match.unwritten
        if session.worker is not None:
            figures["agents_restarts_total"] = _number(session.worker.status()["restarts"])
        if self.disk.free_bytes is not None:
            figures["disk_free_bytes"] = self.disk.free_bytes
        figures |= {f"verdicts_{code}_total": count for code, count in self.verdicts.items()}
        return figures | process_figures()

    def _business(self) -> str:
        match = self._session.match
        return "starting" if match is None else f"{self._session.game.title}, {match.referee.ply} plies"

    def _ages(self) -> dict[str, float | None]:
        return {"frame": self._heartbeat.frame_age_s, "camera_picture": self._camera.age_s}

    def _count(self, observation: Observation | None) -> None:
        reading = None if observation is None else observation.reading
        if reading is not None and reading is not self._reading and self._session.match is not None:
            self._reading = reading
            self.verdicts[self._session.match.referee.verdict] += 1

    def _unreported(self) -> dict[str, dict[str, object]]:
        """Faults that the health page does not count, or that have no component there while they last."""
        voice = self._session.speaker.status()
        parts: dict[str, dict[str, object]] = {
            "sound": {
                "ok": voice["state"] != "written_only",
                "text": worded("No loudspeaker found. I write everything here."),
            }
        }
        if trouble := self.reopened["page"].trouble:
            parts["page"] = {"ok": False, "text": f"I cannot show the page ({trouble}). I keep trying."}
        if trouble := self.reopened["bus"].trouble:
            parts["bus"] = {"ok": False, "text": f"I cannot reach the agents ({trouble}). I keep trying."}
        return parts

    def _process(self) -> dict[str, object]:
        up_s = self._heartbeat.clock() - self._began_s
        return {"ok": True, "text": worded("up for {time}", time=_duration(up_s)), "pid": os.getpid()}

    def _page_fault(self) -> str:
        services = self._session.services
        if not services.config.page.enabled:
            return ""
        if services.page is None:
            return self.reopened["page"].trouble or "it is not open"
        status = services.page.status()
        return "" if status["ok"] else str(status["text"])

    def _bus_fault(self) -> str:
        status = self._session.bus.status()
        return "" if status["ok"] else str(status["text"])

    def _renew_bus(self) -> None:
        self._session.renew_bus()

    def _voice_fault(self) -> str:
        return "" if self._session.speaker.is_alive else "its thread has ended"


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _duration(seconds: float) -> str:
    hours, minutes = int(seconds // 3600), int(seconds % 3600 // 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min" if minutes else f"{seconds:.0f} s"
