"""The log is bounded and never flooded."""

from __future__ import annotations

import contextlib
import logging
import threading
from pathlib import Path

import pytest

from daemon.config.settings import LogSection
from daemon.supervision.logs import MAX_LINES, REMEMBERED, FloodGate, Log
from tests.daemon.supervision.still_clock import StillClock

LOGGER = logging.getLogger("tests.logs")


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


def record(text: str, name: str = "camera") -> logging.LogRecord:
    return logging.LogRecord(name, logging.WARNING, "file", 1, text, None, None)


def test_same_line_is_written_so_often_a_minute_and_then_again_with_what_was_left_out(clock: StillClock) -> None:
    gate = FloodGate(3, clock)
    assert [gate.filter(record("no picture")) for _ in range(10)] == [True] * 3 + [False] * 7
    assert gate.filter(record("other")) and gate.filter(record("no picture", "other logger"))
    clock.pass_s(61)
    late = record("no picture")
    assert gate.filter(late) and late.getMessage() == "no picture (and 7 more times before)"
    again = record("no picture")
    assert gate.filter(again) and again.getMessage() == "no picture"


def test_memory_of_lines_is_bounded_and_so_is_their_number(clock: StillClock) -> None:
    gate = FloodGate(10, clock)
    passed = sum(gate.filter(record(f"line {number}")) for number in range(2 * MAX_LINES))
    assert passed == MAX_LINES
    assert len(gate._seen) == REMEMBERED and len(gate._missed) <= REMEMBERED + 1
    clock.pass_s(61)
    assert gate.filter(record("once more"))


def test_line_whose_arguments_do_not_fit_ends_nobody(clock: StillClock) -> None:
    wrong = logging.LogRecord("camera", logging.WARNING, "file", 1, "%d pictures", ("many",), None)
    assert FloodGate(3, clock).filter(wrong)


def test_many_threads_may_write_at_once() -> None:
    gate = FloodGate(10)
    faults: list[BaseException] = []

    def write(number: int) -> None:
        try:
            for line in range(2000):
                gate.filter(record(f"line {line % 700} of {number % 2}"))
        except BaseException as error:  # noqa: BLE001 - the top of the thread
            faults.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults and len(gate._seen) <= REMEMBERED


def test_files_rotate_within_their_bounds(tmp_path: Path) -> None:
    path = tmp_path / "log" / "kibitzer.log"
    with contextlib.closing(Log(LogSection(path=str(path), size_mb=0.01, files=2))):
        for number in range(1000):
            LOGGER.warning("line %d %s", number, "x" * 80)
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["kibitzer.log", "kibitzer.log.1", "kibitzer.log.2"]
    assert all(file.stat().st_size <= 10_000 for file in files)
    assert "line 999 " in path.read_text(encoding="utf-8")


def test_full_disk_stops_the_log_and_nothing_else() -> None:
    with contextlib.closing(Log(LogSection.model_construct(path="/dev/full"))) as log:
        LOGGER.warning("nobody will read this")
        assert log.failed == 1


def test_other_settings_write_elsewhere_from_the_next_line_on(tmp_path: Path) -> None:
    first, second = tmp_path / "first.log", tmp_path / "second.log"
    with contextlib.closing(Log(LogSection(path=str(first)))) as log:
        LOGGER.info("to the first")
        log.change(LogSection(path=str(second), level="warning"))
        LOGGER.info("too little for the second")
        LOGGER.warning("to the second")
        with pytest.raises(OSError, match="Not a directory"):
            log.change(LogSection(path=str(first / "file" / "as" / "folder.log")))
        LOGGER.warning("still to the second")
    assert first.read_text().count("\n") == 1 and "to the first" in first.read_text()
    assert [line.partition(": ")[2] for line in second.read_text().splitlines()] == [
        "to the second",
        "still to the second",
    ]
