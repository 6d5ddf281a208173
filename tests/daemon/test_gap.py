"""Moves that nobody saw: the game is taken up again, and no illegal move becomes legal by it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import games
from daemon.judging.effects import Announcement, Effect
from daemon.judging.explain import explain
from daemon.judging.referee import Referee
from games import AnyGame
from tests.daemon.readings import reading_of

MORRIS = Path(__file__).resolve().parents[3] / "shared" / "data" / "morris" / "labels.json"


def see(referee: Referee, board: str) -> list[Effect]:
    return referee.see(explain(referee.game, referee.history, reading_of(referee.game, board)))


def codes(effects: Sequence[Effect]) -> list[str]:
    return [effect.code for effect in effects if isinstance(effect, Announcement)]


def photographed() -> list[str]:
    """The boards of a real game of morris, a photo each."""
    if not MORRIS.exists():
        pytest.skip("../shared/data/morris is not here")
    images = json.loads(MORRIS.read_text(encoding="utf-8"))["images"]
    return [images[f"1_{number}.jpg"]["cells"] for number in range(1, 39)]


def followed(game: AnyGame, boards: Sequence[str]) -> Referee:
    referee = Referee(game)
    for board in boards:
        see(referee, board)
    return referee


def test_a_real_game_with_six_photos_left_out_is_followed_to_its_end() -> None:
    game, boards = games.load("morris", {"flying": "true", "first": "auto"}), photographed()
    whole = [game.board(position) for position in followed(game, boards).history]
    gap = followed(game, [*boards[:8], *boards[14:]])
    assert len(whole) == 40 and gap.outcome is not None
    assert [game.board(position) for position in gap.history[14:]] == whole[14:]
    assert [ply.assumed for ply in gap.line.plies] == [7 <= ply < 14 for ply in range(39)]
