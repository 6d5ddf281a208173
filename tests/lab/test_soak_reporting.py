"""Faults of a soak, how they are reported and judged, and what careful players put right."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import games
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.commands.command import Mover
from daemon.game.effects import Announcement
from daemon.game.line_of_play import LineOfPlay, played
from lab.simulated.player import Ply, steps_between
from lab.simulated.scenes import profile_of
from lab.simulated.table import SimulatedTable
from lab.soak import careful_players, world
from lab.soak.camera import Camera
from lab.soak.careful_players import SAY_S, CarefulPlayers, wrongly_counted
from lab.soak.fault_steps import REPORT_S, reported
from lab.soak.hand_faults import dropped, misplayed, take_back
from lab.soak.judge import Heard, Judge
from lab.soak.legal_boards import is_beyond_doubt
from lab.soak.tally import Tally
from lab.soak.trial import Trial
from lab.soak.world import Plan
from rules import AnyGame
from rules.turns import line_of_play
from wording import untranslated

LAID_S, GONE_S = 10.0, 10.2
"""Seconds at which the last man was laid, and at which the hand was back at the table's edge."""


def waited(*heard: Heard, rules: str = "not_your_turn", abandoned: bool = False) -> tuple[dict[str, int], list[str]]:
    """Reports counted and reports missed while board `X` is on the table and `heard` was announced."""
    missing: list[str] = []
    judge = SimpleNamespace(heard=list(heard), laid_s=LAID_S, clear_s=0.0)
    judge.unreported = lambda _rules, text: missing.append(text)
    tally = SimpleNamespace(reported={})
    table = SimpleNamespace(board="X")
    at = SimpleNamespace(time_s=GONE_S, table=table, judge=judge, tally=tally, abandoned=abandoned)
    for _ in reported(cast("Any", at), "wrong side", frozenset(rules.split())):
        at.time_s += 1.0
        judge.clear_s += 1.0
    assert judge.clear_s <= REPORT_S + 1
    return tally.reported, missing


@pytest.mark.parametrize(
    ("time_s", "board", "rule", "counts"),
    [
        (GONE_S, "X", "not_your_turn", True),
        (10.1, "X", "not_your_turn", True),  # the hand is leaving
        (10.1, "Y", "not_your_turn", False),  # about the board before it
        (9.9, "X", "not_your_turn", False),  # the same board, but before it was laid this time
        (GONE_S, "X", "extra_man", False),
    ],
)
def test_a_report_counts_from_when_its_board_lay_there(time_s: float, board: str, rule: str, counts: bool) -> None:
    told, missing = waited(Heard(time_s, "illegal", rule, board))
    assert told == ({"not_your_turn": 1} if counts else {})
    assert bool(missing) != counts


def test_nothing_is_reported_of_a_game_that_was_given_up() -> None:
    """The daemon takes the game for over, by an order that it assumed and announced; nobody corrects it."""
    assert waited(abandoned=True) == ({}, [])
    assert waited() == ({}, ["wrong side on X"])


@pytest.mark.parametrize(
    ("frozen", "pictured", "complained", "unneeded"),
    [
        (True, "old", "old", False),  # a new game has begun, but the old picture is still shown
        (True, "old", "odd", True),  # misread
        (True, "new", "new", True),  # the picture shows the real board
        (False, "old", "old", True),
    ],
)
def test_only_a_complaint_of_what_a_frozen_picture_shows_is_no_unneeded_one(
    frozen: bool, pictured: str, complained: str, unneeded: bool
) -> None:
    judge = Judge(cast("Any", right_board(frozen=frozen, pictured=pictured)), None)
    assert judge._is_unneeded("desync", complained) == unneeded


@pytest.mark.parametrize(("finished", "ply", "unneeded"), [(True, 0, False), (True, 9, True), (False, 0, True)])
def test_a_daemon_started_again_after_a_games_last_move_may_ask_for_the_next_ones_board(
    finished: bool, ply: int, unneeded: bool
) -> None:
    judge = Judge(cast("Any", right_board(finished=finished, ply=ply)), None)
    assert judge._is_unneeded("reminder", "new") == unneeded


def right_board(
    *, frozen: bool = False, pictured: str = "new", finished: bool = False, ply: int = 9
) -> SimpleNamespace:
    return SimpleNamespace(
        camera=SimpleNamespace(frozen=frozen, pictured=pictured),
        table=SimpleNamespace(board="new"),
        player=SimpleNamespace(position="new", positions=["new"], finished=finished),
        subject=SimpleNamespace(referee=SimpleNamespace(ply=ply)),
        game=SimpleNamespace(board=str),
    )


