"""A short fuzzing run: no input may break its reader. The long run is `python -m tests.fuzz`."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from tests.fuzz import drawing, guided, http_entries
from tests.fuzz.__main__ import app
from tests.fuzz.entry import TARGETS, Entry, Found, IllegalState, arm, met
from tests.fuzz.mutation import Mutator
from tests.fuzz.targets import entries_of

INPUTS, DRAWN = 40, 5
FEWER = {"table": 5}
"""Inputs per entry, for targets whose readers are slow; they take any input as a seed of chance, drawn or not."""
QUIET = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True, scope="module")
def _page_ends() -> Iterator[None]:
    yield
    http_entries.close()


@pytest.mark.parametrize("target", TARGETS)
@QUIET
def test_a_short_run_breaks_nothing(target: str) -> None:
    found: list[Found] = []
    arm()
    for entry in entries_of(target):

        def feed(data: bytes, entry: Entry = entry) -> None:
            outcome = met(entry, data)
            if isinstance(outcome, Found):
                found.append(outcome)

        mutator = Mutator(entry.seeds, entry.words, random.Random(entry.name), entry.longest)
        if target not in FEWER:
            drawing.draw(entry, DRAWN, 1, feed)
        for _ in range(FEWER.get(target, INPUTS)):
            feed(mutator.next())
    assert not found


ONCE_BROKEN = [
    ("endpoint", b"ipc:///run/kibi\xd9zer/s"),
    ("bearer", b"Basic abc\xfe"),
    ("certificate", b'curve\n    public-key = "' + b"#" * 40 + b'"\n'),
    ("certificate", b'curve\n    public-key = "Yne@$w-vo<fVvi]a<NY6T1e999ed:M$fmetadata%%%"\n'),
    ("shown_text", b"a" * 79 + b" b"),
    ("worker_message", b'{"type": "' + b"A" * 5000 + b'"}'),
    ("registry", b'{"type": "' + b"A" * 3000 + b'"}'),
    (
        "request",
        b"GET /live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \xff\xfe==\r\n\r\n",
    ),
    (
        "request",
        b"POST /tell HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
    ),
    (
        "profile_arrays",
        b'{"game": "nine_mens_morris", "options": [], "shape": "x", "descriptor": "", "weights_sha256": "",'
        b' "accuracy": 1.0, "created": "", "format": 1}',
    ),
    (
        "profile_arrays",
        b'{"game": "nine_mens_morris", "options": [], "shape": {}, "descriptor": "", "weights_sha256": "",'
        b' "accuracy": 1' + b"0" * 400 + b', "created": "", "format": 1}',
    ),
    ("journal_rows", b"- 0-\n0"),
    ("command", b'{"command": "correct", "cell": " ", "piece": "light"}'),
    ("sanmill", b"fen ********/********/******** w p p 0 9 0\xc2\xb2 9 0 0 0 0 0 0 0 0 1 moves d6"),
    ("journal_rows", b"1"),
    ("journal_rows", b"\x1b[2J"),
]
"""Inputs that broke a reader when it first met them."""


@QUIET
def test_what_broke_a_reader_once_does_so_no_more() -> None:
    arm()
    known = {entry.name: entry for entry in entries_of("all")}
    outcomes = [met(known[name], data) for name, data in ONCE_BROKEN]
    assert [one for one in outcomes if isinstance(one, Found)] == []
    assert not any(outcomes[:3])


@QUIET
def test_good_inputs_are_accepted() -> None:
    arm()
    accepts = {entry.name: any(met(entry, one) is True for one in entry.seeds) for entry in entries_of("all")}
    # Their first inputs are refused ones, chosen because their neighbours are of interest.
    assert {name for name, does in accepts.items() if not does} <= {"bundle", "journal_rows"}


def _reader(data: bytes) -> bool:
    if data == b"crash":
        raise KeyError("x")
    if data == b"hang":
        while True:
            pass
    if data == b"illegal":
        raise IllegalState("a state that cannot be")
    return data == b"good"


@pytest.mark.parametrize(
    ("data", "outcome"),
    [(b"good", True), (b"bad", False), (b"crash", "crash"), (b"hang", "hang"), (b"illegal", "illegal")],
)
def test_crash_hang_and_illegal_state_are_told_apart(
    data: bytes, outcome: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.fuzz.entry.HANG_S", 0.5)
    arm()
    result = met(Entry("reader", "files", _reader, (b"good",)), data)
    assert (result.kind if isinstance(result, Found) else result) == outcome


def test_the_same_seed_makes_the_same_inputs() -> None:
    def made(seed: int) -> list[bytes]:
        mutator = Mutator((b'{"a": [1, 2]}', b"x=1"), (b"y",), random.Random(seed), 200)
        return [mutator.next() for _ in range(200)]

    assert made(1) == made(1) != made(2)
    assert all(len(one) <= 200 for one in made(3))


@QUIET
def test_the_command_line_counts_what_it_fed_and_refuses_what_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.__main__.quiet", lambda: None)  # the logs of later tests
    ran = CliRunner().invoke(app, ["--target", "engine_gtp", "--count", "300", "--json"])
    report = json.loads(ran.stdout)
    assert report["targets"] == {
        "protocols": {"inputs": 300, "accepted": report["entries"]["engine_gtp"]["accepted"], "found": 0}
    }
    assert report["guided"] == guided.is_available()
    wrong = CliRunner().invoke(app, ["--target", "nothing"])
    assert wrong.exit_code == 2 and "there is no target 'nothing'" in wrong.stderr
