"""The referee of a game with points and unseen passes: its announcements, and the corrections that it accepts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import games
from daemon.game.effects import Announcement, Effect, Finish, Record, Rewrite, TakeBack
from daemon.judging import corrections
from daemon.judging.corrections import Refusal
from daemon.judging.referee import Referee
from lab.bench.watch_dominoes import annotated
from rules import EMPTY, AnyGame
from tests.daemon.dominoes import laid_points, played, show
from tests.daemon.readings import codes

FIRST, SECOND, THIRD = "8H6-8I1", "8J1-8K4", "6K2-7K4"
"""A tile by red, one by green, and one that scores its side a point."""


@pytest.fixture
def game() -> AnyGame:
    return games.load("dominoes")


@pytest.fixture
def referee(game: AnyGame) -> Referee:
    return Referee(game)


def with_tiles(referee: Referee, *texts: str) -> str:
    """The board with more tiles, legal or not."""
    board = list(referee.game.board(referee.position))
    for end in (end for text in texts for end in text.split("-")):
        board[referee.game.cells.index(end[:-1])] = end[-1]
    return "".join(board)


def lay(referee: Referee, *texts: str, movers: tuple[int, ...] = ()) -> list[Effect]:
    """Lays tiles one after another; returns the effects of the last."""
    effects: list[Effect] = []
    for text in texts:
        effects = show(referee, with_tiles(referee, text), movers)
    return effects


NAMES = "blank one two three four five six".split()
TILE = re.compile(f"double ({'|'.join(NAMES)})|({'|'.join(NAMES)})-({'|'.join(NAMES)})")


def tile_text(words: str) -> str:
    """ "3-5" for "three-five", "6-6" for "double six"."""
    ends = words.removeprefix("double ").split("-")
    return f"{NAMES.index(ends[0])}-{NAMES.index(ends[-1])}"


def said(effects: list[Effect]) -> list[str]:
    texts = [effect.text for effect in effects if isinstance(effect, Announcement)]
    return [TILE.sub(lambda tile: tile_text(tile[0]), text) for text in texts]


def at(referee: Referee, position: str) -> None:
    """Sets the referee to a position in the middle of a game."""
    referee.line.know(referee.game.parse_position(position))


def test_a_tile_is_announced_with_its_points_both_totals_and_whose_turn_it_is(referee: Referee) -> None:
    assert said(lay(referee, FIRST)) == ["Red lays 6-1 on 8H and 8I: no points. Red 0, green 0. Green's turn."]
    assert said(lay(referee, SECOND, THIRD)) == ["Red lays 2-4 on 6K and 7K: 1 point. Red 1, green 0. Green's turn."]


def test_bonus_points_are_told_apart_for_both_sides(referee: Referee) -> None:
    # Space 3 shows a 3, space 4 a 4.
    at(referee, "red;pawns=3,4;bag=40;holds=4,3;tiles=8H6-8I1,8J1-8K4")
    effects = lay(referee, "6K3-7K4")
    assert said(effects) == [
        "Red lays 3-4 on 6K and 7K: 4 points, 3 of them bonus. Green gets 3 bonus points. Red 7, green 7. Green's turn."
    ]
    announcement = next(effect for effect in effects if isinstance(effect, Announcement))
    assert announcement.gains is not None
    assert [(gain.points, gain.bonus) for gain in announcement.gains] == [(1, 3), (0, 3)]
    assert (announcement.side, announcement.scores) == (0, (7, 7))


def test_a_bonus_alone_is_called_so(referee: Referee) -> None:
    at(referee, "red;pawns=2,0;bag=40;holds=4,3;tiles=8H6-8I1")
    assert said(lay(referee, "8F2-8G6")) == ["Red lays 2-6 on 8F and 8G: 3 bonus points. Red 5, green 0. Green's turn."]


def test_after_a_double_the_same_side_may_go_on(referee: Referee) -> None:
    assert said(lay(referee, FIRST, "8G6-9G6"))[0].endswith("Green may go on or pass.")


def test_a_double_that_is_not_joined_ends_the_turn_in_words(referee: Referee) -> None:
    effects = lay(referee, FIRST, "8G6-9G6", SECOND)
    assert said(effects) == [
        "Green's turn is over.",
        "Red lays 1-4 on 8J and 8K: no points. Red 0, green 0. Green's turn.",
    ]


def test_a_side_known_to_lay_again_is_the_others_pass_and_nothing_illegal(referee: Referee) -> None:
    lay(referee, FIRST)
    effects = lay(referee, SECOND, movers=(0,))
    assert codes(effects) == ["pass", "move"]
    assert said(effects) == [
        "Green passes.",
        "Red lays 1-4 on 8J and 8K: no points. Red 0, green 0. Green's turn.",
    ]
    assert [(one.side, one.move, one.known) for one in effects if isinstance(one, Record)] == [
        (1, "pass", ""),
        (0, SECOND, "seat"),
    ]


def test_tiles_laid_together_are_told_one_by_one_and_their_order_is_said_to_be_assumed(referee: Referee) -> None:
    lay(referee, FIRST, SECOND)
    effects = show(referee, with_tiles(referee, THIRD, "8F2-8G6"))
    assert codes(effects) == ["move", "move"]
    assert "They came together, so I assume their order. Red " in said(effects)[-1]
    assert "Red" not in said(effects)[0].split(":")[1]  # points and turn are announced once


def test_half_a_tile_is_called_half_of_the_tile(referee: Referee) -> None:
    lay(referee, FIRST)
    effects = show(referee, with_tiles(referee, "8J1"))
    assert (codes(effects), said(effects)) == (["unfinished"], ["I see only half of the tile on 8J."])
    announcement = next(effect for effect in effects if isinstance(effect, Announcement))
    assert announcement.cells == (referee.game.cells.index("8J"),)


def test_a_tile_lifted_is_taken_back_with_its_points(referee: Referee) -> None:
    lay(referee, FIRST, SECOND)
    board = referee.game.board(referee.position)
    lay(referee, THIRD)
    assert said(show(referee, board)) == ["The last move is taken back. Red 0, green 0. It is red's turn."]


def test_a_lifted_tile_takes_an_inferred_pass_with_it_and_leaves_one_that_was_said(referee: Referee) -> None:
    lay(referee, FIRST)
    board = referee.game.board(referee.position)
    lay(referee, SECOND, movers=(0,))
    assert [effect.ply for effect in show(referee, board) if isinstance(effect, TakeBack)] == [1]
    corrections.say_pass(referee)
    lay(referee, SECOND)
    assert [effect.ply for effect in show(referee, board) if isinstance(effect, TakeBack)] == [2]
    assert referee.moves == [FIRST, "pass"]


def test_an_illegal_tile_is_named_by_the_game(referee: Referee) -> None:
    lay(referee, FIRST)
    effects = lay(referee, "8J2-8K4")
    assert codes(effects) == ["illegal"]
    assert "8J" in said(effects)[0]


def test_a_pass_is_recorded_as_said_and_announced(referee: Referee) -> None:
    lay(referee, FIRST)
    effects = corrections.say_pass(referee)
    assert [(one.ply, one.side, one.move, one.known) for one in effects if isinstance(one, Record)] == [
        (2, 1, "pass", "said")
    ]
    assert said(effects) == ["Green passes. Red 0, green 0. Red's turn."]


def test_a_pass_told_by_mistake_is_taken_back(referee: Referee) -> None:
    lay(referee, FIRST)
    corrections.say_pass(referee)
    effects = corrections.undo(referee)
    assert [effect.ply for effect in effects if isinstance(effect, TakeBack)] == [1]
    assert said(effects) == ["Green's pass is taken back. Green's turn."]


def test_a_corrected_mover_is_rewritten_at_once_and_announced(referee: Referee) -> None:
    lay(referee, FIRST, SECOND, THIRD)
    effects = corrections.set_mover(referee, "red", 2)
    rewrite = next(effect for effect in effects if isinstance(effect, Rewrite))
    assert (rewrite.ply, rewrite.outcome) == (1, None)
    assert [(one.ply, one.side, one.move, one.known) for one in rewrite.records] == [
        (2, 1, "pass", ""),
        (3, 0, SECOND, "said"),
        (4, 1, THIRD, ""),
    ]
    assert said(effects) == ["Move 2 was red's. Red 0, green 1. Red's turn."]


def test_without_a_name_the_last_move_was_the_other_sides(referee: Referee) -> None:
    lay(referee, FIRST, SECOND, THIRD)
    assert said(corrections.set_mover(referee)) == ["Move 3 was green's. Red 0, green 1. Red's turn."]


def test_a_correction_may_end_the_game_and_another_may_open_it_again(referee: Referee) -> None:
    at(referee, "red;pawns=99,0;bag=40;holds=4,3;tiles=8H6-8I1,8J1-8K4")
    lay(referee, "8F2-8G6", THIRD, "8D5-8E2")
    effects = corrections.set_mover(referee, "red", 2)
    rewrite = next(effect for effect in effects if isinstance(effect, Rewrite))
    assert rewrite.outcome is not None and rewrite.outcome.winner == 0
    assert rewrite.beyond == (("8D5-8E2", 0, ""),)
    assert said(effects) == [
        "Move 2 was red's. Red 100, green 0. The move after the end of the game no longer counts.",
        "Red wins: the last space is reached. 100 to 0.",
    ]
    effects = corrections.set_mover(referee, "green", 2)
    assert said(effects) == ["Move 2 was green's. Red 99, green 1. Green's turn."]
    assert referee.outcome is None


def test_what_cannot_be_is_refused_in_words(referee: Referee) -> None:
    with pytest.raises(Refusal, match="No move has been made yet"):
        corrections.set_mover(referee, "red")
    lay(referee, FIRST)
    with pytest.raises(Refusal, match="There is no move 2: 1 is made"):
        corrections.set_mover(referee, "red", 2)
    with pytest.raises(Refusal, match="The sides are red and green; there is no blue"):
        corrections.set_mover(referee, "blue")
    morris = Referee(games.load("morris"))
    with pytest.raises(Refusal, match="Light has to move and may not pass"):
        corrections.say_pass(morris)
    with pytest.raises(Refusal, match="every piece shows whose it is"):
        corrections.set_mover(morris, "light")


def test_an_agents_moves_are_its_own(game: AnyGame) -> None:
    referee = Referee(game, (None, "random"))
    lay(referee, FIRST)
    with pytest.raises(Refusal, match="random says itself when it passes"):
        corrections.say_pass(referee)
    with pytest.raises(Refusal, match="An agent plays here"):
        corrections.set_mover(referee, "green", 1)


def test_an_agents_pass_needs_nobody_to_carry_it_out(game: AnyGame) -> None:
    referee = Referee(game, (None, "random"))
    lay(referee, FIRST)
    effects = referee.reply("random", 1, "pass")
    assert said(effects) == ["Green passes. Red 0, green 0. Your move."]
    assert [(one.move, one.known) for one in effects if isinstance(one, Record)] == [("pass", "agent")]
    assert referee.awaiting == "move"


def test_a_tile_for_the_agent_that_it_did_not_ask_for_is_not_believed(game: AnyGame) -> None:
    referee = Referee(game, (None, "random"))
    lay(referee, FIRST)
    referee.reply("random", 1, "pass")
    lay(referee, "8G6-9G6")  # red's double: red may go on
    effects = lay(referee, SECOND)  # not joined to it, so green's, which nobody asked for
    assert codes(effects) == ["illegal"]
    assert said(effects) == ["That would be random's move. Take it back, please."]


def test_a_side_that_can_only_pass_passes_by_itself(game: AnyGame, monkeypatch: pytest.MonkeyPatch) -> None:
    referee, legal_moves = Referee(game), game.legal_moves
    stuck = lambda position: [  # noqa: E731
        move for move in legal_moves(position) if position.to_move == 0 or not game.steps(position, move)
    ]
    monkeypatch.setattr(game, "legal_moves", stuck)
    effects = lay(referee, FIRST)
    assert codes(effects) == ["move", "pass"]
    assert said(effects)[1] == "Green has no move and passes. Red 0, green 0. Red's turn."


def test_the_end_is_announced_with_the_points(referee: Referee) -> None:
    at(referee, "red;pawns=99,4;bag=40;holds=4,3;tiles=8H6-8I1,8J1-8K4")
    effects = lay(referee, THIRD)
    assert [effect.outcome.scores for effect in effects if isinstance(effect, Finish)] == [(100, 7)]
    correction = "If a move was counted for the wrong side, say so on the page, or type its number and side."
    assert said(effects)[-1] == f"Red wins: the last space is reached. 100 to 7. {correction}"


@pytest.mark.parametrize("seed", range(4))
def test_a_game_corrected_afterwards_has_the_points_it_had(game: AnyGame, seed: int) -> None:
    tiles = played(game, seed, 20)
    check_corrected(Referee(game), tiles)


@pytest.mark.parametrize("number", range(1, 6))
def test_a_real_game_corrected_afterwards_has_the_points_it_had(game: AnyGame, real_data: Path, number: int) -> None:
    check_corrected(Referee(game), annotated(real_data / "dominoes", number))


def check_corrected(referee: Referee, tiles: list) -> None:
    """Shows every tile without its mover, then corrects the wrong movers from the first on."""
    told: list[str] = []
    for tile in tiles:
        told += codes(show(referee, tile.board))
    assert set(told) <= {"move", "pass"}
    wanted = [(tile.side, tile.points) for tile in tiles]
    for number, tile in enumerate(tiles, 1):
        if laid_points(referee)[number - 1][0] != tile.side:
            corrections.set_mover(referee, referee.game.sides[tile.side], number)
    assert laid_points(referee) == wanted
    assert EMPTY in tiles[-1].board and referee.game.board(referee.position) == tiles[-1].board
