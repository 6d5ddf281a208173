"""The label format, in which people write down what is on a board."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calibration.labels import LabelError, read_labels
from calibration.template import load_template

TEMPLATE = load_template("nine_mens_morris")
CORNERS = [[10, 10], [110, 12], [108, 112], [9, 111]]
CELLS = "W" + "." * 22 + "B"


def write(folder: Path, **photo: object) -> Path:
    path = folder / "labels.json"
    entry = {"corners_px": CORNERS, "cells": CELLS} | photo
    path.write_text(json.dumps({"note": "a note", "images": {"1_1.jpg": entry, "1_2.jpg": entry}}), encoding="utf-8")
    return path


def test_labels_are_read_in_the_order_of_the_file(tmp_path: Path) -> None:
    labels = read_labels(write(tmp_path, change="place", points_px=[[1, 2]]), TEMPLATE)
    assert [label.name for label in labels] == ["1_1.jpg", "1_2.jpg"]
    assert labels[0].cells == CELLS
    assert labels[0].corners_px is not None
    assert labels[0].corners_px.tolist() == CORNERS


def test_only_the_named_photos_are_read(tmp_path: Path) -> None:
    assert [label.name for label in read_labels(write(tmp_path), TEMPLATE, ["1_2.jpg"])] == ["1_2.jpg"]


def test_unmarked_corners_are_none(tmp_path: Path) -> None:
    assert read_labels(write(tmp_path, corners_px=None), TEMPLATE)[0].corners_px is None


def test_unknown_photo_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"no photo '9_9\.jpg'"):
        read_labels(write(tmp_path), TEMPLATE, ["9_9.jpg"])


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"cells": "..."}, "3 cells; nine_mens_morris has 24"),
        ({"cells": "X" + CELLS[1:]}, "cells hold 'X'"),
        ({"cells": 24}, '"cells", a text'),
        ({"corners_px": CORNERS[:3]}, "corners_px is null or four"),
        ({"corners_px": 7}, "corners_px is null or four"),
        ({"corners_px": [[1, 2], [3, "4"], [5, 6], [7, 8]]}, "corners_px is null or four"),
        ({"corners_px": [[1, 2], [3, 1e300], [5, 6], [7, 8]]}, "corners_px is null or four"),
        ({"corners_px": CORNERS[::-1]}, "clockwise"),
    ],
)
def test_faulty_label_is_refused_with_photo_and_fault(tmp_path: Path, fault: dict[str, object], message: str) -> None:
    with pytest.raises(LabelError, match=message) as caught:
        read_labels(write(tmp_path, **fault), TEMPLATE)
    assert "'1_1.jpg'" in str(caught.value)


@pytest.mark.parametrize("content", ["", "[]", '{"images": []}', "{" * 100_000, '{"images": {}}'])
def test_file_that_holds_no_labels_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "labels.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(LabelError, match=r"labels\.json"):
        read_labels(path, TEMPLATE)


def test_photo_names_may_not_leave_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"images": {"../secret.jpg": {"cells": CELLS}}}), encoding="utf-8")
    with pytest.raises(LabelError, match="without folders"):
        read_labels(path, TEMPLATE)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"absent\.json: No such file"):
        read_labels(tmp_path / "absent.json", TEMPLATE)


def test_real_labels_are_valid(real_data: Path) -> None:
    labels = read_labels(real_data / "morris" / "labels.json", TEMPLATE)
    assert len(labels) == 38
    assert all(label.corners_px is not None for label in labels)
