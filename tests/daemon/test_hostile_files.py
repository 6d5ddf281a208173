"""Names and files that would do harm: what is written goes only over what was written before, and names are refused."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from pathlib import Path

import pytest

import games
from calibration import atomic_file
from calibration.atomic_file import write_atomically
from daemon.cli import main
from daemon.cli import run as run_cli
from daemon.config.settings import Config, ConfigError, LogSection, load_config
from daemon.record.journal import Journal, JournalError
from daemon.record.live_file import LiveFile
from daemon.record.salvage import OwnerLock
from daemon.record.stored_game import rule_texts
from daemon.run.health import health_of
from daemon.run.session import Session
from daemon.supervision.logs import Log
from tests.daemon.quiet_table import quiet
from tests.waiting import wait_for

LONG = "x" * 300


def refused(folder: Path, text: str) -> str:
    """What is said of settings that are refused: one line of at most 300 letters beside the file's name."""
    file = folder / "settings.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_config(file, {})
    said = str(error.value).removeprefix(f"{file}: ")
    assert len(said) <= 300 and "\n" not in said and "pydantic" not in said
    return said


@pytest.mark.parametrize("kind", ["link", "dangling", "device", "folder", "pipe", "another"])
def test_only_a_file_of_this_user_is_replaced(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, path = tmp_path / "kept", tmp_path / "path"
    kept.write_text("before")
    match kind:
        case "link":
            path.symlink_to(kept)
        case "dangling":
            path.symlink_to(tmp_path / "nothing")
        case "device":
            path = Path(os.devnull)
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "another":
            path.write_text("before")
            monkeypatch.setattr(atomic_file.os, "geteuid", lambda: os.getuid() + 1)
    before = path.lstat()
    with pytest.raises(OSError, match="it is"):
        write_atomically(path, b"after")
    now = path.lstat()
    assert (now.st_mode, now.st_ino) == (before.st_mode, before.st_ino)
    assert kept.read_text() == "before" and not (tmp_path / "nothing").exists()
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]


@pytest.mark.parametrize(
    ("content", "is_a_game"),
    [
        (b"", True),
        (b'[Event "chess"]\n', True),
        (b"(;GM[4]", True),
        (b"[game]\nname = 'chess'\n", False),
        (b"SQLite format 3\0", False),
        (b'{"over": "1"}', False),
        (b"#!/bin/sh\n", False),
    ],
)
def test_the_live_game_is_written_over_nothing_but_a_game(tmp_path: Path, content: bytes, is_a_game: bool) -> None:
    path, record = tmp_path / "live.pgn", tmp_path / "journal.sqlite"
    path.write_bytes(content)
    with contextlib.closing(Journal(record)) as journal:
        game_id = journal.new_game("chess", rule_texts(games.load("chess")), ("Ana", "Ben"))
        with contextlib.closing(LiveFile(path, record)) as live:
            live.changed(game_id)
            if is_a_game:
                wait_for(lambda: b"Ana" in path.read_bytes())
                assert live.status()["ok"]
            else:
                wait_for(lambda: not live.status()["ok"])
                assert "something else than a game" in str(live.status()["text"])
                assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[journal]\nlive_file = "var/journal.sqlite"', "journal.path and journal.live_file name one file"),
        ('[journal]\npath = "a/../a.sqlite"\n[log]\npath = "a.sqlite"', "journal.path and log.path name one file"),
        ('[journal]\npath = "/"', "it is a folder"),
        ('[log]\npath = "/dev/null"', "a pipe or a device"),
        ('[log]\npath = "PIPE"', "a pipe or a device"),
        (f'[camera]\nsource = "{LONG}"', "file name too long"),
        (f'[log]\npath = "{LONG}"', "file name too long"),
        ('[journal]\npath = "LOOP/x"', "too many levels of symbolic links"),
        (f"[page]\nport = 0x{'f' * 6000}", "a number of thousands of digits"),
        ("[page]\nport = true", "valid integer"),
        ('[page]\nport = "12"', "valid integer"),
        ("[clock]\nminutes = true", "valid number"),
        ('[speech]\nenabled = "yes"', "valid boolean"),
        ('[page]\nhost = "256.1.1.1"', "a host is"),
        ('[page]\nhost = "a\\u0000b"', "a host is"),
        (f'[page]\nhost = "{LONG}"', "a host is"),
    ],
)
def test_settings_that_would_end_the_daemon_later_are_refused_at_once(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    text = text.replace("LOOP", str(tmp_path / "loop")).replace("PIPE", str(tmp_path / "pipe"))
    assert why in refused(tmp_path, text)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "::1", "fe80::1%eth0", "localhost", "board.local", "my_board", "0.0.0.0"]
)
def test_hosts_as_people_name_them_are_taken(tmp_path: Path, host: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f'[page]\nhost = "{host}"\n')
    assert load_config(file, {}).page.host == host


