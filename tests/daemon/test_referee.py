"""The referee, tested with lists of boards."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import games
from daemon.game.effects import Announcement, Effect, Finish, Record, TakeBack
from daemon.judging.referee import Referee
from rules import AnyGame
from tests.daemon.readings import after, announced, board_with, codes, moves, see
from wording import apart

MILL_NEXT = ["a7", "b6", "d7", "b4"]
"""Light closes a7-d7-g7 with g7."""


@pytest.fixture
def game() -> AnyGame:
    return games.load("morris")


def said(effects: list[Effect]) -> Announcement:
    return next(effect for effect in effects if isinstance(effect, Announcement))


def test_legal_move_is_recorded_then_announced(game: AnyGame) -> None:
    effects = see(Referee(game), board_with(game, W="d2"))
    assert isinstance(effects[0], Record)
    assert effects[0] == Record(1, 0, "d2", effects[0].position, board_with(game, W="d2"))
    assert codes(effects) == ["move"]
    assert said(effects).text == "Light: d2."


def test_first_sight_of_the_board_is_told_and_then_an_unchanged_board_says_nothing(game: AnyGame) -> None:
    referee = after(game, ["d2"])
    effects = see(referee, board_with(game, W="d2"))
    assert codes(effects) == ["start"]
    assert "dark's turn" in said(effects).text
    assert see(referee, board_with(game, W="d2")) == []


def test_mill_without_its_removal_is_unfinished_and_then_one_whole_move(game: AnyGame) -> None:
    referee = after(game, MILL_NEXT)
    effects = see(referee, board_with(game, W="a7 d7 g7", B="b6 b4"))
    assert codes(effects) == ["unfinished"]
    assert "remove one of dark's pieces" in said(effects).text
    assert referee.ply == 4
    effects = see(referee, board_with(game, W="a7 d7 g7", B="b4"))
    assert moves(effects) == ["g7xb6"]


def test_the_same_fault_is_announced_once_and_again_after_it_was_mended(game: AnyGame) -> None:
    referee = after(game, ["d2"])
    wrong = board_with(game, W="d2 a1")
    assert codes(see(referee, wrong)) == ["illegal"]
    assert see(referee, wrong) == []
    mended = see(referee, board_with(game, W="d2"))
    assert codes(mended) == ["resumed"]
    assert said(mended).text == "The board is right again. It is dark's turn."
    assert see(referee, board_with(game, W="d2")) == []
    assert codes(see(referee, wrong)) == ["illegal"]


def test_out_of_turn_and_then_the_others_move_are_two_legal_plies(game: AnyGame) -> None:
    referee = after(game, ["d2"])
    see(referee, board_with(game, W="d2 a1"))
    assert moves(see(referee, board_with(game, W="d2 a1", B="f4"))) == ["f4", "a1"]


def test_two_plies_at_once_are_both_recorded(game: AnyGame) -> None:
    assert moves(see(Referee(game), board_with(game, W="d2", B="f4"))) == ["d2", "f4"]


def test_takeback_returns_to_the_earlier_position(game: AnyGame) -> None:
    referee = after(game, ["d2", "f4", "a1"])
    effects = see(referee, board_with(game, W="d2"))
    assert effects[0] == TakeBack(1)
    assert codes(effects) == ["takeback"]
    assert referee.moves == ["d2"]
    assert game.to_move(referee.position) == 1


def test_a_legal_move_that_restores_an_earlier_board_is_no_takeback(game: AnyGame) -> None:
    # Dark's g7 takes b4; light lays b4 again, taking g7: the board is the one before dark's move.
    texts = ["a4", "a7", "c4", "d7", "f2", "f4", "b4xf4", "g7xb4"]
    referee = after(game, texts)
    effects = see(referee, board_with(game, W="a4 b4 c4 f2", B="a7 d7"))
    assert moves(effects) == ["b4xg7"]


def test_a_cell_read_wrongly_with_little_certainty_is_corrected_by_the_rules(game: AnyGame) -> None:
    # The picture says with 60 to 40 that a7 holds a man too; no single legal move lays two light men.
    effects = see(Referee(game), board_with(game, W="d2 a7"), a7=(".", 0.4))
    assert moves(effects) == ["d2"]


def test_a_doubtful_cell_that_nothing_explains_is_unclear_never_illegal(game: AnyGame) -> None:
    referee = after(game, ["d2"])
    effects = see(referee, board_with(game, W="d2 a1 g7 a4"), g7=("B", 0.3))
    assert codes(effects) == ["unclear"]
    assert said(effects).cells == (game.cells.index("g7"),)
    assert referee.ply == 1


def test_an_illegal_move_is_not_made_legal_by_a_ply_on_a_badly_seen_cell(game: AnyGame) -> None:
    # Light laid a second man; e3 is empty with five to one, but a dark man there would make two legal plies.
    referee = after(game, ["d2"])
    effects = see(referee, board_with(game, W="d2 a1"), e3=("B", 1 / 6))
    assert not moves(effects)
    assert referee.ply == 1


def test_who_lays_the_first_man_begins_where_the_rule_is_auto() -> None:
    game = games.load("morris", {"first": "auto"})
    referee = Referee(game)
    effects = see(referee, board_with(game, B="d2"))
    assert [(effect.side, effect.move) for effect in effects if isinstance(effect, Record)] == [(1, "d2")]
    assert game.to_move(referee.position) == 0


def test_agents_move_is_asked_for_and_thanked_when_carried_out(game: AnyGame) -> None:
    referee = after(game, ["d2"], (None, "alphabeta"))
    assert referee.awaiting == "agent"
    effects = referee.reply("alphabeta", 1, "f4")
    assert codes(effects) == ["agent_move"]
    assert said(effects).text == "Dark plays f4."
    assert referee.awaiting == "carry_out"
    assert moves(see(referee, board_with(game, W="d2", B="f4"))) == ["f4"]
    assert referee.awaiting == "move"


def test_half_of_another_move_than_the_agent_asked_for_is_not_taken_for_a_part_of_it(game: AnyGame) -> None:
    played = "a4 d5 f6 e4 a7 d6 a1xe4".split()
    referee = after(game, played, (None, "alphabeta"))
    referee.reply("alphabeta", 7, "g4")
    board = list(game.board(referee.position))
    board[game.cells.index("d7")] = "B"  # closes the mill d5-d6-d7: a removal would be owed
    effects = see(referee, "".join(board))
    assert (said(effects).code, said(effects).rule) == ("illegal", "not_the_agents_move")
    assert said(effects).text == "I asked for g4. Take d7 away."


def test_own_man_taken_with_a_mill_is_named_and_not_taken_for_a_move_of_the_agent(game: AnyGame) -> None:
    played = "a4 d2 f6 f4 d1 d6 c5 c4 e5 d5 d7 b2 f2 g4 a1 e4xa4".split()
    referee = after(game, played, (None, "alphabeta"))
    board = list(game.board(referee.position))
    board[game.cells.index("g1")] = "W"  # closes the mill a1-d1-g1
    board[game.cells.index("d7")] = "."
    effects = see(referee, "".join(board))
    assert said(effects).rule == "wrong_man_removed"
    assert said(effects).text == "Light's own man was taken. Move it back to d7."


def test_illegal_answer_is_refused_and_never_asked_for_on_the_board(game: AnyGame) -> None:
    referee = after(game, ["d2"], (None, "alphabeta"))
    effects = referee.reply("alphabeta", 1, "d2")
    assert codes(effects) == ["refused_reply"]
    assert said(effects).rule == "occupied"
    assert referee.awaiting == "agent"


@pytest.mark.parametrize(("agent", "ply"), [("alphabeta", 0), ("alphabeta", 2), ("stranger", 1)])
def test_late_answer_or_one_from_another_agent_is_ignored(game: AnyGame, agent: str, ply: int) -> None:
    referee = after(game, ["d2"], (None, "alphabeta"))
    assert referee.reply(agent, ply, "f4") == []
    assert referee.agent_move is None


def test_board_out_of_sight_is_said_once_and_its_return_too(game: AnyGame) -> None:
    referee = Referee(game)
    assert codes(referee.lost()) == ["board_lost"]
    assert referee.lost() == []
    assert codes(referee.found()) == ["board_found"]
    assert referee.found() == []


def test_end_of_the_game_is_finished_and_announced() -> None:
    game = games.load("morris", {"men": 3})
    texts = ["a7", "b6", "d7", "b4"]
    referee = after(game, texts)
    effects = see(referee, board_with(game, W="a7 d7 g7", B="b4"))
    assert moves(effects) == ["g7xb6"]
    effects = see(referee, board_with(game, W="a7 d7 g7", B="b4 f4"))
    assert [effect.outcome.winner for effect in effects if isinstance(effect, Finish)] == [0]
    assert codes(effects)[-1] == "game_over"
    assert referee.awaiting == "nothing"
    # The players clear the board man by man: no complaint.
    assert see(referee, board_with(game, W="a7 g7", B="b4 f4")) == []
    assert see(referee, board_with(game, W="g7")) == []
    assert see(referee, board_with(game)) == []


def test_boards_of_a_real_game_give_its_record(real_data: Path) -> None:
    """Every board of the 38 photographs, as labelled: what perfect eyes would see."""
    labels = json.loads((real_data / "morris" / "labels.json").read_text(encoding="utf-8"))["images"]
    game = games.load("morris", {"flying": True, "first": "auto"})
    referee = Referee(game)
    told: dict[str, list[Effect]] = {}
    for name in sorted(labels, key=lambda photo: [int(digits) for digits in re.findall(r"\d+", photo)]):
        told[name] = see(referee, labels[name]["cells"])
    out_of_turn = {name for name, effects in told.items() if "illegal" in codes(effects)}
    assert out_of_turn == {"1_16.jpg", "1_18.jpg"}
    assert all(said(told[name]).rule == "not_your_turn" for name in out_of_turn)
    assert {name: len(moves(effects)) for name, effects in told.items() if len(moves(effects)) != 1} == {
        "1_1.jpg": 0,
        "1_16.jpg": 0,
        "1_17.jpg": 2,
        "1_18.jpg": 0,
        "1_19.jpg": 2,
        "1_28.jpg": 2,
        # The photo before shows dark's move, and this one dark's next. Only light's d5-d6 fits between them, and
        # the man that it moved was taken.
        "1_32.jpg": 2,
    }
    assert referee.ply == 39
    assert set().union(*(codes(effects) for effects in told.values())) == {"start", "move", "illegal", "game_over"}


def test_agents_move_is_recalled_when_the_board_is_right_again(game: AnyGame) -> None:
    referee = after(game, ["d2"], (None, "alphabeta"))
    referee.reply("alphabeta", 1, "f4")
    assert "Please play f4." in said(see(referee, board_with(game, W="d2", B="g4"))).text
    assert "Please play f4 for dark." in said(see(referee, board_with(game, W="d2"))).text


def test_many_discs_turned_wrongly_are_an_illegal_move_with_its_rule_and_no_desync() -> None:
    game = games.load("reversi")
    texts = ["d3", "c3", "c4", "c5", "b4", "e3", "f3"]
    referee = after(game, texts[:5])
    wrong = game.board(referee.position).translate(str.maketrans("BW", "WB"))
    effects = see(referee, wrong)
    assert codes(effects) == ["illegal"]
    assert said(effects).rule == "turned_without_laying"
    assert len(said(effects).cells) >= 5


def test_a_man_removed_from_the_middle_of_the_line_is_no_takeback(game: AnyGame) -> None:
    referee = after(game, ["d2", "f4", "a1", "a4", "a7"])
    effects = see(referee, board_with(game, W="d2 a1 a7", B="a4"))
    assert codes(effects) == ["illegal"]
    assert referee.ply == 5


@pytest.mark.parametrize("text", ["d5-d4", "e3-d2", "a4-b4"])
def test_a_takeback_that_could_be_two_moves_is_settled_by_the_one_move_that_follows_it(text: str) -> None:
    game = games.load("ganh")
    start = game.starts[0]
    referee = after(game, ["b5-b4", "c1-b2", "c5-b5"])
    see(referee, game.board(start))
    assert referee.verdict == "ambiguous"
    effects = see(referee, game.board(game.apply(start, game.parse_move(start, text))))
    assert (codes(effects), moves(effects)) == (["restored", "move"], [text])


def test_a_question_about_one_tile_stays_short_whatever_is_laid_after_it() -> None:
    game = games.load("dominoes")
    referee, board = Referee(game), game.board(game.initial())
    said = list[str]()
    for tile in (("8H6", "8I1"), ("8J1", "8K4"), ("7H6", "6H2"), ("5H2", "4H5")):
        ends = {game.cells.index(end[:-1]): end[-1] for end in tile}
        board = "".join(ends.get(cell, pips) for cell, pips in enumerate(board))
        doubts = {"8K": ("3", 0.5)} if len(said) else {}
        said += [one.text for one in announced(see(referee, board, **doubts))]
    assert said[1:] == ["I am not sure: was it one-three on 8J and 8K or one-four on 8J and 8K?"] * 3


@pytest.mark.parametrize(
    ("one", "other", "apart_from"),
    [
        ("abc", "adc", "b d"),
        ("abc", "abd", "c d"),
        ("abc", "dbc", "a d"),
        ("abcd", "ab", "bcd b"),
        ("ab", "ab", "b b"),
        ("a", "ba", "a ba"),
        ("abcb", "acb", "bc c"),
    ],
)
def test_accounts_are_told_where_they_part_and_never_as_nothing(one: str, other: str, apart_from: str) -> None:
    assert ["".join(map(str, part)) for part in apart(one, other)] == apart_from.split()
