"""Commands to the daemon, in a match whose eyes are a list of boards."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

import games
from daemon.bus import hints
from daemon.commands.command import Adopt, Command, Correct, EndMove, NewGame, Pass, Pause, Repeat, Resign, Resume, Undo
from daemon.config.seats import Seat
from daemon.game.effects import Rewrite
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from daemon.match.match import FIRST_S
from daemon.perception.board_tracker import HURRY_GIVEN_UP, HURRY_S
from daemon.perception.next_game import STANDS_S
from daemon.perception.pipeline import Observation
from daemon.record.journal import Journal
from daemon.record.stored_line import history_of
from daemon.run.session_runner import Keyboard
from rules import Outcome
from rules.turns import line_of_play
from tests.daemon.match_bench import LOCKED, PICTURE, Bench, bench_with
from tests.daemon.readings import board_with, reading_of
from tests.daemon.sights import FROM_ABOVE, sight
from vision.frame import Frame
from vision.watching.watcher import Phase

MILL = ["a7", "b6", "d7", "b4", "g7xb6"]


def at(
    name: str = "morris",
    moves: Sequence[str] = (),
    agents: tuple[str | None, str | None] = (None, None),
    coach: hints.Coach | None = None,
    **rules: object,
) -> Bench:
    """A match after some moves, without any services, shown its board once."""
    game = games.load(name, rules)
    referee = Referee(game, agents, line_of_play(game, moves), moves)
    made = bench_with(referee, (Seat(agents[0]), Seat(agents[1])), coach, watched=False)
    made.show(game.board(made.match.referee.position))
    return made


def tell(bench: Bench, command: Command) -> str:
    """Gives a command, which must be accepted; returns the answer."""
    answer = obey(bench.match, command, bench.eyes)
    assert answer.accepted, answer.text
    return answer.text


def refuse(bench: Bench, command: Command) -> str:
    """Gives a command, which must be refused and change nothing; returns the answer."""
    before = list(bench.match.referee.moves), list(bench.notebook.written)
    answer = obey(bench.match, command, bench.eyes)
    assert not answer.accepted
    assert (list(bench.match.referee.moves), list(bench.notebook.written)) == before
    return answer.text


def believed(bench: Bench) -> str:
    return bench.game.board(bench.match.referee.position)


# Undo.


def test_undo_takes_the_move_back_at_once_and_says_which_men_to_put_back() -> None:
    bench = at(moves=MILL)
    assert tell(bench, Undo()) == "Light's g7xb6 is taken back. Take g7 away. Put the dark man back on b6."
    assert bench.notebook.written[-2:] == [4, "undo"]
    assert bench.match.referee.moves == MILL[:4]
    assert bench.post.states[-1].awaiting == "nothing"


def test_what_was_undone_is_no_move_until_the_men_are_put_back() -> None:
    bench = at(moves=MILL)
    tell(bench, Undo())
    assert bench.show(board_with(bench.game, W="a7 d7 g7", B="b4")) == []
    assert bench.show(board_with(bench.game, W="a7 d7 g7", B="b4 b6")) == ["put_back"]
    assert bench.heard[-1].text == "Take g7 away."
    assert bench.show(board_with(bench.game, W="a7 d7", B="b4 b6")) == ["resumed"]
    assert bench.show(board_with(bench.game, W="a7 d7 g7", B="b4")) == ["move"]


def test_another_move_in_the_place_of_the_one_undone_is_taken_at_once() -> None:
    bench = at(moves=["d2"])
    tell(bench, Undo())
    assert bench.show(board_with(bench.game, W="d3")) == ["move"]
    assert bench.match.referee.moves == ["d3"]


def test_undo_goes_further_back_each_time() -> None:
    bench = at(moves=["d2", "f4", "a1"])
    tell(bench, Undo())
    assert tell(bench, Undo()) == "Dark's f4 is taken back. Take f4 and a1 away."
    assert bench.show(board_with(bench.game, W="d2", B="f4")) == ["put_back"]
    assert bench.show(board_with(bench.game, W="d2")) == ["resumed"]
    tell(bench, Undo())
    assert "no move to take back" in refuse(bench, Undo())


def test_against_an_agent_undo_goes_back_to_the_persons_own_turn_and_the_agent_is_asked_anew() -> None:
    bench = at(moves=["d2", "f4"], agents=(None, "alphabeta"))
    assert tell(bench, Undo()).startswith("d2 and f4 are taken back.")
    bench.show(board_with(bench.game))
    assert bench.post.states[-1].awaiting == "move"
    bench.show(board_with(bench.game, W="d3"))
    assert (bench.post.states[-1].awaiting, bench.post.states[-1].moves) == ("agent", ["d3"])


def test_undo_while_the_agents_move_waits_drops_that_move_too() -> None:
    bench = at(moves=["d2"], agents=(None, "alphabeta"))
    bench.answer("f4")
    assert bench.post.states[-1].awaiting == "carry_out"
    assert tell(bench, Undo()) == "Light's d2 is taken back. Take d2 away."
    assert bench.match.referee.agent_move is None


@pytest.mark.parametrize("game", ["reversi", "gomoku", "ganh", "dominoes"])
def test_undo_works_in_every_game(game: str) -> None:
    rules = games.load(game)
    move = next(one for one in rules.legal_moves(rules.initial()) if rules.steps(rules.initial(), one))
    bench = at(game, [rules.format_move(rules.initial(), move)])
    assert "is taken back" in tell(bench, Undo())
    assert bench.show(rules.board(rules.initial())) == ["resumed"]
    assert bench.match.referee.ply == 0


def test_a_decision_that_lays_no_stone_is_told_by_its_name() -> None:
    bench = at("gomoku", ["h8", "h9", "a1"], swap2=True)
    assert refuse(bench, Pass()) == "Say which: black or two."
    assert refuse(bench, Pass("white")) == "Second may say black or two, not white."
    assert tell(bench, Pass("black")) == "Second: black."
    assert bench.match.referee.moves[-1] == "black"
    assert tell(bench, Undo()) == "Second's black is taken back. Second's turn."


# Correct and adopt.


def test_a_misread_cell_is_corrected_and_play_goes_on() -> None:
    bench = at(moves=["d2"])
    assert bench.show(board_with(bench.game, W="d2 g7", B="f4")) == ["move", "move"]
    bench = at(moves=["d2"])
    assert bench.show(board_with(bench.game, W="d2 g7 g4", B="f4")) == ["illegal"]
    assert "g7 is empty" in tell(bench, Correct("g7", "empty"))
    assert bench.show(board_with(bench.game, W="d2 g7 g4", B="f4")) == []
    assert bench.match.referee.moves == ["d2", "f4", "g4"]


def test_what_was_told_of_a_cell_holds_until_the_cell_changes() -> None:
    bench = at(moves=["d2"])
    bench.show(board_with(bench.game, W="d2 g7 g4"))
    tell(bench, Correct("g7", "empty"))
    assert bench.eyes.overrides.cells == (bench.game.cells.index("g7"),)
    bench.show(board_with(bench.game, W="d2"))
    assert bench.eyes.overrides.cells == ()


def test_a_move_of_a_man_of_whom_was_told_is_seen_all_the_same() -> None:
    game = games.load("ganh")
    bench = at("ganh")
    # The eyes take the man on a4 for one of the other side.
    board = list(game.board(game.initial()))
    board[game.cells.index("a4")] = "B"
    assert bench.show("".join(board)) == ["illegal"]
    tell(bench, Correct("a4", "up"))
    assert bench.match.referee.verdict == "unchanged"
    move = game.parse_move(game.initial(), "a4-b4")
    assert bench.show(game.board(game.apply(game.initial(), move))) == ["move"]


def test_a_move_that_was_misread_and_believed_is_mended_by_a_correction() -> None:
    bench = at(moves=["d2"])
    bench.show(board_with(bench.game, W="d2", B="f4"))
    bench.show(board_with(bench.game, W="d2 a1", B="f4"))
    # It was g4 all along; now the eyes see both.
    bench.show(board_with(bench.game, W="d2 a1", B="f4 g4"))
    assert "f4 no longer counts" in tell(bench, Correct("f4", "empty"))
    assert bench.match.referee.moves == ["d2", "g4", "a1"]
    assert bench.post.states[-1].to_move == 1


def test_a_correction_that_makes_no_sense_is_refused_with_the_rule() -> None:
    bench = at(moves=["d2"])
    assert "It is dark's turn" in refuse(bench, Correct("a1", "light"))
    assert bench.eyes.overrides.cells == ()
    assert "There is no cell z9" in refuse(bench, Correct("z9", "light"))
    assert refuse(bench, Correct("a1", "queen")) == "There is no piece queen; say light, dark or empty."


def test_adopt_takes_the_line_that_leads_to_the_board_in_view() -> None:
    bench = at(moves=["d2", "f4"])
    assert bench.show(board_with(bench.game, W="d2", B="f6")) == ["illegal"]
    assert tell(bench, Adopt()) == "Dark: f6. f4 no longer counts. I take the board as it is. It is light's turn."
    assert bench.match.referee.moves == ["d2", "f6"]
    assert bench.notebook.written[-3:] == [1, "f6", "adopted"]


def test_adopt_begins_a_game_from_a_board_that_no_play_leads_to() -> None:
    bench = at("reversi")
    board = board_with(bench.game, B="d4 e4 d5 e5 f5", W="c3 f6")
    bench.show(board)
    assert tell(bench, Adopt("white")) == "A new game begins with this board. It is white's turn."
    assert bench.eyes.new_game_due
    position = bench.match.set_up
    assert (bench.game.board(position), bench.game.to_move(position)) == (board, 1)


def test_adopt_is_refused_where_the_board_can_be_no_position() -> None:
    bench = at("reversi")
    bench.show(board_with(bench.game, B="a1 b1 c1 d1 e1 f1", W="a2"))
    assert "the four cells in the middle never are" in refuse(bench, Adopt())
    bench = at("dominoes")
    bench.show(board_with(bench.game, **{"3": "1A 1B 1C 1D 1E"}))
    assert "is not to be seen" in refuse(bench, Adopt())


def test_adopt_with_a_side_settles_whose_turn_it_is_after_a_doubtful_board() -> None:
    game = games.load("ganh")
    bench = at("ganh", ["a4-b4", "e2-d2", "b4-a4"])
    start = game.board(game.initial())
    bench.show(start)
    tell(bench, Adopt("up"))
    assert (believed(bench), game.to_move(bench.match.referee.position)) == (start, 0)


def test_king_and_queen_exchanged_at_the_start_are_offered_as_an_explanation_and_taken_over_by_adopt(
    tmp_path: Path,
) -> None:
    bench = at("chess", ["e4", "e5", "Ke2", "Nc6"])
    referee = bench.match.referee
    board = bench.game.board(referee.position)
    after = {"e2": ".", "h5": "W"}
    board = "".join(after.get(name, letter) for name, letter in zip(bench.game.cells, board, strict=True))
    assert bench.show(board) == ["illegal"]
    assert bench.heard[-1].text.endswith(
        "If at the start the white queen stood on e1 and the white king on d1, it is queen to h5: "
        "then tell me to adopt the board."
    )
    with contextlib.closing(Journal(tmp_path / "games.sqlite")) as journal:
        game_id = journal.new_game("chess", {}, ["", ""])
        journal.rewrite(game_id, referee.line.rewrite(0, None))
        bench.match.followers.append(
            lambda effects: [journal.rewrite(game_id, one) for one in effects if isinstance(one, Rewrite)]
        )
        assert "the white queen stood on e1" in tell(bench, Adopt())
        stored = journal.game(game_id)
    assert referee.moves == ["e4", "e5", "Qe2", "Nc6", "Qh5"]
    assert history_of(bench.game, stored) == referee.history[:-1]
    assert stored.start.startswith("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w kq")


# Pause, resignation, new game.


def test_in_a_pause_nothing_on_the_board_counts_and_no_agent_is_asked() -> None:
    bench = at(moves=["d2"], agents=(None, "alphabeta"))
    tell(bench, Pause())
    assert bench.post.states[-1].awaiting == "nothing"
    assert bench.show(board_with(bench.game, W="d2 a1 a4", B="g7")) == []
    bench.wait(3600)
    assert bench.heard[-1].code == "paused"
    bench.show(board_with(bench.game, W="d2"))
    assert "It is dark's turn" in tell(bench, Resume())
    assert bench.post.states[-1].awaiting == "agent"


def test_what_happened_in_a_pause_is_judged_after_it() -> None:
    bench = at(moves=["d2"])
    tell(bench, Pause())
    bench.show(board_with(bench.game, W="d2", B="f4"))
    tell(bench, Resume())
    assert bench.match.referee.moves == ["d2", "f4"]
    assert "not paused" in refuse(bench, Resume())


def test_who_resigns_loses_and_the_record_and_the_state_say_so() -> None:
    bench = at(moves=["d2"])
    assert tell(bench, Resign("light")) == "Dark wins: light resigned."
    assert bench.notebook.written[-2:] == [Outcome(1, "resigned"), "game_over"]
    outcome = bench.post.states[-1].outcome
    assert outcome is not None and (outcome.winner, outcome.reason) == (1, "resigned")
    assert bench.show(board_with(bench.game)) == []
    assert bench.eyes.new_game_due


def test_a_resignation_without_a_name_is_the_only_persons_or_whose_turn_it_is() -> None:
    assert tell(at(moves=["d2"], agents=("alphabeta", None)), Resign()) == "Light wins: dark resigned."
    assert tell(at(moves=["d2"]), Resign()) == "Light wins: dark resigned."
    assert "does not resign" in refuse(at(moves=["d2"], agents=("alphabeta", None)), Resign("light"))


def test_a_resignation_is_taken_back_by_undo_and_not_by_clearing_the_board() -> None:
    bench = at(moves=["d2", "f4", "a1"])
    tell(bench, Resign("dark"))
    assert bench.show(board_with(bench.game, W="d2", B="f4")) == []
    assert bench.match.referee.outcome is not None
    assert tell(bench, Undo()) == "The game goes on. It is dark's turn."
    assert bench.match.referee.moves == ["d2", "f4"]


def test_a_loss_on_time_ends_the_game_as_a_resignation_does() -> None:
    bench = at(moves=["d2"])
    bench.match.carry_out(bench.match.referee.declare(Outcome(0, "time")))
    assert bench.heard[-1].text == "Light wins: dark is out of time."
    assert bench.post.states[-1].awaiting == "nothing"
    assert bench.match.referee.declare(Outcome(1, "time")) == []


def test_a_finished_game_stays_finished_while_its_board_is_cleared_man_by_man() -> None:
    bench = at(moves=["a7", "b6", "d7", "b4", "g7xb6"], men=3)
    bench.show(board_with(bench.game, W="a7 d7 g7", B="b4 f4"))
    ended = bench.match.referee.outcome
    assert ended is not None
    assert bench.show(board_with(bench.game, W="a7 d7 g7", B="b4")) == ["takeback"]
    assert bench.show(board_with(bench.game, W="a7 g7", B="b4")) == ["cleared"]
    assert bench.match.referee.outcome == ended
    assert bench.notebook.written[-3:] == ["f4", ended, "cleared"]
    bench.show(board_with(bench.game))
    assert bench.eyes.new_game_due


def test_a_new_game_begins_when_it_is_asked_for_and_the_old_one_is_kept() -> None:
    bench = at(moves=["d2"])
    assert tell(bench, NewGame()) == "A new game."
    assert bench.eyes.new_game_due
    bench.match.leave()
    assert bench.notebook.written == ["start", "new_game", "left"]


def test_men_of_the_old_game_are_no_moves_of_a_new_one_that_was_asked_for() -> None:
    bench = at(moves=["d2", "f4"])
    tell(bench, NewGame())
    referee = Referee(bench.game)
    referee.to_clear = bench.eyes.to_clear
    bench.eyes.begin_again(referee)
    assert (bench.heard[-1].code, bench.heard[-1].text) == ("put_back", "Take f4 and d2 away.")
    assert bench.show(board_with(bench.game, W="d2")) == []  # half cleared
    assert bench.show(board_with(bench.game)) == ["resumed"]
    assert bench.show(board_with(bench.game, W="d2")) == ["move"]


def test_a_misread_last_move_is_reported_with_the_way_out() -> None:
    bench = at(moves=["d2", "f4"])
    assert bench.show(board_with(bench.game, W="d2", B="g4")) == ["illegal"]
    assert bench.heard[-1].text.endswith("If I misread the last move, tell me to adopt the board.")
    tell(bench, Adopt())
    assert bench.match.referee.moves == ["d2", "g4"]


def long_game() -> Bench:
    """A game of gomoku long enough that an empty board cannot be a takeback."""
    return at("gomoku", ["a1", "c1", "e1", "g1", "i1", "k1", "m1", "o1", "a3", "c3", "e3", "g3"])


def test_a_board_set_up_for_the_start_in_mid_game_is_told_and_the_next_game_begins_after_a_while() -> None:
    bench = long_game()
    empty = board_with(bench.game)
    assert bench.show(empty, time_s=10.0) == ["new_game"]
    assert bench.show(empty, time_s=12.0) == []
    assert not bench.eyes.new_game_due
    bench.show(empty, time_s=10.0 + STANDS_S)
    assert bench.eyes.new_game_due


def test_the_game_goes_on_where_the_men_come_back_in_time() -> None:
    bench = long_game()
    before = believed(bench)
    bench.show(board_with(bench.game), time_s=10.0)
    bench.show(before, time_s=12.0)
    bench.show(before, time_s=10.0 + 2 * STANDS_S)
    assert not bench.eyes.new_game_due
    assert bench.match.referee.ply == 12


def test_the_first_move_on_a_cleared_board_begins_the_next_game_at_once() -> None:
    bench = long_game()
    bench.show(board_with(bench.game), time_s=10.0)
    assert bench.show(board_with(bench.game, B="h8"), time_s=11.0) == []
    assert bench.eyes.new_game_due


# The end of a move, reminders, the coach, and repeating what was said.


def show_at_once(bench: Bench, board: str) -> None:
    """Whoever reads without waiting sees this board from now on."""
    reader = SimpleNamespace(read=lambda *_: reading_of(bench.game, board))
    bench.pipeline.reader = reader  # type: ignore[assignment]


def moving(bench: Bench, phase: Phase, time_s: float) -> None:
    """Feeds one frame in which the board has not settled."""
    gate = sight(phase, motion=0.1)
    frame = Frame(PICTURE, time_s, 99)
    seen = Observation(frame, LOCKED, FROM_ABOVE, gate)
    bench.pipeline.feed = lambda _frame: seen  # type: ignore[method-assign]
    bench.eyes.feed(frame)


def test_the_end_of_a_move_is_judged_as_soon_as_nothing_moves() -> None:
    bench = at(moves=["d2"])
    show_at_once(bench, board_with(bench.game, W="d2", B="f4"))
    moving(bench, "moving", 10.0)
    assert tell(bench, EndMove()) == ""
    moving(bench, "moving", 10.5)
    assert bench.match.referee.ply == 1
    moving(bench, "settling", 10.6)
    assert bench.match.referee.moves == ["d2", "f4"]


def test_the_end_of_a_move_always_has_an_answer() -> None:
    bench = at(moves=["d2"])
    show_at_once(bench, board_with(bench.game, W="d2"))
    assert tell(bench, EndMove()) == "I see no move. It is dark's turn."
    show_at_once(bench, board_with(bench.game, W="d2 a1"))
    assert tell(bench, EndMove()) == tell(bench, EndMove()) != ""
    moving(bench, "occluded", 20.0)
    assert tell(bench, EndMove()) == ""
    moving(bench, "occluded", 20.0 + HURRY_S)
    assert bench.heard[-1].text == str(HURRY_GIVEN_UP)


def test_without_a_board_in_sight_the_answer_is_that_it_is_not_seen() -> None:
    bench = at(moves=["d2"])
    bench.show(None)
    for command in (EndMove(), Correct("d2", "empty"), Adopt()):
        assert "I do not see the board" in refuse(bench, command)


def test_nobody_is_reminded_while_no_picture_comes() -> None:
    bench = at(moves=["d2"], agents=(None, "alphabeta"))
    bench.answer("f4")
    away = True
    bench.match.blind = lambda: away
    for second in range(200):
        away = second < 100
        bench.now_s[0] = float(second)
        bench.eyes.poll()
    assert [one.code for one in bench.heard].count("reminder") == 2
    assert bench.heard[-1].text == "Please play f4 for dark."


def test_players_are_reminded_of_a_turn_that_is_not_finished_ever_more_seldom() -> None:
    bench = at(moves=MILL[:4])
    bench.show(board_with(bench.game, W="a7 d7 g7", B="b6 b4"))
    times = []
    for second in range(1000):
        bench.now_s[0] = float(second)
        before = len(bench.heard)
        bench.eyes.poll()
        times += [second for one in bench.heard[before:] if one.code == "reminder"]
    assert bench.heard[-1].text == bench.heard[1].text
    assert times == [FIRST_S, 3 * FIRST_S, 7 * FIRST_S, 15 * FIRST_S, 31 * FIRST_S]
    bench.show(board_with(bench.game, W="a7 d7 g7", B="b4"))
    heard = len(bench.heard)
    bench.wait(10_000)
    assert len(bench.heard) == heard


def test_an_agents_move_that_nobody_makes_is_asked_for_again() -> None:
    bench = at(moves=["d2"], agents=(None, "alphabeta"))
    bench.answer("f4")
    bench.wait(FIRST_S + 1)
    bench.wait(FIRST_S + 1)
    assert (bench.heard[-1].code, bench.heard[-1].text) == ("reminder", "Please play f4 for dark.")


def test_what_was_said_last_is_said_again() -> None:
    bench = at(moves=["d2"])
    bench.show(board_with(bench.game, W="d2", B="f4"))
    assert tell(bench, Repeat()) == "Dark: f4."
    assert [one.text for one in bench.heard][-2:] == ["Dark: f4.", "Dark: f4."]


def test_a_key_pressed_twice_counts_only_in_one_game_and_position() -> None:
    keyboard = Keyboard(clock=lambda: 0.0)
    assert isinstance(keyboard.press("R", "first"), str)
    assert isinstance(keyboard.press("R", "second"), str)
    assert keyboard.press("R", "second") == Resign()
