"""A camera's password is in the settings and nowhere else, and what is written is its owner's to read."""

from __future__ import annotations

import http.server
import json
import logging
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

from calibration.atomic_file import make_private
from daemon.checks import devices
from daemon.checks.devices import check_camera
from daemon.commands.game_choice import camera_path, choice_of, path_of, restored, save, with_source
from daemon.config.settings import Config, ConfigError, LogSection, load_config
from daemon.page import setup
from daemon.supervision.logs import Log
from daemon.supervision.tables import run_from_words
from tests.daemon.http_client import ask
from tests.daemon.play.test_no_camera import Table
from wording.outside import shown_address, without_secrets

SECRET, TYPED = "sesame-77", "poppy-88"
ALONE = {"first": {"agent": ""}, "second": {"agent": ""}}


class Closed(http.server.BaseHTTPRequestHandler):
    """A camera that lets nobody in, and repeats what it was asked."""

    def do_GET(self) -> None:
        self.send_response(401, f"No: {self.path}\x1b[2J")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Writes nothing."""


@pytest.fixture
def camera() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Closed)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    made = Log(LogSection(path=str(tmp_path / "kibitzer.log"), level="debug"))
    yield made
    made.close()


def files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def raw(table: Table, path: str, body: object = None) -> str:
    """Head and body of an answer, whatever its status."""
    reply = ask(f"{table._address}{path}", body)
    return f"{reply.headers}\n{reply.body.decode(errors='replace')}"


def test_a_session_writes_a_cameras_password_nowhere_and_its_files_are_its_owners(
    tmp_path: Path, camera: int, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "LOOK_S", 0.2)
    source = f"http://ana:{SECRET}@127.0.0.1:{camera}/video?channel=2&pwd={SECRET}"
    other = source.replace(SECRET, TYPED).replace("channel=2", "channel=3")
    bus = {"state": f"ipc://{tmp_path}/bus/state", "reply": f"ipc://{tmp_path}/bus/reply"}
    (tmp_path / "bus").mkdir(mode=0o700)

    table = Table(tmp_path, "morris", camera={"source": source, "frozen_s": 1.0}, bus=bus)
    heard: list[str] = []
    listener = zmq.Context.instance().socket(zmq.SUB)
    listener.connect(bus["state"])
    listener.subscribe(b"")
    try:
        table.wait(lambda: "the server answers 401" in raw(table, "healthz"))
        assert f"http://***@127.0.0.1:{camera}/video?channel=2&pwd=***" in raw(table, "healthz")
        for path in ("state", "menu", "healthz", "readyz", "events", "metrics", "cameras", "legal", "games"):
            heard.append(raw(table, path))
        for asked in (other, other.replace("http", "rtsp"), f"http://a:{SECRET}/x", f"http://a:b c{SECRET}@h/"):
            heard.append(raw(table, "preview", {"source": asked}))
            assert '"code"' in heard[-1]
        heard.append(raw(table, "menu", {"camera": {"source": f"gopher://a:{SECRET}@h"}}))
        assert "files and folders go into the settings" in heard[-1]
        # The camera of the settings is chosen again as the menu shows it, and then another one is typed.
        for game, wanted in (("gomoku", shown_address(source)), ("reversi", other)):
            heard.append(raw(table, "menu", {"game": {"name": game}, "players": ALONE, "camera": {"source": wanted}}))
            assert "A new game." in heard[-1], heard[-1]
            table.wait(lambda game=game: table.get("state")["game"] == game)  # type: ignore[misc]
            path = path_of(tmp_path / "journal.sqlite")
            table.wait(lambda path=path, game=game: game in path.read_text())  # type: ignore[misc]
            again = restored(path, Config.model_validate(table.configured))
            assert again.camera.source == (source if game == "gomoku" else other)
            heard += [raw(table, "menu"), raw(table, "healthz")]
        while listener.poll(200):
            heard.append(b" ".join(listener.recv_multipart()).decode(errors="replace"))
        assert any('"state"' in one for one in heard)
    finally:
        listener.close(0)
        table.close()
    log.close()
    own = camera_path(path_of(tmp_path / "journal.sqlite"))
    written = {path.name: path.read_bytes() for path in files(tmp_path) if path != own}
    assert {"kibitzer.log", "journal.sqlite", "journal.choice.json"} <= written.keys()
    told = {f"answer {number}": text.encode() for number, text in enumerate(heard)}
    assert [name for name, data in (written | told).items() if SECRET.encode() in data or TYPED.encode() in data] == []
    assert b"\x1b" not in written["kibitzer.log"]
    assert own.read_text() == other
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in files(tmp_path)} == {
        path.name: 0o600 for path in files(tmp_path)
    }


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://ana:x@h:8080/video", "http://***@h:8080/video"),
        ("rtsp://ana@h/live", "rtsp://***@h/live"),
        ("http://ana:a/b?c#d@h/video", "http://***@h/video"),
        ("http://ana:12/34@h/video", "http://***@h/video"),
        ("http://ana:a/b", "http://***"),
        ("http://ana:a b@h/video", "http://***@h/video"),
        ("http://h/v?channel=2&usr=ana&pwd=x;y&resolution=640x480", "http://h/v?channel=2&usr=***&pwd=***;***"),
        ("http://h/v?c2VzYW1l", "http://h/v?***"),
        ("http://h/v?auth=a/b+c==#d", "http://h/v?auth=***#***"),
        ("rtsp://h:554/user=ana_password=x_channel=1.sdp?real_stream", "rtsp://h:554/user=***?real_stream"),
        ("http://192.168.1.7:8080/video", "http://192.168.1.7:8080/video"),
        ("http://[fe80::1]:80/v?action=stream", "http://[fe80::1]:80/v?action=stream"),
        *[(one, one) for one in ("0", "/dev/v4l/by-id/a@b=c", "none", "photos of ana@home/x y", "tcp://127.0.0.1:*")],
    ],
)
def test_an_address_is_shown_without_its_secrets(address: str, shown: str) -> None:
    found = shown_address(address)
    assert found.startswith(shown) and (found == shown or "&" in shown)
    assert shown_address(found) == found
    assert without_secrets(f"no picture ({found}): why") == f"no picture ({found}): why"


@pytest.mark.parametrize(
    "address",
    [
        f"rtsp://ana:{SECRET}@127.0.0.1:1/live?pwd={SECRET}",
        f"rtsp://ana:a/{SECRET}@127.0.0.1:1/live",
        f"http://ana:{SECRET}@127.0.0.1:1/v",
        f"http://127.0.0.1:1/a b?pwd=x {SECRET}",
        f"gopher://ana:{SECRET}@127.0.0.1/v",
    ],
)
def test_a_camera_that_cannot_be_opened_is_named_without_its_password(
    address: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(devices, "CAMERA_S", 0.1)
    caplog.set_level(logging.DEBUG)
    finding = check_camera(Config.model_validate({"camera": {"source": address}}))
    assert not finding.ok and address.partition(":")[0] in finding.text
    assert SECRET not in f"{finding.text}{caplog.text}{capfd.readouterr()}"


def test_settings_and_command_lines_are_refused_without_quoting_a_password(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'camera = "http://ana:{SECRET}@h/video"\n')
    with pytest.raises(ConfigError, match=r"camera = 'http://\*\*\*@h/video'") as refused:
        load_config(path, {})
    assert SECRET not in str(refused.value)
    assert run_from_words([path, path], f"http://ana:{SECRET}@h/video", None, new_game=False) == 2
    said = capsys.readouterr().err
    assert "http://***@h/video goes with one --config" in said and SECRET not in said


def test_a_choice_that_an_earlier_version_kept_with_its_password_is_put_right(tmp_path: Path) -> None:
    path, configured = tmp_path / "table.choice.json", Config()
    source = f"http://ana:{SECRET}@h/video"
    save(path, configured, {"game": {"name": "reversi"}})
    kept = json.loads(path.read_text())
    kept["choice"]["camera"] = {"source": source}
    path.write_text(json.dumps(kept))
    path.chmod(0o644)
    for _ in range(2):
        again = restored(path, configured)
        assert (again.game.name, again.camera.source) == ("reversi", source)
        assert SECRET not in path.read_text() and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(camera_path(path).stat().st_mode) == 0o600


def test_a_new_password_in_the_settings_counts_for_the_chosen_camera(tmp_path: Path) -> None:
    path = tmp_path / "table.choice.json"
    configured = Config.model_validate({"camera": {"source": "http://ana:old@h/video"}})
    save(path, configured, choice_of(configured) | {"game": {"name": "reversi"}})
    again = restored(path, with_source(configured, "http://ana:new@h/video"))
    assert (again.game.name, again.camera.source) == ("reversi", "http://ana:new@h/video")
    assert not camera_path(path).exists()


def test_a_choice_whose_password_is_gone_is_not_taken_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path, configured = tmp_path / "table.choice.json", Config()
    save(path, configured, {"camera": {"source": f"http://ana:{SECRET}@h/video"}})
    camera_path(path).unlink()
    assert restored(path, configured) is configured
    assert "camera.source = 'http://***@h/video': its password is not kept any more" in caplog.text


@pytest.mark.parametrize(("mode", "then"), [(0o644, 0o600), (0o664, 0o600), (0o640, 0o640), (0o600, 0o600)])
def test_a_file_that_everybody_may_read_becomes_its_owners(tmp_path: Path, mode: int, then: int) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_text("kept")
    path.chmod(mode)
    make_private(path)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("kept", then)


def test_a_folder_in_the_place_of_a_file_keeps_its_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    make_private(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_log_line_can_neither_drive_a_terminal_nor_name_a_password(log: Log, tmp_path: Path) -> None:
    try:
        raise ValueError(f"rtsp://ana:{SECRET}@h\x1b[2J")
    except ValueError:
        logging.getLogger("x").exception("one\u202e\x07\ud800 %s", f"http://h/?pwd={SECRET}")
    written = (tmp_path / "kibitzer.log").read_text("utf-8")
    assert written.splitlines()[0].endswith("E x: one http://h/?pwd=***")
    assert written.splitlines()[-1] == "ValueError: rtsp://***@h[2J" and log.failed == 0
