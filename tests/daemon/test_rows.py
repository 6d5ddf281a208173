"""A journal that another program wrote to: an impossible value is refused by its column and costs no other game."""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.cli.games import as_text, listed
from daemon.game.clocks import TimeControl
from daemon.record.formats.document import as_object
from daemon.record.formats.played import ExportError, play_again
from daemon.record.formats.reversi import to_ggf
from daemon.record.journal import Journal, JournalError
from daemon.record.salvage import open_record
from games.reversi import Reversi
from rules import Outcome
from tests.daemon.recorded_games import record_game

GAME = Reversi()
WRONG = [
    ("games", "players", "[]"),
    ("games", "players", '["only one"]'),
    ("games", "players", "no JSON"),
    ("games", "players", "[" * 100_000),
    ("games", "rules", "[1]"),
    ("games", "started", b"bytes"),
    ("games", "winner", 7),
    ("games", "scores", '["a", "b"]'),
    ("games", "clock", '{"kind": "game"}'),
    ("games", "clock", '{"kind": "hourglass", "time_s": 1, "increment_s": 1}'),
    ("games", "clock", '{"kind": "game", "time_s": NaN, "increment_s": 1}'),
    ("plies", "side", 2),
    ("plies", "known", "guessed"),
    ("plies", "move", b"f5"),
    ("plies", "spent_s", "long"),
    ("plies", "nodes", "many"),
    ("plies", "ply", 9),
    ("notes", "data", '"text"'),
    ("notes", "data", "{"),
    ("notes", "kind", "agent_move"),
    ("notes", "kind", "rewritten"),
]


def begun(path: Path) -> tuple[str, str]:
    """A journal with two games; returns their ids."""
    journal = Journal(path)
    ids = [
        record_game(
            journal, GAME, GAME.initial(), ["f5", "d6", "c3"], TimeControl("game"), Outcome(0, "resigned", (3, 1))
        )
        for _ in range(2)
    ]
    for one in ids:
        journal.note(one.game_id, "illegal", "No.")
    journal.close()
    return ids[0].game_id, ids[1].game_id


def spoil(path: Path, table: str, column: str, value: object, game_id: str) -> bool:
    """Writes a value as another program might; returns whether the file accepted it."""
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA synchronous = OFF")
        last = f"id = (SELECT MAX(id) FROM {table} WHERE game_id = ?)" if table != "games" else "game_id = ?"
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {last}", (value, game_id))
        connection.commit()
        return True
    except sqlite3.IntegrityError:
        return False
    finally:
        connection.close()


@pytest.mark.parametrize(("table", "column", "value"), WRONG, ids=lambda value: str(value)[:20])
def test_what_cannot_be_is_refused_with_its_column_and_costs_no_other_game(
    tmp_path: Path, table: str, column: str, value: object, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "journal.sqlite"
    spoiled, sound = begun(path)
    assert spoil(path, table, column, value, spoiled)
    journal = Journal(path)
    with pytest.raises(JournalError) as caught:
        journal.game(spoiled)
    assert caught.value.code == "unreadable"
    column = "data" if table == "notes" else column
    assert {"ply": "plies are missing", "known": "known", "side": "side"}.get(column, column) in str(caught.value)
    with caplog.at_level(logging.CRITICAL + 1):
        assert [game.game_id for game in journal.games()] == [sound]
        assert sound in [one.game_id for one in journal.summaries()]
    journal.delete(spoiled)
    assert journal.ids() == [sound]


@pytest.mark.parametrize(
    ("values", "moves"),
    [
        ({"side": 5}, ("f5", "d6", "c3")),
        ({"move": "c9"}, ("f5", "d6", "c3")),
        ({"position": "x", "nodes": "many"}, ("f5", "d6", "c3")),
        ({"move": b"x", "board": "y"}, ("f5", "d6")),
    ],
)
def test_a_damaged_unfinished_game_is_resumed_as_far_as_two_of_move_board_and_position_agree(
    tmp_path: Path, values: dict[str, object], moves: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "journal.sqlite"
    sound, _ = begun(path)
    with contextlib.closing(Journal(path)) as journal:
        spoiled = record_game(journal, GAME, GAME.initial(), ["f5", "d6", "c3"], TimeControl("game"), None).game_id
    for column, value in values.items():
        spoil(path, "plies", column, value, spoiled)
    with contextlib.closing(open_record(path)) as journal:
        assert journal.mended is not None and journal.mended.cut == (() if len(moves) == 3 else (spoiled,))
        stored = journal.unfinished()
        assert stored is not None and (stored.game_id, stored.moves) == (spoiled, moves)
        assert journal.game(sound).moves == ("f5", "d6", "c3")
    assert f"{path} was damaged" in caplog.text and spoiled in caplog.text
    caplog.clear()


VALUES = st.one_of(
    st.none(), st.integers(-3, 3), st.integers(), st.floats(), st.text(max_size=8), st.binary(max_size=4), st.just("{}")
)
COLUMNS = {
    "games": "game rules players started finished winner reason scores clock start".split(),
    "plies": "ply move side position board verdict score frame time known spent_s left_first_s depth nodes".split(),
    "notes": "ply kind text data time".split(),
}


@pytest.fixture(scope="module")
def sound_journal(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, str]:
    """The bytes of a valid journal, and the id of a game in it."""
    path = tmp_path_factory.mktemp("sound") / "journal.sqlite"
    game_id, _ = begun(path)
    return path.read_bytes(), game_id


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_stands_in_the_file_nothing_but_a_journals_or_exports_error_comes_of_it(
    tmp_path_factory: pytest.TempPathFactory,
    sound_journal: tuple[bytes, str],
    caplog: pytest.LogCaptureFixture,
    data: st.DataObject,
) -> None:
    path, (content, game_id) = tmp_path_factory.getbasetemp() / "rows.sqlite", sound_journal
    path.write_bytes(content)
    table = data.draw(st.sampled_from(sorted(COLUMNS)))
    for column in data.draw(st.lists(st.sampled_from(COLUMNS[table]), min_size=1, max_size=3)):
        value = data.draw(VALUES)
        if not (isinstance(value, int) and abs(value) >= 2**63):
            spoil(path, table, column, value, game_id)
    journal = Journal(path, read_only=True)
    with caplog.at_level(logging.CRITICAL + 1):
        listed(journal.summaries())
        journal.unfinished()
        try:
            stored = journal.game(game_id)
        except JournalError as error:
            assert error.code == "unreadable"
            return
        finally:
            journal.games()
            journal.close()
    as_text(stored)
    json.dumps(as_object(stored), allow_nan=False)
    try:
        to_ggf(play_again(stored))
    except ExportError:
        pass
    except AssertionError:
        assert stored.game != GAME.name  # the format is for another game
