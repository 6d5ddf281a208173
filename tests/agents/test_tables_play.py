"""Perfect play from endgame tables, and their use in a search."""

from __future__ import annotations

import dataclasses
import io
import random
import shutil
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agents.agent import Limits
from agents.analysis import Analyst
from agents.registry import load_agent
from agents.search import WIN
from agents.tables import first_use, outcome
from agents.tables.endgames import Endgames
from games.nine_mens_morris import NineMensMorris, Position
from games.nine_mens_morris.kernel import MorrisSearch
from tests.agents.morris import bits, morris

FLYING = {"flying": True}


def endgame(draw: random.Random, mine: int, theirs: int) -> Position:
    cells = draw.sample(range(24), mine + theirs)
    return Position((sum(1 << cell for cell in cells[:mine]), sum(1 << cell for cell in cells[mine:])), (0, 0), 0)


def search_with(game: NineMensMorris, within: Path, monkeypatch: pytest.MonkeyPatch) -> MorrisSearch:
    monkeypatch.setenv("KIBITZER_TABLES", str(within))
    return MorrisSearch(game, table_mb=1, seed=0)


@pytest.mark.parametrize("rules", [{}, FLYING], ids=str)
def test_a_won_endgame_is_won_as_soon_as_the_table_says(
    within: Path, monkeypatch: pytest.MonkeyPatch, rules: dict[str, object]
) -> None:
    game, draw, played = morris(**rules), random.Random(4), 0
    search, tables = search_with(game, within, monkeypatch), Endgames(game, within)
    while played < 12:
        position = endgame(draw, *draw.choice([(3, 3), (4, 3), (3, 4)]))
        code = tables.code(*position.men)
        if code is None or outcome(code) != 1:
            continue
        played += 1
        for left in range(code - 1, 0, -1):
            search.begin(position, nodes=1000, exact=False)
            found = search.deepen(1)
            assert found.final
            assert found.score == (WIN - left if (code - left) % 2 else left - WIN)
            position = game.apply(position, found.move)
        ended = game.outcome(position)
        assert ended is not None
        assert ended.winner == 0


