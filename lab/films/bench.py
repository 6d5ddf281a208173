"""Watches films made from seeds, and counts what was followed: by film, by game and by condition."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from lab.bench.processes import cpu_s
from lab.films.films import Showing
from lab.films.judge import Due, Judged, judge, sums_of
from lab.films.judge import row_of as cells_of
from lab.films.studio import SeededFilm, film_of_seed
from lab.train.pathtraced_mesh import RendererError
from vision.frame import Image


class WatchError(RuntimeError):
    """A program failed to watch its film; the message is its output."""


def watch(
    film: Path, game: str, rules: Mapping[str, str], on_progress: Callable[[float], None] = lambda _: None
) -> tuple[list[dict[str, Any]], float]:
    """The program's events for a film, and its CPU seconds since it was ready. Raises WatchError."""
    words = [word for name, value in rules.items() for word in ("--rule", f"{name}={value}")]
    command = [sys.executable, "-m", "daemon.cli", "watch", "--game", game, *words, "--source", str(film)]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        events: list[dict[str, Any]] = []
        ready_s = 0.0
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                ready_s = ready_s if events else cpu_s(process.pid)
                events.append(json.loads(line))
                if isinstance(events[-1]["frame"], float):
                    on_progress(events[-1]["frame"])
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise WatchError(f"{film.name}: {errors.read().strip()[-500:]}")
    return events, used.ru_utime + used.ru_stime - ready_s


def frames_in(film: Path) -> int:
    capture = cv2.VideoCapture(str(film))
    try:
        return int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
    finally:
        capture.release()


WIDTH_PX = 560
"""Width of each picture on the sheet."""


def write_sheet(film: Path, before: Showing, missed: Showing, path: Path) -> None:
    """Writes six pictures: the board before, the hand, the board laid, twice free and at the end of its free time."""
    free_s = missed.ends_s - missed.free_s
    times_s = [
        before.ends_s - 0.1,
        (before.ends_s + missed.laid_s) / 2,
        missed.laid_s,
        missed.free_s + 0.1 * free_s,
        missed.free_s + 0.5 * free_s,
        missed.ends_s - 0.1,
    ]
    pictures = [
        _titled(one, f"{time_s:.2f} s") for one, time_s in zip(pictures_at(film, times_s), times_s, strict=True)
    ]
    rows = [np.hstack(pictures[:3]), np.hstack(pictures[3:])]
    cv2.imwrite(str(path), np.vstack(rows))


def pictures_at(film: Path, times_s: Sequence[float]) -> list[Image]:
    """The film's pictures at those times, in their order, which must be ascending. Raises OSError."""
    capture = cv2.VideoCapture(str(film))
    try:
        fps = capture.get(cv2.CAP_PROP_FPS)
        found: list[Image] = []
        number, last = -1, np.zeros((1, 1, 3), np.uint8)
        for time_s in times_s:
            while number < max(0, int(time_s * fps + 1e-6)):
                read, picture = capture.read()
                if not read:
                    break
                number, last = number + 1, np.asarray(picture, np.uint8)
            found.append(last)
    finally:
        capture.release()
    if number < 0:
        raise OSError(f"{film}: no film that can be read")
    return found


