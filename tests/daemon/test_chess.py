"""Chess as the referee sees it: light, dark or empty; half-done turns, look-alike moves, and faults by their rule."""

from __future__ import annotations

from typing import Any

import pytest

import games
from daemon.game.effects import Announcement, Effect, Rewrite
from daemon.judging import corrections
from daemon.judging.referee import Referee
from games.chess import Chess
from rules import AnyGame, Step
from rules.turns import carry_out, line_of_play
from tests.daemon.readings import see

CASTLE = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
PROMOTES = "8/P6k/8/8/8/8/7P/K7 w - - 0 1"
CASTLED = {"e1": "_", "g1": "W", "h1": "_", "f1": "W"}


def referee_at(fen: str = "", rules: dict[str, object] | None = None, agents: Any = (None, None)) -> Referee:
    game = games.load("chess", rules)
    found = Referee(game, agents, [game.parse_position(fen)] if fen else ())
    see(found, found.game.board(found.position))
    return found


def changed(game: AnyGame, board: str, **cells: str) -> str:
    """The board with other letters on some cells; `_` is empty."""
    steps = [Step("place", game.cells.index(name), None, letter.replace("_", ".")) for name, letter in cells.items()]
    return carry_out(board, steps)


def shown(referee: Referee, **cells: str) -> list[Effect]:
    """What the referee says to its board with these changes."""
    return see(referee, changed(referee.game, referee.game.board(referee.position), **cells))


def said(effects: list[Effect]) -> Announcement:
    found = [one for one in effects if isinstance(one, Announcement)]
    return found[-1]


def test_a_game_is_followed_from_the_start_by_light_and_dark_alone() -> None:
    game = games.load("chess")
    referee = referee_at()
    for position in line_of_play(game, "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#".split())[1:]:
        effects = see(referee, game.board(position))
    assert referee.moves == ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"]
    assert "checkmated" in said(effects).text


def test_at_the_start_people_are_told_what_no_camera_sees() -> None:
    game = games.load("chess")
    effects = see(Referee(game), game.board(game.initial()))
    assert "king and queen" in said(effects).text


@pytest.mark.parametrize(
    ("fen", "cells", "told"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", {"d5": "_"}, "Move the white pawn from e4 to d5 to finish the turn."),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", {"e4": "_"}, "The white pawn from e4 is on no cell: put it down"),
        (
            "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
            {"e4": "_", "d5": "_"},
            "The white pawn from e4 is on no cell: put it down",
        ),
        ("4k3/8/8/2BpP3/8/8/8/4K3 w - d6 0 1", {"e5": "_", "d6": "W"}, "Take the piece on d5 off the board."),
        (CASTLE, {"e1": "_", "g1": "W"}, "Move the white rook from h1 to f1 to finish the turn."),
        (CASTLE, {"e1": "_", "h1": "_"}, "The white king from e1 is on no cell: put it down"),
        ("4k3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1", {"d5": "_"}, "white's turn is not finished."),
    ],
)
def test_a_turn_is_unfinished_in_whatever_order_hands_do_it(fen: str, cells: dict[str, str], told: str) -> None:
    referee = referee_at(fen)
    announcement = said(shown(referee, **cells))
    assert (announcement.code, referee.ply) == ("unfinished", 0)
    assert announcement.text.lower().startswith(told.lower())


def test_a_rook_that_goes_before_its_king_castles_after_all() -> None:
    referee = referee_at(CASTLE)
    shown(referee, h1="_", f1="W")
    assert referee.moves == ["Rf1"]
    effects = shown(referee, e1="_", g1="W")
    assert referee.moves == ["O-O"] and "castle short" in said(effects).text


def test_a_pawn_becomes_a_queen_unless_told_by_text_or_by_name() -> None:
    for text in ("a8=N", "knight", "a8n"):
        referee = referee_at(PROMOTES)
        shown(referee, a7="_", a8="W")
        assert referee.moves == ["a8=Q"]
        effects = corrections.choose(referee, text)
        assert effects is not None and isinstance(effects[0], Rewrite)
        assert referee.moves == ["a8=N"] and "knight" in said(effects).text
    assert corrections.choose(referee, "e4") is None


def test_a_promotion_is_seen_to_have_been_a_knight_when_it_moves_as_one() -> None:
    referee = referee_at(PROMOTES)
    shown(referee, a7="_", a8="W")
    shown(referee, h7="_", g7="B")
    effects = shown(referee, a8="_", b6="W")
    assert referee.moves == ["a8=N", "Kg7", "Nb6"]
    assert any(isinstance(one, Announcement) and one.code == "restored" for one in effects)


def test_what_an_agent_asks_a_pawn_to_become_is_believed() -> None:
    referee = referee_at(PROMOTES, agents=("random", None))
    referee.reply("random", 0, "a8=R")
    shown(referee, a7="_", a8="W")
    assert referee.moves == ["a8=R"]


