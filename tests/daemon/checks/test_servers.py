"""What `kibitzer doctor` says about Wyoming servers, and about who writes down what is said."""

from __future__ import annotations

import importlib.util

import pytest

from daemon.checks import network
from daemon.config.settings import Config

pytest.importorskip("wyoming", reason="no Wyoming server: the package wyoming is not installed")

from tests.daemon.test_wyoming_voice import answering, line
from tests.daemon.wyoming_server import serving


def settings(**sections: dict[str, object]) -> Config:
    return Config.model_validate(sections)


def test_a_server_with_a_voice_for_the_language_is_right() -> None:
    with serving() as server:
        address = f"wyoming://127.0.0.1:{server.port}"
        found = network.check_voice_server(settings(speech={"voice": address, "language": "pt-br"}))
        assert found.ok and found.text == f"{address}, language pt-br"
        deaf = network.check_listening(settings(listening={"enabled": True, "recogniser": address}))
        assert not deaf.ok and "offers no models" in deaf.text


@pytest.mark.parametrize(
    ("info", "fault"),
    [
        ({"tts": [{"voices": [{"languages": ["de_DE"], "installed": True}]}]}, "does not know ro, only de_DE"),
        ({"tts": [{"voices": [{"languages": ["ro_RO"], "installed": False}]}]}, "offers no voices"),
        ({"tts": "rubbish"}, "offers no voices"),
        ({"tts": [7]}, "offers no voices"),
        ({}, "offers no voices"),
    ],
)
def test_a_server_without_a_voice_for_the_language_is_told(info: dict[str, object], fault: str) -> None:
    with answering(lambda one: one.sendall(line({"type": "info", "data": info}))) as (host, port):
        found = network.check_voice_server(settings(speech={"voice": f"wyoming://{host}:{port}", "language": "ro"}))
    assert not found.ok and fault in found.text


def test_a_server_that_does_not_answer_is_told() -> None:
    with answering(lambda _: None) as (host, port):
        found = network.check_voice_server(settings(speech={"voice": f"wyoming://{host}:{port}"}))
    assert not found.ok and "closes the connection" in found.text


def test_who_writes_down_what_is_said_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert network.check_listening(Config()).text == "switched off in the settings"
    assert network.check_voice_server(Config()).ok
    on = {"enabled": True}
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert "pip install" in network.check_listening(settings(listening=on)).text
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())
    assert network.check_listening(settings(listening=on)).ok
    polish = network.check_listening(settings(listening=on, speech={"language": "pl"}))
    assert not polish.ok and "English alone, not pl" in polish.text
