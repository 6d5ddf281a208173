"""The contract of all games, checked on seeded random games of every game in the folder."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

import games
from calibration.template import load_template
from rules import (
    EMPTY,
    AnyGame,
    Arranged,
    Counts,
    Figures,
    HiddenHands,
    MarkedCells,
    MoveError,
    PositionError,
    RuleError,
    UnknownGame,
    Words,
    arranged_by,
    figures_of,
)
from rules.options import switched_on
from rules.turns import begins_turn, carry_out, changed_cells

SEEDS = range(6)
MAX_PLIES = 400
MAX_TRIED = 20
"""Moves tried one by one in a position; games with hidden hands have hundreds."""
NONSENSE = ("", "?", "x" * 5000, "a1-", "\N{SNOWMAN}", "0", "pass pass")
Line = list[tuple[Any, Any]]


def random_game(game: AnyGame, seed: int) -> Line:
    """Positions, each with the move made in it; None for the last. With odd seeds, hidden tiles are dealt."""
    draw = random.Random(seed)
    position, line = game.initial(seed) if seed % 2 else draw.choice(game.starts), []
    for _ in range(MAX_PLIES):
        moves = game.legal_moves(position)
        if not moves:
            break
        move = draw.choice(list(moves))
        line.append((position, move))
        position = game.apply(position, move)
    return [*line, (position, None)]


def some(moves: list[Any]) -> list[Any]:
    """The moves, or a selection if there are many; always with the last, since passes come last."""
    return moves[:: -(-len(moves) // MAX_TRIED)] + moves[-1:] if len(moves) > MAX_TRIED else moves


def some_games() -> list[AnyGame]:
    """Every game under its default rules, if it has switches with all of them on, and by each other rule set.

    Gánh also with captured men turned over, which is no switch.
    """
    found: list[AnyGame] = []
    for name in games.names():
        plain = games.load(name)
        switches = [option for option, value in vars(plain.rules).items() if value is False]
        found += [plain, games.load(name, dict.fromkeys(switches, True))][: 1 + bool(switches)]
        known = [one.rules for one in found]
        sets = [games.load(name, {"set": one}) for one in plain.about.rule_sets]
        found += [one for one in sets if one.rules not in known]
    flipping = {"capture": "flip", "first": "down", "limit": 40}
    return [*found, *(games.load("co_ganh", {**flipping, "mo": mo}) for mo in (False, True))]


@pytest.fixture(
    scope="module",
    params=some_games(),
    ids=lambda game: f"{game.about.short_name}-{'+'.join(sorted(switched_on(game)))}",
)
def game(request: pytest.FixtureRequest) -> AnyGame:
    chosen: AnyGame = request.param
    return chosen


@pytest.fixture(scope="module")
def lines(game: AnyGame) -> list[Line]:
    """Six random games, the same for all tests."""
    return [random_game(game, seed) for seed in SEEDS]


def test_names_are_found_by_module_and_by_short_name(game: AnyGame) -> None:
    assert games.find(game.name) is games.find(game.about.short_name) is type(game)


def test_cells_and_classes_are_the_templates(game: AnyGame) -> None:
    template = load_template(game.name, switched_on(game))
    assert template.cell_names == game.cells
    assert template.letters == game.classes
    assert game.classes[0] == EMPTY
    assert set(game.pieces) <= set(game.classes)
    assert set(template.figures) == game.about.nouns.keys() - set(game.classes)


def test_the_usual_start_is_the_first_of_the_starts(game: AnyGame) -> None:
    dealt = game.initial(seed=1)
    assert dealt in game.starts or HiddenHands.of(game).view(dealt, 0) != game.initial()
    assert all(game.outcome(start) is None for start in game.starts)


def test_legal_moves_are_distinct_ordered_and_empty_exactly_at_the_end(game: AnyGame, lines: list[Line]) -> None:
    for position, move in itertools.chain(*lines):
        moves = list(game.legal_moves(position))
        assert len(set(moves)) == len(moves)
        assert moves == list(game.legal_moves(position))
        assert (not moves) == (game.outcome(position) is not None)
        assert moves or move is None
        assert game.to_move(position) in (0, 1)


def test_the_random_games_come_to_an_end(game: AnyGame, lines: list[Line]) -> None:
    assert any(game.outcome(line[-1][0]) for line in lines)


def test_steps_carried_out_give_the_board_after(game: AnyGame, lines: list[Line]) -> None:
    for position, _ in itertools.chain(*(line[:-1] for line in lines)):
        board = game.board(position)
        assert len(board) == len(game.cells)
        assert set(board) <= set(game.classes)
        for move in some(list(game.legal_moves(position))):
            after = game.board(game.apply(position, move))
            spoken = Words.of(game).spoken(position, move)
            assert spoken is None or str(spoken)
            assert carry_out(board, game.steps(position, move)) == after
            assert (after == board) == (not game.steps(position, move))
        assert after == board or begins_turn(game, position, after)


def test_figures_are_of_the_class_that_the_board_shows(game: AnyGame, lines: list[Line]) -> None:
    drawn = load_template(game.name, switched_on(game)).figures
    for position, _ in itertools.chain(*lines):
        seen = [drawn[letter].seen if letter in drawn else letter for letter in figures_of(game, position)]
        assert "".join(seen) == game.board(position)


def test_gains_add_up_to_the_scores(game: AnyGame, lines: list[Line]) -> None:
    for (position, move), (after, _) in itertools.chain(*map(itertools.pairwise, lines)):
        gains, scores = Counts.of(game).gains(position, move), Counts.of(game).scores(after)
        assert (gains is None) == (scores is None)
        if gains is not None and scores is not None and game.outcome(after) is None:
            before = Counts.of(game).scores(position)
            assert before is not None
            assert scores == tuple(score + gain.total for score, gain in zip(before, gains, strict=True))


def test_every_text_form_makes_the_round_trip(game: AnyGame, lines: list[Line]) -> None:
    for position, _ in itertools.chain(*lines):
        texts = [game.format_move(position, move) for move in game.legal_moves(position)]
        assert len(set(texts)) == len(texts)
        for move in some(list(game.legal_moves(position))):
            assert game.parse_move(position, game.format_move(position, move)) == move
        assert not any(" " in text or len(text) > 64 for text in texts)
        text = game.format_position(position)
        parsed = game.parse_position(text)
        assert game.format_position(parsed) == text
        assert game.board(parsed) == game.board(position)
        assert game.to_move(parsed) == game.to_move(position)


def test_moves_that_are_not_legal_are_refused_with_a_rule(game: AnyGame, lines: list[Line]) -> None:
    for line in lines:
        elsewhere = dict.fromkeys(move for _, move in line if move is not None)
        for position, _ in line[:: 1 + len(line) // 100]:
            legal = set(game.legal_moves(position))
            for move in some([move for move in elsewhere if move not in legal]):
                with pytest.raises(MoveError) as refused:
                    game.apply(position, move)
                assert refused.value.rule == refused.value.rule.lower().replace(" ", "_") != ""
                assert str(refused.value)


def test_nonsense_is_no_move_and_no_position(game: AnyGame) -> None:
    for text in NONSENSE:
        with pytest.raises(MoveError):
            game.parse_move(game.initial(), text)
        with pytest.raises(PositionError):
            game.parse_position(text)


def test_positions_and_moves_are_immutable_hashable_values(game: AnyGame, lines: list[Line]) -> None:
    once_more = (random_game(game, seed) for seed in SEEDS)
    for (position, move), (again, same) in zip(itertools.chain(*lines), itertools.chain(*once_more), strict=True):
        assert position == again
        assert hash(position) == hash(again)
        assert move == same
        with pytest.raises((AttributeError, TypeError)):
            position.anything = 1


def test_a_view_shows_the_same_board_and_the_same_turn(game: AnyGame, lines: list[Line]) -> None:
    for position, _ in itertools.chain(*lines):
        for side in (0, 1):
            view = HiddenHands.of(game).view(position, side)
            assert game.board(view) == game.board(position)
            assert game.to_move(view) == game.to_move(position)
            assert HiddenHands.of(game).view(view, side) == view


def test_every_wrong_board_has_a_fault_that_marks_what_differs(game: AnyGame, lines: list[Line]) -> None:
    draw = random.Random(0)
    for position, _ in itertools.chain(*(line[::3] for line in lines)):
        before = game.board(position)
        for cells in range(1, 5):
            wrong = list(before)
            for cell in draw.sample(range(len(wrong)), cells):
                wrong[cell] = draw.choice([letter for letter in game.classes if letter != wrong[cell]])
            board = "".join(wrong)
            if begins_turn(game, position, board):
                continue
            fault = game.fault(position, board)
            assert fault.rule == fault.rule.lower()
            assert fault.text.endswith(".")
            assert len(fault.text) <= 512
            assert set(fault.cells) <= set(changed_cells(before, board))
            assert list(fault.cells) == sorted(fault.cells)
            assert fault.cells


def test_rule_options_name_themselves_when_refused(game: AnyGame) -> None:
    with pytest.raises(RuleError, match="no_such_option"):
        games.load(game.name, {"no_such_option": 1})
    for option, value in vars(game.rules).items():
        if isinstance(value, bool | int):
            with pytest.raises(RuleError, match=option):
                games.load(game.name, {option: "perhaps"})


def test_an_unknown_game_is_refused_with_the_names_of_the_others() -> None:
    with pytest.raises(UnknownGame, match="nine_mens_morris"):
        games.load("tennis")


def test_a_position_set_up_by_hand_shows_its_board_and_its_mover(game: AnyGame, lines: list[Line]) -> None:
    for position, _ in itertools.chain(*lines):
        board = game.board(position)
        try:
            made = game.set_up(board, game.to_move(position), position)
        except PositionError as error:
            assert str(error)
            continue
        assert game.board(made) == board
        assert game.parse_position(game.format_position(made)) == made


def test_men_that_cannot_stand_so_are_set_up_nowhere_or_the_game_is_over(game: AnyGame) -> None:
    for letter in game.classes[1:]:
        try:
            made = game.set_up(letter * len(game.cells), 0, game.initial())
        except PositionError as error:
            assert str(error)
        else:
            assert game.outcome(made) is not None


def test_the_cells_that_won_hold_alike_pieces_and_are_there_only_at_the_end(game: AnyGame, lines: list[Line]) -> None:
    for line in lines:
        (end, _), board = line[-1], game.board(line[-1][0])
        won = MarkedCells.of(game).won_by(end)
        assert len(set(won)) == len(won) and len({board[cell] for cell in won} - {EMPTY}) == bool(won)
        if won:
            outcome = game.outcome(end)
            assert outcome is not None and outcome.winner is not None
        assert not any(MarkedCells.of(game).won_by(position) for position, _ in line[:-1])


def test_points_of_cells_are_given_for_all_cells_or_for_none(game: AnyGame) -> None:
    points = game.about.cell_points
    assert len(points) in (0, len(game.cells)) and min(points, default=0) >= 0


def test_a_position_arranged_from_its_figures_has_them_and_what_is_chosen(game: AnyGame, lines: list[Line]) -> None:
    for position, _ in itertools.chain(*lines):
        figures, side = figures_of(game, position), game.to_move(position)
        held = {right.code: right.held for right in Arranged.of(game).rights(position)}
        assert set(figures) <= {EMPTY, *(Figures.of(game).kinds or game.classes)}
        try:
            made = arranged_by(game, figures, side, held)
        except PositionError as error:
            assert str(error)
            continue
        assert (figures_of(game, made), game.to_move(made)) == (figures, side)
        still = {right.code: right.held for right in Arranged.of(game).rights(made)}
        assert arranged_by(game, figures, side, still) == made
        assert game.parse_position(game.format_position(made)) == made


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("Nine Men's Morris", "nine_mens_morris"),
        ("Tintar", "nine_mens_morris"),
        ("OTHELLO", "reversi"),
        ("co ganh", "co_ganh"),
    ],
)
def test_a_game_is_found_by_its_usual_names(name: str, game: str) -> None:
    assert games.find(name).name == game
