"""The proving ground: careful players correct a tile that was counted for the wrong side."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import games
from daemon.commands.command import Mover
from daemon.game.effects import Announcement
from daemon.game.line_of_play import LineOfPlay, played
from lab.simulated.player import Ply, steps_between
from lab.soak import careful_players
from lab.soak.careful_players import SAY_S, CarefulPlayers, wrongly_counted
from lab.soak.judge import Judge
from lab.soak.tally import Tally
from lab.soak.trial import Plan, Trial
from wording import untranslated

ADOPT_S = 5.0
"""A third of the players' patience: every second of it is fifteen pictures."""
QUICK = 8.0
"""Pace of the hand that lays the board: how it is laid is not what is tested."""
TILES = ("8F2-8G6", "6K2-7K4")


def line_of(*tiles: str) -> LineOfPlay:
    """A line of tiles laid in turn, from a game that has begun."""
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
    trial = SimpleNamespace(game=line.game, time_s=0.0, subject=subject, player=player, judge=judge)
    pair = CarefulPlayers(cast("Any", trial))
    pair.hear("illegal")
    for code, until in (("move", 2 * SAY_S), ("repeat", 4 * SAY_S)):
        pair.hear(code)
        while trial.time_s < until:
            trial.time_s += 0.1
            pair.update()
    assert (len(told), pair.corrections) == (1, 1)


@pytest.mark.parametrize(
    ("made", "believed", "games_begun"),
    [(1, 4, 1), (12, 0, 1), (40, 0, 2)],
    ids=["nearby", "after moves that nobody saw", "too far off for legal play"],
)
def test_a_right_board_that_is_not_believed_is_adopted_and_counted_or_the_game_is_given_up(
    made: int, believed: int, games_begun: int, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(careful_players, "ADOPT_S", ADOPT_S)
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
