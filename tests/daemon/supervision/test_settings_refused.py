"""Refused values of supervision and log settings are named by key; what SIGHUP from a closed terminal does."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from daemon.cli import run as run_cli
from daemon.config.settings import ConfigError, load_config


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("supervision", "stuck_s", "0.5"),
        ("supervision", "stuck_s", "601"),
        ("supervision", "end_s", "-1"),
        ("supervision", "end_s", "3601"),
        ("supervision", "free_mb", "0"),
        ("log", "level", '"loud"'),
        ("log", "size_mb", "0"),
        ("log", "files", "0"),
        ("log", "files", "101"),
        ("log", "repeats", "0"),
        ("log", "path", f'"{"x" * 5000}"'),
    ],
)
def test_value_out_of_range_is_refused_by_name(tmp_path: Path, section: str, key: str, value: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"[{section}]\n{key} = {value}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"{section}\.{key} = "):
        load_config(path)


def test_end_before_it_is_told_is_refused_with_both_values(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("[supervision]\nstuck_s = 20.0\nend_s = 20.0\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"end_s = 20 must be 0 or more than stuck_s = 20"):
        load_config(path)
    path.write_text("[supervision]\nstuck_s = 20.0\nend_s = 0.0\n", encoding="utf-8")
    assert load_config(path).supervision.end_s == 0


@pytest.mark.parametrize(
    ("had_terminal", "has_terminal", "ends"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_hang_up_reads_the_settings_and_ends_only_what_lost_its_terminal(
    monkeypatch: pytest.MonkeyPatch, had_terminal: bool, has_terminal: bool, ends: bool
) -> None:
    monkeypatch.setattr(run_cli.os, "isatty", lambda _file: has_terminal)
    daemon: Any = SimpleNamespace(wants_reading=False)
    stop = threading.Event()
    run_cli._hang_up(daemon, stop, had_terminal)
    assert daemon.wants_reading and stop.is_set() == ends
