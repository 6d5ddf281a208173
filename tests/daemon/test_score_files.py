"""Which photos belong to which move, what is written where, and how much of it is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.annotations import Annotation, AnnotationError, PhotoName, read_annotation
from daemon.scoring.annotation_folder import WRITTEN, AnnotationFolder, FolderError
from daemon.scoring.evaluation import Miss, evaluate
from daemon.scoring.photo_series import SeriesError, find_series

FIRST, SECOND = PhotoName(1, 1, "1_01"), PhotoName(1, 2, "1_02")
TILE = Annotation(("8H", "8I"), (6, 1), 4)
OTHER = Annotation(("8G", "8H"), (6, 1), 4)


def photos(folder: Path, *names: str, movers: str | None = None) -> Path:
    for name in names:
        (folder / name).write_bytes(b"")
    if movers is not None:
        (folder / "1_mutari.txt").write_text(movers, encoding="utf-8")
    return folder


def test_photos_of_several_games_are_put_in_order_with_their_movers(tmp_path: Path) -> None:
    photos(tmp_path, "2_1.png", "1_010.jpg", "1_9.jpeg", "1_08.jpg", "empty_board.jpg", movers="1_9.jpg player2\r\n")
    first, second = find_series(tmp_path)
    assert (first.game, second.game) == (1, 2)
    assert [shot.name.number for shot in first.shots if shot.photo] == [8, 9, 10]
    assert [shot.mover for shot in first.shots if shot.photo] == [None, 1, None]
    assert [shot.photo and shot.photo.name for shot in second.shots] == ["2_1.png"]


def test_every_number_without_a_photo_is_a_move_without_a_photo(tmp_path: Path) -> None:
    listed = "1_02.jpg player2\n1_05.jpg player1\n1_06.jpg player2\n"
    (series,) = find_series(photos(tmp_path, "1_01.jpg", "1_04.jpg", "1_05.jpg", movers=listed))
    assert [str(shot.name) for shot in series.shots] == ["1_01", "1_02", "1_03", "1_04", "1_05"]
    assert [shot.photo is None for shot in series.shots] == [False, True, True, False, False]
    assert [shot.mover for shot in series.shots] == [None, 1, None, None, 0]
    assert any("no photo of 1_02, 1_03;" in note for note in series.notes)
    assert any("1_06 in 1_mutari.txt but no photo of it" in note for note in series.notes)


def test_missing_list_of_movers_is_said(tmp_path: Path) -> None:
    (series,) = find_series(photos(tmp_path, "1_01.jpg"))
    assert "there is no 1_mutari.txt; the players are taken to lay in turn" in series.notes[0]


def test_numbers_that_cannot_be_moves_make_no_gap(tmp_path: Path) -> None:
    (series,) = find_series(photos(tmp_path, "1_01.jpg", "1_900.jpg"))
    assert len(series.shots) == 2


def test_chosen_game_must_be_there(tmp_path: Path) -> None:
    photos(tmp_path, "1_01.jpg", "3_01.jpg")
    assert [series.game for series in find_series(tmp_path, [3])] == [3]
    with pytest.raises(SeriesError, match="no photos of game 2; the games are 1, 3"):
        find_series(tmp_path, [2])


def test_folder_without_photos_is_named(tmp_path: Path) -> None:
    with pytest.raises(SeriesError, match="no photos named after moves"):
        find_series(photos(tmp_path, "table.jpg"))
    with pytest.raises(AnnotationError, match="absent: No such file"):
        find_series(tmp_path / "absent")


def test_lists_that_disagree_are_refused(tmp_path: Path) -> None:
    photos(tmp_path, "1_01.jpg", movers="1_01.jpg player1")
    (tmp_path / "2_mutari.txt").write_text("1_01.jpg player2", encoding="utf-8")
    with pytest.raises(SeriesError, match="1_01 was laid by player 2; another list says otherwise"):
        find_series(tmp_path)


def test_files_written_before_may_be_written_again(tmp_path: Path) -> None:
    AnnotationFolder(tmp_path, [FIRST]).put(FIRST, TILE)
    AnnotationFolder(tmp_path, [FIRST, SECOND]).put(FIRST, OTHER)
    assert read_annotation(tmp_path / "1_01.txt") == OTHER
    assert sorted(path.name for path in tmp_path.iterdir()) == [WRITTEN, "1_01.txt"]


def test_file_of_somebody_else_is_never_written_over_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "1_02.txt").write_text("8H 6\n8I 1\n0", encoding="utf-8")
    with pytest.raises(FolderError, match=r"1_02\.txt was not written by this command.*--force"):
        AnnotationFolder(tmp_path, [FIRST, SECOND])
    AnnotationFolder(tmp_path, [FIRST])
    AnnotationFolder(tmp_path, [SECOND], force=True).put(SECOND, OTHER)
    assert read_annotation(tmp_path / "1_02.txt") == OTHER


def test_file_that_was_corrected_by_hand_is_somebody_elses(tmp_path: Path) -> None:
    AnnotationFolder(tmp_path, [FIRST]).put(FIRST, TILE)
    (tmp_path / "1_01.txt").write_text("8H 6\n8I 2\n0", encoding="utf-8")
    with pytest.raises(FolderError, match=r"1_01\.txt"):
        AnnotationFolder(tmp_path, [FIRST])


@pytest.mark.parametrize("damaged", ["", "[]", "{" * 100_000, '{"1_01.txt": 7}'])
def test_damaged_memory_of_what_was_written_protects_all_files(tmp_path: Path, damaged: str) -> None:
    AnnotationFolder(tmp_path, [FIRST]).put(FIRST, TILE)
    (tmp_path / WRITTEN).write_text(damaged, encoding="utf-8")
    with pytest.raises(FolderError, match=r"1_01\.txt"):
        AnnotationFolder(tmp_path, [FIRST])


def test_only_a_file_written_here_is_taken_away(tmp_path: Path) -> None:
    AnnotationFolder(tmp_path, [FIRST]).put(FIRST, TILE)
    (tmp_path / "1_02.txt").write_text("mine", encoding="utf-8")
    folder = AnnotationFolder(tmp_path, [FIRST, SECOND], force=True)
    folder.put(FIRST, None)
    folder.put(SECOND, None)
    assert [path.name for path in sorted(tmp_path.glob("*.txt"))] == ["1_02.txt"]


def test_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FolderError, match="file: cannot be made: File exists"):
        AnnotationFolder(tmp_path / "file", [])


def annotated(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name[1:]}.txt").write_text(text, encoding="utf-8")
    return folder


def test_each_thing_that_is_right_counts_by_itself(tmp_path: Path) -> None:
    truth = annotated(tmp_path / "truth", _1_01="8H 6\n8I 1\n4", _1_02="1A 2\n1B 3\n5", _2_01="9C 0\n10C 0\n2")
    out = annotated(tmp_path / "out", _1_01="8H 6\n8I 1\n7", _1_02="1A 3\n1B 2\n5", _2_01="9C 0\n9D 0\n2")
    found = evaluate(out, truth)
    assert found.misses == (
        Miss(PhotoName(1, 1), "points", "4", "7"),
        Miss(PhotoName(1, 2), "pips", "2-3", "3-2"),
        Miss(PhotoName(2, 1), "position", "9C 10C", "9C 9D"),
    )
    assert found.total.right == {"position": 2, "pips": 2, "points": 2}
    assert (round(found.total.worth, 2), round(found.total.most, 2)) == (0.18, 0.27)
    assert round(found.games[1].worth, 2) == 0.14


def test_missing_and_damaged_files_are_wrong_in_everything_and_listed(tmp_path: Path) -> None:
    truth = annotated(tmp_path / "truth", _1_01="8H 6\n8I 1\n4", _1_02="8H 6\n8I 1\n4")
    found = evaluate(annotated(tmp_path / "out", _1_02="nothing", _9_99="8H 6\n8I 1\n4"), truth)
    assert found.total.worth == 0
    assert [miss.found for miss in found.misses if miss.name == FIRST] == ["no file"] * 3
    assert all("an annotation has three" in miss.found for miss in found.misses if miss.name == SECOND)
    assert [str(name) for name in found.extra] == ["9_99"]


def test_truth_without_annotations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AnnotationError, match="no annotations here"):
        evaluate(tmp_path, tmp_path)


def test_truth_compared_with_itself_is_worth_all_points(real_data: Path) -> None:
    found = evaluate(real_data / "dominoes", real_data / "dominoes")
    assert not found.misses
    assert round(found.total.worth, 9) == round(found.total.most, 9) == 9.0
