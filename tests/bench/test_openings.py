"""`kibitzer bench openings`: what it writes is what arenas read, and even as far as its search sees."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
import typer

import games
from agents.arena.openings import read
from lab.bench import openings

run = functools.partial(openings.main, "reversi", [], seed=4)


def test_it_writes_even_openings_that_an_arena_reads(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(plies=8, count=6, nodes=300, within=0.1)
    text = capsys.readouterr().out
    lines = [line.partition(" # ") for line in text.splitlines()]
    assert len({moves for moves, _, _ in lines}) == 6
    assert all(0.4 <= float(told.split()[0]) <= 0.6 for _, _, told in lines)
    (tmp_path / "openings.txt").write_text(text, encoding="utf-8")
    found = read(games.load("reversi"), tmp_path / "openings.txt", 1, 6)
    assert [" ".join(one.moves) for one in found] == [moves for moves, _, _ in lines]
    assert {len(one.moves) for one in found} == {8}


def test_it_gives_up_where_no_opening_is_even(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openings, "TRIES", 4)
    with pytest.raises(typer.Exit):
        run(plies=1, count=5, nodes=50, within=0.1)  # there are four first moves
    assert "even: allow more by --within, or other --plies" in capsys.readouterr().err
