"""Where it is seen which piece stands where: what a pawn became, and pieces that stand exchanged at the start."""

from __future__ import annotations

import pytest

from daemon.commands.command import Adopt
from daemon.judging import corrections
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from daemon.words.translation import in_words
from games.chess import Chess
from tests.daemon.match_bench import bench_of
from tests.daemon.readings import announced, codes, judged, reading_of, see, with_figures
from vision.reading.board_reading import BoardReading

CHESS = Chess()
PROMOTES = "8/P6k/8/8/8/8/7P/K7 w - - 0 1"
START = CHESS.figures(CHESS.initial())


def figures(fen: str, doubts: dict[str, dict[str, float]] | None = None) -> BoardReading:
    position = CHESS.parse_position(fen)
    return with_figures(CHESS, reading_of(CHESS, CHESS.board(position)), CHESS.figures(position), doubts)


def promoted(piece: str, doubts: dict[str, dict[str, float]] | None = None) -> BoardReading:
    """What is seen after a pawn became that piece on a8."""
    return figures(f"{piece}7/7k/8/8/8/8/7P/K7 b - - 0 1", doubts)


def at(fen: str) -> Referee:
    referee = Referee(CHESS, history=[CHESS.parse_position(fen)])
    see(referee, CHESS.board(referee.position))
    return referee


@pytest.mark.parametrize("piece", "QRBN")
def test_what_a_pawn_becomes_is_seen(piece: str) -> None:
    referee = at(PROMOTES)
    judged(referee, promoted(piece))
    assert [move.rstrip("+") for move in referee.moves] == [f"a8={piece}"]


def test_a_rook_seen_later_than_the_board_is_told_as_one_and_recorded() -> None:
    referee = at(PROMOTES)
    board = promoted("R")
    see(referee, board.board)
    assert referee.moves == ["a8=Q"]
    effects = judged(referee, board)
    assert referee.moves == ["a8=R"] and codes(effects) == ["restored"]
    assert not codes(judged(referee, board))


@pytest.mark.parametrize(
    "doubts",
    [
        {"♖": 0.9, "♕": 0.1},  # no clearer than that a queen is usual
        {"♙": 0.998, "♖": 0.0019, "♕": 0.0000001},  # the pawn itself, before it is exchanged
        {"♟": 0.9, "♖": 0.0999, "♕": 0.0000001},
    ],
)
def test_what_is_not_clearly_another_piece_stays_a_queen(doubts: dict[str, float]) -> None:
    referee = at(PROMOTES)
    judged(referee, promoted("R", {"a8": doubts}))
    assert referee.moves == ["a8=Q"]


def test_a_pawn_that_is_exchanged_late_becomes_what_then_stands_there() -> None:
    referee = at(PROMOTES)
    judged(referee, promoted("N", {"a8": {"♙": 0.999, "♖": 0.001}}))
    judged(referee, promoted("N"))
    assert referee.moves == ["a8=N"]


def test_what_was_seen_once_stays_so_without_another_look_though_the_piece_is_taken() -> None:
    referee = at("8/P6k/8/8/1n6/8/7P/K7 w - - 0 1")
    judged(referee, figures("R7/7k/8/8/1n6/8/7P/K7 b - - 0 1"))
    before = referee.moves
    see(referee, CHESS.board(CHESS.parse_position("R7/7k/8/8/1n6/8/7P/K7 b - - 0 1")))
    assert before == referee.moves == ["a8=R"]
    position = referee.position
    for text in ("Nc6", "Ka2", "Nb8", "Rxb8"):
        position = CHESS.apply(position, CHESS.parse_move(position, text))
        see(referee, CHESS.board(position))
    assert referee.moves == ["a8=R", "Nc6", "Ka2", "Nb8", "Rxb8"]


