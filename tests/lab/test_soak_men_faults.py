"""The proving ground: men are disturbed only in ways that an observer can know of."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import games
from calibration.template import load_template
from lab.simulated.player import Ply
from lab.soak.agent_faults import Misplayed
from lab.soak.legal_boards import is_beyond_doubt
from lab.soak.men_faults import Dropped, TakeBack
from lab.soak.trial import Plan, Trial
from rules import AnyGame
from rules.turns import line_of_play

FLYING = games.load("morris", {"men": 3, "flying": True})
LAID = ["d7", "g7", "a4", "g4", "d2", "e3"]
TO_AND_FRO = ["d2-f2", "g7-e5", "f2-d2", "e5-g7"]


class AtTable:
    """A trial that notes the actions at its table; hands stay over it after an action."""

    def __init__(self, game: AnyGame, texts: list[str], *, knows: bool = True) -> None:
        self.game, self.template = game, load_template(game.name)
        positions = line_of_play(game, texts)
        record = [SimpleNamespace(seen=True, move=text) for text in texts]
        self.player = SimpleNamespace(
            record=record, seen=record, positions=positions, finished=False, moving=False, position=positions[-1]
        )
        self.watched = positions
        self.undone: list[Any] = []
        self.judge = SimpleNamespace(knows=knows)
        self.chance: Any = random.Random(1)
        self.done: list[object] = []
        self.table = SimpleNamespace(board=game.board(positions[-1]), busy=False, perform=self._perform)
        self._time_s = 0.0

    @property
    def time_s(self) -> float:
        self._time_s += 1.0
        return self._time_s

    def _perform(self, *what: object) -> None:
        self.done.append(what)
        self.table.busy = True

    def take_back(self, count: int) -> None:
        self.done.append(count)


@pytest.mark.parametrize(("wanted", "taken"), [(1, 1), (3, 3), (4, 3)])
def test_no_plies_are_taken_back_for_which_no_man_is_moved(wanted: int, taken: int) -> None:
    at = AtTable(FLYING, [*LAID, *TO_AND_FRO])
    at.chance = SimpleNamespace(choice=lambda _: wanted)
    for _ in TakeBack().run(cast("Any", at)):
        pass
    assert at.done == [taken]


@pytest.mark.parametrize("knows", [True, False])
def test_a_man_falls_only_on_a_board_of_which_the_daemon_knows_how_it_came_about(knows: bool) -> None:
    at = AtTable(games.load("morris"), LAID, knows=knows)
    steps = Dropped().run(cast("Any", at))
    while not at.done and next(steps, steps) is not steps:
        pass
    assert bool(at.done) == knows


def test_what_was_taken_back_may_be_made_again_until_another_move_is_made(tmp_path: Path) -> None:
    trial = Trial(Plan("morris", 1, ()), tmp_path, [])
    game, player = trial.game, trial.player
    made = line_of_play(game, LAID)
    player.positions[:], player.position = made, made[-1]
    player.record[:] = [Ply(number, text, "", (number - 1) % 2, 0.0, 0.0) for number, text in enumerate(LAID, 1)]
    trial.take_back(2)
    assert trial.undone == made[-2:]
    trial.table.advance(9.0)
    trial.take_back(1)
    assert trial.undone == made[-3:]
    again = game.board(made[-1])
    for undone, doubtless in (([], True), (trial.undone, False)):
        assert is_beyond_doubt(game, [made[0]], again, undone) == doubtless
    player.positions.append(made[-3])
    player.record.append(Ply(4, LAID[3], "", 1, 0.0, 0.0))
    assert trial.undone == []


@pytest.mark.parametrize("undone", [False, True])
def test_a_move_taken_back_that_is_made_again_is_no_mistake(undone: bool) -> None:
    at: Any = AtTable(games.load("morris", {"men": 3}), [*LAID, "d7-a7"])
    after = {at.game.board(at.game.apply(at.player.position, move)) for move in at.game.legal_moves(at.player.position)}
    at.subject = SimpleNamespace(referee=SimpleNamespace(awaiting="agent", agent_move=None))
    at.agent = SimpleNamespace(silent=False)
    if undone:
        at.undone = [at.game.apply(at.player.position, move) for move in at.game.legal_moves(at.player.position)]
    steps = Misplayed().run(at)
    while not at.done and next(steps, steps) is not steps:
        pass
    assert len(after) > 1 and bool(at.done) != undone
