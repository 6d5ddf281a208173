"""The scripted player, under the real rules and in a game that only lays men."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import games
from calibration.template import BoardTemplate, load_template
from lab.simulated.player import ScriptedPlayer
from lab.simulated.table import SimulatedTable
from rules import About, Fault, Game, MoveError, Outcome, Step
from rules.turns import carry_out, line_of_play
from wording import sentence

TEMPLATE = load_template("nine_mens_morris")


@dataclasses.dataclass(frozen=True)
class NoRules:
    pass


class Filling(Game[str, int]):
    """A complete game by the protocol: both sides lay men in turn, and after eight men the game is drawn."""

    name, title, about = "nine_mens_morris", "filling", About("filling")
    sides, pieces, classes = ("light", "dark"), ("W", "B"), ".WB"
    cells = load_template("nine_mens_morris").cell_names
    rules = NoRules()
    starts = ("." * 24,)

    def initial(self, seed: int | None = None) -> str:
        return "." * 24

    def to_move(self, position: str) -> int:
        return (24 - position.count(".")) % 2

    def legal_moves(self, position: str) -> Sequence[int]:
        if self.outcome(position):
            return []
        return [cell for cell, letter in enumerate(position) if letter == "."]

    def apply(self, position: str, move: int) -> str:
        return carry_out(position, self.steps(position, move))

    def outcome(self, position: str) -> Outcome | None:
        return Outcome(None, "full") if position.count(".") <= 16 else None

    def board(self, position: str) -> str:
        return position

    def steps(self, position: str, move: int) -> tuple[Step, ...]:
        return (Step("place", move, None, self.pieces[self.to_move(position)]),)

    def fault(self, position: str, board: str) -> Fault:
        return Fault("wrong", (), (sentence("wrong"),))

    def format_move(self, position: str, move: int) -> str:
        return self.cells[move]

    def parse_move(self, position: str, text: str) -> int:
        if text not in self.cells or position[self.cells.index(text)] != ".":
            raise MoveError("occupied", text)
        return self.cells.index(text)

    def format_position(self, position: str) -> str:
        return position

    def parse_position(self, text: str) -> str:
        return text


def seat(template: BoardTemplate, game: object, humans: set[int], seed: int = 1) -> ScriptedPlayer:
    table = SimulatedTable(template, "." * 24, seed=3, size_px=(160, 90))
    return ScriptedPlayer(game, table, frozenset(humans), seed, think_s=0.2, pace=4)  # type: ignore[arg-type]


def play(player: ScriptedPlayer, seconds: float) -> None:
    for _ in range(int(seconds / 0.1)):
        if player.finished:
            return
        player.update()
        player.table.advance(0.1)


def test_a_whole_game_stands_on_the_board_ply_by_ply() -> None:
    game = games.load("morris")
    player = seat(TEMPLATE, game, {0, 1})
    play(player, 3000)
    assert player.finished
    positions = line_of_play(game, [ply.move for ply in player.record])
    assert [ply.board for ply in player.record] == [game.board(position) for position in positions[1:]]
    assert [ply.ply for ply in player.record] == list(range(1, len(positions)))
    assert player.outcome == game.outcome(positions[-1])
    assert player.table.board == player.record[-1].board
    times = [time_s for ply in player.record for time_s in (ply.begun_s, ply.done_s)]
    assert times == sorted(times)


def test_any_game_of_the_protocol_is_played() -> None:
    player = seat(TEMPLATE, Filling(), {0, 1})
    play(player, 200)
    assert player.finished and len(player.record) == 8
    assert [ply.side for ply in player.record] == [0, 1] * 4


def test_the_same_seed_plays_the_same_game() -> None:
    games_played = []
    for seed in (1, 1, 2):
        player = seat(TEMPLATE, Filling(), {0, 1}, seed)
        play(player, 200)
        games_played.append([ply.move for ply in player.record])
    assert games_played[0] == games_played[1] != games_played[2]


def test_the_agents_side_waits_until_it_is_told() -> None:
    player = seat(TEMPLATE, Filling(), {0})
    play(player, 20)
    assert len(player.record) == 1 and not player.table.busy
    free = next(name for name in Filling.cells if name != player.record[0].move)
    assert player.hear(2, free)
    play(player, 6)
    assert player.record[1].move == free and player.record[1].side == 1


def test_old_repeated_and_unplayable_moves_are_ignored() -> None:
    player = seat(TEMPLATE, Filling(), {0})
    play(player, 20)
    taken = player.record[0].move
    first, second, third = _free(taken)
    assert not player.hear(1, first)
    assert not player.hear(3, first)
    assert not player.hear(2, taken)
    assert not player.hear(2, "nonsense")
    assert player.hear(2, first)
    assert not player.hear(2, second)
    play(player, 20)
    assert [ply.move for ply in player.record[1:2]] == [first]
    assert not player.hear(2, third)
    assert len(player.record) == 3


def _free(taken: str) -> list[str]:
    return [name for name in Filling.cells if name != taken][:3]


def test_a_move_told_while_the_hand_is_leaving_is_kept() -> None:
    player = seat(TEMPLATE, Filling(), {0})
    while player.table.board == "." * 24:
        player.update()
        player.table.advance(0.05)
    assert player.table.busy
    free = Filling.cells[player.table.board.index(".")]
    assert player.hear(2, free)
    play(player, 10)
    assert player.record[1].move == free
