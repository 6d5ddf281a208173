"""Each check, on machines that lack what it looks for."""

from __future__ import annotations

import base64
import datetime
import hashlib
import http.server
import importlib.metadata
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from calibration.template import BoardTemplate
from daemon.checks import devices, machine, network, table
from daemon.config.settings import Config
from system import processes
from system.weights import WeightsError
from vision.frame import FrameSource


def settings(**sections: dict[str, object]) -> Config:
    return Config.model_validate(sections)


def program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def only_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the only one on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    processes.run(["true"])  # begins the guard of all processes, which needs a shell
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_small_computer_is_told_what_to_leave_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 1000000 kB\nMemAvailable:  300000 kB\n")
    monkeypatch.setattr(machine.os, "sched_getaffinity", lambda _pid: {0})
    found = machine.check_computer(Config(), meminfo)
    assert not found.ok and "1 cores, 300 MB" in found.text
    assert "camera.rate_hz = 8" in found.text and "end other programs" in found.text
    assert "memory" not in machine.check_computer(Config(), tmp_path / "absent").text


def test_clock_that_was_never_set_is_told_with_the_command_that_sets_it() -> None:
    found = machine.check_clock(Config(), 0.0)
    assert not found.ok and "timedatectl" in found.text
    assert machine.check_clock(Config(), datetime.datetime(2027, 1, 1, tzinfo=datetime.UTC).timestamp()).ok


def test_record_without_room_or_that_is_no_record_is_told(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    assert machine.check_record(settings(journal={"path": str(path)})).ok
    full = settings(journal={"path": str(path)}, supervision={"free_mb": 1_000_000})
    assert "make room" in machine.check_record(full).text
    path.write_text("this is a letter, and no record", encoding="utf-8")
    found = machine.check_record(settings(journal={"path": str(path)}))
    assert not found.ok and str(path) in found.text


def test_folder_that_cannot_be_written_is_told_with_what_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine.os, "access", lambda _path, _mode: False)
    config = settings(
        log={"path": str(tmp_path / "log" / "a.log")}, bundles={"enabled": True, "folder": str(tmp_path / "b")}
    )
    found = machine.check_folders(config, tmp_path)
    assert not found.ok
    for loss in ("searches are compiled anew", "there is no log", "no bundles are kept", f"chown $USER {tmp_path}"):
        assert loss in found.text


@pytest.mark.parametrize(
    ("exposed", "mode", "told"),
    [
        ("table", 0o755, ""),
        ("table", 0o775, ""),
        ("table", 0o1777, ""),
        ("table", 0o777, "every user may write {}: chmod o-w {}"),
        (".", 0o777, "every user may write {}: chmod o-w {}"),
        ("table.toml", 0o666, "every user may write {}: chmod o-w {}"),
    ],
)
def test_folder_that_everybody_may_write_is_told_with_the_command_that_closes_it(
    tmp_path: Path, exposed: str, mode: int, told: str
) -> None:
    inside, file = tmp_path / "in", tmp_path / "in" / "table.toml"
    folder = inside / "table"
    folder.mkdir(parents=True)
    file.touch()
    config = settings(journal={"path": str(folder / "record.sqlite")}, phone={"folder": str(folder / "phone")})
    (inside / exposed).chmod(mode)
    found = machine.check_owners(config, file)
    assert found.ok is not bool(told)
    if told:
        assert found.text == told.format(*[(inside / exposed).resolve()] * 2)


def test_folder_of_another_user_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, file = settings(journal={"path": str(tmp_path / "record.sqlite")}), tmp_path / "table.toml"
    real = Path.stat

    def stat(path: Path, **more: bool) -> os.stat_result:
        found = list(real(path, **more))
        found[4] = os.geteuid() + 1 if path == tmp_path else found[4]
        return os.stat_result(found)

    monkeypatch.setattr(Path, "stat", stat)
    found = machine.check_owners(config, file)
    assert not found.ok and found.text == f"{tmp_path} belongs to another user: sudo chown $USER {tmp_path}"