@pytest.mark.parametrize(
    ("fen", "cells", "rule", "told"),
    [
        ("", {"g8": "_", "f6": "B"}, "not_your_turn", "It is white's turn, but black moved from g8 to f6."),
        ("", {"g1": "_", "g3": "W"}, "wrong_movement", "A knight does not go from g1 to g3."),
        ("", {"f1": "_", "c4": "W"}, "way_blocked", "The bishop on f1 cannot leap over e2."),
        (
            "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
            CASTLED,
            "illegal_castling",
            "has moved",
        ),
        (
            "4kr2/8/8/8/8/8/8/4K2R w K - 0 1",
            CASTLED,
            "illegal_castling",
            "over f1",
        ),
        ("4k3/4r3/8/8/8/8/8/R3K3 w - - 0 1", {"a1": "_", "a7": "W"}, "in_check", "is in check from e7"),
        ("", {"d1": "_"}, "piece_missing", "A piece is missing from d1. Put white's queen back on d1."),
        ("", {"c8": "_"}, "piece_missing", "Put black's bishop back on c8."),
        ("", {"e2": "_", "e4": "W", "d2": "_", "d4": "W"}, "two_pieces_moved", "white moved more than one piece."),
        ("", {"e4": "W"}, "extra_piece", "There is a piece too many on e4."),
        ("", {"d7": "W"}, "piece_changed_colour", "changed its colour on d7"),
        ("", {"e2": "_", "e4": "W", "h7": "_"}, "wrong_capture", "the piece on h7 is not taken. Put black's pawn back"),
    ],
)
def test_faults_name_the_rule_and_what_to_put_back(fen: str, cells: dict[str, str], rule: str, told: str) -> None:
    announcement = said(shown(referee_at(fen), **cells))
    assert (announcement.code, announcement.rule) == ("illegal", rule)
    assert told.lower() in announcement.text.lower()


def test_castling_of_chess960_that_looks_like_a_rooks_move_is_believed_and_can_be_told_otherwise() -> None:
    referee = referee_at("1k6/8/8/8/8/8/8/5K1R w H - 0 1", {"start": 3})
    shown(referee, h1="_", g1="W")
    assert referee.moves == ["O-O"]
    assert corrections.choose(referee, "Rg1") is not None and referee.moves == ["Rg1"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Nf3", "knight to f3"),
        ("e4", "pawn to e4"),
    ],
)
def test_moves_are_spoken_by_their_pieces(text: str, words: str) -> None:
    game = games.load("chess")
    assert isinstance(game, Chess)
    assert str(game.spoken(game.initial(), game.parse_move(game.initial(), text))) == words


def test_a_man_that_is_missing_before_the_first_move_is_named_and_what_no_camera_sees_is_asked_once() -> None:
    referee, texts = Referee(games.load("chess")), list[str]()
    start = referee.game.board(referee.position)
    for cells in ({"e2": "_"}, {}, {"e2": "_"}, {}, {"e2": "B"}, {}, {"e2": "_", "e4": "W"}):
        texts += [
            one.text for one in see(referee, changed(referee.game, start, **cells)) if isinstance(one, Announcement)
        ]
    assert texts[0] == "A piece is missing from e2. Put white's pawn back on e2."
    assert [text for text in texts if "king and queen" in text] == [texts[1]]
    assert texts[2].startswith("The white pawn from e2 is on no cell")  # once all have stood there, it was lifted
    assert any("A piece has changed its colour on e2." in text for text in texts)
    assert texts[-1] == "White: pawn to e4." and referee.moves == ["e4"]


@pytest.mark.parametrize(("fen", "rules"), [("4k3/8/8/8/8/8/8/4K2R w K - 0 1", {}), ("", {"start": 3})])
def test_where_more_than_king_and_queen_may_be_exchanged_every_piece_is_asked_for(fen: str, rules: Any) -> None:
    game = games.load("chess", rules)
    referee = Referee(game, history=[game.parse_position(fen)] if fen else ())
    assert "look that each stands as it is drawn on the page" in said(see(referee, game.board(referee.position))).text


@pytest.mark.parametrize("name", ["draughts", "co_ganh"])
def test_men_missing_at_the_start_are_named_in_every_game_that_begins_with_men(name: str) -> None:
    game = games.load(name)
    referee, start = Referee(game), game.initial()
    lifted = game.steps(start, game.legal_moves(start)[0])[0].origin
    assert lifted is not None
    board = game.board(start)
    told = said(see(referee, board[:lifted] + "." + board[lifted + 1 :]))
    assert told.code == "illegal" and told.rule == "man_missing" and game.cells[lifted] in told.text
    assert "look that" not in said(see(referee, board)).text
