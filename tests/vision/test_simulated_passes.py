"""The scripted player in a game with forced passes, which gets the agent's moves from a daemon that passes at once."""

from __future__ import annotations

import games
from calibration.template import load_template
from lab.simulated.player import ScriptedPlayer
from lab.simulated.table import SimulatedTable

GAME = games.load("reversi")
HUMAN = frozenset({0})
"""Side of the person, black; white is an agent."""


def seat(text: str) -> ScriptedPlayer:
    """A scripted player at a board in the middle of a game."""
    start = GAME.parse_position(text)
    table = SimulatedTable(load_template("reversi"), GAME.board(start), seed=3, size_px=(160, 90))
    return ScriptedPlayer(GAME, table, HUMAN, seed=1, think_s=0.2, pace=8, start=start)


def play(player: ScriptedPlayer) -> list[tuple[str, int, bool]]:
    """The move, side and visibility of all plies made until the game is over or stops."""
    for _ in range(200):
        if not player.finished:
            player.update()
            player.table.advance(0.1)
    return [(ply.move, ply.side, ply.seen) for ply in player.record]


def test_an_agents_move_told_before_a_person_has_passed_is_kept_until_then() -> None:
    player = seat("OX" + "-" * 62 + " X")
    assert not player.hear(1, "c1")
    assert not player.hear(2, "d1")
    assert player.hear(2, "c1")
    assert not player.hear(2, "c1")
    assert play(player) == [("pass", 0, False), ("c1", 1, True)]
    assert player.finished


def test_an_agents_pass_is_made_without_being_told() -> None:
    player = seat("XO" + "-" * 62 + " O")
    assert play(player) == [("pass", 1, False), ("c1", 0, True)]
    assert player.finished


def test_a_pass_that_must_be_told_is_said_until_it_is_understood_and_true_before() -> None:
    go, said = games.load("go"), list[tuple[int, int]]()
    table = SimulatedTable(load_template("go"), go.board(go.initial()), seed=3, size_px=(160, 90))

    def hear(ply: int) -> bool:
        said.append((ply, len(player.record)))
        return len(said) > 2

    player = ScriptedPlayer(
        go, table, frozenset((0, 1)), seed=1, think_s=0.2, pace=8, say_pass=hear, moves=["pass", "E5", "pass"]
    )
    assert play(player) == [("pass", 0, False), ("E5", 1, True), ("pass", 0, False)]
    assert said == [(0, 1), (0, 1), (0, 1), (2, 3)]


def test_an_agents_pass_is_true_when_it_is_heard_before_the_player_turns_to_it() -> None:
    go = games.load("go")
    table = SimulatedTable(load_template("go"), go.board(go.initial()), seed=3, size_px=(160, 90))
    player = ScriptedPlayer(go, table, frozenset((1,)), seed=1, think_s=0.2, pace=8)
    assert player.hear(1, "pass")
    assert go.to_move(player.agreed) == 1 and go.to_move(player.position) == 0