def test_a_drawn_endgame_is_never_lost(within: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, draw, played = morris(**FLYING), random.Random(5), 0
    search, tables = search_with(game, within, monkeypatch), Endgames(game, within)
    while played < 8:
        position = endgame(draw, 3, 4)
        if tables.code(*position.men) != 0:
            continue
        played += 1
        while game.outcome(position) is None:
            if position.side == 0:
                search.begin(position, nodes=1000, exact=False)
                move = search.deepen(1).move
            else:
                move = draw.choice(game.legal_moves(position))
            position = game.apply(position, move)
        ended = game.outcome(position)
        assert ended is not None
        assert ended.winner != 1


def test_a_search_from_more_men_looks_up_what_captures_lead_to(within: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, draw = morris(), random.Random(6)
    search, tables = search_with(game, within, monkeypatch), Endgames(game, within)
    captures = 0
    while captures < 20:
        position = endgame(draw, 4, 4)
        moves = game.legal_moves(position)
        if not moves or (taking := [move for move in moves if move.removed is not None]) == []:
            continue
        captures += 1
        search.begin(position, nodes=10**6, exact=False)
        found = search.deepen(1)
        codes = [tables.code(after.men[1], after.men[0]) for after in (game.apply(position, move) for move in taking)]
        lost = [code - 1 for code in codes if code is not None and outcome(code) == -1]
        assert not found.final
        if lost:
            assert found.score == WIN - 1 - min(lost)
        search.begin(position, nodes=None, exact=True)
        assert abs(search.deepen(1).score) < 1000, "to a depth, the evaluation alone"


def test_a_move_that_would_draw_at_once_is_not_played_in_a_won_endgame(
    within: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, draw, tried = morris(), random.Random(7), 0
    search, tables = search_with(game, within, monkeypatch), Endgames(game, within)

    def known(position: Position) -> int:
        return outcome(tables.code(position.men[position.side], position.men[1 - position.side]) or 0)

    while tried < 5:
        position = endgame(draw, 4, 3)
        if (tables.code(*position.men) or 1) < 6:
            continue
        search.begin(position, nodes=1000, exact=False)
        best = game.apply(position, search.deepen(1).move)
        seen_twice = dataclasses.replace(position, earlier=(best.key, best.key))
        search.begin(seen_twice, nodes=1000, exact=False)
        other = game.apply(seen_twice, search.deepen(1).move)
        quiet = [game.apply(position, move) for move in game.legal_moves(position) if move.removed is None]
        if not any(known(one) == -1 for one in quiet if one.men != best.men):
            continue
        tried += 1
        assert game.outcome(other) is None
        assert known(other) == -1


def test_a_named_heuristic_and_a_search_to_a_depth_know_no_tables(
    within: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, position = morris(), endgame(random.Random(1), 3, 3)
    own = search_with(game, within, monkeypatch)
    named = MorrisSearch(game, table_mb=1, seed=0, heuristic="best")
    for search, exact, final in ((own, False, True), (own, True, False), (named, False, False)):
        search.begin(position, nodes=None if exact else 1000, exact=exact)
        assert search.deepen(1).final == final


def test_the_agent_answers_at_once_and_surely_where_a_table_knows(
    within: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIBITZER_TABLES", str(within))
    game = morris(**FLYING)
    position = Position((bits("a7 d7 g4"), bits("a1 d2 f6")), (0, 0), 0)
    answer = load_agent("alphabeta", game).choose(position, Limits(time_s=60), threading.Event())
    assert answer.score == WIN - 1
    assert answer.pv[0].startswith("g4-g7x")
    assert answer.seconds < 30


def test_a_damaged_table_is_named_and_play_goes_on_with_the_smaller_ones(
    within: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    there = tmp_path / "nine_mens_morris-plain"
    shutil.copytree(within / there.name, there)
    damaged = bytearray((there / "3-4.table").read_bytes())
    damaged[-1] ^= 1
    (there / "3-4.table").write_bytes(damaged)
    assert Endgames(morris(), tmp_path).men == 6
    assert f"no endgame of 7 men is looked up: {there / '3-4.table'} is damaged" in caplog.text
    caplog.clear()
    assert Endgames(morris(**FLYING), tmp_path).men == 0 and not caplog.text, "what was never built is no trouble"


def test_a_build_beside_the_game_that_fails_says_why(caplog: pytest.LogCaptureFixture) -> None:
    failed: Any = SimpleNamespace(wait=lambda: 2, returncode=2)
    first_use._wait(failed, io.BytesIO(b"kibitzer tables build: [Errno 20] Not a directory: '/a/file'\n"))
    assert "are not built: kibitzer tables build: [Errno 20] Not a directory" in caplog.text


def test_small_tables_are_built_beside_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = morris(men=3, flying=True)
    position = Position((bits("a7 d7 g4"), bits("a1 d2 f6")), (0, 0), 0)
    search = search_with(game, tmp_path, monkeypatch)
    search.begin(position, nodes=10, exact=False)
    assert not search.deepen(1).final, "no move waits for a table"
    assert first_use.wanted(game) == 6
    end_s = time.monotonic() + 100
    while not search.deepen(1).final and time.monotonic() < end_s:
        time.sleep(0.1)
        search.begin(position, nodes=10, exact=False)
    assert search.deepen(1).final
    assert [path.name for path in (tmp_path / "nine_mens_morris-flying").iterdir()] == ["3-3.table"]


def test_an_analysis_in_reach_of_the_tables_is_exact(within: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move that lets a win go, or throws a draw away, gives away exactly half a point or a whole one."""
    game, draw, go_on = morris(**FLYING), random.Random(8), threading.Event()
    monkeypatch.setenv("KIBITZER_TABLES", str(within))
    analyst, tables, seen = Analyst(game, 0.2), Endgames(game, within), set()
    for _ in range(40):
        position = endgame(draw, *draw.choice([(3, 3), (4, 3), (3, 4)]))
        if game.outcome(position) is not None:
            continue
        move = draw.choice(game.legal_moves(position))
        after = game.apply(position, move)
        if game.outcome(after) is not None or tables.code(*reversed(after.men)) is None:
            continue
        judged = analyst.judged(position, move, go_on, analyst.best(after, go_on))
        code = tables.code(*position.men)
        assert code is not None
        assert judged.best.value.exact and judged.made.value.exact
        assert judged.best.value.chance == (1 + outcome(code)) / 2
        assert judged.lost in (0.0, 0.5, 1.0)
        seen.add(judged.lost)
    assert seen >= {0.0, 0.5}
