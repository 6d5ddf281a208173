"""`kibitzer adaptation` shows and reverts what was learnt, and names damaged and foreign files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibration.profile import TableProfile
from daemon.cli.main import main
from daemon.perception.learning.adapted_file import AdaptedFile
from daemon.perception.learning.generations import (
    Adapted,
    AdaptedError,
    adapted_path,
    digest_of,
    load_adapted,
    save_adapted,
)
from tests.daemon.fake_pipeline import AtOnce
from tests.daemon.test_adapting import a_generation, calibrated
from vision.calibrating.examples import Example, Reservoir, cell_kinds
from vision.reading.heads import head_from_arrays


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A profile with a file of two adapted generations beside it."""
    path = tmp_path / "table.npz"
    TableProfile(
        game="nine_mens_morris",
        options=frozenset(),
        shape={},
        reference_jpeg=b"picture",
        image_from_board=np.eye(3),
        descriptor="resnet18",
        weights_sha256="",
        head=calibrated().arrays(),
        accuracy=1.0,
    ).save(path)
    first = head_from_arrays(TableProfile.load(path).head)
    reservoir = Reservoir(1)
    for letter in ".WB":
        reservoir.add(Example(np.ones(40, np.float32), letter, 0, 1.0, 3))
    kept = Adapted((a_generation(first), a_generation(first, 2)), reservoir.examples())
    save_adapted(adapted_path(path), digest_of(first), kept)
    return path


def run(*words: str) -> int:
    """Runs `kibitzer adaptation`; returns the exit status."""
    with pytest.raises(SystemExit) as ended:
        main(["adaptation", *words])
    return int(ended.value.code or 0)


def test_what_was_learnt_is_shown(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", str(profile), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["file"], found["examples"]) == (str(profile.with_name("table.adapted.npz")), 3)
    assert [(one["number"], one["after"]["right"]) for one in found["generations"]] == [(1, 72), (2, 72)]
    assert run("show", str(profile)) == 0
    assert "generation 2" in capsys.readouterr().err


def test_going_back_to_the_calibration_leaves_the_profile_as_it_is(profile: Path) -> None:
    before = profile.read_bytes()
    assert run("revert", str(profile)) == 0
    assert not adapted_path(profile).exists() and profile.read_bytes() == before


def test_going_back_to_a_generation_keeps_it(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("revert", str(profile), "--to", "1") == 0
    assert [one.number for one in load_adapted(adapted_path(profile)).generations] == [1]
    assert run("revert", str(profile), "--to", "7") == 2
    assert "there is no generation 7; there is 1" in capsys.readouterr().err


def test_a_damaged_file_is_named_and_can_be_taken_away(profile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    adapted_path(profile).write_bytes(b"no archive")
    assert run("show", str(profile)) == 2
    assert "table.adapted.npz: holds no adapted heads" in capsys.readouterr().err
    assert run("revert", str(profile)) == 0 and not adapted_path(profile).exists()


def test_a_missing_profile_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("show", str(tmp_path / "absent.npz")) == 2
    assert "absent.npz" in capsys.readouterr().err


def test_kept_heads_of_another_calibration_are_refused(profile: Path) -> None:
    with pytest.raises(AdaptedError, match="another calibration"):
        load_adapted(adapted_path(profile), "0" * 64)


def test_a_disk_that_is_full_costs_the_heads_and_no_more(tmp_path: Path) -> None:
    file = AdaptedFile(tmp_path / "absent" / "table.adapted.npz", calibrated(), AtOnce())
    file.save(Adapted())
    assert not file.changed_by_hand()


def test_examples_are_bounded_for_every_class_and_kind_of_cell() -> None:
    reservoir, chance = Reservoir(9), np.random.default_rng(1)
    for board in range(400):
        for kind in range(9):
            reservoir.add(Example(chance.normal(size=4).astype(np.float32), "W", kind, 1.0, board))
    assert len(reservoir) == 9 * reservoir.room
    boards = [example.board for kept in reservoir._kept.values() for _, example in kept]
    assert np.mean(boards) > 300  # older ones have been replaced
    assert reservoir.withdraw(0) == 9 * reservoir.room and len(reservoir) == 0


def test_cells_that_were_read_wrong_stay_rather_than_others() -> None:
    reservoir = Reservoir(27)
    for number in range(2000):
        reservoir.add(Example(np.zeros(1, np.float32), "W", 0, 5.0 if number % 10 == 0 else 1.0, 0))
    doubted = [example for kept in reservoir._kept.values() for _, example in kept if example.weight > 1]
    assert len(doubted) > 0.2 * reservoir.room


def test_cells_with_lines_to_the_same_sides_are_of_one_kind() -> None:
    from calibration.template import load_template

    morris = load_template("nine_mens_morris")
    kinds = dict(zip(morris.cell_names, cell_kinds(morris).tolist(), strict=True))
    assert kinds["a7"] == kinds["b6"] != kinds["g7"]
    assert len(set(kinds.values())) == 9
    assert set(cell_kinds(load_template("reversi")).tolist()) == {0}
