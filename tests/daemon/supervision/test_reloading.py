"""Settings read again: what takes effect at once, what waits for a restart, what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from daemon.config.settings import Config, load_config
from daemon.supervision.reloading import AT_ONCE, AT_RESTART, read_again, takes_effect
from tests.daemon.test_config import keys

ROOT = Path(__file__).parents[3]
EVERY_KEY = [*(f"{section}.{key}" for section, key in keys("", Config)), "engines"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text("[eyes]\nsettle_s = 0.5\n[page]\nport = 8765\n", encoding="utf-8")
    return path


def test_unchanged_settings_change_nothing(file: Path) -> None:
    now = load_config(file)
    reading = read_again(file, now)
    assert (reading.config, reading.taken, reading.waiting, reading.fault) == (now, (), (), "")
    assert reading.text == reading.spoken == "The settings are as they were."


def test_some_take_effect_at_once_and_others_keep_their_value_until_the_next_start(file: Path) -> None:
    now = load_config(file)
    file.write_text(
        '[eyes]\nsettle_s = 0.8\n[page]\nport = 8000\n[players.second]\nagent = "random"\n', encoding="utf-8"
    )
    reading = read_again(file, now)
    assert set(reading.taken) == {"eyes.settle_s", "players.second.agent"} and reading.waiting == ("page.port",)
    assert (reading.config.eyes.settle_s, reading.config.page.port) == (0.8, 8765)
    assert reading.config.players.second.agent == "random"
    assert reading.text == "New settings: players.second.agent, eyes.settle_s. page.port waits for a restart."
    assert reading.spoken == "The new settings are in force; some wait for a restart."
    again = read_again(file, reading.config)
    assert again.taken == () and again.waiting == ("page.port",)


@pytest.mark.parametrize(
    "text", ["[eyes]\nsettle_s = 99\n", "[eyez]\n", "[eyes\n", '[players]\nfirst.seat="top"\nsecond.seat="top"\n']
)
def test_wrong_settings_change_nothing_and_are_named(file: Path, text: str) -> None:
    now = load_config(file)
    file.write_text(text, encoding="utf-8")
    reading = read_again(file, now)
    assert reading.config is now and reading.taken == () and str(file) in reading.fault
    assert reading.spoken == "The new settings are wrong. I keep the old ones."


def test_file_that_is_gone_changes_nothing(file: Path) -> None:
    now = load_config(file)
    file.unlink()
    assert "cannot be read" in read_again(file, now).fault


def test_tables_of_options_change_as_a_whole(file: Path) -> None:
    now = load_config(file)
    file.write_text(
        "[players.first.options]\nseed = 3\n[engines.mine]\nprotocol = 'uci'\ncommand = ['x']\n", encoding="utf-8"
    )
    reading = read_again(file, now)
    assert "players.first.options" in reading.taken and reading.waiting == ("engines",)


@pytest.mark.parametrize("key", EVERY_KEY)
def test_of_every_key_it_is_decided_when_it_takes_effect(key: str) -> None:
    sections = {key, key.partition(".")[0]}
    at_once, at_restart = sections & set(AT_ONCE), sections & set(AT_RESTART)
    assert bool(at_once) != bool(at_restart), f"{key} stands in neither or both of AT_ONCE and AT_RESTART"
    assert takes_effect(key) == bool(at_once)


def test_documentation_has_the_same_table() -> None:
    text = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z_.]+)` \| (at once: .+|at the next start: .+) \|$", text, re.MULTILINE))
    wanted = {key: f"at once: {how}" for key, how in AT_ONCE.items()}
    wanted |= {key: f"at the next start: {why}" for key, why in AT_RESTART.items()}
    assert rows == wanted
