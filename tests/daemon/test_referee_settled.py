"""Unanswered questions settle by themselves, and unheeded complaints do not go on for ever."""

from __future__ import annotations

import pytest

import games
from daemon.game.effects import TakeBack
from daemon.judging.corrections import undo
from daemon.judging.referee import Referee
from rules import AnyGame
from rules.turns import line_of_play
from tests.daemon.readings import after, announced, codes, see

MORRIS = games.load("morris", {"men": 3, "flying": True})
LAID = ["d7", "g7", "a4", "g4", "d2", "e3"]
"""All men are laid, without a mill; with three men each, both sides fly from now on."""
TO_AND_FRO = ["d2-f2", "g7-e5", "f2-d2", "e5-g7"]
"""After these moves the board is as before them, with the same side to move."""
ROUND = ["d2-f2", "g7-e5", "f2-b2", "e5-g7", "b2-d2"]
"""After these moves the board is as before them, with the other side to move."""


def board_of(texts: list[str], game: AnyGame = MORRIS) -> str:
    return game.board(line_of_play(game, texts)[-1])


def moved(board: str, *moves: str, game: AnyGame = MORRIS) -> str:
    """The board after men are moved by hand."""
    letters = list(board)
    for origin, cell in (move.split("-") for move in moves):
        here, there = game.cells.index(origin), game.cells.index(cell)
        letters[here], letters[there] = ".", letters[here]
    return "".join(letters)


def test_of_takebacks_to_a_board_that_stood_there_twice_the_shortest_is_believed_and_nobody_is_asked() -> None:
    referee = after(MORRIS, [*LAID, *TO_AND_FRO, "d2-f2", "g7-e5"])
    effects = see(referee, board_of(LAID))
    assert effects[0] == TakeBack(len(LAID) + len(TO_AND_FRO))
    assert codes(effects) == ["takeback"]
    assert announced(effects)[0].text == "2 moves are taken back. It is light's turn."
    assert codes(see(referee, moved(board_of(LAID), "a4-a7"))) == ["move"]


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_where_the_sides_to_move_differ_a_move_of_the_other_side_shows_that_it_was_the_longer_takeback(
    looks: int,
) -> None:
    referee = after(MORRIS, [*LAID, *ROUND, "g7-e5", "d2-f2"])
    board = board_of(LAID)
    effects = see(referee, board)
    assert referee.moves == [*LAID, *ROUND]
    assert announced(effects)[0].text == "2 moves are taken back. It is dark's turn."
    for _ in range(looks):
        assert see(referee, board) == []
    effects = see(referee, moved(board, "a4-a7"))
    assert codes(effects) == ["restored", "move"]
    assert referee.moves == [*LAID, "a4-a7"]


def test_once_a_move_was_made_the_longer_takeback_is_out_of_the_question() -> None:
    referee = after(MORRIS, [*LAID, *ROUND, "g7-e5", "d2-f2"])
    board = board_of(LAID)
    see(referee, board)
    board = moved(board, "g7-b6")
    assert codes(see(referee, board)) == ["move"]
    assert codes(see(referee, moved(board, "b6-g7", "a4-a7"))) != ["restored", "move"]
    assert referee.moves[: len(LAID) + len(ROUND) + 1] == [*LAID, *ROUND, "g7-b6"]


def test_a_rule_broken_on_an_open_board_is_told_by_its_rule_and_the_question_settles_after_it() -> None:
    game = games.load("ganh")
    start = game.starts[0]
    referee = after(game, ["b5-b4", "c1-b2", "c5-b5"])
    board = game.board(start)
    assert codes(see(referee, board)) == ["ambiguous"]
    wrong = moved(board, "a5-b3", game=game)
    assert [(one.code, one.rule) for one in announced(see(referee, wrong))] == [("illegal", "not_adjacent")]
    see(referee, board)
    effects = see(referee, game.board(game.apply(start, game.parse_move(start, "d5-d4"))))
    assert codes(effects) == ["restored", "move"]


def test_what_was_wrong_on_an_open_board_is_not_reminded_of_once_it_is_right_again() -> None:
    game = games.load("ganh")
    board = game.board(game.starts[0])
    referee = after(game, ["b5-b4", "c1-b2", "c5-b5"])
    see(referee, board)
    see(referee, moved(board, "a5-b3", game=game))
    assert codes(referee.remind()) == ["reminder"]
    see(referee, board)
    assert referee.remind() == []


@pytest.mark.parametrize("answer", ["", "g4"])
def test_men_put_back_are_a_takeback_though_the_agent_could_have_moved_so(answer: str) -> None:
    # Dark's g7 took b4. Light's b4, taking g7, would lead to the board before that, too.
    game, texts = games.load("morris"), ["a4", "a7", "c4", "d7", "f2", "f4", "b4xf4", "g7xb4"]
    referee = Referee(game, ("alphabeta", None), line_of_play(game, texts), texts)
    referee.reply("alphabeta", len(texts), answer)
    assert codes(see(referee, board_of(texts[:-1], game))) == ["takeback"]
    assert (referee.moves, referee.awaiting) == (texts[:-1], "move")


