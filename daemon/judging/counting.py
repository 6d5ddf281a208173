"""Counts a finished game in which pieces may be captured as they stand, as the move that ended it names them."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.game.effects import Effect
from daemon.game.line_of_play import played
from daemon.judging import phrases
from daemon.judging.corrections import Refusal, side_of
from daemon.judging.play import Play
from rules import DeadPieces, Side
from wording import Sentence, sentence, sentence_n


def is_open(play: Play) -> bool:
    """Whether people may still say how the game that is over is counted."""
    return bool(still_to_agree(play)) and play.is_counted


def still_to_agree(play: Play) -> tuple[Side, ...]:
    people = [side for side, agent in enumerate(play.agents) if agent is None]
    return tuple(side for side in people if side not in play.agreed)


def mark(play: Play, cell: int) -> list[Effect]:
    """Counts the pieces around that cell as captured, or no longer so. Raises Refusal."""
    _check(play)
    move = play.recounted(cell)
    if move is None:
        raise Refusal(sentence("There is nothing to count on {cell}.", cell=play.game.cells[cell]))
    game, last, again = play.game, play.line.plies[-1], play.line.until(play.ply - 1)
    before = DeadPieces.of(game).dead(play.position)
    again.add(played(game, again.position, move, last.known, assumed=last.assumed))
    rewrite = play.rewritten(again)
    assert play.outcome is not None
    return [rewrite, play.announce("counted", _marked(play, before), *phrases.result(game, play.outcome))]


def agree(play: Play, name: str = "") -> list[Effect]:
    """The side of that name agrees to the count; without one the only person, or both people. Raises Refusal."""
    _check(play)
    waiting = still_to_agree(play)
    sides = (side_of(play.game, name),) if name else waiting
    if sides[0] not in waiting:
        raise Refusal(sentence("{side:Nom} has agreed, or is not asked.", side=phrases.named(play.game, sides[0])))
    play.agree(sides)
    left = still_to_agree(play)
    if left:
        one, other = phrases.named(play.game, sides[0]), phrases.named(play.game, left[0])
        return [play.announce("agreed", sentence("{one:Nom} agrees. Does {other}, too?", one=one, other=other))]
    assert play.outcome is not None
    said = sentence("The count is agreed."), *phrases.result(play.game, play.outcome)
    return [play.announce("agreed", *said)]


def _check(play: Play) -> None:
    if play.outcome is None:
        raise Refusal(sentence("The game goes on: it is counted at the end."))
    if not play.is_counted:
        raise Refusal(sentence("This end is not counted."))
    if not still_to_agree(play):
        raise Refusal(sentence("The count is agreed already."))


def _marked(play: Play, before: Sequence[int]) -> Sentence:
    after = DeadPieces.of(play.game).dead(play.position)
    changed = sorted({*before} ^ {*after})
    names = phrases.listed(phrases.named_cells(play.game, changed))
    if changed and changed[0] in after:
        return phrases.captured(len(changed), names)
    return sentence_n("{cells} counts as alive.", "{cells} count as alive.", len(changed), cells=names)
