"""Hidden hands as people tell them, for an agent that plays where no camera sees them."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.game.effects import Effect
from daemon.judging import phrases
from daemon.judging.corrections import Refusal, side_of
from daemon.judging.referee import Referee
from rules import GameError, HiddenHands
from wording import sentence


def hold(referee: Referee, tiles: Sequence[str], name: str = "") -> list[Effect]:
    """Sets a side's tiles, as told by a person.

    Without a name it is the only agent's side, or the side to move. Raises Refusal.
    """
    game, position = referee.game, referee.position
    if not isinstance(game, HiddenHands):
        raise Refusal(sentence("Nobody holds anything in this game."))
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over."))
    agents = [side for side, agent in enumerate(referee.agents) if agent is not None]
    side = side_of(game, name) if name else agents[0] if len(agents) == 1 else game.to_move(position)
    who = phrases.named(game, side)
    if len(tiles) != (held := game.holds(position, side)):
        raise Refusal(sentence("{side:Nom} holds {held} tiles, not {told}.", side=who, held=held, told=len(tiles)))
    try:
        known = game.with_hand(position, side, tiles)
    except GameError as error:
        raise Refusal(sentence("That cannot be the hand: {why}.", why=error.said)) from None
    referee.line.know(known)
    referee.forget_answer()
    return [referee.announce("hand", sentence("I know {side:gen}'s tiles now.", side=who))]
