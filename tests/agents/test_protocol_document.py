"""docs/protocol.md is right: its example program plays, and its tables list every field."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agents import engines, messages, protocols
from agents.protocols import gtp
from tests.agents.fake_bus import bus, program, state

DOCUMENT = Path(__file__).parents[2] / "docs" / "protocol.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")


def test_the_worker_in_the_document_plays(tmp_path: Path) -> None:
    source = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)[0]
    assert len(source.splitlines()) <= 24
    assert set(re.findall(r"^import (.*)$", source, re.MULTILINE)[0].split(", ")) == {"json", "random", "sys", "zmq"}
    stranger = tmp_path / "stranger.py"
    stranger.write_text(source, encoding="utf-8")
    with bus() as daemon:
        first = state(1, agent="mascot")
        daemon.publish(first)
        with program("-I", stranger, *daemon.endpoints):
            _, ready = daemon.wait_for("ready")
            assert isinstance(messages.decode_from_worker(_bytes(ready)), messages.ReadyMessage)
            _, reply = daemon.wait_for("reply")
            checked = messages.decode_from_worker(_bytes(reply))
            assert isinstance(checked, messages.ReplyMessage)
            assert (checked.agent, checked.sequence) == ("mascot", 1)
            assert checked.move in first.legal_moves
            daemon.publish(state(2, "d2", agent="random"))
            _, beat = daemon.wait_for("heartbeat")
            assert isinstance(messages.decode_from_worker(_bytes(beat)), messages.HeartbeatMessage)
            following = state(3, "d2 f4", agent="mascot")
            daemon.publish(following)
            assert daemon.wait_for("reply")[1]["move"] in following.legal_moves


def test_the_worker_in_the_document_joins_again_and_answers_again_where_it_is_unknown(tmp_path: Path) -> None:
    """As after a new opening of the bus, when no state is new."""
    stranger = tmp_path / "stranger.py"
    stranger.write_text(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)[0], encoding="utf-8")
    with bus() as daemon:
        daemon.publish(state(1, agent="mascot"))
        with program("-I", stranger, *daemon.endpoints):
            identity, _ = daemon.wait_for("reply")
            daemon.tell_unknown(identity)
            daemon.wait_for("ready")
            assert daemon.wait_for("reply")[1]["sequence"] == 1


def test_the_worker_in_the_document_lives_while_states_follow_each_other_fast(tmp_path: Path) -> None:
    """As they do at a restless board, also for longer than a silent worker counts as alive."""
    stranger = tmp_path / "stranger.py"
    stranger.write_text(re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)[0], encoding="utf-8")
    with bus() as daemon:
        daemon.publish(state(1, agent="random"))
        with program("-I", stranger, *daemon.endpoints):
            daemon.wait_for("ready")
            for sequence in range(2, 30):
                daemon.publish(state(sequence, agent="random"))
            daemon.publish(state(30, agent="mascot"))
            daemon.wait_for("reply")
            assert "heartbeat" in {message["type"] for _, message in daemon.heard}


def _bytes(message: dict[str, object]) -> bytes:
    return json.dumps(message).encode()


@pytest.mark.parametrize(
    "message",
    [
        messages.StateMessage,
        messages.PlayerPart,
        messages.LimitsPart,
        messages.OutcomePart,
        messages.ReadyMessage,
        messages.HeartbeatMessage,
        messages.ReplyMessage,
        messages.FailureMessage,
        messages.ErrorMessage,
    ],
)
def test_every_field_is_described(message: type[messages.Message]) -> None:
    missing = [name for name in message.model_fields if f"`{name}`" not in TEXT]
    assert not missing


def test_the_numbers_in_the_document_are_the_programs() -> None:
    assert f"at most {messages.MAX_BYTES} bytes" in TEXT
    assert f"`schema_version` is `{messages.SCHEMA}`" in TEXT
    assert f"`{messages.TOPIC.decode()}`" in TEXT


def test_the_engines_in_the_document_can_be_read(tmp_path: Path) -> None:
    [tables] = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "engines.toml").write_text(tables)
    known = {"sanmill", "ntest", "edax", "grhino", "rapfi", "gnugo", "pachi", "stockfish"}
    assert set(engines.read(tmp_path / "engines.toml")) == known


def test_every_protocol_has_a_row_with_its_games() -> None:
    for name in protocols.NAMES:
        assert re.search(rf"^\| `{name}` \| ", TEXT, re.MULTILINE), name


def test_every_command_of_gtp_is_listed() -> None:
    [row] = re.findall(r"^\| `gtp` \| go, gomoku, reversi \| `([^`]*)`", TEXT, re.MULTILINE)
    assert sorted(row.split()) == list(gtp.GtpSession.commands())