def test_unit_that_is_written_is_found(tmp_path: Path) -> None:
    assert "kibitzer service install" in machine.check_service(Config(), (tmp_path,)).text or not machine.shutil.which(
        "systemctl"
    )
    (tmp_path / "kibitzer.service").touch()
    assert machine.check_service(Config(), (tmp_path,)).text == str(tmp_path / "kibitzer.service")


@pytest.mark.usefixtures("only_path")
def test_voice_without_its_programs_comes_with_the_command_that_installs_them() -> None:
    found = devices.check_voice(Config())
    assert not found.ok and "espeak-ng and aplay not found" in found.text and "apt-get install" in found.text
    assert devices.check_voice(settings(speech={"enabled": False})).ok


def test_language_that_no_voice_speaks_is_told(only_path: Path) -> None:
    program(only_path, "aplay", "exit 0")
    program(only_path, "espeak-ng", "echo 'Pty Language'")
    assert "no voice speaks pl" in devices.check_voice(settings(speech={"language": "pl"})).text
    program(only_path, "espeak-ng", "echo 'Pty Language'; echo ' 5 pl'")
    assert devices.check_voice(settings(speech={"language": "pl"})).ok


def test_sound_is_tried_and_what_the_player_says_is_passed_on(only_path: Path, tmp_path: Path) -> None:
    cards = tmp_path / "cards"
    cards.write_text("0 [Speaker]", encoding="utf-8")
    program(only_path, "aplay", "echo 'audio open error: Device or resource busy' >&2; exit 1")
    found = devices.check_sound(Config(), cards)
    assert not found.ok and "Device or resource busy" in found.text and "usermod -aG audio" in found.text
    program(only_path, "aplay", "exit 0")
    assert devices.check_sound(Config(), cards).ok
    assert "no sound card" in devices.check_sound(Config(), tmp_path / "absent").text
    assert devices.check_sound(settings(speech={"device": "plughw:1"}), tmp_path / "absent").text == "plughw:1"


def test_player_that_hangs_is_told(only_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "PLAY_S", 0.2)
    program(only_path, "aplay", "exec /bin/sleep 60")
    assert "hangs" in devices.check_sound(settings(speech={"device": "plughw:1"})).text


def test_cameras_that_this_user_may_not_use_come_with_the_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert devices.check_cameras(Config(), tmp_path, tmp_path).text == "none on a cable"
    (tmp_path / "video0").touch()
    assert devices.check_cameras(Config(), tmp_path, tmp_path).ok
    monkeypatch.setattr(devices.os, "access", lambda _path, _mode: False)
    assert "usermod -aG video" in devices.check_cameras(Config(), tmp_path, tmp_path).text


def test_driver_that_hangs_while_opening_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    again = threading.Event()

    def hang(*_words: object, **_options: object) -> FrameSource:
        again.wait(20)
        raise OSError("late")

    monkeypatch.setattr(devices, "open_source", hang)
    monkeypatch.setattr(devices, "OPEN_S", 0.05)
    found = devices.check_camera(Config())
    again.set()
    assert not found.ok and "its driver hangs; unplug" in found.text


