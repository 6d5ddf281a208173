"""The settings: documented, complete, and strict."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents import engines
from agents.agent import AgentError
from daemon.checks import CheckResult
from daemon.checks.devices import check_camera
from daemon.config.settings import SHIPPED, Config, ConfigError, EngineSection, load_config


def keys(section: str, model: type) -> list[tuple[str, str]]:
    found = []
    for name, field in model.model_fields.items():
        if name == "engines":
            continue  # keys are the user's own names; the example has a test of its own
        if hasattr(field.annotation, "model_fields"):
            found += keys(f"{section}.{name}".strip("."), field.annotation)
        else:
            found.append((section, name))
    return found


def test_shipped_file_says_exactly_the_defaults() -> None:
    assert load_config(SHIPPED) == Config()


@pytest.mark.parametrize(("section", "key"), keys("", Config))
def test_every_key_stands_in_the_shipped_file_with_a_comment(section: str, key: str) -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    body = text.split(f"[{section}]", 1)[1]
    body = re.split(r"^\[", body, maxsplit=1, flags=re.MULTILINE)[0]
    assert re.search(rf"^{key} = .+# \S", body, re.MULTILINE), f"{section}.{key} is not documented"


def test_the_example_of_an_engine_in_the_shipped_file_is_accepted_by_daemon_and_workers(tmp_path: Path) -> None:
    example = SHIPPED.read_text(encoding="utf-8").split("this is one:\n", 1)[1]
    path = write(tmp_path, re.sub(r"^# ", "", example, flags=re.MULTILINE))
    engine = load_config(path).engines["sanmill"]
    assert set(EngineSection.model_fields) == {key for key in EngineSection.model_fields if f"# {key} = " in example}
    read = engines.read(path)["sanmill"]
    assert (read.protocol, list(read.command), read.timeout_s) == (engine.protocol, engine.command, engine.timeout_s)


@pytest.mark.parametrize(
    "text",
    [
        'protocol = "chess"\ncommand = ["x"]',
        'protocol = "uci"\ncommand = []',
        'protocol = "uci"\ncommand = "x"',
        'protocol = "uci"',
        'protocol = "uci"\ncommand = ["x"]\ntimeout_s = 0.0',
        'protocol = "uci"\ncommand = ["x"]\nshell = true',
    ],
)
def test_a_wrong_engine_is_refused_by_daemon_and_workers_with_its_key(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, f"[engines.mine]\n{text}\n")
    with pytest.raises(ConfigError, match=r"engines\.mine"):
        load_config(path)
    with pytest.raises(AgentError, match=r"engines\.mine"):
        engines.read(path)


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("section", "line", "named"),
    [
        ("eyes", "setle_s = 1", "eyes.setle_s: there is no such key"),
        ("eyes", "settle_s = 99", "eyes.settle_s = 99"),
        ("game", "deal_seed = -1", "game.deal_seed = -1"),
        ("players.first", f'name = "{"x" * 65}"', "players.first.name"),
        ("players.second", 'seat = "north"', "players.second.seat = 'north'"),
        ("players", 'first.seat = "top"\nsecond.seat = "top"', "both seats are 'top'"),
        ("clock", 'control = "hourglass"', "clock.control = 'hourglass'"),
        ("clock", "minutes = 0.0", "clock.minutes = 0.0"),
        ("clock", "minutes = 2000", "clock.minutes = 2000"),
        ("clock", "increment_s = -1", "clock.increment_s = -1"),
        ("clock", "warn_s = [0.5]", "clock.warn_s.0 = 0.5"),
        ("clock", "warn_s = [1, 2, 3, 4, 5, 6]", "clock.warn_s"),
        ("clock", 'lose = "perhaps"', "clock.lose = 'perhaps'"),
        ("clock", "seconds = 5", "clock.seconds: there is no such key"),
        ("speech", 'verbosity = "loud"', "speech.verbosity"),
        ("speech", "command_s = 0.5", "speech.command_s"),
        ("speech", "command_s = 121", "speech.command_s"),
        ("speech", 'command = "piper"', "speech.command"),
        ("speech", 'language = "de"', "speech.language"),
        ("supervision", "stuck_s = 0.5", "supervision.stuck_s = "),
        ("supervision", "stuck_s = 601", "supervision.stuck_s = "),
        ("supervision", "end_s = -1", "supervision.end_s = "),
        ("supervision", "end_s = 3601", "supervision.end_s = "),
        ("supervision", "free_mb = 0", "supervision.free_mb = "),
        ("supervision", "stuck_s = 20.0\nend_s = 20.0", "end_s = 20 must be 0 or more than stuck_s = 20"),
        ("log", 'level = "loud"', "log.level = "),
        ("log", "size_mb = 0", "log.size_mb = "),
        ("log", "files = 0", "log.files = "),
        ("log", "files = 101", "log.files = "),
        ("log", "repeats = 0", "log.repeats = "),
        ("log", f'path = "{"x" * 5000}"', "log.path = "),
    ],
)
def test_a_wrong_setting_is_refused_with_its_key_and_value(tmp_path: Path, section: str, line: str, named: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(named)):
        load_config(write(tmp_path, f"[{section}]\n{line}\n"))


def test_a_process_that_is_never_ended_may_be_told_to_hang(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, "[supervision]\nstuck_s = 20.0\nend_s = 0.0\n")).supervision.end_s == 0


def test_a_switch_that_is_gone_may_stand_there_as_off_and_is_refused_as_on(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, "[vision]\nadapt = false\n"), {}) == Config()
    with pytest.raises(ConfigError, match="vision: there is no such key"):
        load_config(write(tmp_path, "[vision]\nadapt = true\n"), {})


@pytest.mark.parametrize("network", ["proxy.local", "10.0.0.1/8", "", "127.0.0.1:80"])
def test_a_trusted_proxy_is_an_address_or_a_network(tmp_path: Path, network: str) -> None:
    with pytest.raises(ConfigError, match=rf"page\.trusted_proxies\.1 = '{network}'"):
        load_config(write(tmp_path, f'[page]\ntrusted_proxies = ["10.0.0.0/8", "{network}"]\n'))


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, "[eyes]\nsettle_s = 99\n[page]\nport = -1\n"))
    assert "settle_s" in str(caught.value)
    assert "page.port" in str(caught.value)


@pytest.mark.parametrize("text", ["[eyes\n", "\x00", "a = = 1"])
def test_broken_toml_is_refused_with_the_file_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"config\.toml"):
        load_config(write(tmp_path, text))


def test_missing_file_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="absent"):
        load_config(tmp_path / "absent.toml")


def test_a_seat_is_a_side_of_the_board(tmp_path: Path) -> None:
    players = '[players.first]\nseat = "bottom"\n[players.second]\nseat = "top"\n'
    assert load_config(write(tmp_path, players)).players.second.seat == "top"


def test_no_camera_is_a_camera_that_may_be_named(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, '[camera]\nsource = "none"\n'))
    assert check_camera(config) == CheckResult("camera", True, "none is wanted: moves are made on the page or told")


def test_the_environment_overrides_a_file_key_by_key(tmp_path: Path) -> None:
    path = write(tmp_path, '[camera]\nsource = "0"\nrate_hz = 10.0\n[players.second]\nagent = "mcts"\n')
    environment = {
        "KIBITZER_CAMERA__SOURCE": "none",
        "KIBITZER_PAGE__PORT": "9000",
        "KIBITZER_PAGE__WINDOW": "false",
        "KIBITZER_SPEECH__COMMAND": '["piper", "-m", "ro.onnx"]',
        "KIBITZER_PLAYERS__SECOND__TIME_S": "0.5",
        "KIBITZER_GAME__RULES": "{ flying = true }",
        "KIBITZER_TABLES": "/srv/tables",
        "OTHER_CAMERA__SOURCE": "1",
    }
    found = load_config(path, environment)
    assert (found.camera.source, found.camera.rate_hz) == ("none", 10.0)
    assert (found.page.port, found.page.window) == (9000, False)
    assert found.speech.command == ["piper", "-m", "ro.onnx"]
    assert (found.players.second.agent, found.players.second.time_s) == ("mcts", 0.5)
    assert found.game.rules == {"flying": True}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CAMERA__RATE_HZ", "fast"),
        ("CAMERA__RATE", "9"),
        ("CAM__RATE_HZ", "9"),
        ("CLOCK__WARN_S", "[5"),
        ("BUS__", "x"),
    ],
)
def test_a_wrong_variable_is_refused_by_its_name(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"^KIBITZER_{name}: "):
        load_config(write(tmp_path, ""), {f"KIBITZER_{name}": value})


def test_a_fault_of_the_file_is_not_blamed_on_the_environment(tmp_path: Path) -> None:
    path = write(tmp_path, "[eyes]\nsettle_s = 99\n")
    with pytest.raises(ConfigError, match=rf"^{path}: eyes\.settle_s"):
        load_config(path, {"KIBITZER_CAMERA__SOURCE": "none"})


@pytest.mark.parametrize(
    "key", ["board.profile", "bus.keys", "page.token", "journal.path", "log.path", "bundles.folder"]
)
def test_a_path_that_no_file_can_have_is_refused_by_its_key(key: str) -> None:
    section, name = key.split(".")
    for path, why in (("~nosuchuser-here/x", "home folder"), ("a\0b", "zero byte")):
        with pytest.raises(ConfigError, match=why) as refused:
            load_config(environment={f"KIBITZER_{section}__{name}".upper(): path})
        assert key in str(refused.value)
