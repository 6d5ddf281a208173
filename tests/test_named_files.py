"""Files that people name: only regular ones are read, and no more of them than they may have."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from agents import certificates, engines, mates, programs, solve_cli
from agents.arena.record import Record
from agents.morris_networks.good_moves import read_good_moves
from calibration import annotations
from calibration.labels import read_labels
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.bundles.bundle_file import BundleFile
from daemon.config.settings import ConfigError, load_config
from daemon.page.token import page_token
from daemon.record.formats.dominoes import _unpack
from daemon.record.formats.reading import read_game
from system import named_files
from vision.sources.files import read_photo

READERS = {
    "settings": load_config,
    "engines": engines.read,
    "profile": TableProfile.load,
    "labels": lambda path: read_labels(path, load_template("reversi")),
    "annotation": annotations.read_annotation,
    "photo": read_photo,
    "bundle": BundleFile,
    "board": programs.read_board,
    "key": certificates.read,
    "endgames": solve_cli.read_obf,
    "mates": lambda path: list(mates.read_positions(path)),
    "good moves": read_good_moves,
    "imported game": read_game,
    "imported tiles": lambda path: _unpack(path, path.parent),
    "token": page_token,
    "arena record": lambda path: Record({}, path),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_is_no_regular_file_is_refused_by_every_reader(tmp_path: Path, name: str, kind: str) -> None:
    path = Path("/dev/zero")
    if kind == "pipe":
        path = tmp_path / "pipe"
        os.mkfifo(path)
        keeps_it_open = os.open(path, os.O_RDWR)  # a reader that waits for its end would wait for ever
    with pytest.raises((OSError, ValueError), match="it is a pipe or a device, not a file"):
        READERS[name](path)
    if kind == "pipe":
        os.close(keeps_it_open)


def test_sockets_folders_and_missing_files_are_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(str(tmp_path / "socket"))
    for name in ("socket", "absent", ".", "zero\0byte"):
        with pytest.raises(OSError):
            named_files.read_bytes(tmp_path / name, 10)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(OSError, match=r"it is larger than 1,000 bytes"):
        named_files.read_bytes(path, 1000)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 20_000 + "]" * 20_000, "is not TOML: its values are nested too deeply"),
        ("[camera]\nwidth_px = " + "9" * 5000, "is not TOML: Exceeds the limit"),
        ("[camera]\nwidth_px = \n", "is not TOML: Invalid value"),
        ("#" * 70_000, "larger than 65,536 bytes"),
    ],
)
def test_settings_that_nobody_can_read_are_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=said) as refused:
        load_config(path)
    assert "\n" not in str(refused.value)


def test_settings_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b'\xef\xbb\xbf[camera]\nsource = "none"\n')
    assert load_config(path).camera.source == "none"


@pytest.mark.parametrize("value", ["[" * 20_000 + "]" * 20_000, "[" + "9" * 5000 + "]"])
def test_a_variable_that_is_no_value_is_refused_by_its_name(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigError, match="KIBITZER_CAMERA__WIDTH_PX"):
        load_config(environment={"KIBITZER_CAMERA__WIDTH_PX": value})
