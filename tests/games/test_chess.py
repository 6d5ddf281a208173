"""The rules of chess: counts, texts, castling in every form, draws, and pieces set up by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import games
from agents.perft import perft
from games.chess import CLAIM, Chess, heuristics
from games.chess.position import number_of, start
from rules import MoveError, PositionError, Step
from rules.turns import carry_out, line_of_play
from tests.games.chess_oracle import compare

COUNTS = (Path(__file__).parent / "data" / "chess.perft").read_text(encoding="utf-8").splitlines()
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


@pytest.fixture
def game() -> Chess:
    found = games.load("chess")
    assert isinstance(found, Chess)
    return found


def line(game: Chess, text: str, fen: str = "") -> Any:
    """The position after the moves."""
    return line_of_play(game, text.split(), game.parse_position(fen) if fen else None)[-1]


@pytest.mark.parametrize("row", [row for row in COUNTS if not row.startswith("#")])
def test_perft_is_the_published_one(game: Chess, row: str) -> None:
    depth, count, fen = row.split(maxsplit=2)
    assert perft(game, game.parse_position(fen), int(depth)) == int(count)


@pytest.mark.parametrize(("seed", "shuffled"), [(1, False), (2, True)])
def test_a_random_game_is_the_same_to_another_program(seed: int, shuffled: bool) -> None:
    assert compare(seed, shuffled=shuffled) > 30


@pytest.mark.parametrize(
    "text",
    ["Nf3", "nf3", "♘f3", "Ng1f3", "Ng1-f3", "g1f3", "g1-f3", "Nf3!", "Nf3+", " Nf3 ", "N1f3", "Ngf3"],
)
def test_a_move_is_read_in_any_usual_spelling(game: Chess, text: str) -> None:
    assert game.format_move(game.initial(), game.parse_move(game.initial(), text)) == "Nf3"


@pytest.mark.parametrize(
    ("fen", "text", "san"),
    [
        (CASTLES, "0-0", "O-O"),
        (CASTLES, "o-o-o", "O-O-O"),
        (CASTLES, "e1g1", "O-O"),
        (CASTLES, "e1h1", "O-O"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8", "a8=Q+"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8N", "a8=N"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8r", "a8=R+"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 e.p.", "exd6"),
        ("4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1", "bxc3", "bxc3"),
        ("4k3/8/8/8/8/2p5/3B4/4K3 w - - 0 1", "bxc3", "Bxc3"),
    ],
)
def test_castling_promotion_and_taking_in_passing_are_read(game: Chess, fen: str, text: str, san: str) -> None:
    position = game.parse_position(fen)
    assert game.format_move(position, game.parse_move(position, text)) == san


@pytest.mark.parametrize(
    ("fen", "text", "rule", "said"),
    [
        (CASTLES.replace("KQkq", "Qkq"), "O-O", "illegal_castling", "king or rook has moved"),
        ("4k1r1/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "illegal_castling", "in check on g1"),
        ("4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "illegal_castling", "over f1, which is attacked"),
        ("k3r3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O", "illegal_castling", "out of check from e8"),
        ("4k3/8/8/8/8/8/8/4KB1R w K - 0 1", "e1g1", "illegal_castling", "castle over f1"),
        ("", "Nf6", "wrong_movement", "no such piece can go to f6"),
        ("", "Bc4", "way_blocked", "cannot leap over"),
        ("", "e5", "wrong_movement", "no such piece"),
        ("", "e2e5", "wrong_movement", "a pawn does not go from e2 to e5"),
        ("k3r3/8/8/8/8/8/4N3/4K3 w - - 0 1", "Nc3", "in_check", "white's king on e1 would be in check from e8"),
        ("", "Ke2", "own_piece", "an own piece stands on e2"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "exd6", "no_en_passant", "taken in passing"),
        ("", "Nbd2", "own_piece", "d2"),
        ("8/8/8/8/8/8/8/k1K1N1N1 w - - 0 1", "Nf3", "ambiguous", "Nef3"),
        ("", "draw", "no_draw", "three repetitions"),
    ],
)
def test_what_may_not_be_played_is_refused_by_its_rule(game: Chess, fen: str, text: str, rule: str, said: str) -> None:
    position = game.parse_position(fen) if fen else game.initial()
    with pytest.raises(MoveError, match=said) as refused:
        game.parse_move(position, text)
    assert refused.value.rule == rule


@pytest.mark.parametrize(
    ("fen", "winner", "reason"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", 1, "checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", None, "stalemate"),
        ("7k/8/6K1/8/8/8/8/6N1 b - - 0 1", None, "dead_position"),
        ("5b1k/8/6K1/8/8/8/8/6B1 b - - 0 1", None, "dead_position"),
        ("7k/8/6K1/8/8/8/8/6R1 b - - 150 99", None, "quiet_moves"),
    ],
)
def test_mate_stalemate_and_draws_end_the_game(game: Chess, fen: str, winner: Any, reason: str) -> None:
    outcome = game.outcome(game.parse_position(fen))
    assert (
        (outcome is None)
        if not reason
        else (outcome is not None and (outcome.winner, outcome.reason) == (winner, reason))
    )


def test_a_third_repetition_may_be_claimed_and_a_fifth_ends_the_game(game: Chess) -> None:
    round_trip = "Nf3 Nf6 Ng1 Ng8 "
    third = line(game, 2 * round_trip)
    assert game.legal_moves(third)[-1] == CLAIM and CLAIM not in game.legal_moves(line(game, round_trip))
    claimed = game.apply(third, game.parse_move(third, "draw"))
    outcome, fifth = game.outcome(claimed), game.outcome(line(game, 4 * round_trip))
    assert outcome is not None and (outcome.winner, outcome.reason) == (None, "claimed")
    assert fifth is not None and fifth.reason == "repetition"
    by_itself = games.load("chess", {"draws": "automatic"})
    assert by_itself.outcome(line_of_play(by_itself, (2 * round_trip).split())[-1]) is not None


def test_a_position_is_another_where_castling_or_taking_in_passing_was_possible(game: Chess) -> None:
    fen = "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"
    assert CLAIM not in game.legal_moves(line(game, "Ke2 Ke7 Ke1 Ke8 Ke2 Ke7 Ke1 Ke8", fen))
    assert CLAIM in game.legal_moves(line(game, "Ke2 Ke7 Ke1 Ke8 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7 Ke1 Ke8", fen))


def test_start_positions_are_numbered_as_chess960_does() -> None:
    assert start(518).board[56:] == "RNBQKBNR" and start(0).board[56:] == "BBQNNRKR"
    assert start(959).board[56:] == "RKRNNQBB"
    boards = [start(number).board for number in range(960)]
    assert len(set(boards)) == 960 and [number_of(board) for board in boards[::97]] == list(range(0, 960, 97))


def test_castling_by_which_king_and_rook_change_places_leaves_the_board_and_is_told(game: Chess) -> None:
    position = game.parse_position("4k3/8/8/8/8/8/8/5KR1 w G - 0 1")
    move = game.parse_move(position, "O-O")
    assert game.steps(position, move) == () and str(game.told(position, move)) == "Castle"
    after = game.apply(position, move)
    assert game.board(after) == game.board(position) and game.format_position(after).startswith(
        "4k3/8/8/8/8/8/8/5RK1 b"
    )


def test_pieces_set_up_by_hand_keep_their_kind_where_it_is_clear(game: Chess) -> None:
    before = line(game, "e4 d5 exd5")
    board = game.board(before)
    put_back = carry_out(board, [Step("move", game.cells.index("e4"), game.cells.index("d5"), "W")])
    made = game.set_up(put_back, 1, before)
    assert game.figures(made)[game.cells.index("e4")] == "♙"
    two = board.replace("WWWW", "W..W", 1)
    moved = "".join("W" if game.cells[cell] in ("a5", "b5") else letter for cell, letter in enumerate(two))
    with pytest.raises(PositionError, match="set the position up on the page"):
        game.set_up(moved[:56] + ".W" + moved[58:], 1, before)
    assert game.set_up(game.board(game.initial()), 0, before) == game.initial()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "0 kings"),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "a pawn stands on a1"),
        ("4k3/8/8/8/8/8/8/4KR1R b K - 0 1 x", "is no FEN"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "needs king and rook"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "is in check and not to move"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "no pawn can have gone over e6"),
    ],
)
def test_what_cannot_stand_is_no_position(game: Chess, text: str, why: str) -> None:
    with pytest.raises(PositionError, match=why):
        game.parse_position(text)


@pytest.mark.parametrize(
    ("fen", "text", "won_back"),
    [
        ("4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1", "Qxd5", 0),
        ("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1", "Qxd5", 900),
        ("3rk3/8/4p3/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", 500),
        ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "Rxd5", 0),
    ],
)
def test_a_position_is_judged_after_the_exchange_that_the_last_move_began(
    game: Chess, fen: str, text: str, won_back: int
) -> None:
    before = game.parse_position(fen)
    move = game.parse_move(before, text)
    after = game.apply(before, move)
    assert heuristics.exchanges(game, after, move) - heuristics.places(game, after, move) == won_back
    assert heuristics.places(game, before, None) == -heuristics.places(game, game.set_up(*_turned(game, before)), None)


def _turned(game: Chess, position: Any) -> tuple[str, int, Any]:
    return game.board(position), 1 - position.side, position
