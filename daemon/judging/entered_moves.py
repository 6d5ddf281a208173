"""Moves entered by word, without a camera: judged by the same rules and believed at once."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.game.effects import Announcement, Effect
from daemon.game.line_of_play import played
from daemon.judging.corrections import Refusal
from daemon.judging.referee import Referee
from rules import MoveError
from wording import Sentence, sentence


class IllegalMove(Refusal):
    """A move that the rules forbid, or text that is no move."""

    def __init__(self, rule: str, said: Sentence) -> None:
        super().__init__(said)
        self.rule = rule
        """Stable code of the broken rule."""


def begin(referee: Referee) -> list[Effect]:
    """Starts play without a board to compare with: the game is as believed, and a move said is a move made."""
    referee.believe()
    return answered(referee, [])


def make(referee: Referee, text: str) -> list[Effect]:
    """Makes the move of that text for the person to move. Raises Refusal; IllegalMove if a rule forbids the move."""
    game, position = referee.game, referee.position
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over."))
    if referee.paused:
        raise Refusal(sentence("The game is paused: resume it first."))
    if referee.agents[game.to_move(position)] is not None:
        raise Refusal(sentence("It is the computer's turn."))
    try:
        move = game.parse_move(position, text)
    except MoveError as error:
        said = sentence("{why:Nom}.", why=error.said)
        if error.rule != "not_a_move":
            said = sentence("{move} cannot be played: {why}.", move=text[:20], why=error.said)
        raise IllegalMove(error.rule, said) from None
    ply = played(game, position, move, "said")
    referee.believe()
    return [*referee.make(ply), *referee.pass_if_forced()]


def answered(referee: Referee, effects: Sequence[Effect]) -> list[Effect]:
    """Effects of an agent's legal answer: its move is made instead of being asked of somebody."""
    move = referee.agent_move
    if move is None:  # a pass, which was made already, or no acceptable answer
        return list(effects)
    referee.forget_answer()
    referee.believe()
    kept = [one for one in effects if not (isinstance(one, Announcement) and one.code == "agent_move")]
    made = referee.make(played(referee.game, referee.position, move, "agent"))
    return [*kept, *made, *referee.pass_if_forced()]
