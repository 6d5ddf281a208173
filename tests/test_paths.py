"""Tests where files are kept in a checkout and in an installation."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.config.settings import Config
from system import paths

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Environment of a user who has installed Kibitzer, on a computer without system-wide settings."""
    for name in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.delenv("CACHE_DIRECTORY", raising=False)
    monkeypatch.setattr(paths, "FOR_ALL", tmp_path / "etc")
    return tmp_path


def test_in_a_checkout_everything_lies_beside_the_program(home: Path) -> None:
    assert paths.IN_CHECKOUT
    assert paths.settings_file() == ROOT / "config.toml"
    assert paths.state_folder() == ROOT / "var"
    assert paths.resolved(Config().journal.path) == ROOT / "var" / "journal.sqlite"
    assert paths.resolved("tables/kitchen.npz") == ROOT / "tables" / "kitchen.npz"
    assert paths.cache_folder(".numba_cache") == ROOT / ".numba_cache"


def test_installed_the_record_lies_in_the_state_folder_and_caches_in_the_cache(home: Path) -> None:
    assert paths.resolved(Config().journal.path, False) == home / "state" / "kibitzer" / "journal.sqlite"
    assert paths.resolved("kitchen.npz", False) == home / "state" / "kibitzer" / "kitchen.npz"
    assert paths.resolved("/srv/var/journal.sqlite", False) == Path("/srv/var/journal.sqlite")
    assert paths.cache_folder(".numba_cache", False) == home / "cache" / "kibitzer" / "numba_cache"
    assert paths.cache_folder("var/tables", False) == home / "cache" / "kibitzer" / "tables"


def test_a_service_keeps_its_state_where_systemd_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/kibitzer:/var/lib/other")
    monkeypatch.setenv("CACHE_DIRECTORY", "/var/cache/kibitzer")
    assert paths.resolved("var/journal.sqlite", False) == Path("/var/lib/kibitzer/journal.sqlite")
    assert paths.cache_folder("tables", False) == Path("/var/cache/kibitzer/tables")


def test_ones_own_settings_come_before_everybodys_and_these_before_the_shipped_ones(home: Path) -> None:
    assert paths.settings_file(False) == paths.SHIPPED
    for folder in (home / "etc", home / "config" / "kibitzer"):
        folder.mkdir(parents=True)
        (folder / "config.toml").touch()
        assert paths.settings_file(False) == folder / "config.toml"


def test_a_record_of_the_checkout_is_named_until_there_is_one_in_the_new_place(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = home / "checkout" / "var" / "journal.sqlite"
    old.parent.mkdir(parents=True)
    monkeypatch.chdir(home / "checkout")
    assert paths.left_behind("var/journal.sqlite", False) is None
    old.touch()
    assert paths.left_behind("var/journal.sqlite", False) == old
    assert paths.left_behind("var/journal.sqlite", True) is None
    new = paths.resolved("var/journal.sqlite", False)
    new.parent.mkdir(parents=True)
    new.touch()
    assert paths.left_behind("var/journal.sqlite", False) is None
