"""Hidden hands: dealt at random where no camera watches, or entered by people; and who may see which."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Sequence
from typing import Any

from daemon.game.effects import Effect
from daemon.game.line_of_play import Ply, unseen_moves
from daemon.judging import phrases
from daemon.judging.corrections import Refusal, side_of
from daemon.judging.referee import Referee
from rules import AnyGame, GameError
from wording import sentence


def dealt(game: AnyGame, seed: int = 0) -> Any:
    """The start with everything hidden dealt, at random or by a seed; None if the game deals nothing."""
    start = game.initial(seed or 1 + secrets.randbits(30))
    return None if start == game.initial() else start


def shown_hands(referee: Referee) -> list[list[str] | None]:
    """The hands that a page may show, by side: a person's; of two people that of the side to move."""
    people = [side for side, agent in enumerate(referee.agents) if agent is None]
    shown = {referee.game.to_move(referee.position)} if len(people) == 2 else set(people or (0, 1))
    hands = [referee.game.hand(referee.position, side) if side in shown else None for side in (0, 1)]
    return [None if hand is None else list(hand) for hand in hands]


def public_position(referee: Referee) -> Any:
    """The position as the bus may carry it: with the hand of the agent that is asked, and no other.

    A listener there may play for the other side.
    """
    game, position = referee.game, referee.position
    if not game.hides:
        return position
    side = game.to_move(position)
    seen = game.view(position, side)
    return seen if referee.awaiting == "agent" else game.view(seen, 1 - side)


def public_moves(referee: Referee) -> list[str]:
    """The texts of the moves as everybody may know them, without what was put away unseen."""
    game = referee.game
    if not game.hides:
        return referee.moves
    return [public_move(game, before, ply) for before, ply in zip(referee.history, referee.line.plies, strict=False)]


def public_move(game: AnyGame, before: Any, ply: Ply) -> str:
    """The text of one move as everybody may know it."""
    anyhow: Any = game
    return ply.text if ply.seen or not game.hides else _as_hidden(anyhow, before, ply.text)


@functools.lru_cache
def _as_hidden(game: Any, before: Any, text: str) -> str:
    hidden = game.view(game.view(before, 0), 1)
    return next((game.format_move(hidden, move) for move in unseen_moves(game, hidden)), text)


def hold(referee: Referee, tiles: Sequence[str], name: str = "") -> list[Effect]:
    """Sets a side's tiles, as told by a person for an agent that plays where no camera sees a hand.

    Without a name it is the only agent's side, or the side to move. Raises Refusal.
    """
    game, position = referee.game, referee.position
    if not game.hides:
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
