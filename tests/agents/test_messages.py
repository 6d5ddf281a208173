"""Which messages are accepted, and how text from outside is cleaned before it is shown."""

from __future__ import annotations

import json
import random

import pytest

import games
from agents import messages
from agents.messages import MAX_BYTES, MessageError
from tests.agents.fake_bus import state
from wording.outside import clean

REPLY = {
    "type": "reply",
    "worker": "w",
    "agent": "random",
    "session": "s",
    "game_id": "g",
    "sequence": 1,
    "move": "d2",
}


def test_a_plain_reply_is_taken() -> None:
    assert messages.decode_from_worker(json.dumps(REPLY | {"score": 3, "extra": [1]}).encode())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sequence", "1"),
        ("sequence", True),
        ("sequence", 1.5),
        ("sequence", -1),
        ("sequence", 2**53 + 1),
        ("nodes", 10**30),
        ("score", "3"),
        ("score", float("nan")),
        ("score", float("inf")),
        ("seconds", float("inf")),
        ("move", ""),
        ("move", "d2\n"),
        ("move", "d\u202e2"),
        ("move", "x" * 65),
        ("worker", "w\n"),
        ("worker", "w" * 65),
        ("pv", ["d2", "\x1b[2J"]),
        ("pv", ["d2"] * 257),
        ("schema_version", 2),
        ("type", "state"),
    ],
)
def test_a_field_of_another_type_or_range_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(MessageError) as caught:
        messages.decode_from_worker(json.dumps(REPLY | {field: value}).encode())
    assert caught.value.code == "invalid"
    assert field in caught.value.field or field in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"\xff", b"{", b"[" * 60_000, b" " * (MAX_BYTES + 1)])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(MessageError):
        messages.decode_from_worker(data)


def test_a_state_that_was_sent_is_read_back() -> None:
    sent = state(3, "d2 f4")
    assert messages.decode_from_daemon(messages.encode(sent)) == sent


def test_the_longest_game_of_dominoes_fits_into_a_state() -> None:
    game, draw = games.load("dominoes"), random.Random(34)
    position, longest = game.initial(seed=34), ""
    while moves := game.legal_moves(position):
        position = game.apply(position, draw.choice(list(moves)))
        longest = max(longest, game.format_position(position), key=len)
    assert len(longest) > 512  # more than an ordinary text of a message may hold
    assert messages.StateMessage.model_validate(state(1).model_dump() | {"position": longest}).position == longest


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("cờ gánh, zażółć", "cờ gánh, zażółć"),
        ("two\nlines\tand  blanks ", "two lines and blanks"),
        ("\x1b[31mred\x07", "[31mred"),
        ("a\u202eb\u2066c\u200bd\ufeffe", "abcde"),
        ("\ud800x", "x"),
        ("x" * 600, "x" * 512),
        ("\u2028", ""),
    ],
)
def test_a_strangers_text_is_one_line_without_marks_that_hide_or_turn(text: str, shown: str) -> None:
    assert clean(text) == shown
