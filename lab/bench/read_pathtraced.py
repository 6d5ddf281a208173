"""Reads path-traced boards without a profile, once with their corners given and once by finding them.

    kibitzer train scenes --game morris --count 60 --seed 2026 --out var/scenes/morris
    kibitzer bench read-pathtraced var/scenes/morris --wrong
    kibitzer bench read-pathtraced PHOTOS --game chess --wrong
    kibitzer bench read-pathtraced PHOTOS --game reversi --things 1

DIR may also hold photographs with their labels.json, which names no game: --game does. Those without corners are only
looked for. --things lays cards, bowls, hats, sun and mirrored lamps over the boards, by seed. Prints one JSON object
per folder. `given` is about boards read with their corners given; `found` is about boards found in the right place (no
corner off by more than 3 % of the side), whichever way they are turned.
Both have the shares of cells and of whole boards read right before any rules help, the wrong cells told surely (p 0.85
and more), the empty boards with a man, which classes were confused, and how many boards of how many are right by kind
of pieces, light and board, and by tilt. Where labels tell the figures, also the share of men of the right kind, cell by
cell, and the boards read wholly right of those that are positions of the game.
"""

from __future__ import annotations

import collections
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer

from calibration.arrays import FloatArray
from calibration.labels import Label, LabelError, read_labels
from calibration.template import BoardTemplate, TemplateError, load_template
from lab.bench.read_scenes import is_misplaced
from lab.bench.things import with_things
from rules import EMPTY
from vision.pose import pose_from_corners, project
from vision.reading.board_reading import BoardReading, SeenFigures
from vision.reading.locate import PhotoReader, ReadPhoto
from vision.reading.photo_report import figures_report

SURELY = 0.85
"""Probability from which a cell counts as told surely."""
ASKED = ("men", "light", "board", "tilt", "focus", "noise")


class Tally:
    def __init__(self) -> None:
        self.boards = self.cells = self.surely_wrong = self.men_on_empty = 0
        self.wrong: dict[str, int] = {}
        """Number of wrong cells by picture."""
        self.men = self.kinds_right = self.positions = self.positions_right = 0
        self.mistaken = collections.Counter[str]()
        self.by: dict[str, dict[str, list[int]]] = {word: {} for word in ASKED}

    def add(self, label: Label, photo: ReadPhoto | None, about: dict[str, Any]) -> None:
        """Adds one board; a board that was not found counts as wholly wrong."""
        if photo is None:
            truth, read, sure = label.cells, "?" * len(label.cells), np.zeros(len(label.cells))
        else:
            truth, read = as_placed(label, photo, label.cells), photo.reading.board
            sure = photo.reading.confidence
        wrong = [true != seen for true, seen in zip(truth, read, strict=True)]
        faults = [f"{true} as {seen}" for true, seen in zip(truth, read, strict=True) if true != seen]
        self.surely_wrong += int((sure[wrong] >= SURELY).sum())
        self.men_on_empty += bool(faults) and set(truth) == {EMPTY} and photo is not None
        self.boards, self.cells = self.boards + 1, self.cells + len(read)
        self.mistaken.update(faults)
        if label.figures and photo is not None:
            self._add_figures(label, photo)
        for word in ASKED if about else ():
            count = self.by[word].setdefault(kind_of(about, word), [0, 0])
            count[0] += not faults
            count[1] += 1
        if faults:
            self.wrong[label.name] = len(faults)

    def _kinds(self) -> dict[str, Any]:
        if not self.men:
            return {}
        return {
            "men": self.men,
            "kinds_right": round(self.kinds_right / self.men, 4),
            "positions": self.positions,
            "positions_right": self.positions_right,
        }

    def _add_figures(self, label: Label, photo: ReadPhoto) -> None:
        """Counts the men that the picture shows, by their kinds; and the boards that are positions of the game."""
        assert photo.reading.figures is not None
        template, truth, read = photo.template, as_placed(label, photo, label.figures), photo.reading.figures.board
        kind = {letter: figure.name for letter, figure in template.figures.items()}
        men = [(one, other) for one, other in zip(truth, read, strict=True) if one != EMPTY]
        self.men += len(men)
        self.kinds_right += sum(kind[one] == kind.get(other) for one, other in men)
        letters = photo.reading.figures.letters
        shown = SeenFigures(BoardReading.certain(truth, letters, 0.0).log_probabilities, letters, np.zeros(len(truth)))
        certain = BoardReading.certain(template.seen(truth), template.letters, 0.0)
        wanted = figures_report(template, dataclasses.replace(certain, figures=shown))
        if wanted["position"] is not None and wanted["figures"] == template.written(truth):
            self.positions += 1
            self.positions_right += figures_report(template, photo.reading)["figures"] == wanted["figures"]

    def as_json(self, names: bool) -> dict[str, Any]:
        found: dict[str, Any] = {
            "boards": self.boards,
            "cells_right": round((self.cells - sum(self.wrong.values())) / max(self.cells, 1), 5),
            "boards_right": round((self.boards - len(self.wrong)) / max(self.boards, 1), 4),
            "surely_wrong": self.surely_wrong,
            "empty_boards_with_men": self.men_on_empty,
            **self._kinds(),
            "mistaken": dict(self.mistaken.most_common(8)),
            "by": {
                word: {kind: f"{right} of {all_}" for kind, (right, all_) in sorted(table.items())}
                for word, table in self.by.items()
            },
        }
        return found | ({"wrong": self.wrong} if names else {})


