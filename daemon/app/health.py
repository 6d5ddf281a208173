"""Component health for the health page, in the players' words."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.app.session import Session
from daemon.i18n.translation import worded
from wording import listing, noun

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
"""Every component that reports health."""


def health_of(session: Session) -> dict[str, dict[str, object]]:
    """`ok` and `text` of each component."""
    parts: dict[str, dict[str, object]] = {"bus": session.bus.status(), "voice": _voice(session)}
    if session.services.listening is not None:
        parts["listening"] = session.services.listening.status()
    if session.worker is not None:
        parts["agents"] = session.worker.status()
    if missing := session.missing_agents():
        own = parts.setdefault("agents", {"ok": True, "text": ""})
        if own["ok"]:
            own |= {"ok": False, "text": nobody_plays(missing)}
    if session.page is not None:
        parts["page"] = session.page.status()
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
        trouble = session.match.write_trouble
        parts["record"] = {"ok": not trouble, "text": trouble or worded("every move is written down")}
    session.last_health = parts | {name: report() for name, report in session.reports.items()}
    return session.last_health


def nobody_plays(missing: Sequence[str]) -> str:
    return worded("no worker here plays {agents}", agents=listing(missing, joint="or"))


def _voice(session: Session) -> dict[str, object]:
    """Health of the voice: a table without a loudspeaker is no fault, since announcements are written."""
    voice = session.speaker.status()
    voice["ok"] = voice["ok"] or voice["state"] == "written_only"
    return voice
