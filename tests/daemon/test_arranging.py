"""Positions set up by people: checked by the rules, with what the pieces do not show; and compared with the camera."""

from __future__ import annotations

from typing import Any

import pytest

import games
from calibration.template import load_template
from daemon.commands.command import CommandError
from daemon.commands.game_choice import start_of
from daemon.page.arranging import _checked, arrangement
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from rules import GameError, HiddenHands, PositionError, figures_of
from tests.daemon.match_bench import watching
from vision.frame import Frame
from wording import Sentence

CASTLES = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1"


def test_rights_of_a_pasted_position_stand_until_they_are_told_otherwise() -> None:
    pasted = arrangement({"game": "chess", "position": CASTLES})
    told: dict[str, Any] = {one["code"]: one["held"] for one in pasted["rights"]}  # type: ignore[attr-defined]
    assert told == {"h1": True, "a1": True, "h8": True, "a8": True, "d5": True}
    again = arrangement({"game": "chess", "figures": pasted["figures"], "side": 0, "told": told | {"a1": False}})
    assert again["position"] == CASTLES.replace("KQkq", "Kkq") and again["fault"] == ""
    turned = arrangement({"game": "chess", "figures": pasted["figures"], "side": 1, "told": told})
    assert turned["position"] == "r3k2r/8/8/3pP3/8/8/8/R3K2R b KQkq - 0 1"  # no white pawn has moved last


@pytest.mark.parametrize(
    ("game", "position", "why"),
    [
        ("chess", "8/8/8/8/8/8/8/K7 w - - 0 1", "Black has 0 kings and needs one"),
        ("chess", "k7/8/8/8/8/8/8/KP6 w - - 0 1", "a pawn stands on b1, where none can"),
        ("chess", "k6R/8/8/8/8/8/8/K7 w - - 0 1", "Black is in check and not to move"),
        ("chess", "k7/8/8/8/8/8/8/K7 w Q - 0 1", "castling 'Q' needs king and rook on their first row"),
        ("chess", "k7/PP6/KPPPPPPP/8/8/8/8/8 b - - 0 1", "White has 9 pawns, and eight is the most"),
        ("chess", "7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "On this board the game is over"),
        ("chess", "hello", "'hello' is no FEN"),
        ("draughts", "W:W40:B3", "there is no square 40; they are numbered 1 to 32"),
        ("draughts", "W:W:B3", "On this board the game is over"),
        ("gomoku", "rubbish", "is not rows of X, O and ."),
    ],
)
def test_what_the_rules_forbid_is_named_with_its_value(game: str, position: str, why: str) -> None:
    told = arrangement({"game": game, "position": position})
    assert told["position"] is None and why in str(told["fault"])


def test_no_game_refuses_a_position_in_english_alone() -> None:
    for name in games.names():
        with pytest.raises(PositionError) as refused:
            games.load(name).parse_position("rubbish")
        assert isinstance(games.load(name), HiddenHands) or isinstance(refused.value.said, Sentence), name


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "an object with a game"),
        ({"game": "chess", "figures": 3}, "figures is not a str"),
        ({"game": "chess", "side": True}, "side is not a int"),
        ({"game": "chess", "side": 2}, "side is 0 or 1, not 2"),
        ({"game": "chess", "more": 1}, "more: an arrangement has"),
    ],
)
def test_questions_that_are_none_are_refused(words: object, why: str) -> None:
    with pytest.raises(CommandError, match=why):
        _checked(words)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"game": "whist"}, "there is no game 'whist'"),
        ({"game": "chess", "rules": {"start": 1000}}, "start is between 0 and 959, not 1000"),
        ({"game": "chess", "figures": "♔♚"}, "figures are 64 of"),
        ({"game": "chess", "figures": 64 * "W"}, "figures are 64 of"),
        ({"game": "dominoes"}, "not to be seen on the board"),
    ],
)
def test_games_rules_and_figures_that_are_none_are_refused(words: dict[str, Any], why: str) -> None:
    with pytest.raises(GameError, match=why):
        arrangement(words)


def test_the_usual_start_set_up_by_hand_is_no_set_up_position() -> None:
    game = games.load("chess")
    usual, other = ({"start": {"position": text}} for text in (game.format_position(game.initial()), CASTLES))
    assert start_of(usual, game) is None and start_of(other, game) == game.parse_position(CASTLES)


def test_the_camera_expects_and_learns_from_the_board_that_was_set_up() -> None:
    game = games.load("chess")
    start = game.parse_position("r3k2r/pp3ppp/2n5/8/4P3/5N2/PPP2PPP/R3K2R b KQkq - 0 1")
    eyes, _ = watching(game, start, settle_s=0.3)
    scene = SimulatedTable(load_template(game.name), game.board(start), default_style(), seed=5, size_px=(960, 540))
    for number in range(8):
        eyes.feed(Frame(scene.render(), number * 0.3, number))
        scene.advance(0.3)
    assert eyes.pipeline.lesson is not None and eyes.pipeline.lesson.board == figures_of(game, start)
    assert eyes.match.referee.verdict == "unchanged"