def as_placed(label: Label, photo: ReadPhoto, board: str) -> str:
    """The label's cells or figures in the order of the board read: it may lie turned in the picture."""
    if label.corners_px is None:
        return board
    given = pose_from_corners(label.corners_px, photo.template).image_from_board
    told, read = (project(pose, photo.template.cells_mm) for pose in (given, photo.pose.image_from_board))
    return "".join(board[number] for number in np.linalg.norm(read[:, None] - told, axis=2).argmin(axis=1))


def turned_like(label: Label, photo: ReadPhoto) -> FloatArray:
    """The label's corners from the one that the board read begins with."""
    assert label.corners_px is not None
    turns = [np.roll(label.corners_px, turn, axis=0) for turn in range(4)]
    read = photo.pose.corners_px(photo.template)
    return min(turns, key=lambda corners: float(np.abs(read - corners).max()))


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
    game: Annotated[str, typer.Option(help="Game of photographs, by module or short name.")] = "",
    things: Annotated[int | None, typer.Option(help="Seed of things that lie on the boards and are no men.")] = None,
    rule: Annotated[list[str] | None, typer.Option(help="Rule option that changes the drawing, as size=19.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Names of pictures, or patterns; repeatable.")] = None,
) -> None:
    try:
        for folder in folders:
            head = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
            if not (name := game or head.get("game", "")):
                raise typer.BadParameter(f"{folder}: labels.json names no game; --game does")
            template = load_template(name, frozenset(rule or head.get("rules", ())))
            read = read_folder(folder, head, template, only or (), find=not given_only, names=wrong, things=things)
            print(json.dumps(read), flush=True)
    except (LabelError, TemplateError, OSError) as error:
        raise typer.BadParameter(str(error)) from None


def read_folder(
    folder: Path,
    head: dict[str, Any],
    template: BoardTemplate,
    only: Sequence[str] = (),
    *,
    find: bool,
    names: bool,
    things: int | None,
) -> dict[str, Any]:
    reader = PhotoReader(template)
    given, found = Tally(), Tally()
    seen, misplaced = 0, []
    labels = read_labels(folder / "labels.json", template, only)
    for number, label in enumerate(labels):
        image = np.asarray(cv2.imread(str(folder / label.name)), dtype=np.uint8)
        if things is not None and label.corners_px is not None:
            image = with_things(image, label, template, np.random.default_rng([things, number]))
        about = head["images"][label.name].get("about", {})
        if label.corners_px is not None:
            given.add(label, reader.read(image, label.corners_px), about)
        photo = reader.read(image) if find else None
        if photo is None:
            continue
        seen += 1
        if label.corners_px is None:
            continue
        if is_misplaced(photo, turned_like(label, photo)):
            misplaced.append(label.name)
        else:
            found.add(label, photo, about)
    result: dict[str, Any] = {"folder": str(folder), "game": template.game, "given": given.as_json(names)}
    if find:
        result["finding"] = {"scenes": len(labels), "seen": seen, "misplaced": len(misplaced)}
        result["found"] = found.as_json(names)
        if names:
            result["finding"]["misplaced_pictures"] = misplaced
    return result