def test_a_taken_rook_remains_a_rook_in_the_record() -> None:
    referee = at("6k1/P7/1n6/8/8/8/7P/K7 w - - 0 1")
    judged(referee, figures("R5k1/8/1n6/8/8/8/7P/K7 b - - 0 1"))
    taken = figures("n5k1/8/8/8/8/8/7P/K7 w - - 0 1")
    see(referee, taken.board)
    judged(referee, taken)
    assert referee.moves == ["a8=R+", "Nxa8"]


def test_the_word_of_people_goes_before_what_is_seen() -> None:
    referee = at(PROMOTES)
    judged(referee, promoted("R"))
    assert corrections.choose(referee, "bishop") is not None
    judged(referee, promoted("R"))
    assert referee.moves == ["a8=B"]


def exchanged(*pairs: tuple[str, str], sure: float = 0.99) -> BoardReading:
    """The start with these cells' pieces exchanged, each seen so surely beside the right one."""
    letters = list(START)
    for one, other in pairs:
        first, second = CHESS.cells.index(one), CHESS.cells.index(other)
        letters[first], letters[second] = letters[second], letters[first]
    doubts = {
        name: {letters[CHESS.cells.index(name)]: sure, START[CHESS.cells.index(name)]: 1 - sure}
        for pair in pairs
        for name in pair
    }
    return with_figures(CHESS, reading_of(CHESS, CHESS.board(CHESS.initial())), "".join(letters), doubts)


def said(referee: Referee, reading: BoardReading) -> str:
    return " ".join(in_words(*one.said) for one in announced(judged(referee, reading)))


def test_king_and_queen_that_stand_exchanged_are_said_once_and_when_they_are_right_again() -> None:
    referee = Referee(CHESS)
    assert said(referee, exchanged(("d1", "e1"))) == (
        "The white queen and the white king stand exchanged: look at d1 and e1. "
        "If it is to be so, tell me to adopt the board."
    )
    assert [CHESS.cells[cell] for cell in referee.fault_cells] == ["d1", "e1"]
    assert said(referee, exchanged(("d1", "e1"))) == ""
    assert said(referee, reading_of(CHESS, CHESS.board(CHESS.initial()))) == "", "the pieces are not looked at"
    assert said(referee, exchanged()) == "The board is right again. It is white's turn."


def test_several_exchanges_are_said_together() -> None:
    told = said(Referee(CHESS), exchanged(("d8", "e8"), ("b1", "c1")))
    assert "The black queen and the black king stand exchanged: look at d8 and e8." in told
    assert "The white knight and the white bishop stand exchanged: look at b1 and c1." in told


def test_eyes_that_contradict_many_pieces_of_a_start_are_not_believed() -> None:
    many = exchanged(("a8", "b8"), ("c8", "d8"), ("e8", "f8"), ("g8", "h8"))
    assert said(Referee(CHESS), many) == (
        "I see the board, as the game stands. I cannot tell king and queen apart: look that both stand right. "
        "It is white's turn."
    )


def test_pieces_that_are_not_clearly_exchanged_are_asked_about_as_ever() -> None:
    check = "I cannot tell king and queen apart: look that both stand right."
    assert check in said(Referee(CHESS), exchanged(("d1", "e1"), sure=0.85))
    assert check in said(Referee(CHESS), reading_of(CHESS, CHESS.board(CHESS.initial())))


def test_of_pieces_that_are_seen_to_stand_right_nobody_is_asked() -> None:
    assert said(Referee(CHESS), exchanged()) == "I see the board, as the game stands. It is white's turn."


def test_who_plays_on_with_exchanged_pieces_is_followed_and_may_begin_so() -> None:
    bench = bench_of("chess", None)
    start = exchanged(("d1", "e1"))
    assert bench.look(start) == ["desync"]
    after = CHESS.apply(CHESS.initial(), CHESS.parse_move(CHESS.initial(), "c4"))
    assert bench.show(CHESS.board(after)) == ["move"]
    again = bench_of("chess", None)
    again.look(start)
    assert obey(again.match, Adopt(), again.eyes).accepted
    assert CHESS.format_position(again.match.set_up) == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w kq - 0 1"
