"""One damaged byte keeps nobody from playing: the record opens as before, or what can be read of it is saved."""

from __future__ import annotations

import collections
import contextlib
import functools
import logging
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import games
from daemon.game.clocks import TimeControl
from daemon.game.effects import Record
from daemon.match.recovery import positions_of
from daemon.record import journal as journals
from daemon.record.journal import Journal, JournalError
from daemon.record.journal_schema import MIGRATIONS, PAGE_BYTES
from daemon.record.salvage import open_record
from rules import Outcome
from tests.daemon.recorded_games import record_game

load = functools.cache(games.load)
GAME = load("morris")
MOVES = ("d2", "f4", "d6")
UNDONE = "b4"
MASKS = (0x01, 0xFF, 0x20, 0x80, 0x04)
"""What becomes of a byte; the next byte gets the next one."""

Found = tuple[bool, int, tuple[str, ...]]
"""Whether the record was set aside, the number of games there are then, and the moves of the game that went on."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder in memory, where flushing costs nothing."""
    folder = Path("/dev/shm") / f"kibitzer-damaged-{id(object())}"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """What every one of thousands of starts would do again is done once, and nothing is logged."""
    logging.disable()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "load", lambda name, *_rules: GAME if name == GAME.name else load(name))
        yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def record(folder: Path) -> bytes:
    """A small record: a finished game, and an unfinished one of which a move was taken back."""
    path = folder / "made.sqlite"
    with contextlib.closing(Journal(path)) as journal:
        record_game(journal, GAME, GAME.initial(), list(MOVES[:1]), TimeControl(), Outcome(0, "resigned"))
        going = record_game(journal, GAME, GAME.initial(), [*MOVES, UNDONE], TimeControl(), None)
        journal.take_back(going.game_id, len(MOVES))
        journal.note(going.game_id, "undo", "Dark's b4 is taken back.", {"board": ""})
    return path.read_bytes()


def play_on(folder: Path, data: bytes, wal: bytes = b"") -> Found:
    """Starts with a record of these bytes, goes on with the game, and reads it again. Raises JournalError."""
    path = folder / "journal.sqlite"
    for old in folder.glob("journal.sqlite*"):
        old.unlink()
    path.write_bytes(data)
    if wal:
        path.with_name("journal.sqlite-wal").write_bytes(wal)
    with contextlib.closing(open_record(path)) as journal:
        stored = journal.unfinished()
        positions = [GAME.initial()] if stored is None else positions_of(GAME, stored)
        if not isinstance(positions, list):  # another game or other rules: a new game begins, and that is said
            positions, stored = [GAME.initial()], None
        moves = () if stored is None else stored.moves
        game_id = journal.new_game(GAME.name, {}, ["person", "person"]) if stored is None else stored.game_id
        move = GAME.legal_moves(positions[-1])[0]
        text, after = GAME.format_move(positions[-1], move), GAME.apply(positions[-1], move)
        side, ply = GAME.to_move(positions[-1]), len(moves) + 1
        journal.append(game_id, Record(ply, side, text, GAME.format_position(after), GAME.board(after)))
        assert journal.game(game_id).moves == (*moves, text)
        assert journal.mended is None or journal.mended.kept_as.stat().st_size == len(data)
        return journal.mended is not None, len(journal.ids()), moves


def damaged(record: bytes, first: int, last: int) -> bytes:
    data = bytearray(record)
    for place in range(first, last):
        data[place] ^= MASKS[place % len(MASKS)]
    return bytes(data)


def runs(record: bytes) -> Iterator[tuple[int, int]]:
    """Every byte by itself, but long runs of zeros together: most are not used."""
    at = 0
    for zeros in re.finditer(rb"\0{24,}", record):
        yield from ((place, place + 1) for place in range(at, zeros.start()))
        yield zeros.span()
        at = zeros.end()
    yield from ((place, place + 1) for place in range(at, len(record)))


