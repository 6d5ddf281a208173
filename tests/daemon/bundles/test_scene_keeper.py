"""What is kept and for how long, in memory and on the disk, and which settings go into a bundle."""

from __future__ import annotations

import datetime
import json
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from daemon.bundles import bundle_requests
from daemon.bundles.bundle import BundleError, GameState, Manifest, PipelineSettings, SceneFrame
from daemon.bundles.bundle_requests import BundleAnswer, BundleRequest, ask
from daemon.bundles.bundle_writer import STRIPPED, BundleStore, Packed, stripped
from daemon.bundles.scene_keeper import Limits
from daemon.bundles.scene_ring import LEAD_S, KeptFrame, SceneRing
from daemon.config.settings import Config, ConfigError, load_config
from tests.daemon.bundles.stormy import StormyTable
from vision.pose import BoardPose

POSE = BoardPose(np.eye(3), 0.0, 1.0)
NOW = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


def kept(time_s: float, *, settled: bool = True, size: int = 100, plain: bool = True) -> KeptFrame:
    state = GameState()
    return KeptFrame(time_s, "", state, state, (), None, settled, POSE, plain, (), bytes(size))


def filled(times: int, rate_hz: float = 10.0, moving: range = range(0)) -> SceneRing:
    """A 20 second ring with this many pictures; those numbered in `moving` are not settled."""
    ring = SceneRing(20.0, 1_000_000)
    for number in range(times):
        ring.add(kept(number / rate_hz, settled=number not in moving))
    return ring


def test_the_ring_keeps_the_seconds_and_the_lead_and_no_more() -> None:
    ring = filled(1000)
    assert ring.seconds == pytest.approx(20.0 + LEAD_S)
    assert ring.bytes == 100 * (10 * 28 + 1)


def test_the_ring_never_holds_more_bytes_than_allowed() -> None:
    ring = SceneRing(20.0, 5_000)
    for number in range(500):
        ring.add(kept(number / 10, size=900))
        assert ring.bytes <= 5_000
    assert len(ring.last(20)) == 5


def test_a_source_that_begins_anew_begins_the_ring_anew() -> None:
    ring = filled(50)
    ring.add(kept(0.5))
    assert (len(ring.last(20)), ring.bytes) == (1, 100)


def test_a_bundle_begins_where_the_board_was_at_rest_before_the_seconds_asked_for() -> None:
    ring = filled(150, moving=range(80, 120))
    assert ring.last(5)[0].time_s == pytest.approx(7.1)  # 0.8 s before the hand came
    assert ring.last(1)[0].time_s == pytest.approx(13.9)


def test_a_bundle_does_not_begin_with_a_state_that_says_not_all() -> None:
    ring = SceneRing(20.0, 1_000_000)
    for number in range(100):
        ring.add(kept(number / 10, plain=number < 30))
    assert ring.last(2)[0].time_s == pytest.approx(2.9)


def test_without_a_rest_it_begins_with_the_seconds_asked_for() -> None:
    assert filled(100, moving=range(100)).last(3)[0].time_s == pytest.approx(6.9)


def test_a_picture_that_could_not_be_kept_is_left_out_and_counted() -> None:
    ring = SceneRing(20.0, 1_000_000)
    waiting = kept(0.0)
    waiting.jpeg = None
    ring.add(waiting)
    assert ring.last(1) == []
    ring.encoded(waiting, None)
    assert ring.left_out == 1
    ring.encoded(waiting, b"jpeg")
    assert [one.jpeg for one in ring.last(1)] == [b"jpeg"]


def packed(size: int) -> Packed:
    manifest = Manifest(
        created="", reason="asked", game="morris", eyes=PipelineSettings(settle_s=0.4, readings=3, lost_s=3),
        states=(GameState(),), frames=(SceneFrame(time_s=0),),
    )  # fmt: skip
    return Packed(manifest, [kept(0.0, size=size)], None)


def put(shelf: BundleStore, reason: str, second: int, size: int = 40_000) -> Path:
    path = shelf.put(packed(size), "table", reason, NOW + datetime.timedelta(seconds=second))
    os.utime(path, (second, second))
    return path


def test_the_oldest_bundles_that_were_kept_by_themselves_go_first(tmp_path: Path) -> None:
    shelf = BundleStore(tmp_path / "shelf", 100_000)
    asked = put(shelf, "asked", 0, 90_000)
    paths = [put(shelf, reason, number) for number, reason in enumerate(("illegal", "desync", "unclear"), 1)]
    assert shelf.kept() == paths[1:]
    assert asked.exists()
    assert sum(path.stat().st_size for path in shelf.kept()) <= 100_000


def test_other_files_in_the_folder_are_let_alone(tmp_path: Path) -> None:
    shelf = BundleStore(tmp_path, 50_000)
    for name in ("kibitzer-table-x-asked.zip", "notes.txt", "kibitzer-illegal.zip"):
        (tmp_path / name).write_bytes(bytes(90_000))
    put(shelf, "illegal", 1)
    assert len(list(tmp_path.iterdir())) == 4


def test_bundles_are_their_owners_alone(tmp_path: Path) -> None:
    path = put(BundleStore(tmp_path / "shelf", 100_000), "illegal", 1)
    assert (path.parent.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_bundle_larger_than_the_quota_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="quota_mb"):
        put(BundleStore(tmp_path, 10_000), "illegal", 1)


