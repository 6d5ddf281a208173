"""Moves that are told, where no camera watches: judged by the same rules and believed at once."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.game.effects import Announcement, Effect
from daemon.judging import phrases
from daemon.judging.corrections import Refusal
from daemon.judging.referee import Referee
from games import MoveError
from wording import Sentence, sentence


class IllegalMove(Refusal):
    """A move that the rules forbid, or no move at all."""

    def __init__(self, rule: str, said: Sentence) -> None:
        super().__init__(said)
        self.rule = rule
        """Stable code of the broken rule."""


def begin(referee: Referee) -> list[Effect]:
    """There is no board to be compared with: the game stands as it is believed to, and a move said is a move made."""
    referee.withdrawn = None
    referee.believe()
    return answered(referee, []) if referee.agent_move is not None else []


def make(referee: Referee, text: str) -> list[Effect]:
    """The person to move makes the move of that text. Raises Refusal, IllegalMove where a rule forbids it."""
    game, position = referee.game, referee.position
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over."))
    if referee.paused:
        raise Refusal(sentence("The game is paused: resume it first."))
    side = phrases.named(game, game.to_move(position))
    if (agent := referee.agents[game.to_move(position)]) is not None:
        raise Refusal(sentence("It is {side:gen}'s turn: {agent} is thinking.", side=side, agent=agent))
    try:
        move = game.parse_move(position, text)
    except MoveError as error:
        said = sentence("{why:Nom}.", why=error.said)
        if error.rule != "not_a_move":
            said = sentence("{move} cannot be played: {why}.", move=text[:20], why=error.said)
        raise IllegalMove(error.rule, said) from None
    after = game.apply(position, move)
    referee.believe()
    return [*referee.make(move, after, "said"), *referee.pass_if_forced()]


def answered(referee: Referee, effects: Sequence[Effect]) -> list[Effect]:
    """What follows from an agent's legal answer: its move is made, instead of asked of somebody."""
    move = referee.agent_move
    if move is None:  # a pass, which is made already, or no answer to be taken
        return list(effects)
    referee.forget_answer()
    referee.believe()
    kept = [one for one in effects if not (isinstance(one, Announcement) and one.code == "agent_move")]
    made = referee.make(move, referee.game.apply(referee.position, move), "agent")
    return [*kept, *made, *referee.pass_if_forced()]
