"""A board that no play explains is offered as a position to play on from; people say whose move it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import games
from daemon.commands.command import Adopt
from daemon.commands.spoken.conversation import Conversation, Table
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from daemon.page.view import play_view
from daemon.run.move_words import side_words
from daemon.words.translation import in_words, speak
from games.chess import Chess
from rules import AnyGame, figures_of
from tests.daemon.match_bench import bench_of, watching
from tests.daemon.readings import announced, judged, reading_of, see, with_figures
from tests.vision.tall_men import START, tall_table
from vision.frame import Frame
from vision.reading.board_reading import BoardReading

CHESS = Chess()
YES = {"en": "yes", "ro": "da", "pl": "tak", "vi": "đúng", "pt-br": "sim"}
ENDING = "8/5k2/3b4/2p1p3/4P3/3N1K2/8/7R {side} - - 0 1"


def seen(fen: str, side: str = "w", doubts: dict[str, dict[str, float]] | None = None) -> BoardReading:
    """What is read of that position, by its board and its figures."""
    position = CHESS.parse_position(fen.format(side=side))
    return with_figures(CHESS, reading_of(CHESS, CHESS.board(position)), CHESS.figures(position), doubts)


def told(referee: Referee, reading: BoardReading) -> str:
    return " ".join(in_words(*one.said) for one in announced(judged(referee, reading)))


def fens(game: AnyGame, positions: tuple[Any, ...]) -> list[str]:
    return [game.format_position(one) for one in positions]


@pytest.mark.parametrize(
    ("turn", "said"),
    [(1, "across the board"), (2, "where the other's belong"), (3, "across the board")],
)
@pytest.mark.parametrize("gone", ["", "e2"])
def test_a_start_that_lies_turned_is_told_in_one_sentence(turn: int, said: str, gone: str) -> None:
    """The men of one side of the start are set up where the other's belong, or the board is seen upside down."""
    cells, start = np.rot90(np.arange(64).reshape(8, 8), turn).ravel(), CHESS.initial()
    lying = (cell for cell in cells if CHESS.cells[cell] != gone)
    stands = {cell: (CHESS.board(start)[cell], CHESS.figures(start)[cell]) for cell in lying}
    board, figures = ("".join(stands.get(cell, "..")[one] for cell in cells) for one in (0, 1))
    for reading in (reading_of(CHESS, board), with_figures(CHESS, reading_of(CHESS, board), figures)):
        referee = Referee(CHESS)
        (one,) = announced(judged(referee, reading))
        assert said in in_words(*one.said) and "to move" not in in_words(*one.said)
        assert len(one.cells or ()) <= 2 and referee.offered == ()


def test_first_sight_of_an_ending_asks_who_is_to_move() -> None:
    referee = Referee(CHESS)
    assert told(referee, seen(ENDING)) == (
        "I see the position that the page draws. White or black to move? Or set up the board as at the start."
    )
    assert fens(CHESS, referee.offered) == [ENDING.format(side=side) for side in "wb"]


def test_which_piece_stands_where_may_be_seen_later_than_the_board() -> None:
    referee, board = Referee(CHESS), CHESS.board(CHESS.parse_position(ENDING.format(side="w")))
    assert "To begin, set up the board as at the start" in told(referee, reading_of(CHESS, board))
    assert referee.offered == ()
    assert "White or black to move?" in told(referee, seen(ENDING))
    assert told(referee, reading_of(CHESS, board)) == "" and len(referee.offered) == 2


def test_of_a_side_in_check_it_is_the_move() -> None:
    referee, bench = Referee(CHESS), bench_of("chess", None)
    check = "8/5k2/3b4/2p1p3/4P3/3N2K1/8/5R2 {side} - - 0 1"
    assert "Is it black's move?" in told(referee, seen(check, "b"))
    assert fens(CHESS, referee.offered) == [check.format(side="b")]
    bench.look(seen(check, "b"))
    answer = obey(bench.match, Adopt("white"), bench.eyes)
    assert not answer.accepted and answer.text == "Where the pieces stand so, it is black's move."
    assert obey(bench.match, Adopt(), bench.eyes).accepted
    assert CHESS.format_position(bench.match.set_up) == check.format(side="b")


def test_doubtful_pieces_are_named() -> None:
    assert "I am not sure what stands on d6." in told(Referee(CHESS), seen(ENDING, doubts={"d6": {"♝": 0.6, "♞": 0.4}}))


