"""The health of a table's components: looked at once a second, told to players, page, Prometheus and systemd.

What has stopped is opened again.
"""

from __future__ import annotations

import collections
import os
from collections.abc import Mapping, Sequence

from daemon.commands.strengths import known_as
from daemon.config.settings import SupervisionSection
from daemon.perception.pipeline import Observation
from daemon.run.session import Session
from daemon.supervision import resources
from daemon.supervision.camera import Camera
from daemon.supervision.restarts import Reopener
from daemon.supervision.troubles import Troubles
from daemon.supervision.watchdog import Heartbeat, Liveness
from daemon.words.translation import as_words, worded
from wording import listing, noun
from wording.outside import visible_in

LOOK_S = 1.0
STALE_S = 5.0
"""Seconds that the last frame of a ready table may be old."""
PARTS = (
    noun("part", "bus"),
    noun("part", "voice"),
    noun("part", "listening"),
    noun("part", "agents"),
    noun("part", "page"),
    noun("part", "camera"),
    noun("part", "board"),
    noun("part", "clock"),
    noun("part", "record"),
    noun("part", "pictures"),
    noun("part", "scenes"),
    noun("part", "live file"),
    noun("part", "settings"),
    noun("part", "pipeline"),
    noun("part", "disk"),
    noun("part", "process"),
    noun("part", "daemon"),
)


def health_of(session: Session) -> dict[str, dict[str, object]]:
    services, voice = session.services, session.services.speaker.status()
    voice["ok"] = voice["ok"] or voice["state"] == "written_only"  # a table needs no loudspeaker: all is written
    parts: dict[str, dict[str, object]] = {"bus": services.bus.status(), "voice": voice}
    if services.listening is not None:
        parts["listening"] = services.listening.status()
    if services.worker is not None:
        parts["agents"] = services.worker.status()
    if missing := session.missing_agents():
        own = parts.setdefault("agents", {"ok": True, "text": ""})
        if own["ok"]:
            own |= {"ok": False, "text": nobody_plays(missing)}
    if services.page is not None:
        parts["page"] = services.page.status()
    if session.eyes is None:
        parts["camera"] = {"ok": True, "text": worded("none is wanted: moves are told")}
    else:
        text = session.camera_trouble or worded("sends pictures")
        parts["camera"] = {"ok": not session.camera_trouble, "text": text}
        seen = session.eyes.observation
        sighted = seen is not None and seen.rectified is not None and not session.camera_trouble
        parts["board"] = {"ok": sighted, "text": worded("in sight") if sighted else worded("not in sight")}
    if session.match is not None:
        if session.timer is not None and session.timer.clock.control.kind != "none":
            parts["clock"] = session.timer.status(session.game.sides)
        trouble = session.match.backlog.trouble
        parts["record"] = {"ok": not trouble, "text": trouble or worded("every move is written down")}
    # What voices, engines, cameras and files say of themselves comes from outside.
    services.last_health = visible_in(parts | {name: report() for name, report in services.reports.items()})
    return services.last_health


def nobody_plays(missing: Sequence[str]) -> str:
    return worded(
        "no worker here plays {agents}", agents=listing([as_words(known_as(one)) for one in missing], joint="or")
    )