def look(folder: Path, record: bytes, first: int, last: int, sound: Found) -> Iterator[Found]:
    """What comes of each damaged byte of a range; a range that changes nothing is looked at once."""
    if (found := play_on(folder, damaged(record, first, last))) == sound:
        yield sound
    elif last - first == 1:
        yield found
    else:
        middle = (first + last) // 2
        yield from look(folder, record, first, middle, sound)
        yield from look(folder, record, middle, last, sound)


def test_whichever_byte_is_damaged_play_goes_on_from_a_position_of_the_game(folder: Path, record: bytes) -> None:
    sound, seen = play_on(folder, record), collections.Counter[Found]()
    assert sound == (False, 2, MOVES)
    for first, last in runs(record):
        seen.update(look(folder, record, first, last, sound))
    legal = [(*MOVES, UNDONE)[:count] for count in range(len(MOVES) + 2)]
    assert all(tuple(move.lower() for move in moves) in legal for _, _, moves in seen)
    whole = sum(count for (_, games_left, moves), count in seen.items() if games_left == 2 and moves == MOVES)
    assert whole > 0.85 * seen.total()  # of most bytes nothing is lost
    assert sum(count for (aside, *_), count in seen.items() if aside) > 2000


def test_a_record_that_ends_after_any_page_or_has_no_byte_is_played_on(folder: Path, record: bytes) -> None:
    assert play_on(folder, b"")[0] is False
    for length in (50, *range(PAGE_BYTES, len(record), PAGE_BYTES), len(record) - 1):
        aside, _, moves = play_on(folder, record[:length])
        assert aside and moves == MOVES[: len(moves)]


def test_a_damaged_write_ahead_log_gives_a_position_of_the_game(folder: Path) -> None:
    path = folder / "open.sqlite"
    with contextlib.closing(Journal(path)) as journal:
        going = record_game(journal, GAME, GAME.initial(), list(MOVES), TimeControl(), None)
        main, log = path.read_bytes(), path.with_name("open.sqlite-wal").read_bytes()
    assert going.moves == MOVES
    assert play_on(folder, main, log) == (False, 1, MOVES)
    for place in range(0, len(log), 997):
        _, _, moves = play_on(folder, main, damaged(log, place, place + 1))
        assert moves == MOVES[: len(moves)]
    for length in range(0, len(log), PAGE_BYTES):
        _, _, moves = play_on(folder, main, log[:length])
        assert moves == MOVES[: len(moves)]


@pytest.mark.parametrize("suffix", ["", "-wal"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, suffix: str, make: Callable[[Path], None]) -> None:
    path = tmp_path / "journal.sqlite"
    if suffix:
        Journal(path).close()
    make(path.with_name(path.name + suffix))
    for read_only in (False, True):
        with pytest.raises(JournalError):
            Journal(path, read_only=read_only)
    with pytest.raises(JournalError):
        open_record(path)


def test_a_record_of_a_newer_version_is_refused_and_one_of_an_impossible_version_is_damaged(
    folder: Path, record: bytes
) -> None:
    for version, newer in ((len(MIGRATIONS) + 1, True), (1 << 24, False), (-1, False), (0, False), (2, False)):
        data = record[:60] + version.to_bytes(4, "big", signed=True) + record[64:]
        if newer:
            with pytest.raises(JournalError, match="newer"):
                play_on(folder, data)
            assert (folder / "journal.sqlite").read_bytes() == data
        else:
            assert play_on(folder, data) == (True, 2, MOVES)


def test_a_record_that_cannot_be_mended_for_want_of_room_stays_as_it_is(
    folder: Path, record: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_rest: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorname = "SQLITE_FULL"
        raise error

    data = damaged(record, 20, 21)
    with monkeypatch.context() as patch, pytest.raises(JournalError, match="make room"):
        patch.setattr(journals, "_add_game", full)
        play_on(folder, data)
    assert (folder / "journal.sqlite").read_bytes() == data
    assert play_on(folder, data) == (True, 2, MOVES)