def test_a_frozen_camera_remembers_what_stood_there_when_its_picture_was_taken() -> None:
    game = games.load("morris")
    table = SimulatedTable(load_template(game.name), game.board(game.initial()), seed=1, size_px=(320, 180))
    camera = Camera(table, 1)
    camera.read(idle=False)
    camera.frozen = True
    camera.table = table.with_board("W" + table.board[1:], 2)
    camera.read(idle=False)
    assert camera.pictured == table.board
    camera.frozen = False
    camera.read(idle=False)
    assert camera.pictured == camera.table.board


@pytest.mark.parametrize(
    ("shown_s", "missing"),
    [(0.5, 0), (2.0, 4)],  # two of the four plies stay in the record until they count as taken back
)
def test_plies_to_and_fro_are_only_missed_where_they_could_be_seen(shown_s: float, missing: int) -> None:
    game = games.load("ganh")
    texts = ["a4-b4", "a2-b2", "b4-a4", "b2-a2"]
    positions = line_of_play(game, texts)
    boards = [game.board(one) for one in positions]
    assert boards[4] == boards[0]
    referee = SimpleNamespace(position=positions[0], line=SimpleNamespace(seen=[]), verdict="takeback", ply=0)
    table = SimpleNamespace(board=boards[3], busy=False, hand_in_view=False, stirs=False)
    trial = SimpleNamespace(
        game=game,
        time_s=0.0,
        known=2,
        table=table,
        player=SimpleNamespace(
            position=positions[3],
            positions=positions,
            record=[],
            finished=False,
            seen=[SimpleNamespace(board=board) for board in boards[1:]],
        ),
        schedule=SimpleNamespace(allows=lambda _code: False, running=[], holds_hands=False, blamed=lambda: ()),
        subject=SimpleNamespace(board=boards[2], seen=SimpleNamespace(rectified=True), referee=referee, recorded=list),
        camera=SimpleNamespace(shows=True, frozen=False, last=None, pictured=""),
        plan=SimpleNamespace(seed=1),
        tally=Tally("co_ganh", 1),
        abandon_game=lambda: None,
    )
    judge = Judge(cast("Any", trial), None)
    judge.begin_game()
    judge._legal |= set(boards)
    for time_s in np.arange(0.0, shown_s, 0.1):
        trial.time_s = float(time_s)
        judge.look()
    trial.player.position, table.board, trial.subject.board = positions[4], boards[4], boards[0]
    judge.hear(Announcement("takeback", (untranslated("2 moves are taken back."),), boards[0], 0))
    judge.close_game()
    assert trial.tally.to_and_fro == 4 - missing
    assert (trial.tally.missed_plies, trial.tally.unneeded_reports) == (missing, bool(missing))


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
    for _ in take_back.run(cast("Any", at)):
        pass
    assert at.done == [taken]


@pytest.mark.parametrize("knows", [True, False])
def test_a_man_falls_only_on_a_board_of_which_the_daemon_knows_how_it_came_about(knows: bool) -> None:
    at = AtTable(games.load("morris"), LAID, knows=knows)
    steps = dropped.run(cast("Any", at))
    while not at.done and next(steps, steps) is not steps:
        pass
    assert bool(at.done) == knows


