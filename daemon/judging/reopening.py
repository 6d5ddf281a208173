"""Reopens a game that ended by its points while the players go on: the maker of some tile was assumed wrongly.

Where pieces belong to nobody, points and end follow from movers assumed by turn. A legal tile played after such an end
contradicts the assumption, so the line is reopened with the fewest changes of movers that let it continue. Movers known
by seat, by word or from an agent stay.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence

from daemon.game.effects import Announcement, Effect, Known
from daemon.game.line_of_play import LineOfPlay, shares_pieces
from daemon.interpret.explain import explain
from daemon.interpret.explanation import UNSEEN_NATS, Explanation, MoveEvent
from daemon.interpret.lookahead import MAX_MOVES_BESIDES
from daemon.judging import phrases
from daemon.judging.play import WRONG_SIDE, Play
from rules import EMPTY, MoveError, Side
from rules.turns import changed_cells
from wording import Listing, listing, sentence

MAX_TRIED = 200
"""Greatest number of mover assignments tried: one move changed, from the last back, then two. Each replays part of the
line; all together take less than a second."""
HALVES = 2
"""Number of cells that must surely show something new."""
MAX_WAYS = 4
"""Number of continuing lines that are compared with what is seen."""


@dataclasses.dataclass(frozen=True)
class Reopening:
    """A way in which the game continues after all."""

    line: LineOfPlay
    """The plies before the present reading, with their movers assumed anew."""
    turned: tuple[int, ...]
    """The moves, counted from 1 without passes, reassigned to the other side; those after them follow in turn."""
    event: MoveEvent
    """The present reading, explained from there."""

    @property
    def cost(self) -> float:
        """Cost of the unannounced passes and of the explanation, in nats."""
        passes = sum(not ply.seen and not ply.known for ply in self.line.plies)
        return UNSEEN_NATS * passes + self.event.explanations[0].cost


def reopened(line: LineOfPlay, event: MoveEvent, movers: Sequence[Side], *, known: bool = True) -> Reopening | None:
    """How a finished line continues with the tiles seen now; None if there are none or it cannot.

    `movers` as in `explain`. Without `known` all movers count as assumed.
    """
    if not shares_pieces(line.game) or not _is_laid(line, event):
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
    """Believes the continuing line; says what is assumed and how to correct it."""
    moves = _assumed(play, found)
    same = play.line.become(found.line)
    play.forget_answer()
    said = sentence(
        "You play on, so I count {moves}; if it was another, tell me its number and side: mover.", moves=moves
    )
    return [play.line.rewrite(same, play.outcome), play.announce("reopened", said, urgent=True)]


def end_again(play: Play, ended: LineOfPlay) -> list[Effect]:
    """Believes the finished line again."""
    same = play.line.become(ended)
    play.forget_answer()
    return [play.line.rewrite(same, play.outcome)]


def is_withdrawn(play: Play, takeback: Explanation) -> bool:
    """Whether a takeback removes everything that was played after an end."""
    ended = play.ended
    if ended is None or takeback.moves:
        return False
    standing = sum(ply.seen for ply in play.line.plies[: takeback.ply])
    return standing == len(ended.seen) + len(ended.beyond)


def insist(play: Play) -> Announcement:
    """Announces that the game is over under every assumption, and what to do if it is not."""
    assert play.outcome is not None
    what = sentence("What is laid now does not count.")
    if play.agents == (None, None):
        what = WRONG_SIDE
    said = *phrases.result(play.game, play.outcome), what
    return play.announce("game_over", *said, rule=play.outcome.reason, urgent=True)


def _is_laid(line: LineOfPlay, event: MoveEvent) -> bool:
    """Whether the final board is unchanged except for at least one tile surely added.

    A doubtful cell counts for nothing: long-lasting glare must not keep later tiles from counting.
    """
    before = line.game.board(line.position)
    changed = _surely(event, changed_cells(before, event.board))
    return len(changed) >= HALVES and all(before[cell] == EMPTY for cell in changed)


def _surely(event: MoveEvent, cells: Sequence[int]) -> list[int]:
    """The cells among these that are not in doubt."""
    return [cell for cell in cells if cell not in event.doubtful]


def _going_on(line: LineOfPlay) -> Iterator[tuple[LineOfPlay, tuple[int, ...]]]:
    """The lines in which the game continues after all plies, those with the fewest changes first."""
    movers = _movers(line)
    for other, turned in itertools.islice(_turned(line), MAX_TRIED):
        if other is None or other.beyond or other.game.outcome(other.position) is not None:
            continue
        if _movers(other) == movers:
            yield other, turned


def _turned(line: LineOfPlay) -> Iterator[tuple[LineOfPlay | None, tuple[int, ...]]]:
    """Every line with one mover changed, the last first, then with two; None for each impossible line."""
    ones = []
    for number in range(len(line.seen), 0, -1):
        ones.append((number, _with_turned(line, number)))
        yield ones[-1][1], (number,)
    for first, one in ones:
        for number in range(0 if one is None else len(one.seen), first, -1):
            assert one is not None
            yield _with_turned(one, number), (first, number)


def _with_turned(line: LineOfPlay, number: int) -> LineOfPlay | None:
    """The line in which the other side made a move; None if it cannot have, or the maker is known."""
    ply = line.plies[line.seen[number - 1]]
    if ply.known:
        return None
    try:
        return line.with_mover(number, 1 - ply.side, "")
    except MoveError:
        return None


def _movers(line: LineOfPlay) -> list[tuple[str, Side, Known]]:
    """What is known about the makers of plies."""
    return [(ply.text, ply.side, ply.known) for ply in (*line.plies, *line.beyond) if ply.known]


def _assumed(play: Play, found: Reopening) -> Listing:
    """The reassigned moves, with the sides to which they now belong."""
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