@pytest.fixture
def daemon_page() -> Iterator[int]:
    """An HTTP server that answers like a running daemon."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b'{"parts": {"process": {"pid": 4711, "text": "up for 3 h"}}}'
            self.send_response(503)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


FREE = {"state": "tcp://127.0.0.1:*", "reply": "tcp://127.0.0.1:*"}


def test_port_in_use_is_told_with_who_has_it(daemon_page: int) -> None:
    found = network.check_ports(settings(page={"port": daemon_page}, bus=FREE))
    assert not found.ok and "a kibitzer runs there already, process 4711, up for 3 h" in found.text


def test_port_that_another_program_has_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        found = network.check_ports(settings(page={"enabled": False}, bus=FREE | {"state": f"tcp://127.0.0.1:{port}"}))
    assert not found.ok and f"state 127.0.0.1:{port}" in found.text


def test_bus_address_that_would_be_refused_is_told() -> None:
    found = network.check_ports(settings(page={"enabled": False}, bus=FREE | {"state": "tcp://0.0.0.0:5555"}))
    assert not found.ok and "0.0.0.0" in found.text


def test_keys_that_are_wanted_and_not_there_come_with_the_command(tmp_path: Path) -> None:
    keys = settings(bus={"keys": str(tmp_path / "keys")})
    assert "kibitzer keys new" in network.check_keys(keys).text
    (tmp_path / "keys").mkdir(mode=0o755)
    assert "chmod 700" in network.check_keys(keys).text
    (tmp_path / "keys").chmod(0o700)
    assert network.check_keys(keys).ok and network.check_keys(Config()).ok


def test_profile_that_is_missing_or_broken_is_told(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    for text in (None, b"no profile"):
        if text is not None:
            path.write_bytes(text)
        found = table.check_profile(settings(board={"profile": str(path)}))
        assert not found.ok and str(path) in found.text and "kibitzer calibrate" in found.text
    assert table.check_profile(Config()).ok


def test_agents_are_asked_for_a_move() -> None:
    assert table.check_players(settings(players={"second": {"agent": ""}})).text == "two people"
    found = table.check_players(settings(players={"second": {"agent": "random"}}))
    assert found.ok and found.text == "random answers"
    found = table.check_players(settings(players={"second": {"agent": "nosuch"}}))
    assert not found.ok and "there is no agent 'nosuch'" in found.text
    found = table.check_players(settings(players={"second": {"agent": "external", "options": {"engine": "mine"}}}))
    assert not found.ok and "engines" in found.text


def test_game_that_there_is_not_is_told() -> None:
    assert not table.check_game(settings(game={"name": "ludo"})).ok


def test_folder_of_searches_that_others_may_write_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert machine.check_folders(Config(), tmp_path).ok
    tmp_path.chmod(0o770)
    found = machine.check_folders(Config(), tmp_path)
    assert not found.ok and f"others may write {tmp_path}" in found.text


def test_installed_files_are_compared_with_what_was_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board, digest = tmp_path / "board.toml", base64.urlsafe_b64encode(hashlib.sha256(b"whole").digest()).decode()
    noted = importlib.metadata.PackagePath("board.toml")
    noted.hash = importlib.metadata.FileHash(f"sha256={digest.rstrip('=')}")
    noted.dist = importlib.metadata.PathDistribution(tmp_path / "kibitzer.dist-info")
    monkeypatch.setattr(machine.importlib.metadata, "files", lambda _name: [noted])
    monkeypatch.setattr(machine.paths, "IN_CHECKOUT", False)
    for content, text in ((b"whole", "1 files intact"), (b"whale", "damaged or missing"), (None, "damaged or missing")):
        board.unlink(missing_ok=True)
        if content is not None:
            board.write_bytes(content)
        found = machine.check_program(Config())
        assert text in found.text and found.ok == (content == b"whole")
    assert str(board) in found.text


def test_a_damaged_learnt_file_is_told_even_if_this_game_needs_it_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "files intact" in table.check_models(Config()).text

    def damaged() -> int:
        raise WeightsError("neural_morris.onnx: its sha256 is wrong")

    monkeypatch.setattr(table, "check_all", damaged)
    found = table.check_models(Config())
    assert not found.ok and found.text == "neural_morris.onnx: its sha256 is wrong"


def test_what_reads_the_cells_of_the_game_at_the_table_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(template: BoardTemplate, _profile: None) -> None:
        raise WeightsError(f"the head of {template.game} is damaged")

    monkeypatch.setattr(table, "Pipeline", damaged)
    found = table.check_models(settings(game={"name": "dominoes"}))
    assert not found.ok and found.text == "the head of double_double_dominoes is damaged"
