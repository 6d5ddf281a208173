"""Annotation files of dominoes photos, byte for byte, and labels made from a folder of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.annotations import (
    COLUMNS,
    Annotation,
    AnnotationError,
    PhotoName,
    annotation_paths,
    format_annotation,
    movers_paths,
    parse_annotation,
    parse_name,
    photo_paths,
    read_annotated,
    read_annotation,
    read_movers,
)
from calibration.labels import LabelError
from calibration.template import load_template

TEMPLATE = load_template("double_double_dominoes")


def write(folder: Path, **files: str) -> Path:
    """Writes annotations for the numbered moves of game 1, each with an empty photo beside it."""
    for name, text in files.items():
        (folder / f"1_{name[1:]}.txt").write_bytes(text.encode())
        (folder / f"1_{name[1:]}.jpg").write_bytes(b"")
    return folder


def test_annotation_is_written_as_the_known_files_are() -> None:
    assert format_annotation(Annotation(("8H", "8I"), (6, 1), 0)) == "8H 6\r\n8I 1\r\n0"


@pytest.mark.parametrize(
    "text", ["8H 6\r\n8I 1\r\n12", "8I 1\n8H 6\n12\n", "\ufeff8h 6  \r\n\r\n8I  1\r\n 12 \r\n\r\n", "8H 6\r8I 1\r12"]
)
def test_line_ends_blanks_and_order_do_not_matter(text: str) -> None:
    assert parse_annotation(text, "x") == Annotation(("8H", "8I"), (6, 1), 12)


@given(st.integers(0, 14), st.integers(0, 13), st.booleans(), st.tuples(*[st.integers(0, 6)] * 2), st.integers(0, 20))
def test_every_annotation_survives_being_written(
    line: int, place: int, across: bool, pips: tuple[int, int], points: int
) -> None:
    first, second = [(line, place + step) if across else (place + step, line) for step in (0, 1)]
    cells = tuple(f"{row + 1}{COLUMNS[column]}" for row, column in (first, second))
    annotation = Annotation((cells[0], cells[1]), pips, points)
    assert parse_annotation(format_annotation(annotation), "x") == annotation


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8H 6\n8I 1", "2 lines; an annotation has three"),
        ("8H 6\n8I\n3", "line 2 is no .*'8I'"),
        ("8H 7\n8I 1\n3", "line 1: an end has 0 to 6 pips, not 7"),
        ("16H 6\n15H 1\n3", "no square 16H"),
        ("8P 6\n8O 1\n3", "no square 8P"),
        ("8H 6\n8J 1\n3", "8H and 8J are not side by side"),
        ("8H 6\n8H 1\n3", "8H and 8H are not side by side"),
        ("8H 6\n8I 1\n-3", "line 3 holds the points"),
        ("8H 6\n8I 1\n٣", "line 3 holds the points"),
    ],
)
def test_faulty_annotation_is_refused_with_line_and_value(text: str, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        parse_annotation(text, "1_01.txt")


def test_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "1_01.txt").write_bytes(b"\xff\xfe8\x00H")
    with pytest.raises(AnnotationError, match=r"1_01\.txt: no text"):
        read_annotation(tmp_path / "1_01.txt")


def test_moves_are_ordered_by_number_whatever_the_digits(tmp_path: Path) -> None:
    for name in ("10_2", "2_100", "2_9", "2_010", "empty_board", "notes"):
        (tmp_path / f"{name}.JPG").write_bytes(b"")
    assert [str(name) for name in photo_paths(tmp_path)] == ["2_9", "2_010", "2_100", "10_2"]
    assert parse_name("2_9") == parse_name("2_09")


def test_two_photos_of_one_move_are_refused(tmp_path: Path) -> None:
    (tmp_path / "1_01.jpg").write_bytes(b"")
    (tmp_path / "1_1.png").write_bytes(b"")
    with pytest.raises(AnnotationError, match="photos of the same move"):
        photo_paths(tmp_path)


def test_movers_are_read_with_their_quirks(tmp_path: Path) -> None:
    path = tmp_path / "7_mutari.txt"
    path.write_bytes(b"\xef\xbb\xbf7_01.jpg player2\r\n\r\n7_02.JPG  Player 1\n7_3.png player1")
    assert movers_paths(tmp_path) == {7: path}
    assert list(read_movers(path).items()) == [(PhotoName(7, 1), 1), (PhotoName(7, 2), 0), (PhotoName(7, 3), 0)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1_01.jpg player3", "there is no player 3"),
        ("1_01.jpg", "line 1 is no '1_01.jpg player1'"),
        ("first.jpg player1", "line 1 is no"),
        ("1_01.jpg player1\n1_1.jpg player2", "line 2: 1_1 is listed twice"),
    ],
)
def test_faulty_list_of_movers_is_refused_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "1_mutari.txt"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(AnnotationError, match=message):
        read_movers(path)


def test_label_of_a_photo_shows_all_tiles_up_to_its_own(tmp_path: Path) -> None:
    folder = write(tmp_path, _01="8H 6\n8I 1\n0", _02="8G 6\n9G 2\n3")
    first, second = read_annotated(folder, folder, TEMPLATE)
    assert (first.name, second.name) == ("1_01.jpg", "1_02.jpg")
    assert first.corners_px is None
    shown = {name: letter for name, letter in zip(TEMPLATE.cell_names, second.cells, strict=True) if letter != "."}
    assert shown == {"8H": "6", "8I": "1", "8G": "6", "9G": "2"}
    assert [letter for letter in first.cells if letter != "."] == ["6", "1"]


def test_photos_are_chosen_by_pattern_and_name(tmp_path: Path) -> None:
    folder = write(tmp_path, _01="8H 6\n8I 1\n0", _02="8G 6\n9G 2\n3")
    assert [label.name for label in read_annotated(folder, folder, TEMPLATE, ["1_02.jpg", "1_*.jpg"])] == [
        "1_02.jpg",
        "1_01.jpg",
    ]
    with pytest.raises(LabelError, match=r"no photo '2_\*\.jpg'; it labels 1_01\.jpg, 1_02\.jpg"):
        read_annotated(folder, folder, TEMPLATE, ["2_*.jpg"])


def test_photo_whose_predecessor_is_not_annotated_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path, _01="8H 6\n8I 1\n0", _03="8G 6\n9G 2\n3")
    with pytest.raises(LabelError, match=r"the board of 1_03 is not known, because 1_02\.txt is missing"):
        read_annotated(folder, folder, TEMPLATE)
    assert len(read_annotated(folder, folder, TEMPLATE, ["1_01.jpg"])) == 1


def test_two_tiles_on_one_cell_are_refused(tmp_path: Path) -> None:
    folder = write(tmp_path, _01="8H 6\n8I 1\n0", _02="8I 1\n8J 2\n3")
    with pytest.raises(AnnotationError, match=r"1_02\.txt lays a tile on 8I"):
        read_annotated(folder, folder, TEMPLATE)


def test_annotations_are_no_labels_of_other_boards(tmp_path: Path) -> None:
    folder = write(tmp_path, _01="8H 6\n8I 1\n0")
    with pytest.raises(LabelError, match="annotations of dominoes"):
        read_annotated(folder, folder, load_template("nine_mens_morris"))


def test_real_annotations_are_read_and_written_alike(real_data: Path) -> None:
    paths = annotation_paths(real_data / "dominoes")
    assert len(paths) == 100
    for path in paths.values():
        assert format_annotation(read_annotation(path)).split() == path.read_text(encoding="utf-8").split()
    # The other files have spaces at the end of a line, or a line end after the last line.
    exact = [path for path in paths.values() if format_annotation(read_annotation(path)).encode() == path.read_bytes()]
    assert len(exact) == 91


def test_real_photos_are_labelled_by_their_annotations(real_data: Path) -> None:
    folder = real_data / "dominoes"
    labels = read_annotated(folder, folder, TEMPLATE, ["3_*.jpg"])
    assert [len(label.cells) - label.cells.count(".") for label in labels] == [2 * number for number in range(1, 21)]
    assert all(set(read_movers(path).values()) == {0, 1} for path in movers_paths(folder).values())
