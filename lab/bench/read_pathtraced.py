"""Reads path-traced boards without a profile, once with their corners given and once by finding them.

    kibitzer train scenes --game morris --count 60 --seed 2026 --out var/scenes/morris
    kibitzer bench read-pathtraced var/scenes/morris --wrong

DIR may also hold photographs with their labels.json. Prints one JSON object per folder. `given` is about boards read
with their corners given; `found` is about boards found in the right place (no corner off by more than 3 % of the side).
Both have the shares of cells and of whole boards read right before any rules help, which classes were confused, and how
many boards of how many are right by kind of pieces, light and board, and by tilt.
"""

from __future__ import annotations

import collections
import json
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer

from calibration.labels import Label, read_labels
from calibration.template import load_template
from lab.bench.read_scenes import is_misplaced
from vision.reading.locate import PhotoReader, ReadPhoto

ASKED = ("men", "light", "board", "tilt", "focus", "noise")


class Tally:
    def __init__(self) -> None:
        self.boards = self.cells = 0
        self.wrong: dict[str, int] = {}
        """Number of wrong cells by picture."""
        self.mistaken = collections.Counter[str]()
        self.by: dict[str, dict[str, list[int]]] = {word: {} for word in ASKED}

    def add(self, label: Label, photo: ReadPhoto | None, about: dict[str, Any]) -> None:
        """Adds one board; a board that was not found counts as wholly wrong."""
        read = "?" * len(label.cells) if photo is None else photo.reading.board
        faults = [f"{true} as {seen}" for true, seen in zip(label.cells, read, strict=True) if true != seen]
        self.boards, self.cells = self.boards + 1, self.cells + len(read)
        self.mistaken.update(faults)
        for word in ASKED if about else ():
            count = self.by[word].setdefault(kind_of(about, word), [0, 0])
            count[0] += not faults
            count[1] += 1
        if faults:
            self.wrong[label.name] = len(faults)

    def as_json(self, names: bool) -> dict[str, Any]:
        found: dict[str, Any] = {
            "boards": self.boards,
            "cells_right": round((self.cells - sum(self.wrong.values())) / max(self.cells, 1), 5),
            "boards_right": round((self.boards - len(self.wrong)) / max(self.boards, 1), 4),
            "mistaken": dict(self.mistaken.most_common(8)),
            "by": {
                word: {kind: f"{right} of {all_}" for kind, (right, all_) in sorted(table.items())}
                for word, table in self.by.items()
            },
        }
        return found | ({"wrong": self.wrong} if names else {})


def kind_of(about: dict[str, Any], word: str) -> str:
    """A scene's value under a heading: its own word, or the band of its number."""
    if word == "tilt":
        low = min(int(about["tilt_deg"]) // 15 * 15, 30)
        return f"{low} to {low + (20 if low == 30 else 15)} degrees"
    if word == "focus":
        return "sharp" if abs(about["focus"] - 1) < 0.12 else "out of focus"
    if word == "noise":
        return "noisy" if about["noise"] > 0.02 else "clean"
    return str(about[word])


def main(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="Written by kibitzer train scenes.")],
    given_only: Annotated[bool, typer.Option("--given-only", help="Do not look for boards.")] = False,
    wrong: Annotated[bool, typer.Option("--wrong", help="Name the pictures read wrong.")] = False,
) -> None:
    for folder in folders:
        print(json.dumps(read_folder(folder, find=not given_only, names=wrong)), flush=True)


def read_folder(folder: Path, *, find: bool, names: bool) -> dict[str, Any]:
    head = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    template = load_template(head["game"], frozenset(head.get("rules", ())))
    reader = PhotoReader(template)
    given, found = Tally(), Tally()
    seen, misplaced = 0, []
    for label in read_labels(folder / "labels.json", template):
        image = np.asarray(cv2.imread(str(folder / label.name)), dtype=np.uint8)
        about = head["images"][label.name].get("about", {})
        given.add(label, reader.read(image, label.corners_px), about)
        photo = reader.read(image) if find else None
        if photo is None:
            continue
        seen += 1
        assert label.corners_px is not None
        if is_misplaced(photo, label.corners_px):
            misplaced.append(label.name)
        else:
            found.add(label, photo, about)
    result: dict[str, Any] = {"folder": str(folder), "game": head["game"], "given": given.as_json(names)}
    if find:
        result["finding"] = {"scenes": given.boards, "seen": seen, "misplaced": len(misplaced)}
        result["found"] = found.as_json(names)
        if names:
            result["finding"]["misplaced_pictures"] = misplaced
    return result