def test_what_was_taken_back_may_be_made_again_until_another_move_is_made(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(world, "profile_of", lambda *_: None)
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
    steps = misplayed.run(at)
    while not at.done and next(steps, steps) is not steps:
        pass
    assert len(after) > 1 and bool(at.done) != undone


ADOPT_S = 5.0
"""A third of the players' patience: every second of it is fifteen pictures."""
QUICK = 8.0
"""Pace of the hand that lays the board: how it is laid is not what is tested."""
TILES = ("8F2-8G6", "6K2-7K4")


def line_of(*tiles: str) -> LineOfPlay:
    game = games.load("dominoes")
    line = LineOfPlay(game, game.parse_position("green;pawns=9,1;tiles=8H6-8I1,8J1-8K4"))
    for text in tiles:
        line.add(played(game, line.position, game.parse_move(line.position, text)))
    return line


def made(*sides: int, texts: tuple[str, ...] = TILES) -> list[Ply]:
    return [
        Ply(number, text, "", side, 0.0, 0.0) for number, (text, side) in enumerate(zip(texts, sides, strict=True), 1)
    ]


def test_the_first_move_counted_for_the_wrong_side_is_told_by_its_number() -> None:
    line = line_of(*TILES)
    first, second = (ply.side for ply in line.plies)
    assert wrongly_counted(line, made(first, second)) is None
    assert wrongly_counted(line, made(first, 1 - second)) == Mover(side=line.game.sides[1 - second], move=2)
    assert wrongly_counted(line, made(1 - first, 1 - second)) == Mover(side=line.game.sides[1 - first], move=1)


def test_nothing_is_told_of_moves_after_one_that_was_never_made_so() -> None:
    line = line_of(*TILES)
    sides = [1 - ply.side for ply in line.plies]
    assert wrongly_counted(line, made(line.plies[0].side, sides[1], texts=(TILES[1], TILES[0]))) is None


def test_it_is_said_a_little_after_the_wrong_name_was_heard_and_once(monkeypatch: Any) -> None:
    line = line_of(*TILES)
    told: list[Mover] = []

    def obey(_match: Any, command: Mover, _eyes: Any) -> Any:
        told.append(command)
        return SimpleNamespace(accepted=True)

    monkeypatch.setattr(careful_players, "obey", obey)
    player = SimpleNamespace(seen=made(*(1 - ply.side for ply in line.plies)))
    subject = SimpleNamespace(referee=SimpleNamespace(line=line), match=None, eyes=None)
    judge = SimpleNamespace(insists=lambda _seconds: False)
    trial = SimpleNamespace(game=line.game, time_s=0.0, subject=subject, player=player)
    pair = CarefulPlayers(cast("Any", trial), cast("Any", judge))
    pair.hear("illegal")
    for code, until in (("move", 2 * SAY_S), ("repeat", 4 * SAY_S)):
        pair.hear(code)
        while trial.time_s < until:
            trial.time_s += 0.1
            pair.update()
    assert len(told) == 1


@pytest.fixture(scope="module")
def profile() -> TableProfile:
    """Of the table of reversi at which the players insist."""
    plan = Plan("reversi", 3, ())
    game, template = games.load(plan.game), load_template(plan.game)
    size_px = world.SIZES_PX[len(game.cells)]
    table = SimulatedTable(template, game.board(game.initial()), seed=plan.seed, size_px=size_px)
    return profile_of(game, template, table, plan.seed)


@pytest.mark.parametrize(
    ("made", "believed", "games_begun"),
    [(1, 4, 1), (12, 0, 1), (24, 0, 2)],
    ids=["nearby", "after moves that nobody saw", "too far off for legal play"],
)
def test_a_right_board_that_is_not_believed_is_adopted_and_counted_or_the_game_is_given_up(
    made: int, believed: int, games_begun: int, profile: TableProfile, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(careful_players, "ADOPT_S", ADOPT_S)
    monkeypatch.setattr(world, "profile_of", lambda *_: profile)
    trial = Trial(Plan("reversi", 3, (), still=True), tmp_path, ())
    trial._new_game()
    while not trial.judge.knows:
        trial._turn()
    game, line, player = trial.game, trial.subject.referee.line, trial.player
    for _ in range(believed):
        move = game.legal_moves(line.position)[-1]
        line.add(played(game, line.position, move))
        trial.judge._legal.add(game.board(line.position))  # as if it had been on the board and forgotten
    for _ in range(made):
        player.positions.append(game.apply(player.positions[-1], game.legal_moves(player.positions[-1])[0]))
    player.position = player.positions[-1]
    trial.table.perform(steps_between(trial.table.board, game.board(player.position)), 0, QUICK)
    while trial.table.busy:
        trial._turn()
    laid_s = trial.time_s
    while trial.tally.adopted == 0 and trial.time_s < laid_s + 2 * ADOPT_S:
        trial._turn()
    assert trial.tally.adopted == 1
    assert trial.time_s - laid_s > ADOPT_S
    while trial.tally.games < games_begun and trial.time_s < laid_s + 3 * ADOPT_S:
        trial._turn()
    assert trial.tally.games == games_begun
    assert trial.subject.board == game.board(trial.player.position)


@pytest.mark.parametrize(
    ("known", "counted", "moving", "false"),
    [
        ("", 0, True, False),  # it was green's, whose hand is still leaving
        ("", 0, False, False),
        ("seat", 0, True, True),  # a hand was seen on red's side, but it was green's
        ("", 1, True, True),  # rightly counted for green, so the game is not over
    ],
)
def test_an_end_that_follows_from_an_assumed_side_is_put_right_by_the_players(
    known: str, counted: int, moving: bool, false: bool
) -> None:
    game = games.load("dominoes")
    green = game.parse_position("green;pawns=9,1;tiles=8H6-8I1,8J1-8K4")
    line = SimpleNamespace(plies=[SimpleNamespace(known=known, side=counted)])
    seen = [SimpleNamespace(side=1, board=game.board(green))]
    player = SimpleNamespace(positions=[green], position=green, agreed=green, moving=moving, seen=seen, record=[])
    trial = SimpleNamespace(
        game=game,
        time_s=9.0,
        player=player,
        subject=SimpleNamespace(referee=SimpleNamespace(line=line), seen=None, board="", recorded=list),
        table=SimpleNamespace(board=game.board(green)),
        schedule=SimpleNamespace(allows=lambda _code: False, blamed=lambda: ()),
        camera=SimpleNamespace(last=None),
        plan=SimpleNamespace(seed=1),
        tally=Tally(game.name, 1),
    )
    judge = Judge(cast("Any", trial), None)
    judge.hear(Announcement("game_over", (untranslated("Red wins."),), game.board(green), 3))
    assert trial.tally.false_events == int(false)