def _titled(picture: Image, title: str) -> Image:
    height = round(WIDTH_PX * picture.shape[0] / picture.shape[1])
    small = np.asarray(cv2.resize(picture, (WIDTH_PX, height), interpolation=cv2.INTER_AREA), np.uint8)
    cv2.putText(small, title, (8, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 4, cv2.LINE_AA)
    cv2.putText(small, title, (8, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 255, 255), 1, cv2.LINE_AA)
    return small


FAST, LOW_DEG = 15, 45
"""Pictures a second from which a film counts as quick, and degrees above the table below which a camera is low."""
SLOW = 5
COLUMNS = ("boards", "wrong", "halves told", "complaints", "median", "95 %", "silence")


@dataclasses.dataclass(frozen=True)
class Seen:
    film: SeededFilm
    judged: Judged
    watched_s: float
    """How long the program watched."""
    sheet: str
    """Path of the pictures around the first board that was missed; empty if none was."""

    @property
    def conditions(self) -> dict[str, str]:
        plan, about = self.film.plan, self.film.about
        return {
            "sway": plan.sway,
            "pictures": "quick" if plan.fps >= FAST else "slow" if plan.fps <= SLOW else "usual",
            "camera": "low" if 90 - plan.tilt_deg < LOW_DEG else "high",
            "light": about["light"],
            "nudge": "nudged" if plan.nudge_mm else "not nudged",
            "free": "short" if plan.free_s[0] < 1.2 else "long",
            "codec": plan.codec if plan.codec == "video" else "jpeg < 60" if plan.quality < 60 else "jpeg 60+",
            "hands": "resting" if plan.resting else "second" if plan.second_hand else "one",
            "halves": "halves" if plan.halves else "whole turns",
        }


def run(seeds: Sequence[int], folder: Path, recorded: Path, results: Path | None) -> int:
    """Makes, watches and judges the films of these seeds, until Ctrl-C.

    Exit status 1 if a wrong board was believed, 2 if a film could not be made or watched; the others are judged.
    """
    seen: list[Seen] = []
    failed = False
    with contextlib.suppress(KeyboardInterrupt):
        for seed in seeds:
            try:
                seen.append(see(film_of_seed(seed, folder, recorded)))
                sys.stderr.write(line_of(seen[-1]) + "\n")
            except (OSError, ValueError, WatchError) as error:
                failed = True
                sys.stderr.write(f"filmed: {error}\n")
                if isinstance(error, RendererError):
                    break
    _tell(seen)
    if results is not None:
        films = [one.film.about | dataclasses.asdict(one.judged) | {"sheet": one.sheet} for one in seen]
        told = {"total": total([one.judged for one in seen]), "films": films}
        results.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 1 if any(one.judged.wrong for one in seen) else 2 if failed else 0


def _tell(seen: Sequence[Seen]) -> None:
    """Prints the table, and names the films with wrong or missed boards."""
    Console(width=None if sys.stdout.isatty() else 150).print(table_of(seen))
    for one in seen:
        for wrong in one.judged.wrong:
            sys.stdout.write(f"{one.film.plan.name} {one.film.plan.game}: wrong board at {wrong}\n")
        if one.sheet:
            missed = f"{len(one.judged.lost)} boards missed, first {one.judged.lost[0]!r}"
            sys.stdout.write(f"{one.film.plan.name} {one.film.plan.game}: {missed}: {one.sheet}\n")


def see(film: SeededFilm) -> Seen:
    """Watches and judges a film. Raises WatchError."""
    begun_s = time.monotonic()
    events, _ = watch(film.path, film.plan.game, film.plan.rules)
    watched_s = time.monotonic() - begun_s
    lines = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
    film.path.with_suffix(".events.jsonl").write_text(lines, encoding="utf-8")
    shown = film.showings
    judged = judge(dues_of(shown), events)
    return Seen(film, judged, round(watched_s, 1), _sheet(film, shown, judged))


def dues_of(shown: Sequence[Showing]) -> list[Due]:
    """What the boards of a film are by the rules, which made them: each a ply, or half a turn."""
    return [Due(one, int(number > 0 and not one.is_half), not one.is_half) for number, one in enumerate(shown)]


def _sheet(film: SeededFilm, shown: Sequence[Showing], judged: Judged) -> str:
    path = film.path.with_suffix(".missed.png")
    path.unlink(missing_ok=True)
    for before, one in itertools.pairwise(shown):
        if one.photo in judged.lost:
            write_sheet(film.path, before, one, path)
            return str(path)
    return ""


def line_of(one: Seen) -> str:
    film = one.film
    words = "  ".join(str(word) for word in film.plan.words().values())
    made = f"made in {film.about['traced_s'] + film.about['filmed_s']:.0f} s, watched in {one.watched_s:.0f} s"
    return f"{film.plan.name}  {words}  {film.about['light']}:  {'  '.join(row_of([one.judged]))}  ({made})"


def table_of(seen: Sequence[Seen]) -> Table:
    table = Table("film", *COLUMNS)
    for one in seen:
        words = one.film.plan.words()
        table.add_row(f"{one.film.plan.seed} {' '.join(str(word) for word in words.values())}", *row_of([one.judged]))
    table.add_section()
    for game in sorted({one.film.plan.game for one in seen}):
        table.add_row(game, *row_of([one.judged for one in seen if one.film.plan.game == game]))
    for name in seen[0].conditions if seen else ():
        table.add_section()
        for value in sorted({one.conditions[name] for one in seen}):
            table.add_row(f"{name}: {value}", *row_of([one.judged for one in seen if one.conditions[name] == value]))
    table.add_section()
    table.add_row("all", *row_of([one.judged for one in seen]))
    return table


def row_of(judged: Sequence[Judged]) -> list[str]:
    sums = total(judged)
    return cells_of(sums, f"{sums['silence_s']:.1f} s")


def total(judged: Sequence[Judged]) -> dict[str, Any]:
    """The sums over some films, the illegal boards of which are halves of turns; of silences the longest."""
    return sums_of(judged) | {"silence_s": max((one.silence_s for one in judged), default=0.0)}