def test_variables_have_the_types_of_their_keys_and_a_section_alone_is_named(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("")
    read = load_config(
        file, {"KIBITZER_PAGE__PORT": "8080", "KIBITZER_CAMERA__SOURCE": "0", "KIBITZER_SPEECH__ENABLED": "false"}
    )
    assert (read.page.port, read.camera.source, read.speech.enabled) == (8080, "0", False)
    with pytest.raises(ConfigError, match=r"KIBITZER_CAMERA: names a section alone; .* KIBITZER_CAMERA__KEY"):
        load_config(file, {"KIBITZER_CAMERA": "x"})
    with pytest.raises(ConfigError, match=r"KIBITZER_PAGE__PORT: page.port = 'x'"):
        load_config(file, {"KIBITZER_PAGE__PORT": "x"})


def test_a_source_of_the_command_line_is_checked_as_one_of_the_settings(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="file name too long"):
        run_cli._named(Config(), LONG, None)
    with pytest.raises(ConfigError, match="file name too long"):
        run_cli._named(Config(), "", tmp_path / LONG)
    assert run_cli._named(Config(), "phone", None).camera.source == "phone"


@pytest.mark.parametrize(
    "words",
    [
        ["watch", "--game", "morris", "--source", LONG],
        ["read", LONG, "--game", "morris"],
        ["games", "list", "--journal", LONG],
        ["games", "import", LONG],
        ["relay", "http://127.0.0.1/", "--journal", LONG],
    ],
)
def test_names_too_long_for_a_path_are_refused_in_one_line(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["kibitzer", *words])
    monkeypatch.setattr(main.signal, "signal", lambda *_: None)
    hook = sys.unraisablehook
    try:
        with pytest.raises(SystemExit) as ended:
            main.run()
    finally:
        sys.unraisablehook = hook
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert ended.value.code == 2 and len(said) <= 300
    assert "too long" in said.lower() or "cannot be read" in said


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_lock_that_is_a_link_or_a_pipe_is_refused_and_its_target_kept(tmp_path: Path, kind: str) -> None:
    record, target = tmp_path / "journal.sqlite", tmp_path / "target"
    target.write_text("kept")
    lock = tmp_path / "journal.sqlite.lock"
    lock.symlink_to(target) if kind == "link" else os.mkfifo(lock)
    with pytest.raises(JournalError):
        OwnerLock(record)
    assert target.read_text() == "kept"


HOSTILE = "ready\n2026-01-01 00:00:00,000 I daemon: all is well\x1b[2J\x07\u202e"


def test_what_parts_say_from_outside_is_shown_on_one_line_without_hidden_signs(tmp_path: Path) -> None:
    with contextlib.closing(Session(quiet(tmp_path, page={"enabled": False}), games.load("morris"))) as session:
        session.services.reports["voice server"] = lambda: {"ok": False, "text": HOSTILE, "names": [HOSTILE]}
        session.camera_trouble = HOSTILE
        health = health_of(session)
        for part in (health["voice server"], *health.values()):
            assert not {"\n", "\x1b", "\x07", "\u202e"} & set(str(part["text"]))


def test_no_text_from_outside_looks_like_a_line_of_the_log(tmp_path: Path) -> None:
    path = tmp_path / "kibitzer.log"
    with contextlib.closing(Log(LogSection(path=str(path)))):
        logging.getLogger("daemon.voice").warning("%s", HOSTILE)
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    assert "ready" in first and rest and all(line.startswith("    ") for line in rest)
    assert not {"\x1b", "\x07", "\u202e"} & set(path.read_text(encoding="utf-8"))