def test_a_move_taken_back_by_word_leaves_nothing_open() -> None:
    game = games.load("ganh")
    referee = after(game, ["b5-b4", "c1-b2", "c5-b5"])
    see(referee, game.board(game.starts[0]))
    undo(referee)
    history = list(referee.history)
    see(referee, game.board(history[-1]))
    assert codes(see(referee, moved(game.board(history[-1]), "d5-d4", game=game)))
    assert referee.history[: len(history)] == history


def test_of_takebacks_between_which_a_doubtful_cell_decides_the_shorter_is_certain() -> None:
    referee = after(MORRIS, ["d7", "g7", "a4"])
    assert codes(see(referee, board_of(["d7"]), g7=("B", 0.5))) == ["takeback"]
    assert referee.moves == ["d7", "g7"]
    assert codes(see(referee, board_of(["d7"]))) == ["takeback"]
    assert referee.moves == ["d7"]


def test_nobody_is_asked_whether_half_a_move_was_made_that_most_likely_was_not() -> None:
    game = games.load("morris")
    referee = after(game, ["a7", "b6", "d7", "b4"])
    board = board_of(referee.moves, game)
    half = board[:2] + "W" + board[3:]  # g7 closes the mill
    doubt = {"g7": ("W", 0.35)}
    assert codes(see(referee, board, **doubt)) == ["start"]
    assert see(referee, board, **doubt) == []
    assert codes(see(referee, half)) == ["unfinished"]
    assert (see(referee, board, **doubt), referee.verdict) == ([], "unchanged")


def test_boards_that_nobody_puts_right_are_complained_of_twice_and_then_only_in_reminders() -> None:
    referee = after(games.load("morris"), LAID)
    board, heard = board_of(LAID), []
    board = moved(board, "d7-a1", "g7-d1", "a4-g1")
    for move in ("g4-c3", "d2-f6", "e3-d6", "a1-a7", "d1-b4"):
        heard.append(codes(see(referee, board)))
        board = moved(board, move)
    assert heard == [["desync"], ["desync"], [], [], []]
    assert codes(referee.remind()) == ["reminder"]
    assert "tell me to adopt the board" in announced(referee.remind())[0].text
    assert codes(see(referee, board_of(LAID))) == ["resumed"]
    assert codes(see(referee, board)) == ["desync"]


@pytest.mark.parametrize("wrong", ["e2-d3", "a2-b3", "d1-c2"])
def test_an_illegal_move_after_moves_were_taken_back_is_not_explained_by_making_them_again(wrong: str) -> None:
    game = games.load("ganh")
    texts = ["a4-b4", "c1-d2", "b4-a4", "d2-c3", "c5-b4", "c3-b3", "e3-d3", "a3xc5"]
    referee = after(game, texts)
    board = board_of(texts[:4], game)
    assert codes(see(referee, board)) == ["takeback"]
    effects = see(referee, moved(board, wrong, game=game))
    assert [(one.code, one.rule) for one in announced(effects)] == [("illegal", "not_your_turn")]
    assert referee.moves == texts[:4]


GANH = [
    *("e5-d4", "b1-b2", "a5-b4", "b2-c2", "d4-e5", "e2-d2", "b4-a5", "c1-b1", "c5-d4", "e1-e2", "d4-c5", "c2-c1"),
    *("e4-d4", "a3-b2", "e5-e4", "b2-b3", "e3-d3", "b3-b2", "d4-c3", "c1-c2", "a4-a3", "c2xc4", "e4-d4", "a2xa4"),
]
MILLS = [*("g4", "a4", "a1", "e3", "c3", "d3", "b2", "b4", "d2", "c5", "f2xc5", "c4xd2", "d2xc4", "g7", "d7", "c4xf2")]
"""Light's f2, taking c4, leads back to the board of three plies before it, but with other men in hand."""


@pytest.mark.parametrize(
    ("name", "texts", "ways"),
    [
        ("ganh", GANH, (("a5xa3", "c4-b4"), ("c5xc3", "a4-b4"))),
        ("morris", MILLS, (("f2xc4", "c4xd2"), ("f2xb4", "b4xd2"))),
    ],
)
@pytest.mark.parametrize("truth", [0, 1])
def test_of_two_plies_that_came_in_one_look_the_second_may_be_taken_back_though_others_were_believed(
    name: str, texts: list[str], ways: tuple[tuple[str, str], ...], truth: int
) -> None:
    game, way = games.load(name), ways[truth]
    referee = after(game, texts)
    see(referee, board_of([*texts, *way], game))
    assert len(referee.moves) == len(texts) + 2
    assert codes(see(referee, board_of([*texts, way[0]], game))) == ["takeback"]
    assert referee.moves == [*texts, way[0]]


def test_an_illegal_board_after_two_plies_in_one_look_is_no_part_of_others_that_lead_there() -> None:
    game = games.load("ganh")
    referee, board = after(game, GANH), board_of([*GANH, "a5xa3", "c4-b4"], game)
    see(referee, board)
    assert codes(see(referee, moved(board, "b4-d3", game=game))) == ["illegal"]
