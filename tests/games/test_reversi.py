"""The rules of reversi: published counts and known games, every way to break the rules, and their texts."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.perft import perft
from games.reversi import CELLS, PASS, Move, Position, Reversi, transcript
from rules import MoveError, Outcome, PositionError
from tests.games.asked import game_of, refusal

DATA = Path(__file__).parent / "data"
START = "---------------------------OX------XO--------------------------- X"
DEPTH = 7


reversi = functools.partial(game_of, Reversi)


def board_of(rows: str) -> Position:
    """A position with black to move from its rows, top first; omitted rows are empty."""
    letters = "".join(row.ljust(8, "-") for row in rows.split()).ljust(64, "-")
    return reversi().parse_position(f"{letters} X")


def texts(game: Reversi, position: Position) -> list[str]:
    return [game.format_move(position, move) for move in game.legal_moves(position)]


def after(position: Position, **changes: str) -> str:
    """The board of a position with some cells changed: b, w, or e for empty."""
    cells = list(reversi().board(position))
    for name, letter in changes.items():
        cells[CELLS.index(name)] = letter.upper().replace("E", ".")
    return "".join(cells)


def known_counts() -> Iterator[tuple[int, int, int]]:
    for line in (DATA / "reversi.perft").read_text().splitlines():
        if line[:1].isdigit():
            depth, plies, discs = map(int, line.split())
            yield depth, plies, discs


def discs_laid(game: Reversi, position: Position, depth: int) -> int:
    """Counts the sequences of `depth` laid discs; a pass is no disc, and a finished game counts once."""
    moves = game.legal_moves(position)
    if depth == 0 or not moves:
        return 1
    if moves == [PASS]:
        return discs_laid(game, game.apply(position, PASS), depth)
    return sum(discs_laid(game, game.apply(position, move), depth - 1) for move in moves)


def test_perft_is_the_published_one() -> None:
    game = reversi()
    for depth, plies, _ in known_counts():
        if depth <= DEPTH:
            assert perft(game, game.initial(), depth) == plies


def test_perft_without_passes_is_the_published_one_too() -> None:
    game = reversi()
    for depth, _, discs in known_counts():
        if depth < DEPTH:
            assert discs_laid(game, game.initial(), depth) == discs


def test_the_counts_are_those_of_the_published_table(real_data: Path) -> None:
    known = json.loads((real_data / "engines" / "known.json").read_text())["reversi"]
    for depth, plies, discs in known_counts():
        assert (plies, discs) == (known["pass_counts_as_ply"][depth], known["pass_not_counted"][depth])


def test_the_published_drawn_game_ends_with_equal_discs(real_data: Path) -> None:
    record = json.loads((real_data / "engines" / "known.json").read_text())["reversi_draw_record"]
    game = reversi()
    moves = transcript.read(game, record["record"])
    position = game.initial()
    for move in moves:
        position = game.apply(position, move)
    assert game.outcome(position) == Outcome(None, "neither_can_lay", (32, 32))
    assert transcript.write(moves) == record["record"]
    assert moves.count(PASS) == record["passes"]


def test_a_played_game_is_the_recorded_one() -> None:
    game, passes = reversi(), 0
    lines = (DATA / "reversi.playthrough").read_text().splitlines()
    position = game.initial()
    plies = [line for line in lines if not line.startswith("#")]
    for line in plies:
        ply, side, text, turned, letters, mover = line.split()
        move = game.parse_move(position, text)
        assert game.sides[position.side] == side, f"ply {ply}"
        assert ",".join(CELLS[step.cell] for step in game.steps(position, move)[1:]) == turned.strip("-")
        passes += move == PASS
        position = game.apply(position, move)
        assert game.format_position(position) == f"{letters} {mover}", f"ply {ply}"
    outcome = game.outcome(position)
    assert outcome is not None
    assert outcome.scores is not None
    assert passes >= 4
    assert lines[-1] == (f"# {outcome.reason}, winner {outcome.winner}, {outcome.scores[0]} to {outcome.scores[1]}")


def test_the_four_discs_stand_crosswise_and_black_begins() -> None:
    game = reversi()
    assert game.format_position(game.initial()) == START
    assert texts(game, game.initial()) == ["d3", "c4", "f5", "e6"]
    assert texts(reversi(first="white"), reversi(first="white").initial()) == ["e3", "f4", "c5", "d6"]


def test_a_disc_turns_lines_in_all_eight_directions() -> None:
    position = board_of("X--X--X- -O-O-O-- --OOO--- XOO-OOOX --OOO--- -O-O-O-- X--O--X- ---X----")
    game = reversi()
    assert "d4" in texts(game, position)
    turned = game.apply(position, Move(CELLS.index("d4")))
    assert game.format_position(turned) == ("X--X--X--X-X-X----XXX---XXXXXXXX--XXX----X-X-X--X--X--X----X---- O")


def test_a_line_ends_at_the_side_of_the_board_and_not_on_the_next_row() -> None:
    game = reversi()
    # Read along the rows, h1 and a2 would continue the line from g1, and h2 and a3 the line to b3.
    assert texts(game, board_of("-----X-O -X------")) == []
    assert texts(game, board_of("-------- -----XOO X-------")) == ["pass"]


def test_only_lines_closed_by_an_own_disc_are_turned() -> None:
    game = reversi()
    position = board_of("-OOX---- O------- O-------")
    steps = game.steps(position, Move(0))
    assert [CELLS[step.cell] for step in steps] == ["a1", "b1", "c1"]
    assert [step.kind for step in steps] == ["place", "flip", "flip"]


def test_who_can_lay_nothing_passes_and_only_then() -> None:
    game = reversi()
    position = Position(board_of("XO------").discs, 1)
    assert texts(game, position) == ["pass"]
    assert game.outcome(position) is None
    assert game.steps(position, PASS) == ()
    assert game.apply(position, PASS) == board_of("XO------")
    assert refusal(game, position, "c1") == "must_pass"
    assert refusal(game, game.initial(), "pass") == "must_lay"


def test_the_game_ends_when_neither_can_lay_though_cells_are_empty() -> None:
    game = reversi()
    position = board_of("XXX----- -------- -------O")
    assert game.outcome(position) == Outcome(0, "neither_can_lay", (3, 1))
    assert game.legal_moves(position) == []
    assert refusal(game, position, "a2") == "game_over"
    assert game.outcome(board_of("OO------ -------- -------X")) == Outcome(1, "neither_can_lay", (1, 2))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a1", "turns_nothing"),
        ("d4", "occupied"),
        ("d9", "no_such_cell"),
        ("i3", "no_such_cell"),
        ("d3c3", "not_a_move"),
        ("3d", "not_a_move"),
    ],
)
def test_a_refused_move_names_the_rule(text: str, rule: str) -> None:
    game = reversi()
    assert refusal(game, game.initial(), text) == rule


def test_capitals_small_letters_and_a_semicolon_are_read() -> None:
    game = reversi()
    assert game.parse_move(game.initial(), " D3 ") == Move(CELLS.index("d3"))
    assert game.parse_position(f"{START.lower()};") == game.initial()


@pytest.mark.parametrize("text", [START[:-2], START[1:], START.replace("OX-", "OY-"), f"{START} X", "X" * 64, "7" * 64])
def test_other_texts_are_no_positions(text: str) -> None:
    with pytest.raises(PositionError):
        reversi().parse_position(text)


@pytest.mark.parametrize("seed", range(20))
def test_transcripts_make_the_round_trip_without_naming_the_passes(seed: int) -> None:
    game, dice, moves = reversi(), random.Random(seed), []
    position = game.initial()
    while legal := game.legal_moves(position):
        moves.append(dice.choice(legal))
        position = game.apply(position, moves[-1])
    text = transcript.write(moves)
    assert transcript.read(game, text) == moves
    assert transcript.read(game, text.upper()) == moves
    assert len(text) == 2 * (len(moves) - moves.count(PASS))


def test_a_transcript_that_breaks_a_rule_names_the_ply() -> None:
    game = reversi()
    with pytest.raises(MoveError, match="ply 2, 'f5'") as refused:
        transcript.read(game, "f5f5")
    assert refused.value.rule == "occupied"
    with pytest.raises(MoveError, match="disc 2, 'z9'"):
        transcript.read(game, "f5z9")


# From the start, black lays d3, c4, f5 or e6; d3 turns d4.
FAULTS = [
    ({"a1": "b"}, "turns_nothing", "A black disc on a1 turns no disc over. Take a1 away."),
    ({"a1": "b", "d4": "b"}, "turns_nothing", "Take a1 away. Turn d4 back."),
    ({"d3": "w"}, "not_your_turn", "It is black's turn, but a white disc was laid on d3. Turn it over, or take it"),
    ({"e3": "w", "e4": "w"}, "not_your_turn", "laid on e3. Take e3 away. Turn e4 back."),
    ({"d3": "b", "c4": "b"}, "two_discs_laid", "A turn lays one disc, but d3 and c4 were laid. Take all but one"),
    ({"d3": "b", "d4": "b", "e5": "b"}, "wrong_disc_turned", "d3 does not turn e5. Turn e5 back."),
    ({"d3": "b", "e4": "w"}, "wrong_disc_turned", "d3 does not turn e4. Turn e4 back. Turn d4 over."),
    ({"d4": "b"}, "turned_without_laying", "The disc on d4 was turned over, but none was laid. Turn it back."),
    ({"d4": "e"}, "disc_missing", "The disc is missing from d4. Put white's disc back on d4."),
    ({"d4": "e", "e4": "e"}, "disc_missing", "Put black's disc back on e4. Put white's disc back on d4."),
    ({"d5": "e", "d6": "b"}, "disc_moved", "Discs stay where they are, but d5 moved to d6."),
    ({"d3": "b"}, "not_all_turned", "d3 turns d4. Turn d4 over too."),
    ({}, "unexplained", "Nothing has changed on the board. It is black's turn."),
]


@pytest.mark.parametrize(("changes", "rule", "words"), FAULTS, ids=[fault[1] for fault in FAULTS])
def test_a_wrong_board_is_told_with_its_rule_and_what_to_do(changes: dict[str, str], rule: str, words: str) -> None:
    game = reversi()
    fault = game.fault(game.initial(), after(game.initial(), **changes))
    assert fault.rule == rule
    assert words in fault.text
    assert set(fault.cells) == {CELLS.index(name) for name in changes}


def test_a_disc_laid_by_who_must_pass_and_one_laid_after_the_end_are_told() -> None:
    game = reversi()
    must_pass = Position(board_of("XO------").discs, 1)
    fault = game.fault(must_pass, after(must_pass, c1="w"))
    assert (fault.rule, fault.text) == ("must_pass", "White can turn no disc over and must pass. Take c1 away.")
    over = board_of("XXX-----")
    assert game.fault(over, after(over, d1="b")).rule == "game_over"


def test_a_long_fault_names_some_cells_and_counts_the_others() -> None:
    game = reversi()
    fault = game.fault(game.initial(), "." * 60 + "BWBW")
    assert "d8" not in fault.text
    many = game.fault(game.initial(), "B" * 27 + "WB......BW" + "." * 27)
    assert many.text.count(" more") >= 1
    assert len(many.text) <= 512
