"""Takes moves back by word: the line is cut at once, and hands put the pieces back afterwards."""

from __future__ import annotations

from daemon.game.effects import Effect, TakeBack
from daemon.game.line_of_play import Ply
from daemon.judging import phrases
from daemon.judging.corrections import Refusal
from daemon.judging.referee import Referee
from wording import Sentence, sentence


def undo(referee: Referee, *, on_board: bool = True) -> list[Effect]:
    """Takes back the last move, or a pass or resignation reported after it.

    Against an agent the person's own last move goes too: otherwise the agent would only play the same again. Players
    are asked to put back what is still on the board; until then nothing on it is a move. With no board in view
    (`on_board` False) there is nothing to put back. Raises Refusal.
    """
    if referee.paused:
        raise Refusal(sentence("The game is paused: resume it first."))
    if referee.declared is not None:
        effects = referee.revoke()
        return [*effects, referee.announce("undo", sentence("The game goes on."), referee.whose_turn())]
    ply = _undone_to(referee)
    plies = referee.line.plies[ply:]
    told = _taken_back(referee, plies)
    prompt = referee.withdraw(ply)
    if not on_board:
        prompt = None
        referee.believe()
    then = referee.next_turn() if prompt is None else prompt.said
    side, cells = plies[0].side, () if prompt is None else prompt.cells
    board = "" if prompt is None else prompt.board
    return [
        TakeBack(ply),
        referee.announce("undo", told, *then, board=board, side=side, cells=cells, urgent=prompt is not None),
    ]


def _undone_to(referee: Referee) -> int:
    """The ply to which the game returns."""
    ply = _before_last(referee, referee.ply)
    people = [side for side, agent in enumerate(referee.agents) if agent is None]
    while people and ply and referee.game.to_move(referee.history[ply]) not in people:
        ply = _before_last(referee, ply)
    return ply


def _before_last(referee: Referee, ply: int) -> int:
    """The ply before the last move up to `ply`; unannounced passes go with the move before them."""
    plies = referee.line.plies[:ply]
    if not plies:
        raise Refusal(sentence("There is no move to take back."))
    for index in range(len(plies) - 1, -1, -1):
        if plies[index].seen or plies[index].known in ("said", "agent"):
            return index
    return 0


def _taken_back(referee: Referee, plies: list[Ply]) -> Sentence:
    """The sentence that names the moves taken back."""
    made = [one for one in plies if one.seen or one.known == "said"] or plies
    if len(made) > 1:
        return sentence("{moves} are taken back.", moves=phrases.listed([one.text for one in made]))
    who = phrases.named(referee.game, made[0].side)
    if made[0].text.startswith("pass"):
        return sentence("{side:Gen}'s pass is taken back.", side=who)
    return sentence("{side:Gen}'s {move} is taken back.", side=who, move=made[0].text)
