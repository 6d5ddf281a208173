"""A puzzle at the table: what is asked, whether the answer is right, and why."""

from __future__ import annotations

import contextlib
import logging

from daemon.game.effects import Effect
from daemon.judging import phrases
from daemon.judging.referee import Referee
from daemon.record.puzzles import Puzzle, PuzzleError, PuzzleStore, Standing
from rules import AnyGame, GameError, Side
from wording import Sentence, Sentences, Value, sentence, sentence_n

LOGGER = logging.getLogger(__name__)
AGENT = "level-8"
"""Plays the other side: it knows the refutations."""


class PuzzlePlay:
    """Judges the first move of a puzzle, each time it is another one."""

    def __init__(self, puzzle: Puzzle, store: PuzzleStore) -> None:
        self.puzzle = puzzle
        self.verdict = ""
        """`right` or `wrong`; empty before the answer, and once it is taken back."""
        self.why: Sentences = ()
        """What was said about the answer."""
        self.standing = Standing()
        self._store = store
        self._judged = ""
        with contextlib.suppress(PuzzleError):  # it is told at the first attempt
            self.standing = next(
                (one for known, one in store.all(puzzle.game) if known.puzzle_id == puzzle.puzzle_id), Standing()
            )

    def turn(self, referee: Referee) -> list[Effect]:
        """What there is to say about the first move, once; to be called often."""
        answer = referee.moves[0] if referee.ply else ""
        if answer == self._judged:
            return []
        self._judged, self.verdict, self.why = answer, "", ()
        if not answer:
            return []
        solved = answer == self.puzzle.move
        self.verdict = "right" if solved else "wrong"
        self.standing = Standing(
            self.standing.tried + 1,
            self.standing.solved + solved,
            solved if self.standing.first is None else self.standing.first,
        )
        said = verdict(self.puzzle, referee.game, referee.history[0], answer)
        self.why = said
        if not solved:
            said = *said, sentence("Take your move back to try again.")
        try:
            self._store.tried(self.puzzle, answer, solved)
        except PuzzleError as error:
            LOGGER.error("the attempt is not kept: %s", error)
            said = *said, sentence("I cannot write this down.")
        return [referee.announce("puzzle", *said)]


def question(puzzle: Puzzle, game: AnyGame, side: Side) -> Sentence:
    who = phrases.named(game, side)
    if puzzle.proof == "exact":
        return sentence("Puzzle: {side:Nom} is to move. Only one move wins.", side=who)
    return sentence_n(
        "Puzzle: {side:Nom} wins in {count} move. Find the first one.",
        "Puzzle: {side:Nom} wins in {count} moves. Find the first one.",
        puzzle.moves,
        side=who,
    )


def verdict(puzzle: Puzzle, game: AnyGame, position: object, answer: str) -> Sentences:
    """Whether an answer is right, and why."""
    move = _brief(game, position, answer)
    if answer == puzzle.move:
        moves, discs = puzzle.moves, puzzle.discs
        if puzzle.proof == "exact":
            won = sentence_n(
                "Right: {move} wins by {count} disc.", "Right: {move} wins by {count} discs.", discs, move=move
            )
        else:
            won = sentence_n(
                "Right: {move} wins in {count} move.", "Right: {move} wins in {count} moves.", moves, move=move
            )
        return (won,)
    other = puzzle.others.get(answer)
    if other is None:  # only a damaged file lacks a legal move
        return (sentence("Wrong: {move} is not the move.", move=move),)
    if other.result == "draws":
        first = sentence("Wrong: {move} only draws.", move=move)
    elif other.result == "slower":
        first = sentence("Wrong: {move} does not win so soon.", move=move)
    elif puzzle.proof == "exact":
        first = sentence_n(
            "Wrong: {move} loses by {count} disc.", "Wrong: {move} loses by {count} discs.", other.amount, move=move
        )
    elif other.amount > 1:
        first = sentence_n(
            "Wrong: after {move} the other side wins in {count} move.",
            "Wrong: after {move} the other side wins in {count} moves.",
            other.amount // 2,
            move=move,
        )
    else:
        first = sentence("Wrong: {move} loses.", move=move)
    replies: Sentences = ()
    with contextlib.suppress(GameError):
        after = game.apply(position, game.parse_move(position, answer))
        replies = (sentence("The other side replies: {move}.", move=_brief(game, after, other.reply)),)
    return (first, *replies)


def _brief(game: AnyGame, position: object, text: str) -> Value:
    """The move in words, without what it turns over."""
    move = game.parse_move(position, text)
    steps = game.steps(position, move)
    if any(step.kind == "flip" for step in steps) and steps[0].kind == "place":
        return game.cells[steps[0].cell]
    return phrases.spoken_move(game, position, move)
