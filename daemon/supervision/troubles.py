"""Spoken reports about faulty components: once when a fault has lasted for a while, and once when it is fixed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from daemon.words.translation import in_words, language
from wording import Sentence, sentence


@dataclasses.dataclass(frozen=True)
class FaultReport:
    grace_s: float
    """Seconds that the fault must last: a worker that restarts in time concerns nobody."""
    again: Sentence
    trouble: Sentence | None = None
    """Sentence for the fault in languages other than English; None where the component speaks them itself."""


FAULT_REPORTS = {
    "agents": FaultReport(10.0, sentence("The agents are here again."), sentence("An agent does not work.")),
    "bus": FaultReport(
        5.0, sentence("The agents' connection works again."), sentence("The agents' connection does not work.")
    ),
    "disk": FaultReport(0.0, sentence("There is enough room on the disk again.")),
    "page": FaultReport(5.0, sentence("The page is there again."), sentence("The page cannot be opened.")),
    "sound": FaultReport(
        0.0, sentence("I can speak again."), sentence("No loudspeaker found. I write everything here.")
    ),
    "pipeline": FaultReport(
        15.0, sentence("I keep up with the camera again."), sentence("I cannot keep up with the camera.")
    ),
}
"""Components whose fault a player may have to fix, and which do not announce it themselves."""


class Troubles:
    """Checks the health of all components and returns what is new. Pure: the caller passes the time in."""

    def __init__(self) -> None:
        self._since_s: dict[str, float] = {}
        self._announced: set[str] = set()

    def look(self, parts: Mapping[str, Mapping[str, object]], now_s: float) -> list[str]:
        said: list[str] = []
        for name, report in FAULT_REPORTS.items():
            part = parts.get(name)
            if part is None or part["ok"]:
                self._since_s.pop(name, None)
                if name in self._announced:
                    self._announced.remove(name)
                    said.append(in_words(report.again))
                continue
            since_s = self._since_s.setdefault(name, now_s)
            if name not in self._announced and now_s - since_s >= report.grace_s:
                self._announced.add(name)
                said.append(_fault_text(report, str(part["text"])))
        return said


def _fault_text(report: FaultReport, text: str) -> str:
    if language() != "en" and report.trouble is not None:
        return in_words(report.trouble)
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
