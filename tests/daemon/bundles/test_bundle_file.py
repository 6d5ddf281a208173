"""Bundles: hostile files are refused, and replaying one gives the same verdicts as live play."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import games
from daemon.bundles.bundle import MANIFEST, BundleError, GameState, Manifest, PipelineSettings, SceneFrame
from daemon.bundles.bundle_file import BundleFile
from daemon.bundles.bundle_requests import BundleRequest, ask
from daemon.bundles.replaying import replay
from daemon.cli.main import main
from tests.daemon.bundles.stormy import StormyTable

JPEG = cv2.imencode(".jpg", np.full((60, 80, 3), 90, np.uint8))[1].tobytes()
MORRIS = games.load("morris")
STORM = ["start", "move", "illegal", "resumed", "move", "move", "takeback", "move", "undo", "resumed"]
START = MORRIS.format_position(MORRIS.initial())


def fields(**changes: Any) -> dict[str, Any]:
    """The manifest of a bundle with two pictures, with some fields replaced."""
    manifest = Manifest(
        created="2026-01-01T00:00:00+00:00",
        reason="asked",
        game="nine_mens_morris",
        eyes=PipelineSettings(settle_s=0.4, readings=3, lost_s=3),
        states=(GameState(start=START),),
        frames=(SceneFrame(time_s=1.0), SceneFrame(time_s=1.1)),
    )
    return json.loads(manifest.model_dump_json()) | changes


def write(path: Path, manifest: Any, files: dict[str, bytes] | None = None) -> Path:
    """Writes a zip file with that manifest and these files, by default two pictures."""
    files = {f"frames/{n:06d}.jpg": JPEG for n in (0, 1)} if files is None else files
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, manifest if isinstance(manifest, bytes | str) else json.dumps(manifest))
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_a_whole_bundle_is_opened(tmp_path: Path) -> None:
    with BundleFile(write(tmp_path / "a.zip", fields(strange="later", adapted=True))) as bundle:
        assert bundle.jpeg(1) == JPEG
        assert bundle.profile() is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": "another"}, "format"),
        ({"version": 2}, "this Kibitzer reads version 1"),
        ({"frames": []}, "frames"),
        ({"states": []}, "states"),
        ({"frames": [{"time_s": 2}, {"time_s": 1}]}, "not in the order"),
        ({"frames": [{"time_s": 1}, {"time_s": float("nan")}]}, "frames.1.time_s"),
        ({"frames": [{"time_s": 1, "told": 1}, {"time_s": 2}]}, "a state that is not there"),
        ({"frames": [{"time_s": n} for n in range(3)]}, "frames/000002.jpg is missing"),
        ({"game": "../etc/passwd"}, "game"),
        ({"eyes": {"settle_s": 99, "readings": 3, "lost_s": 3}}, "eyes.settle_s"),
        ({"place": {"image_from_board": [1.0] * 8}}, "place.image_from_board"),
        ({"note": "x" * 2000}, "note"),
    ],
)
def test_a_wrong_manifest_is_refused_with_what_is_wrong(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BundleError, match=why):
        BundleFile(write(tmp_path / "a.zip", fields(**changes)))


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b'"x"', b"[" * 100_000])
def test_what_is_no_manifest_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(BundleError, match="its manifest"):
        BundleFile(write(tmp_path / "a.zip", content))


@pytest.mark.parametrize("name", ["../out.jpg", "/etc/x", "frames/../../x.jpg", "frames/1.jpg", "a.py", "frames/"])
def test_a_file_that_does_not_belong_there_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(BundleError, match="does not belong in a bundle"):
        BundleFile(write(tmp_path / "a.zip", fields(), {name: b"x"}))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no zip", JPEG])
def test_what_is_no_zip_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    with pytest.raises(BundleError, match="no bundle, or a damaged one"):
        BundleFile(path)


def test_a_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"nothing\.zip: No such file"):
        BundleFile(tmp_path / "nothing.zip")


def test_a_bomb_that_says_its_size_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.bundles.bundle_file.MAX_CONTENT_BYTES", 1 << 20)
    with pytest.raises(BundleError, match="unpacks to more"):
        BundleFile(write(tmp_path / "a.zip", fields(), {"frames/000000.jpg": bytes(2 << 20)}))


def test_a_bomb_that_lies_about_its_size_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.bundles.bundle_file.MAX_FRAME_BYTES", 1 << 20)
    path = write(tmp_path / "a.zip", fields(), {"frames/000000.jpg": bytes(8 << 20), "frames/000001.jpg": JPEG})
    content = path.read_bytes()
    path.write_bytes(content.replace(struct.pack("<I", 8 << 20), struct.pack("<I", 100)))
    with BundleFile(path) as bundle, pytest.raises(BundleError, match=r"is damaged|is larger"):
        bundle.jpeg(0)


def test_a_picture_that_says_it_is_huge_is_not_decoded(tmp_path: Path) -> None:
    huge = JPEG.replace(struct.pack(">HH", 60, 80), struct.pack(">HH", 65_000, 65_000), 1)
    path = write(tmp_path / "a.zip", fields(), {"frames/000000.jpg": huge, "frames/000001.jpg": JPEG})
    with BundleFile(path) as bundle, pytest.raises(BundleError, match="65000x65000 is 4,225 megapixels"):
        bundle.jpeg(0)


@pytest.mark.parametrize("content", [b"", b"x", JPEG[:50], JPEG[2:], b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_jpeg_is_refused(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path / "a.zip", fields(), {"frames/000000.jpg": content, "frames/000001.jpg": JPEG})
    with BundleFile(path) as bundle, pytest.raises(BundleError, match="no picture"):
        bundle.jpeg(0)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"game": "ludo"}, "there is no game"),
        ({"rules": {"strange": 1}}, "strange"),
        ({"states": [{"start": "rubbish"}]}, "cannot be replayed"),
        ({"states": [{"start": START, "moves": ["z9"]}]}, "cannot be replayed"),
        ({"frames": [{"time_s": 1, "commands": [{"command": "rm"}]}, {"time_s": 2}]}, "no command"),
        ({"place": {"image_from_board": [0.0] * 9}}, "no board can lie"),
        ({"place": {"image_from_board": [1e9, 0, 0, 0, 1e-9, 0, 0, 0, 1]}}, "no board can lie"),
    ],
)
def test_what_cannot_be_played_is_refused_with_why(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    with BundleFile(write(tmp_path / "a.zip", fields(**changes))) as bundle, pytest.raises(BundleError, match=why):
        replay(bundle)


@pytest.mark.parametrize("content", [b"", b"no npz", b"PK\x05\x06" + bytes(18)])
def test_a_damaged_profile_is_refused(tmp_path: Path, content: bytes) -> None:
    files = {"frames/000000.jpg": JPEG, "frames/000001.jpg": JPEG, "profile.npz": content}
    with BundleFile(write(tmp_path / "a.zip", fields(), files)) as bundle, pytest.raises(BundleError, match="profile"):
        bundle.profile()


def test_a_profile_with_code_in_it_is_not_run(tmp_path: Path) -> None:
    class Code:
        def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
            return Path.touch, (tmp_path / "run",)  # type: ignore[return-value]

    buffer = io.BytesIO()
    np.savez(buffer, facts=np.array([Code()], dtype=object))
    files = {"frames/000000.jpg": JPEG, "frames/000001.jpg": JPEG, "profile.npz": buffer.getvalue()}
    with BundleFile(write(tmp_path / "a.zip", fields(), files)) as bundle, pytest.raises(BundleError, match="profile"):
        bundle.profile()
    assert not (tmp_path / "run").exists()


def test_the_command_says_in_a_line_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(tmp_path)])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"kibitzer replay: {tmp_path}: Is a directory\n"


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> StormyTable:
    """A table after a storm, with one bundle for each length in seconds."""
    folder = tmp_path_factory.mktemp("bundles")
    table = StormyTable(folder)
    table.storm()
    table.bundles = {
        last: Path(ask(folder, BundleRequest(table="table", last_s=last, note="storm")).path) for last in (6, 10, 40)
    }
    table.keeper.close()
    return table


def test_the_storm_is_one(storm: StormyTable) -> None:
    assert [one.code for one in storm.said] == STORM


@pytest.mark.parametrize(("last", "verdicts"), [(6, 2), (40, 9)])
def test_a_bundle_gives_the_same_codes_moves_and_cells(storm: StormyTable, last: int, verdicts: int) -> None:
    with BundleFile(storm.bundles[last]) as bundle:
        played = replay(bundle)
    assert [pair.now and pair.now[1].verdict for pair in played.pairs] == [
        (one.code, one.move, one.cells) for one in [one for one in storm.said if one.code != "undo"][-verdicts:]
    ]
    assert played.same
    assert played.board == storm.table.board


def test_the_exit_status_is_0_where_all_is_the_same(storm: StormyTable, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(storm.bundles[10]), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (ended.value.code, told["same"], told["note"]) == (0, True, "storm")
    codes = [one.code for one in storm.said if one.code != "undo"][-3:]
    assert [one["now"]["code"] for one in told["verdicts"]] == codes == ["takeback", "move", "resumed"]