class Supervision:
    def __init__(self, session: Session, camera: Camera, heartbeat: Heartbeat, settings: SupervisionSection) -> None:
        self.stuck_s = settings.stuck_s
        self.verdicts: collections.Counter[str] = collections.Counter()
        services = session.services
        self._session, self._services, self._camera, self._heartbeat = session, services, camera, heartbeat
        self._began_s = heartbeat.clock()
        self.disk = resources.DiskWatch(
            services.journal.path.parent, settings.free_mb, heartbeat.clock, is_doubted=self._is_record_doubted
        )
        self._troubles = Troubles()
        self._looked_s = self._returned_s = float("-inf")
        self._reading: object = None
        self.reopened = {
            "page": Reopener("the page", self._page_fault, lambda: services.renew("page"), clock=heartbeat.clock),
            "bus": Reopener("the bus", lambda: _fault(services.bus.status()), self._renew_bus, clock=heartbeat.clock),
            "voice": Reopener("the voice", self._voice_fault, lambda: services.renew("voice"), clock=heartbeat.clock),
        }
        self.liveness = Liveness(capture=True, bus=True, settled=False, text="starting")
        """State of the components at the last look; for the watchdog's thread."""
        services.reports |= {
            "camera": camera.status,
            "pipeline": lambda: heartbeat.status(self.stuck_s),
            "disk": self.disk.status,
            "process": self._process,
        }

    def _is_record_doubted(self) -> bool:
        match = self._session.match
        return match is not None and match.backlog.is_doubted

    def change(self, settings: SupervisionSection) -> None:
        self.stuck_s, self.disk.least_mb = settings.stuck_s, settings.free_mb

    def turn(self, observation: Observation | None) -> None:
        self._count(observation)
        now_s = self._heartbeat.clock()
        if now_s - self._looked_s < LOOK_S:
            return
        self._looked_s = now_s
        if now_s - self._returned_s >= resources.RETURN_S:
            self._returned_s = now_s
            resources.return_free_memory()
        for one in self.reopened.values():
            one.look()
        parts = health_of(self._session)
        for text in self._troubles.look(parts | self._unreported(), now_s):
            self._services.say(text, urgent=True)
        ready, why = self.ready()
        ailing = [f"{name}: {part['text']}" for name, part in parts.items() if not part["ok"]]
        match = self._session.match
        business = "starting" if match is None else f"{self._session.game.title}, {match.referee.ply} plies"
        self.liveness = Liveness(
            capture=self._camera.answers,
            bus=bool(parts["bus"]["ok"]),
            settled=self._camera.settled
            and (self._heartbeat.frames > 0 or bool(self._camera.trouble) or not self._camera.wanted),
            text=f"degraded: {'; '.join(ailing)}" if ailing else business,
        )
        if (page := self._services.page) is not None:
            page.publish(health=parts, ready=(ready, why), figures=self.figures())

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
        heartbeat, camera, voice = self._heartbeat, self._camera.status(), self._services.speaker.status()
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
        ages = {"frame": heartbeat.frame_age_s, "camera_picture": self._camera.age_s}
        figures |= {f"{name}_age_seconds": age for name, age in ages.items() if age is not None}
        if self._session.match is not None:
            figures["record_waiting"] = self._session.match.backlog.waiting
        if self._services.worker is not None:
            figures["agents_restarts_total"] = _number(self._services.worker.status()["restarts"])
        if self.disk.free_bytes is not None:
            figures["disk_free_bytes"] = self.disk.free_bytes
        figures |= {f"verdicts_{code}_total": count for code, count in self.verdicts.items()}
        return figures | resources.process_figures()

    def _count(self, observation: Observation | None) -> None:
        reading = None if observation is None else observation.reading
        if reading is not None and reading is not self._reading and self._session.match is not None:
            self._reading = reading
            self.verdicts[self._session.match.referee.verdict] += 1

    def _unreported(self) -> dict[str, dict[str, object]]:
        """Faults that the health page does not count, or that have no component there while they last."""
        voice = self._services.speaker.status()
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
        if not self._services.config.page.enabled:
            return ""
        if self._services.page is None:
            return self.reopened["page"].trouble or "it is not open"
        return _fault(self._services.page.status())

    def _renew_bus(self) -> None:
        self._services.renew("bus")
        if self._session.match is not None:
            self._session.match.retune(publisher=self._services.bus)

    def _voice_fault(self) -> str:
        return "" if self._services.speaker.is_alive else "its thread has ended"


def _fault(status: Mapping[str, object]) -> str:
    return "" if status["ok"] else str(status["text"])


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _duration(seconds: float) -> str:
    hours, minutes = int(seconds // 3600), int(seconds % 3600 // 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min" if minutes else f"{seconds:.0f} s"
