"""Table profiles: saving and loading, and files that are refused."""

from __future__ import annotations

import dataclasses
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from calibration.profile import ProfileError, TableProfile
from calibration.stored_arrays import MAX_BYTES

PROFILE = TableProfile(
    game="nine_mens_morris",
    options=frozenset({"diagonals"}),
    shape={"middle": 0.7, "inner": 0.35},
    reference_jpeg=b"\xff\xd8 a picture \xff\xd9",
    image_from_board=np.array([[2.0, 0.1, 30], [0, 2.1, 40], [0, 0, 1]]),
    descriptor="resnet18",
    weights_sha256="ab" * 32,
    head={"letters": np.array([46, 87], dtype=np.int32), "mean": np.arange(4.0)},
    accuracy=0.98,
    boards=0.81,
    doubts=("The picture is dark.",),
)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    PROFILE.save(tmp_path / "table.npz")
    return tmp_path / "table.npz"


def test_saved_profile_comes_back(saved: Path) -> None:
    loaded = TableProfile.load(saved)
    for field in dataclasses.fields(PROFILE):
        if field.name not in ("head", "image_from_board"):
            assert getattr(loaded, field.name) == getattr(PROFILE, field.name)
    assert np.array_equal(loaded.image_from_board, PROFILE.image_from_board)
    assert {name: array.tolist() for name, array in loaded.head.items()} == {
        name: array.tolist() for name, array in PROFILE.head.items()
    }


def test_template_has_the_measured_shape_and_the_drawn_options(saved: Path) -> None:
    template = TableProfile.load(saved).template()
    assert template.shape == PROFILE.shape
    assert template.options == PROFILE.options


def test_saving_leaves_no_other_file_and_replaces_the_old_one(saved: Path) -> None:
    dataclasses.replace(PROFILE, accuracy=0.5).save(saved)
    assert TableProfile.load(saved).accuracy == 0.5
    assert [path.name for path in saved.parent.iterdir()] == ["table.npz"]


def test_folder_that_does_not_exist_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="cannot be written"):
        PROFILE.save(tmp_path / "absent" / "table.npz")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_truncated_file_is_refused(saved: Path, share: float) -> None:
    content = saved.read_bytes()
    saved.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(ProfileError, match="kibitzer calibrate"):
        TableProfile.load(saved)


def test_any_flipped_byte_is_refused_or_harmless(saved: Path) -> None:
    content = bytearray(saved.read_bytes())
    refused = 0
    for place in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 0x55
        saved.write_bytes(damaged)
        try:
            TableProfile.load(saved)
        except ProfileError:
            refused += 1
    assert refused > len(content) / 7 / 2


def test_pickled_arrays_are_never_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "evil.npz"
    np.savez(path, facts=np.array([{"format": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ProfileError, match="no table profile"):
        TableProfile.load(path)


def test_file_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, facts=np.zeros(MAX_BYTES + 1, dtype=np.uint8))
    assert path.stat().st_size < MAX_BYTES / 100
    with pytest.raises(ProfileError, match="unpacks to more"):
        TableProfile.load(path)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"absent\.npz: No such file"):
        TableProfile.load(tmp_path / "absent.npz")


def test_profile_from_before_boards_and_doubts_were_kept_is_loaded(saved: Path) -> None:
    with np.load(saved) as arrays:
        kept = {name: arrays[name] for name in arrays.files}
    facts = json.loads(kept["facts"].tobytes())
    del facts["boards"], facts["doubts"]
    np.savez(saved, **(kept | {"facts": np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)}))
    loaded = TableProfile.load(saved)
    assert loaded.boards is None and loaded.doubts == () and loaded.accuracy == PROFILE.accuracy


def test_profile_of_another_format_is_refused(saved: Path) -> None:
    with np.load(saved) as arrays:
        changed = {name: arrays[name] for name in arrays.files}
    facts = changed["facts"].tobytes().replace(b'"format": 1', b'"format": 9')
    np.savez(saved, **(changed | {"facts": np.frombuffer(facts, dtype=np.uint8)}))
    with pytest.raises(ProfileError, match="format 9"):
        TableProfile.load(saved)


def test_profile_made_against_advice_says_so() -> None:
    assert PROFILE.caution == "This table's profile was made against advice. The picture is dark."
    assert dataclasses.replace(PROFILE, doubts=()).caution == ""


def test_profile_of_another_game_is_refused() -> None:
    with pytest.raises(ProfileError, match="made for nine_mens_morris, not for reversi"):
        PROFILE.check_game("reversi")


def test_an_array_that_claims_more_than_any_computer_has_is_refused(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    claim = b"(3, 3), }" + b" " * 20
    content = kept["image_from_board.npy"].replace(claim, b"(125000000000000,), }".ljust(len(claim)))
    with zipfile.ZipFile(saved, "w") as archive:
        for name, array in (kept | {"image_from_board.npy": content}).items():
            archive.writestr(name, array)
    with pytest.raises(ProfileError, match=r"no table profile .Unable to allocate"):
        TableProfile.load(saved)
