"""The proving ground: careful players say whose a tile was where the other side was named."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import games
from daemon.commands import Mover
from daemon.judging.line import LineOfPlay
from daemon.soak import telling
from daemon.soak.telling import SAY_S, CarefulPair, wrongly_counted
from vision.simulated.player import Ply

TILES = ("8F2-8G6", "6K2-7K4")


def line_of(*tiles: str) -> LineOfPlay:
    """Tiles laid in turn, from a game that has begun."""
    game = games.load("dominoes")
    line = LineOfPlay(game, [game.parse_position("green;pawns=9,1;tiles=8H6-8I1,8J1-8K4")])
    for text in tiles:
        move = game.parse_move(line.position, text)
        line.add(move, game.apply(line.position, move))
    return line


def made(*sides: int, texts: tuple[str, ...] = TILES) -> list[Ply]:
    return [
        Ply(number, text, "", side, 0.0, 0.0) for number, (text, side) in enumerate(zip(texts, sides, strict=True), 1)
    ]


def test_the_first_move_counted_for_the_wrong_side_is_told_by_its_number() -> None:
    line = line_of(*TILES)
    first, second = (ply.side for ply in line.plies)
    assert wrongly_counted(line, made(first, second)) is None
    assert wrongly_counted(line, made(first, 1 - second)) == Mover(side=line.game.sides[1 - second], number=2)
    assert wrongly_counted(line, made(1 - first, 1 - second)) == Mover(side=line.game.sides[1 - first], number=1)


def test_nothing_is_told_of_moves_after_one_that_was_never_made_so() -> None:
    line = line_of(*TILES)
    sides = [1 - ply.side for ply in line.plies]
    assert wrongly_counted(line, made(line.plies[0].side, sides[1], texts=(TILES[1], TILES[0]))) is None


def test_it_is_said_a_little_after_the_wrong_name_was_heard_and_once(monkeypatch: Any) -> None:
    line = line_of(*TILES)
    told: list[Mover] = []

    def obey(_match: Any, command: Mover) -> Any:
        told.append(command)
        return SimpleNamespace(accepted=True)

    monkeypatch.setattr(telling, "obey", obey)
    player = SimpleNamespace(seen=made(*(1 - ply.side for ply in line.plies)))
    subject = SimpleNamespace(referee=SimpleNamespace(line=line), match=None)
    trial = SimpleNamespace(game=line.game, time_s=0.0, subject=subject, player=player)
    pair = CarefulPair(cast("Any", trial))
    pair.hear("illegal")
    for code, until in (("move", 2 * SAY_S), ("repeat", 4 * SAY_S)):
        pair.hear(code)
        while trial.time_s < until:
            trial.time_s += 0.1
            pair.update()
    assert (len(told), pair.told) == (1, 1)