def test_no_position_is_offered_of_pieces_that_make_none() -> None:
    """Nobody could go on from a side without a king, or from a mate."""
    kingless = "8/5k2/3b4/2p1p3/8/8/8/8"
    figures = CHESS.figures(CHESS.parse_position(kingless.replace("8/8/8/8", "8/8/8/7K") + " w - - 0 1")).replace(
        "♔", "."
    )
    board = "".join("." if one == "." else "B" for one in figures)
    assert "To begin, set up the board" in told(Referee(CHESS), with_figures(CHESS, reading_of(CHESS, board), figures))
    referee = Referee(CHESS)
    told(referee, seen("7k/6Q1/6K1/8/8/8/8/8 {side} - - 0 1", "b"))
    assert all(CHESS.outcome(one) is None for one in referee.offered)
    assert fens(CHESS, referee.offered) == []


def test_answering_begins_a_game_from_the_position_which_goes_on() -> None:
    bench = bench_of("chess", None)
    assert bench.look(seen(ENDING)) == ["desync"]
    answer = obey(bench.match, Adopt("black"), bench.eyes)
    assert answer.accepted and answer.text == "A new game begins with this board. It is black's turn."
    assert CHESS.format_position(bench.match.set_up) == ENDING.format(side="b")
    bench.eyes.begin_again(Referee(CHESS, history=[bench.match.set_up]))
    assert bench.match.referee.offered == ()
    after = CHESS.apply(bench.match.referee.position, CHESS.parse_move(bench.match.referee.position, "Ke6"))
    assert bench.show(CHESS.board(after)) == ["move"]