def test_a_full_disk_is_left_to_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = BundleStore(tmp_path, 100_000)
    monkeypatch.setattr("daemon.bundles.bundle_writer.MIN_FREE_BYTES", 1 << 60)
    with pytest.raises(BundleError, match="nearly full"):
        put(shelf, "asked", 1)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_a_file_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BundleError, match="file: bundles cannot be kept there"):
        BundleStore(tmp_path / "file", 1)


SECRETS = {
    "camera": {"source": "http://user:hunter2@10.0.0.7:8080/video", "width_px": 1280},
    "page": {"host": "192.168.1.5", "port": 8765, "token": "s3cret", "enabled": True},
    "bus": {"table": "hall", "state": "tcp://127.0.0.1:5555", "keys": "/home/anna/keys"},
    "journal": {"path": "/home/anna/journal.sqlite"},
    "engines": {"mine": {"command": ["/home/anna/engine", "--password", "hunter2"]}},
    "players": {"first": {"agent": "http://10.0.0.7", "options": {"api_key": "s3cret", "depth": 3, "engine": "mine"}}},
    "game": {"name": "morris", "rules": {"flying": True, "first": "auto"}},
}


def test_nothing_secret_and_no_address_or_path_is_left_in_the_settings() -> None:
    text = json.dumps(stripped(SECRETS))
    assert not any(word in text for word in ("hunter2", "10.0.0", "192.168", "s3cret", "anna", "tcp:", "8765", "5555"))
    kept_of = stripped(SECRETS)
    assert kept_of["game"] == SECRETS["game"]
    assert (kept_of["camera"], kept_of["bus"]["table"]) == ({"source": STRIPPED, "width_px": 1280}, "hall")


def test_the_shipped_settings_keep_no_text_but_plain_words() -> None:
    def texts(value: object) -> list[str]:
        if isinstance(value, dict):
            return [text for one in value.values() for text in texts(one)]
        return [value] if isinstance(value, str) else []

    found = set(texts(stripped(Config().model_dump(mode="json"))))
    assert found <= {STRIPPED, "nine_mens_morris", "level-4", "table", "en", ""}


@pytest.mark.parametrize(
    ("key", "value"),
    [("seconds", "1"), ("memory_mb", "4"), ("rejected_s", "-1"), ("quota_mb", "0"), ("folder", '""'), ("enabled", "3")],
)
def test_a_setting_out_of_range_is_refused_by_name(tmp_path: Path, key: str, value: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"[bundles]\n{key} = {value}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"bundles\.{key}"):
        load_config(path)


def test_who_asks_where_no_daemon_keeps_scenes_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="enabled = true under"):
        ask(tmp_path, BundleRequest(table="table"))
    bundle_requests.open_request_folder(tmp_path)
    with pytest.raises(BundleError, match="enabled = true under"):
        ask(tmp_path, BundleRequest(table="table"), taken_s=0.2)
    assert list((tmp_path / "asked").iterdir()) == []


def test_only_the_table_that_is_asked_answers_and_rubbish_is_thrown_away(tmp_path: Path) -> None:
    requests = bundle_requests.open_request_folder(tmp_path)
    (requests / "1.json").write_text('{"table": "garden"}')
    (requests / "2.json").write_text("rubbish")
    (requests / "3.json").write_bytes(b"x" * 5000)
    (requests / "4.json").symlink_to("/etc/passwd")
    (requests / "5.json").write_text('{"table": "hall", "last_s": -3}')
    (requests / "6.json").write_text('{"table": "hall", "note": "n"}')
    bundle_requests.serve(requests, "hall", lambda request: BundleAnswer(path=request.note))
    assert sorted(path.name for path in requests.iterdir()) == ["1.json", "6.answer"]
    assert json.loads((requests / "6.answer").read_text())["path"] == "n"


def test_what_is_asked_is_answered(tmp_path: Path) -> None:
    requests = bundle_requests.open_request_folder(tmp_path)

    def serve() -> None:
        deadline_s = time.monotonic() + 10
        while not list(requests.glob("*.json")) and time.monotonic() < deadline_s:
            time.sleep(0.01)
        bundle_requests.serve(requests, "hall", lambda request: BundleAnswer(frames=7, why=f"{request.last_s}"))

    thread = threading.Thread(target=serve)
    thread.start()
    answer = ask(tmp_path, BundleRequest(table="hall", last_s=3))
    thread.join()
    assert (answer.frames, answer.why, list(requests.iterdir())) == (7, "3.0", [])


def test_a_rejected_reading_is_kept_by_itself_also_from_a_camera_that_sends_no_jpeg(tmp_path: Path) -> None:
    table = StormyTable(tmp_path, as_jpeg=False, limits=Limits(20.0, 64_000_000, 100_000_000, 3.0))
    table.pass_time(1.5)
    table.lay("d2", table.game.pieces[1])  # a dark man, though light is to move
    deadline_s = time.monotonic() + 60
    while not table.keeper.status()["written"] and time.monotonic() < deadline_s:
        time.sleep(0.05)
    table.keeper.close()
    assert [one.code for one in table.said] == ["start", "illegal"]
    paths = list(tmp_path.glob("*.zip"))
    assert [path.name.rpartition("-")[2] for path in paths] == ["illegal.zip"]
    assert (table.keeper.status()["written"], table.keeper.status()["skipped"]) == (1, 0)
