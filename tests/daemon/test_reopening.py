"""A game whose pieces show no side is believed to be over while the players go on laying tiles."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import games
from daemon.commands.command import Mover
from daemon.game.effects import Effect, Finish, Record, Rewrite
from daemon.judging import corrections
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from daemon.perception.next_game import NextGame
from daemon.record.journal import Journal
from daemon.record.record import Backlog, GameRecord
from daemon.record.stored_line import history_of
from rules import EMPTY, AnyGame, Outcome
from tests.daemon.dominoes import show
from tests.daemon.match_bench import lay as lay_with_an_arm
from tests.daemon.match_bench import two_people
from tests.daemon.readings import codes, reading_of
from tests.daemon.test_scoring import at, lay, said, with_tiles

NEARLY = "pawns=98,0;bag=40;holds=4,3;tiles=8H6-8I1,8J1-8K4"
"""Red is two spaces from the last one."""
PLAIN, POINT, LATER, LAST = "8F2-8G6", "6K2-7K4", "8D5-8E2", "5K2-5L0"
"""Tiles that can be laid one after another; POINT and LAST score a point or more for the side that lays them."""
CORRECTION = "if it was another, type its number and side."


@pytest.fixture
def referee() -> Referee:
    """Believes that green laid PLAIN and red POINT, with which red reached the last space."""
    referee = Referee(games.load("dominoes"))
    at(referee, NEARLY.replace("98", "99").join(("green;", "")))
    lay(referee, PLAIN, POINT)
    assert referee.outcome is not None and referee.outcome.reason == "space_100"
    return referee


def movers(referee: Referee) -> list[tuple[str, str]]:
    return [(ply.text, referee.game.sides[ply.side]) for ply in referee.line.plies]


@pytest.mark.parametrize(("hand", "assumed"), [((), True), ((0,), False)], ids=["in turn", "by its seat"])
def test_an_end_that_rests_on_whose_tile_it_was_says_how_to_put_it_right(hand: tuple[int, ...], assumed: bool) -> None:
    referee = Referee(games.load("dominoes"))
    at(referee, NEARLY.replace("98", "99").join(("green;", "")))
    lay(referee, PLAIN)
    told = said(lay(referee, POINT, movers=hand))[-1]
    assert told.startswith("Red wins: the last space is reached.")
    assert (
        told.endswith(" If a move was counted for the wrong side, say so on the page, or type its number and side.")
        == assumed
    )


def test_a_tile_after_an_end_that_rests_on_assumed_movers_takes_the_game_up_again(referee: Referee) -> None:
    effects = lay(referee, LATER)
    assert codes(effects) == ["reopened", "move"]
    assert said(effects)[0] == f"You play on, so I count move 2 as green's; {CORRECTION}"
    assert movers(referee) == [(PLAIN, "green"), ("pass", "red"), (POINT, "green"), (LATER, "red")]
    assert (referee.outcome, referee.verdict) == (None, "legal")
    assert referee.game.board(referee.position) == with_tiles(referee)


def test_the_record_is_rewritten_at_once_before_the_new_tile_is_added(referee: Referee) -> None:
    effects = lay(referee, LATER)
    rewrite, added = (one for one in effects if isinstance(one, Rewrite | Record))
    assert isinstance(rewrite, Rewrite) and isinstance(added, Record)
    assert (rewrite.ply, rewrite.outcome, rewrite.beyond) == (1, None, ())
    assert [(one.ply, one.move, one.side, one.known) for one in rewrite.records] == [
        (2, "pass", 0, ""),
        (3, POINT, 1, ""),
    ]
    assert (added.ply, added.move, added.side) == (4, LATER, 0)


def test_the_finished_record_goes_on_and_can_be_resumed(tmp_path: Path) -> None:
    game = games.load("dominoes")
    start = game.parse_position("green;pawns=99,0;bag=40;holds=3,4;tiles=8H6-8I1,8J1-8K4")
    journal = Journal(tmp_path / "games.sqlite")
    game_id = journal.new_game(game.name, {}, ["person", "person"], start=game.format_position(start))
    referee, backlog = Referee(game, history=[start]), Backlog(GameRecord(journal, game_id), pytest.fail)
    for tile in (PLAIN, POINT):
        backlog.add(lay(referee, tile))
    backlog.write()
    assert journal.game(game_id).outcome is not None
    backlog.add(lay(referee, LATER))
    backlog.write()
    stored = journal.unfinished()
    assert stored is not None and list(stored.moves) == referee.moves
    again = Referee(game, (None, None), history_of(game, stored), stored.moves, stored.known)
    assert again.position == referee.position


def test_movers_that_are_known_stay_and_an_earlier_one_is_turned() -> None:
    referee = Referee(games.load("dominoes"))
    at(referee, f"red;{NEARLY}")
    lay(referee, POINT)  # red's by turn; the hands that laid the next two are seen
    lay(referee, "7L4-7M0", movers=(1,))
    assert "game_over" in codes(lay(referee, LAST, movers=(0,)))
    effects = lay(referee, PLAIN)
    first = f"You play on, so I count the moves from 1 on in turn, the first as green's; {CORRECTION}"
    assert said(effects)[0] == first
    laid = [(ply.side, ply.known) for ply in referee.line.plies if ply.seen]
    assert laid == [(1, ""), (1, "seat"), (0, "seat"), (1, "")]
    assert referee.game.scores(referee.position) == (99, 1)


def test_of_tiles_whose_order_is_assumed_the_hand_that_was_seen_made_none_for_certain() -> None:
    referee = Referee(games.load("dominoes"))
    lay(referee, "8H6-8I1", "8J1-8K4", movers=(0,))
    effects = show(referee, with_tiles(referee, POINT, PLAIN), (1,))
    assert "I assume their order" in said(effects)[-1]
    assert [ply.known for ply in referee.line.plies if ply.text in (POINT, PLAIN)] == ["", ""]


def test_a_pass_that_was_told_stays_told() -> None:
    referee = Referee(games.load("dominoes"))
    at(referee, NEARLY.replace("98", "99").join(("green;", "")))
    lay(referee, PLAIN)
    corrections.say_pass(referee)  # red's
    corrections.say_pass(referee)  # green's, so the next tile is red's, whoever laid what before
    lay(referee, POINT)
    assert referee.outcome is not None
    lay(referee, LATER)
    told = [(ply.text, ply.side) for ply in referee.line.plies if ply.known == "said"]
    assert told == [("pass", 0), ("pass", 1)]
    assert (POINT, "green") in movers(referee)


def test_no_mover_is_turned_where_a_pass_that_was_told_speaks_against_it() -> None:
    referee = Referee(games.load("dominoes"))
    at(referee, f"red;{NEARLY}")
    lay(referee, POINT)  # red's, since otherwise green could not have passed after it
    corrections.say_pass(referee)
    lay(referee, LAST, movers=(0,))
    assert referee.outcome is not None
    assert codes(lay(referee, "7L4-7M0")) == ["game_over"]


@pytest.mark.parametrize("seed", [10, 18, 47])
def test_in_whole_games_with_passes_that_nobody_tells_no_tile_is_lost(seed: int) -> None:
    referee, taken_up = Referee(games.load("dominoes")), 0
    for board in until_space_100(referee.game, seed):
        taken_up += "reopened" in codes(show(referee, board))
        assert referee.game.board(referee.position) == board
    assert taken_up


def until_space_100(game: AnyGame, seed: int) -> list[str]:
    """Boards of a random game in which a side lays the best of four tiles, or now and then passes without a word."""
    dice, position, boards = random.Random(seed), game.initial(), list[str]()
    while game.outcome(position) is None:
        moves, side = list(game.legal_moves(position)), game.to_move(position)
        laid = [move for move in moves if game.steps(position, move)]
        move = next(one for one in moves if one not in laid)
        if laid and dice.random() > 0.08:
            some = dice.sample(laid, min(len(laid), 4))
            move = max(some, key=lambda one: (game.gains(position, one) or ())[side].total)
        before, position = position, game.apply(position, move)
        boards += [game.board(position)] if game.steps(before, move) else []
    return boards


def test_where_all_movers_are_known_it_is_over_and_that_is_said_once() -> None:
    referee = Referee(games.load("dominoes"))
    at(referee, NEARLY.replace("98", "99").join(("red;", "")))
    lay(referee, POINT, movers=(0,))
    effects = lay(referee, PLAIN)
    assert codes(effects) == ["game_over"]
    assert said(effects) == [
        "Red wins: the last space is reached. 100 to 0. "
        "If a move was counted for the wrong side, say so on the page, or type its number and side."
    ]
    assert not [one for one in effects if isinstance(one, Record | Rewrite | Finish)]
    assert show(referee, with_tiles(referee, PLAIN, LATER)) == []
    assert referee.verdict == "over"
    corrections.set_mover(referee, "green", 1)
    assert codes(show(referee, with_tiles(referee, PLAIN, LATER))) == ["move", "move"]  # nothing was lost


def test_once_told_who_made_a_move_the_tiles_that_lie_on_the_board_count_at_once() -> None:
    bench = two_people("bottom", "top")
    bench.match.referee.line.know(bench.game.parse_position(f"red;{NEARLY.replace('98', '99')}"))
    lay_with_an_arm(bench, POINT, "bottom")
    assert lay_with_an_arm(bench, PLAIN, "top") == ["game_over"]
    assert obey(bench.match, Mover("green", 1), bench.eyes).accepted
    assert bench.match.referee.moves[-1] == PLAIN


def test_where_an_agent_plays_all_movers_are_known(referee: Referee) -> None:
    referee.agents = (None, "random")
    assert said(lay(referee, LATER)) == [
        "Red wins: the last space is reached. 100 to 0. What is laid now does not count."
    ]
    assert referee.outcome is not None


def test_no_tile_put_back_and_no_board_cleared_is_taken_for_play(referee: Referee) -> None:
    full = with_tiles(referee)
    for board in (full.replace("5", EMPTY), EMPTY * 30 + full[30:], EMPTY * len(full)):
        show(referee, board)
    assert referee.outcome is not None or referee.verdict == "takeback"
    assert not referee.goes_on_after_an_end


@pytest.mark.parametrize("tile", ["8D5", "8D5-8E3", "1A1-1B1"])
def test_half_a_tile_or_an_illegal_one_says_nothing_against_the_end(referee: Referee, tile: str) -> None:
    assert lay(referee, tile) == []
    assert referee.verdict == "over"


def test_a_tile_that_is_in_doubt_says_nothing_against_the_end(referee: Referee) -> None:
    board = with_tiles(referee, LATER)
    assert show(referee, board, _8E=("4", 0.3)) == []
    assert referee.verdict == "over"
    assert codes(show(referee, board)) == ["reopened", "move"]


def test_a_cell_that_stays_in_doubt_does_not_keep_the_tiles_after_it_from_counting(referee: Referee) -> None:
    board = with_tiles(referee, LATER, "7L4-7M0")
    assert codes(show(referee, board, _8E=("4", 0.3))) == ["reopened", "move", "move"]
    assert referee.game.board(referee.position) == board


def test_a_side_that_resigned_or_ran_out_of_time_has_lost_whatever_is_laid() -> None:
    referee = Referee(games.load("dominoes"))
    lay(referee, "8H6-8I1")
    for reason in ("resigned", "time"):
        referee.declare(Outcome(0, reason))
        assert lay(referee, "8J1-8K4") == []
        referee.revoke()


def test_the_tile_taken_away_again_leaves_the_end_as_it_was(referee: Referee) -> None:
    board, line = with_tiles(referee), list(referee.line.plies)
    lay(referee, LATER)
    effects = show(referee, board)
    assert said(effects) == ["The last move is taken back. Red wins: the last space is reached. 100 to 0."]
    assert [one.outcome for one in effects if isinstance(one, Rewrite)] == [referee.outcome]
    assert (referee.line.plies, referee.verdict) == (line, "over")
    assert codes(lay(referee, LATER)) == ["reopened", "move"]  # laid again, it has the same effect


def test_a_board_cleared_after_such_a_tile_was_the_end_after_all_and_the_next_game_begins(referee: Referee) -> None:
    lay(referee, LATER)
    empty = EMPTY * len(referee.game.cells)
    assert NextGame().see(referee, reading_of(referee.game, empty), 0.0) == ""
    effects = show(referee, empty)
    assert said(effects) == ["The board is being cleared. Red wins: the last space is reached. 100 to 0."]
    assert referee.outcome is not None


def test_once_a_second_tile_was_laid_a_takeback_is_one_of_the_game_that_goes_on(referee: Referee) -> None:
    lay(referee, LATER)
    board = with_tiles(referee)
    lay(referee, LAST)
    assert said(show(referee, board))[0].startswith("The last move is taken back.")
    assert referee.outcome is None


def test_whoever_says_who_made_the_move_is_believed_and_the_tile_then_lies_beyond_the_end(referee: Referee) -> None:
    lay(referee, LATER)
    effects: list[Effect] = corrections.set_mover(referee, "red", 2)
    assert "game_over" in codes(effects)
    assert [ply.text for ply in referee.line.beyond] == [LATER]
    board = list(with_tiles(referee))
    for end in LATER.split("-"):
        board[referee.game.cells.index(end[:-1])] = end[-1]
    assert show(referee, "".join(board)) == [] and referee.outcome is not None
