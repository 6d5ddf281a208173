"""What is said of failed parts and low disk space, and how stopped services are opened again."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.supervision.resources import LOOK_S, DiskWatch, process_figures
from daemon.supervision.restarts import Reopener
from daemon.supervision.troubles import FAULT_REPORTS, Troubles
from daemon.words.translation import speak
from tests.daemon.supervision.still_clock import StillClock

ROOT = Path(__file__).resolve().parents[3]

WELL: dict[str, object] = {"ok": True, "text": "well"}
ILL: dict[str, object] = {"ok": False, "text": "no worker here plays alphabeta"}


def test_trouble_is_said_once_after_its_grace_and_its_end_once() -> None:
    troubles, grace_s = Troubles(), FAULT_REPORTS["agents"].grace_s
    assert troubles.look({"agents": ILL}, 0.0) == []
    assert troubles.look({"agents": ILL}, grace_s - 0.1) == []
    assert troubles.look({"agents": ILL}, grace_s) == ["No worker here plays alphabeta."]
    assert troubles.look({"agents": ILL}, grace_s + 500) == []
    assert troubles.look({"agents": WELL}, grace_s + 501) == ["The agents are here again."]
    assert troubles.look({"agents": WELL}, grace_s + 502) == []


def test_trouble_that_passes_within_its_grace_is_nobodys_business() -> None:
    troubles = Troubles()
    for second in range(0, 100, 8):
        assert troubles.look({"agents": ILL}, second) == []
        assert troubles.look({"agents": WELL}, second + 4) == []


def test_parts_that_speak_for_themselves_are_left_to_it() -> None:
    assert Troubles().look({"camera": ILL, "clock": ILL}, 0.0) == []


def test_little_room_is_said_with_what_to_do_and_recovers(tmp_path: Path) -> None:
    clock, free = StillClock(), [10_000_000_000]
    disk, troubles = DiskWatch(tmp_path, 200, clock, lambda _folder: free[0]), Troubles()
    assert disk.status() == {"ok": True, "text": "10 GB free", "free_mb": 10000}
    free[0] = 12_000_000
    assert disk.status()["ok"] is True, "it is measured now and then, not with every look"
    clock.pass_s(LOOK_S)
    assert troubles.look({"disk": disk.status()}, clock()) == [
        "The disk is almost full: 0.012 GB left. Please make room."
    ]
    free[0] = 10_000_000_000
    clock.pass_s(LOOK_S)
    assert troubles.look({"disk": disk.status()}, clock()) == ["There is enough room on the disk again."]


def test_folder_that_is_gone_is_told() -> None:
    assert "is gone. Put it back." in str(DiskWatch(Path("/absent/folder"), 200).status()["text"])


@pytest.fixture
def _english() -> Iterator[None]:
    yield
    speak("en")


@pytest.mark.usefixtures("_english")
def test_disk_that_takes_no_more_writing_is_told_in_every_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_more: object) -> None:
        raise OSError(errno.EROFS, "it takes no writing")

    assert DiskWatch(tmp_path, 0, is_doubted=lambda: True).status()["ok"]
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert DiskWatch(tmp_path, 0).status()["ok"], "nobody has tried"
    for language, word in (("en", "writing"), ("ro", "scri"), ("pl", "zapis"), ("vi", "ghi"), ("pt-br", "grava")):
        speak(language)
        disk = DiskWatch(tmp_path, 0, is_doubted=lambda: True).status()
        (said,) = Troubles().look({"disk": disk}, 0.0)
        assert not disk["ok"] and word in said and str(tmp_path) in said


class Service:
    def __init__(self) -> None:
        self.fault, self.refusal, self.opened = "", "", 0

    def renew(self) -> None:
        self.opened += 1
        if self.refusal:
            raise RuntimeError(self.refusal)
        self.fault = ""


def test_service_that_has_stopped_is_opened_again_at_once() -> None:
    service, clock = Service(), StillClock()
    kept = Reopener("the page", lambda: service.fault, service.renew, clock=clock)
    kept.look()
    assert kept.restarts == 0
    service.fault = "the page has stopped"
    kept.look()
    kept.look()
    assert (kept.restarts, kept.trouble, service.opened) == (1, "", 1)


def test_service_that_cannot_be_opened_is_tried_five_times_a_minute_at_most_and_recovers_by_itself() -> None:
    service, clock = Service(), StillClock()
    kept = Reopener("the page", lambda: service.fault, service.renew, clock=clock)
    service.fault, service.refusal = "the page has stopped", "port 8765 is in use"
    tries_s = []
    for _ in range(600):
        before = service.opened
        kept.look()
        if service.opened > before:
            tries_s.append(clock())
        clock.pass_s(0.5)
    assert len(tries_s) >= 20
    assert all(sum(first <= one_s < first + 60 for one_s in tries_s) <= 5 for first in tries_s)
    assert kept.trouble == "port 8765 is in use"
    service.refusal = ""
    clock.pass_s(60)
    kept.look()
    assert kept.trouble == "" and service.fault == ""


FIGURES_OF_A_PROCESS_OF_ITS_OWN = """
import json, sys
from daemon.supervision.resources import process_figures
before = process_figures()
with open(sys.argv[1], "w"), open(sys.argv[2], "w"):
    print(json.dumps([before, process_figures()]))
"""


def test_process_tells_what_it_holds(tmp_path: Path) -> None:
    """In a process of its own: files of earlier tests may be closed at any time in this one."""
    ran = subprocess.run(
        [sys.executable, "-c", FIGURES_OF_A_PROCESS_OF_ITS_OWN, tmp_path / "a", tmp_path / "b"],
        capture_output=True,
        check=True,
        cwd=ROOT,
    )
    before, during = json.loads(ran.stdout)
    assert before["memory_bytes"] > 10**7 and before["threads"] >= 1
    assert during["open_descriptors"] == before["open_descriptors"] + 2


def test_system_without_proc_leaves_figures_out(tmp_path: Path) -> None:
    assert set(process_figures(tmp_path)) == {"threads", "cpu_seconds_total"}
