"""Reads folders of path-traced scenes without a profile, with corners given and by finding the board itself.

    ./kibitzer train scenes --game morris --count 60 --seed 2026 --out var/scenes/morris
    .venv/bin/python -m lab.bench.read_pathtraced var/scenes/morris --wrong

Prints one JSON object per folder. `given` is about boards read with their corners given; `found` is about boards found
in the right place (no corner off by more than 3 % of the side). Both have the shares of cells and of whole boards read
right before any rules help, which classes were confused, and how many boards of how many are right by kind of pieces,
light and board, and by tilt.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.labels import Label, read_labels
from calibration.template import BoardTemplate, load_template
from vision.reading.locate import PhotoReader, ReadPhoto

WRONG_PLACE = 0.03
ASKED = ("men", "light", "board", "tilt", "focus", "noise")


class Tally:
    """Counts of boards read one way."""

    def __init__(self) -> None:
        self.boards = self.boards_right = self.cells = self.cells_right = 0
        self.mistaken: collections.Counter[str] = collections.Counter()
        self.by: dict[str, dict[str, list[int]]] = {word: {} for word in ASKED}
        self.wrong: dict[str, int] = {}

    def add(self, label: Label, read: str, about: dict[str, Any]) -> None:
        """Adds one board; a board that was not found counts as wholly wrong."""
        faults = [(true, seen) for true, seen in zip(label.cells, read, strict=True) if true != seen]
        self.boards, self.boards_right = self.boards + 1, self.boards_right + (not faults)
        self.cells, self.cells_right = self.cells + len(read), self.cells_right + len(read) - len(faults)
        self.mistaken.update(f"{true} as {seen}" for true, seen in faults)
        for word in ASKED:
            right, seen_boards = self.by[word].get(kind_of(about, word), [0, 0])
            self.by[word][kind_of(about, word)] = [right + (not faults), seen_boards + 1]
        if faults:
            self.wrong[label.name] = len(faults)

    def as_json(self, names: bool) -> dict[str, Any]:
        """The counts as shares and tables."""
        found: dict[str, Any] = {
            "boards": self.boards,
            "cells_right": round(self.cells_right / max(self.cells, 1), 5),
            "boards_right": round(self.boards_right / max(self.boards, 1), 4),
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


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="written by kibitzer train scenes")
    parser.add_argument("--given-only", action="store_true", help="do not look for boards")
    parser.add_argument("--wrong", action="store_true", help="name the pictures read wrong, with their wrong cells")
    given = parser.parse_args()
    for folder in given.folders:
        head = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
        template = load_template(head["game"], frozenset(head["rules"]))
        result = read_folder(folder, template, head["images"], find=not given.given_only, names=given.wrong)
        sys.stdout.write(json.dumps({"folder": str(folder), "game": head["game"]} | result) + "\n")
        sys.stdout.flush()
    return 0


def read_folder(
    folder: Path, template: BoardTemplate, images: dict[str, Any], *, find: bool, names: bool
) -> dict[str, Any]:
    """Reads all pictures of a folder, both ways."""
    reader = PhotoReader(template)
    given, found = Tally(), Tally()
    seen, misplaced = 0, []
    for label in read_labels(folder / "labels.json", template):
        image = np.asarray(cv2.imread(str(folder / label.name)), dtype=np.uint8)
        about = images[label.name]["about"]
        given.add(label, cells_of(reader.read(image, label.corners_px), template), about)
        photo = reader.read(image) if find else None
        if photo is None:
            continue
        seen += 1
        if is_misplaced(photo, label):
            misplaced.append(label.name)
        else:
            found.add(label, cells_of(photo, template), about)
    result: dict[str, Any] = {"given": given.as_json(names)}
    if find:
        result["finding"] = {"scenes": given.boards, "seen": seen, "misplaced": len(misplaced)}
        result["found"] = found.as_json(names)
        if names:
            result["finding"]["misplaced_pictures"] = misplaced
    return result


def cells_of(photo: ReadPhoto | None, template: BoardTemplate) -> str:
    """The board as read; question marks if it was not found."""
    return "?" * len(template.cell_names) if photo is None else photo.reading.board


def is_misplaced(photo: ReadPhoto, label: Label) -> bool:
    """Whether a corner is off by more than 3 % of the side."""
    assert label.corners_px is not None
    side_px = float(np.linalg.norm(label.corners_px[0] - label.corners_px[1]))
    off_px = np.abs(photo.pose.corners_px(photo.template) - label.corners_px).max()
    return bool(off_px > WRONG_PLACE * side_px)


if __name__ == "__main__":
    sys.exit(main())