@pytest.mark.parametrize(
    ("name", "sides"), [("reversi", ["black", "white"]), ("go", ["black", "white"]), ("ganh", ["up", "down"])]
)
def test_games_whose_board_tells_all_ask_the_same(name: str, sides: list[str]) -> None:
    game = games.load(name)
    position = game.initial()
    for _ in range(14):
        moves = [move for move in game.legal_moves(position) if game.steps(position, move)]
        position = game.apply(position, moves[len(moves) // 2])
    bench = bench_of(name, None)
    bench.show(game.board(position))
    assert [game.sides[game.to_move(one)] for one in bench.match.referee.offered] == sides
    for one in bench.match.referee.offered:
        assert game.board(one) == game.board(position)
    assert obey(bench.match, Adopt(sides[1]), bench.eyes).accepted
    assert game.to_move(bench.match.set_up) == game.sides.index(sides[1])


def test_without_figures_no_game_is_begun_from_men_that_look_alike() -> None:
    """Kings of draughts look like men, and pieces of chess like each other."""
    for name, text in (("draughts", "W:W32,27,K5:B9,12,K30,14"), ("chess", ENDING.format(side="w"))):
        game = games.load(name)
        referee = Referee(game)
        see(referee, game.board(game.parse_position(text)))
        assert referee.offered == () and "To begin, set up the board" in " ".join(map(str, referee.asked))


def test_a_game_that_was_set_up_is_not_exchanged_for_another() -> None:
    referee = Referee(CHESS, history=[CHESS.parse_position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")])
    assert told(referee, seen(ENDING)) == "To begin, set up the board as it is drawn on the page."
    assert referee.offered == ()


def gone_on(plies: list[str]) -> tuple[Referee, Any]:
    """A referee that saw the start and two plies, and the position after these."""
    referee, position = Referee(CHESS), CHESS.initial()
    see(referee, CHESS.board(position))
    for number, text in enumerate(plies):
        position = CHESS.apply(position, CHESS.parse_move(position, text))
        if number < 2:
            see(referee, CHESS.board(position))
    return referee, position


ITALIAN = (
    "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O O-O Re1 a6 Bb3 Ba7 h3 h6 Nbd2 Re8 Nf1 Be6 Ng3 d5 exd5 Bxd5 Bxd5 Qxd5"
).split()


def test_after_a_long_gap_the_position_on_the_table_is_offered_and_keeps_lost_rights() -> None:
    referee, position = gone_on(ITALIAN)
    reading = with_figures(CHESS, reading_of(CHESS, CHESS.board(position)), CHESS.figures(position))
    assert told(referee, reading) == (
        "The board is not as I know it. I see the position that the page draws. White or black to move? "
        "Or put the pieces back as they stood."
    )
    assert [figures_of(CHESS, one) for one in referee.offered] == 2 * [CHESS.figures(position)]


@pytest.mark.parametrize("seen_at_once", [True, False])
def test_moves_that_would_leave_other_pieces_there_are_no_explanation(seen_at_once: bool) -> None:
    bench, position = bench_of("chess", None), CHESS.initial()
    bench.show(CHESS.board(position))
    for number, text in enumerate(ITALIAN[:7]):
        position = CHESS.apply(position, CHESS.parse_move(position, text))
        if number < 2:
            bench.show(CHESS.board(position))
    if not seen_at_once:
        bench.show(CHESS.board(position))
        assert "If you have played so, play on" in " ".join(map(str, bench.match.referee.asked))
    letters, cells = list(CHESS.figures(position)), [CHESS.cells.index(name) for name in ("f3", "c4")]
    letters[cells[0]], letters[cells[1]] = letters[cells[1]], letters[cells[0]]
    bench.look(with_figures(CHESS, reading_of(CHESS, CHESS.board(position)), "".join(letters)))
    assert [CHESS.figures(one) for one in bench.match.referee.offered] == 2 * ["".join(letters)]
    assert obey(bench.match, Adopt("white"), bench.eyes).accepted
    assert bench.match.set_up is not None and CHESS.figures(bench.match.set_up) == "".join(letters)


def test_moves_that_leave_just_these_pieces_go_on_with_the_game() -> None:
    bench, position = bench_of("chess", None), CHESS.initial()
    bench.show(CHESS.board(position))
    for text in ITALIAN[:6]:
        position = CHESS.apply(position, CHESS.parse_move(position, text))
    bench.look(with_figures(CHESS, reading_of(CHESS, CHESS.board(position)), CHESS.figures(position)))
    assert obey(bench.match, Adopt("white"), bench.eyes).accepted
    assert bench.match.referee.ply == 6 and bench.match.set_up is None


def test_rights_lost_before_the_gap_stay_lost() -> None:
    referee, position = Referee(CHESS), CHESS.initial()
    for text in "e4 e5 Ke2 Ke7 Ke1 Ke8".split():
        position = CHESS.apply(position, CHESS.parse_move(position, text))
        see(referee, CHESS.board(position))
    far = "r1bqk2r/pp3ppp/2n2n2/2bpp3/8/2NPBN2/PPP2PPP/R2QKB1R {side} - - 0 1"
    told(referee, seen(far))
    assert fens(CHESS, referee.offered) == [far.format(side=side) for side in "wb"]


def test_few_pieces_knocked_about_in_a_game_are_to_be_put_back() -> None:
    referee, position = gone_on(["e4", "e5"])
    figures = list(CHESS.figures(position))
    for one, other in (("a2", "a5"), ("b2", "b5"), ("g7", "g4")):
        first, second = CHESS.cells.index(one), CHESS.cells.index(other)
        figures[first], figures[second] = figures[second], figures[first]
    text = "".join(figures)
    board = "".join("." if one == "." else "W" if one in "♔♕♖♗♘♙" else "B" for one in text)
    assert "look at" in told(referee, with_figures(CHESS, reading_of(CHESS, board), text))
    assert referee.offered == ()


def test_the_page_draws_the_position_and_has_a_button_for_each_side() -> None:
    referee = Referee(CHESS)
    assert play_view(referee, watched=True)["seen"] is None
    told(referee, seen(ENDING))
    shown = play_view(referee, watched=True)["seen"]
    assert isinstance(shown, dict)
    assert shown["sides"] == [
        {"side": "white", "name": "White to move"},
        {"side": "black", "name": "Black to move"},
    ]
    assert shown["board"].count("white knight") == shown["board"].count("black bishop") == 1
    referee.pause()
    assert play_view(referee, watched=True)["seen"] is None


@pytest.fixture
def spoken_in(request: pytest.FixtureRequest) -> Iterator[str]:
    speak(request.param)
    yield request.param
    speak("en")


@pytest.mark.parametrize("spoken_in", YES, indirect=True)
def test_the_answer_may_be_spoken(spoken_in: str) -> None:
    referee, conversation = Referee(CHESS), Conversation()
    assert side_words(referee, spoken_in) == {}
    told(referee, seen(ENDING))
    table = Table(spoken_in, "m", sides=side_words(referee, spoken_in))
    at_once = set()
    for phrase, side in table.sides.items():
        heard = conversation.hear(f"Kibitzer, {phrase}", table, "Kibitzer", 0.0)
        if heard is not None and heard.command is None:
            heard = conversation.hear(f"Kibitzer, {YES[spoken_in]}", table, "Kibitzer", 1.0)
        else:
            at_once.add(side)
        assert heard is not None and heard.command == Adopt(side, mark="m"), phrase
        assert conversation.hear(f"Kibitzer, {phrase}", Table(spoken_in, "m"), "Kibitzer", 0.0) is None
    assert at_once == {"white", "black"}, "the side's name alone is no word that may be misheard"


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_mirrored_picture_of_the_start_is_told_though_it_teaches(mirrored: bool) -> None:
    table, (eyes, heard) = tall_table(START, 36.0), watching(CHESS)
    for number in range(12):
        image = table.render()
        shown = np.ascontiguousarray(image[:, ::-1]) if mirrored else image
        eyes.feed(Frame(shown, number * 0.2, number))
        table.advance(0.2)
    said = " ".join(in_words(*one.said) for one in heard)
    assert eyes.pipeline.lesson is not None
    assert ("Or the picture is mirrored" in said) == mirrored
