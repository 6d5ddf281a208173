"""Runs a guided calibration on a live source, with voice and printed prompts; may end with only some pictures."""

from __future__ import annotations

import json
import select
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from daemon.voice.speech import Speaker
from daemon.words.translation import in_a_row, in_words, worded
from rules import EMPTY
from vision.calibrating.guided import GuidedCalibration, Prompt
from vision.calibrating.lesson_check import Taken
from vision.frame import FrameSource, SourceEnded
from vision.sources.files import write_picture
from vision.sources.slot import NewestFrame

READ_S = 0.3
SILENT_S = 5.0
"""Seconds without a picture after which the camera counts as away."""


class GuidedRun:
    def __init__(
        self, calibration: GuidedCalibration, source: FrameSource, speaker: Speaker, *, as_json: bool = False
    ) -> None:
        self._calibration, self._source, self._speaker = calibration, source, speaker
        self._as_json, self._trouble = as_json, ""
        self._picture_s = time.monotonic()

    def go(self) -> bool:
        """Guides until all pictures are taken, none can be, Ctrl-C, or the source's end; True: fit a profile.

        Raises SourceError, ValueError.
        """
        sys.stderr.write(worded("These boards will be asked for; after the first, in any order:") + "\n")
        for number, lesson in enumerate(self._calibration.lessons, 1):
            sys.stderr.write(f"  {number}. {in_words(lesson.said)}\n")
        frames = NewestFrame(self._source)
        try:
            self._guide(frames)
            return self._calibration.complete
        except SourceEnded:
            return self._keep_what_there_is("the source has ended")
        except KeyboardInterrupt:
            return self._keep_what_there_is("stopped")
        finally:
            frames.close()

    def say(self, text: str, urgent: bool = False) -> None:
        sys.stderr.write(f"{text}\n")
        self._speaker.say(text, urgent)

    def _guide(self, frames: NewestFrame) -> None:
        calibration = self._calibration
        self._tell(calibration.begin())
        while not calibration.ended:
            frame = frames.read(READ_S)
            self._watch_camera(frame is not None, frames.frozen)
            if _enter_was_pressed():
                calibration.insist()
            if frame is not None:
                self._tell(calibration.feed(frame))

    def _tell(self, prompts: Sequence[Prompt]) -> None:
        lessons, names = self._calibration.lessons, self._calibration.template.cell_names
        for prompt in prompts:
            text = in_words(*prompt.said)
            sys.stderr.write(f"[{prompt.lesson + 1}/{len(lessons)}] {text}\n")
            self._speaker.say(text, urgent=prompt.code in ("lost", "hand"))
            if self._as_json:
                event: dict[str, object] = {"event": prompt.code, "lesson": prompt.lesson, "text": text}
                event |= {"cells": [names[cell] for cell in prompt.cells], "board": lessons[prompt.lesson].board}
                sys.stdout.write(json.dumps(event, ensure_ascii=False) + "\n")
                sys.stdout.flush()

    def _watch_camera(self, seen: bool, frozen: bool) -> None:
        now_s = time.monotonic()
        if seen:
            self._picture_s = now_s
        trouble = ""
        if now_s - self._picture_s > SILENT_S:
            trouble = worded("No picture comes from the camera.")
        elif frozen:
            trouble = worded("The camera's picture is frozen.")
        if trouble and not self._trouble:
            self.say(in_a_row([trouble, worded("I go on as soon as it is back.")]), urgent=True)
        elif self._trouble and not trouble and seen:
            self.say(worded("The picture is back."))
        self._trouble = trouble if trouble or seen else self._trouble

    def _keep_what_there_is(self, why: str) -> bool:
        """Whether to use an unfinished run: asks at a terminal, otherwise False."""
        taken, lessons = self._calibration.taken, self._calibration.lessons
        sys.stderr.write(f"\n{why}: {len(taken)} of {len(lessons)} pictures are taken\n")
        letters = {letter for one in taken.values() for letter in one.photo.cells}
        if not letters > {EMPTY} or not sys.stdin.isatty():
            sys.stderr.write("nothing is written\n")
            return False
        sys.stderr.write("Make a profile from these? [y/N] ")
        sys.stderr.flush()
        try:
            return sys.stdin.readline().strip().lower() in ("y", "yes")
        except KeyboardInterrupt:
            return False


def keep_pictures(taken: Sequence[Taken], calibration: GuidedCalibration, folder: Path) -> None:
    """Writes the pictures and `labels.json`, from which the same profile can be fitted again. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = {}
    for number, one in zip(sorted(calibration.taken), taken, strict=True):
        name, photo = f"{number + 1}.png", one.photo
        write_picture(folder / name, photo.image)
        corners = None if photo.corners_px is None else photo.corners_px.round(2).tolist()
        labels[name] = {"corners_px": corners, "cells": calibration.lessons[number].board}
    (folder / "labels.json").write_text(json.dumps({"images": labels}, indent=1) + "\n", encoding="utf-8")


def _enter_was_pressed() -> bool:
    if not sys.stdin.isatty() or not select.select([sys.stdin], [], [], 0)[0]:
        return False
    return bool(sys.stdin.readline())
