"""Every text form of every game, under any rule options: what is written is read back, other text is refused."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import games
from games.reversi import Reversi, transcript
from rules import AnyGame, Counts, MoveError, PositionError, RuleError
from rules.turns import line_of_play

EXAMPLES = settings(max_examples=40)
FEWER = settings(EXAMPLES, max_examples=20)
LONGEST = 70
"""Plies at most of a generated game."""
EVERY_GAME = pytest.mark.parametrize("name", games.names())
Line = tuple[AnyGame, list[Any], list[Any]]
"""A game, its positions and the moves between them."""


@st.composite
def options(draw: st.DrawFn, name: str) -> AnyGame:
    """A game under any compatible rule options; hypothesis shrinks them to the defaults."""
    kind: Any = getattr(games.find(name), "Rules")  # noqa: B009
    rules: dict[str, object] = {}
    for field in dataclasses.fields(kind):
        known = field.metadata
        if isinstance(field.default, bool):
            values = st.sampled_from([field.default, not field.default])
        elif isinstance(field.default, int):
            values = st.one_of(st.just(field.default), st.integers(known["minimum"], known["maximum"]))
        elif known["choices"] is None:  # a text such as komi
            values = st.just(field.default)
        else:
            values = st.sampled_from([field.default, *known["choices"]])
        rules[field.name] = draw(values)
    try:
        return games.load(name, rules)
    except RuleError:
        return games.load(name)


@st.composite
def lines(draw: st.DrawFn, name: str) -> Line:
    """A game of random length from one of its starts or from a deal."""
    game = draw(options(name))
    starts = [*game.starts, game.initial(draw(st.integers(0, 9999)))]
    positions, moves = [draw(st.sampled_from(starts))], []
    for number in draw(st.lists(st.integers(0, 2**16), max_size=LONGEST)):
        legal = list(game.legal_moves(positions[-1]))
        if not legal:
            break
        moves.append(legal[-1 - number % len(legal)])
        positions.append(game.apply(positions[-1], moves[-1]))
    return game, positions, moves


@st.composite
def spoilt(draw: st.DrawFn, text: str) -> str:
    """The text with a few characters changed, left out, doubled or inserted."""
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        new = draw(st.one_of(st.sampled_from(text or "x"), st.sampled_from(".:/-;,= 0139abhxXOWB\n"), st.characters()))
        text = text[:place] + draw(st.sampled_from(["", new])) + text[place + draw(st.integers(0, 2)) :]
    return text


@EVERY_GAME
@EXAMPLES
@given(data=st.data())
def test_a_game_is_played_again_from_the_texts_of_its_moves(name: str, data: st.DataObject) -> None:
    game, positions, moves = data.draw(lines(name))
    texts = [game.format_move(position, move) for position, move in zip(positions, moves, strict=False)]
    assert line_of_play(game, " ".join(texts).split(), start=positions[0]) == positions
    for position, move, text in zip(positions, moves, texts, strict=False):
        for spoken in (text, f" {text}\n"):
            assert game.parse_move(position, spoken) == move
        # In chess bxc4 and Bxc4 are two moves, and both may be legal.
        alike = [one for one in game.legal_moves(position) if game.format_move(position, one).lower() == text.lower()]
        for spoken in (text.upper(), text.lower()):
            assert game.parse_move(position, spoken) in alike and (len(alike) > 1 or alike == [move])


@EVERY_GAME
@EXAMPLES
@given(data=st.data())
def test_a_position_comes_back_from_its_text(name: str, data: st.DataObject) -> None:
    game, positions, _ = data.draw(lines(name))
    for position in positions[-3:]:
        text = game.format_position(position)
        read = game.parse_position(text)
        assert game.format_position(read) == text
        assert game.parse_position(f" {text}\n") == read
        assert game.parse_position(game.format_position(read)) == read
        assert game.board(read) == game.board(position)
        assert game.to_move(read) == game.to_move(position)
        assert Counts.of(game).scores(read) == Counts.of(game).scores(position)
        if game.outcome(position) == game.outcome(read) is None:
            assert game.legal_moves(read) == game.legal_moves(position)


@EVERY_GAME
@EXAMPLES
@given(data=st.data())
def test_a_spoilt_position_is_refused_or_is_another_that_comes_back(name: str, data: st.DataObject) -> None:
    game, positions, _ = data.draw(lines(name))
    text = data.draw(spoilt(game.format_position(positions[-1])))
    try:
        read = game.parse_position(text)
    except PositionError as error:
        assert 0 < len(str(error)) < 400
        return
    assert game.parse_position(game.format_position(read)) == read
    assert len(game.board(read)) == len(game.cells)
    assert bool(game.legal_moves(read)) == (game.outcome(read) is None)


@EVERY_GAME
@EXAMPLES
@given(data=st.data())
def test_a_spoilt_move_is_refused_by_a_rule_or_is_another_that_is_legal(name: str, data: st.DataObject) -> None:
    game, positions, moves = data.draw(lines(name))
    text = game.format_move(positions[-2], moves[-1]) if moves else game.cells[0]
    text = data.draw(spoilt(text))
    try:
        move = game.parse_move(positions[-1], text)
    except MoveError as error:
        assert error.rule == error.rule.lower().strip() != ""
        assert 0 < len(str(error)) < 400
        return
    assert move in game.legal_moves(positions[-1])


@FEWER
@given(line=lines("reversi"))
def test_a_game_of_reversi_comes_back_from_its_transcript(line: Line) -> None:
    game, positions, moves = line
    assert isinstance(game, Reversi)
    read = transcript.read(game, transcript.write(moves), positions[0])
    # A pass at the very end is not written, since it is forced.
    assert read == moves[: len(read)]
    assert all(game.format_move(positions[0], move) == "pass" for move in moves[len(read) :])


@EXAMPLES
@given(data=st.data())
def test_a_spoilt_transcript_is_refused_or_is_another_game(data: st.DataObject) -> None:
    game, positions, moves = data.draw(lines("reversi"))
    assert isinstance(game, Reversi)
    text = data.draw(spoilt(transcript.write(moves)))
    try:
        read = transcript.read(game, text, positions[0])
    except MoveError as error:
        assert 0 < len(str(error)) < 400
        return
    assert transcript.read(game, transcript.write(read), positions[0]) == read
