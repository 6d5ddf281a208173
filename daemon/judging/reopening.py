"""A game that is over by its points, while the players go on: who laid which tile was assumed wrongly.

Where men belong to nobody, points and end follow from movers that are assumed by turn. A legal tile laid after such an
end speaks against the assumption, so the line is taken up again with the least change of movers that lets it go on.
What is known by seat, by word or by an agent stays.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence

from daemon.game.effects import Announcement, Effect, Known
from daemon.game.line_of_play import LineOfPlay, shares_men
from daemon.interpret.explain import explain
from daemon.interpret.explanation import UNSEEN_NATS, Explanation, MoveEvent
from daemon.interpret.lookahead import MAX_MOVES_BESIDES
from daemon.judging import phrases
from daemon.judging.play import WRONG_SIDE, Play
from games import EMPTY, MoveError, Side, changed_cells
from wording import Listing, listing, sentence

MAX_TRIED = 200
"""Assignments of movers that are tried: one move turned, each after the other from the last, then two. Each plays a
part of the line again, all together take less than a second."""
HALVES = 2
"""As many cells must surely show something new."""
MAX_WAYS = 4
"""Of those in which the game goes on, as many are held against what is seen."""


@dataclasses.dataclass(frozen=True)
class Reopening:
    """How the game goes on after all."""

    line: LineOfPlay
    """The plies before what was seen now, with their movers assumed anew."""
    turned: tuple[int, ...]
    """The moves, counted from 1 without passes, that were the other side's; those after them follow in turn."""
    event: MoveEvent
    """What was seen now, explained from there."""

    @property
    def cost(self) -> float:
        """What the passes that nobody told cost, and the explanation."""
        passes = sum(not ply.seen and not ply.known for ply in self.line.plies)
        return UNSEEN_NATS * passes + self.event.explanations[0].cost


def reopened(line: LineOfPlay, event: MoveEvent, movers: Sequence[Side], *, known: bool = True) -> Reopening | None:
    """How a line that is over goes on with the tiles seen now; None where they are none, or it cannot.

    `movers` as in `explain`. Without `known` all movers are taken as assumed.
    """
    if not shares_men(line.game) or not _is_laid(line, event):
        return None
    found = []
    going_on = _going_on(line if known else line.copy(forgetful=True))
    for other, turned in itertools.islice(going_on, MAX_WAYS):
        again = explain(line.game, other.positions, event.reading, movers, MAX_MOVES_BESIDES)
        best = again.explanations[0] if again.explanations and not again.ambiguous else None
        if best is not None and best.kind == "plies" and _surely(event, changed_cells(best.board, event.board)) == []:
            found.append(Reopening(other, turned, again))
    return min(found, key=lambda one: one.cost, default=None)  # of equals the one that changes least


def take_up(play: Play, found: Reopening) -> list[Effect]:
    """Believes the line that goes on, and says what is assumed and how to put it right."""
    moves = _assumed(play, found)
    same = play.line.become(found.line)
    play.forget_answer()
    said = sentence(
        "You play on, so I count {moves}; if it was another, tell me its number and side: mover.", moves=moves
    )
    return [play.line.rewrite(same, play.outcome), play.announce("reopened", said, urgent=True)]


def end_again(play: Play, ended: LineOfPlay) -> list[Effect]:
    """Believes the line that was over before."""
    same = play.line.become(ended)
    play.forget_answer()
    return [play.line.rewrite(same, play.outcome)]


def is_withdrawn(play: Play, takeback: Explanation) -> bool:
    """Whether a takeback leaves nothing on the board of what was laid after an end."""
    ended = play.ended
    if ended is None or takeback.moves:
        return False
    standing = sum(ply.seen for ply in play.line.plies[: takeback.ply])
    return standing == len(ended.seen) + len(ended.beyond)


def insist(play: Play) -> Announcement:
    """The game is over whatever may be assumed, and what to do if it is not."""
    assert play.outcome is not None
    what = sentence("What is laid now does not count.")
    if play.agents == (None, None):
        what = WRONG_SIDE
    said = *phrases.result(play.game, play.outcome), what
    return play.announce("game_over", *said, rule=play.outcome.reason, urgent=True)


def _is_laid(line: LineOfPlay, event: MoveEvent) -> bool:
    """Whether the end's board stands as it was, and a tile at least was surely laid besides.

    A cell in doubt says nothing: one that glares for long must not keep the tiles after it from counting.
    """
    before = line.game.board(line.position)
    changed = _surely(event, changed_cells(before, event.board))
    return len(changed) >= HALVES and all(before[cell] == EMPTY for cell in changed)


def _surely(event: MoveEvent, cells: Sequence[int]) -> list[int]:
    """Those of the cells that are not in doubt."""
    return [cell for cell in cells if cell not in event.doubtful]


def _going_on(line: LineOfPlay) -> Iterator[tuple[LineOfPlay, tuple[int, ...]]]:
    """The lines in which the game goes on after all plies, those first that change least."""
    told = _told(line)
    for other, turned in itertools.islice(_turned(line), MAX_TRIED):
        if other is None or other.beyond or other.game.outcome(other.position) is not None:
            continue
        if _told(other) == told:
            yield other, turned


def _turned(line: LineOfPlay) -> Iterator[tuple[LineOfPlay | None, tuple[int, ...]]]:
    """Every line with one mover turned, the last first, then with two; None in the place of one that cannot be."""
    ones = []
    for number in range(len(line.seen), 0, -1):
        ones.append((number, _with_turned(line, number)))
        yield ones[-1][1], (number,)
    for first, one in ones:
        for number in range(0 if one is None else len(one.seen), first, -1):
            assert one is not None
            yield _with_turned(one, number), (first, number)


def _with_turned(line: LineOfPlay, number: int) -> LineOfPlay | None:
    """The line in which the other side made a move; None where it cannot have, or it is known who did."""
    ply = line.plies[line.seen[number - 1]]
    if ply.known:
        return None
    try:
        return line.with_mover(number, 1 - ply.side, "")
    except MoveError:
        return None


def _told(line: LineOfPlay) -> list[tuple[str, Side, Known]]:
    """What is known of who did what."""
    return [(ply.text, ply.side, ply.known) for ply in (*line.plies, *line.beyond) if ply.known]


def _assumed(play: Play, found: Reopening) -> Listing:
    """The moves that were turned, with whose they are now."""
    line, parts = found.line, []
    for number in found.turned:
        side = phrases.named(play.game, line.plies[line.seen[number - 1]].side)
        if number == len(line.seen):
            parts.append(sentence("move {number} as {side:gen}'s", number=number, side=side))
        else:
            parts.append(
                sentence("the moves from {number} on in turn, the first as {side:gen}'s", number=number, side=side)
            )
    return listing(parts)
