"""Moves a set of lines on by one look: what each may have become, and what is left of them."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from daemon.belief.costs import BELIEVE_NATS, HOPELESS_NATS, MAX_BACK, MAX_LINES, ODD_NATS, RARE_NATS, ROUNDING_NATS
from daemon.belief.figures import told_apart
from daemon.belief.line import Line
from daemon.belief.look import Evidence
from daemon.belief.missed import reopened
from daemon.belief.plies import MAX_MOVES, MAX_MOVES_BESIDES, MAX_PLIES, Manner, PlySearch
from daemon.belief.returning import cleared, finished_late, made_again, takeback_nats, taken_back
from daemon.game.line_of_play import shares_pieces
from rules import AnyGame


@dataclasses.dataclass(frozen=True)
class Weighed:
    lines: tuple[Line, ...]
    none: float
    fits: bool
    """Whether the look contradicts at least one of them nowhere."""

    def near(self, game: AnyGame, evidence: Evidence) -> list[Line]:
        """The lines that may be right and that who looks could tell apart; none if it is likelier that no line is."""
        best = self.lines[0].cost
        if not self.fits or best > self.none - BELIEVE_NATS + ROUNDING_NATS:
            return []
        near = [line for line in self.lines if line.cost < best + BELIEVE_NATS and not evidence.wrong(line.shown)]
        kept: dict[object, Line] = {}
        for line in near:
            side = None if shares_pieces(game) else game.to_move(line.position)
            kept.setdefault((game.board(line.position), line.shown, side), line)
        return list(kept.values())


def weighed(
    game: AnyGame, lines: Sequence[Line], evidence: Evidence, manner: Manner, *, again: bool = False
) -> Weighed:
    """What the look makes of the lines; `again` if it shows nothing but what was searched before in vain."""
    # Others may only prove right by what is seen later, without being moved on.
    least = min(line.cost for line in lines if not line.unproved) + 2 * BELIEVE_NATS
    once: dict[object, Line] = {}
    for line in lines:  # the same one with a turn begun is no other
        once.setdefault((id(line.position), line.board, line.unproved), line)
    stays = [line.showing(line.board, evidence.loss(line.board)) for line in once.values()]
    pairs = zip(stays, once.values(), strict=True)
    followed = [stay for stay, line in pairs if line.unproved or line.cost <= least]
    proved = [line for line in followed if not line.unproved]
    none = min(line.prior + ODD_NATS + RARE_NATS * evidence.strays(line.board) for line in proved)
    found = [*stays, *(late for line in stays for late in finished_late(game, evidence, line))]
    if not again:
        found += _Moved(game, evidence, manner, none, min(line.cost for line in found)).of(followed)
    kept = _merged(game, told_apart(game, evidence, found))
    fitting = [line for line in kept if not evidence.wrong(line.shown) and line.cost <= none]
    gone_on = [line for line in fitting if not line.unproved or (line.begun is None and line not in stays)]
    if all(line.unproved and line.cost > none - BELIEVE_NATS + ROUNDING_NATS for line in gone_on):
        strange = [line for line in fitting if line.unproved and line not in stays]
        return Weighed((*lines, *strange)[:MAX_LINES], none, False)
    best = gone_on[0]
    near = [line for line in (best, *kept) if line.cost <= best.cost + HOPELESS_NATS]
    if best.unproved:  # ways to strange boards count only if one of them is the best
        near = [dataclasses.replace(line, unproved=False) for line in near]
    left = (line for line in near[1:] if not line.unproved and line != near[0])
    return Weighed((near[0], *left)[:MAX_LINES], none, True)


class _Moved:
    def __init__(self, game: AnyGame, evidence: Evidence, manner: Manner, none: float, best: float) -> None:
        self._game, self._evidence, self._none, self._best = game, evidence, none, best
        self._search, self._has_agents = PlySearch(game, evidence, manner), bool(manner.agents)

    def of(self, lines: Sequence[Line]) -> Iterator[Line]:
        for number, line in enumerate(sorted(lines, key=lambda one: (one.prior, one.cost))):
            if line.prior <= self._best + HOPELESS_NATS and self._evidence.amiss(line.board):
                yield from self._of_line(line, MAX_MOVES_BESIDES if number else MAX_MOVES)

    def _of_line(self, line: Line, most_moves: int) -> Iterator[Line]:
        least = line.cost

        def within() -> float:
            return min(self._none, least + BELIEVE_NATS, self._best + HOPELESS_NATS)

        def kept(ways: Iterable[Line]) -> Iterator[Line]:
            nonlocal least
            for one in ways:
                # A whole turn may prove to be half of another one.
                most = within() + RARE_NATS * (one.begun is not None)
                if one.cost <= most and not self._evidence.wrong(one.shown):
                    least = min(least, one.cost)
                    self._best = min(self._best, one.cost)
                    yield one

        game, evidence = self._game, self._evidence
        for one in (line, *finished_late(game, evidence, line)):
            if game.outcome(line.position) is None:
                yield from kept(_ordered(game, self._search.search(one, within, most_moves)))
        again = list(made_again(game, evidence, line))
        yield from kept(itertools.chain(again, taken_back(game, evidence, line), cleared(game, evidence, line)))
        for one in again:
            if game.outcome(one.position) is None and evidence.amiss(one.board):
                yield from kept(self._search.search(one, within, MAX_MOVES_BESIDES, most_plies=1))
        for one in reopened(game, evidence, line) if not self._has_agents else ():
            yield from kept(_ordered(game, self._search.search(one, within, MAX_MOVES_BESIDES)))
        if self._best >= RARE_NATS:
            yield from kept(self._in_another_order(line, within))

    def _in_another_order(self, line: Line, within: Callable[[], float]) -> Iterator[Line]:
        """Takebacks that leave some of the plies that came in one look, but not the first of the assumed order."""
        for count, seen in line.together(MAX_BACK):
            board, nats = self._game.board(line.before(count)), takeback_nats(self._evidence)
            before = line.showing(board, self._evidence.loss(board), nats, plies=line.plies[:count], undone=())
            yield from self._search.search(before, within, MAX_MOVES_BESIDES, most_plies=min(seen - 1, MAX_PLIES))


def _ordered(game: AnyGame, ways: Iterable[Line]) -> Iterator[Line]:
    """The ways; where pieces belong to nobody the first of the likeliest to each board: their order is assumed."""
    least: dict[str, float] = {}
    for way in ways:
        if way.begun is not None or not shares_pieces(game):
            yield way
        elif way.cost < least.get(way.board, math.inf) - ROUNDING_NATS:
            least[way.board] = way.cost
            yield way


def _merged(game: AnyGame, lines: Iterable[Line]) -> list[Line]:
    """The likeliest of the lines that differ in nothing that matters later, the likeliest first."""
    kept: dict[object, Line] = {}
    for line in sorted(lines, key=lambda one: (round(one.cost / ROUNDING_NATS), len(one.plies))):
        kept.setdefault((game.format_position(line.position), line.board, line.shown), line)
    return list(kept.values())
