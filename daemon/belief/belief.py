"""What is believed of the game: a bounded set of lines, and those of their plies that are certain."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from daemon.belief.costs import STANDING_S
from daemon.belief.line import Line, Ply, common, owed
from daemon.belief.look import Evidence, Look
from daemon.belief.missed import may_be_missed, ways_to
from daemon.belief.moving import Weighed, weighed
from daemon.belief.plies import Manner
from daemon.belief.standing import Standing, State, is_due, is_mended
from rules import AnyGame, Side


@dataclasses.dataclass(frozen=True)
class Belief:
    """Immutable; `after` and `daemon.belief.words` give the next one."""

    game: AnyGame
    lines: tuple[Line, ...]
    """The likeliest first; never empty, at most MAX_LINES."""
    told: Line
    """The plies that are certain, or were until something else is."""
    none: float = 0.0
    """Cost of none of the lines, as of the newest look."""
    standing: Standing = dataclasses.field(default_factory=Standing)
    trouble: Standing | None = None
    """What was told last and is not yet seen to be mended."""
    look: Look | None = None
    """The newest one."""
    evidence: Evidence | None = None
    """What it shows, and what was known before of the cells that it does not show."""
    said: tuple[tuple[int, str, str], ...] = ()
    """Cells that people named, each with the letter that stands there, and the letter that was read then."""
    manner: Manner = dataclasses.field(default_factory=Manner)
    seen: bool = False
    """Whether the board of this game was in view."""
    by_one_hand: bool = False
    """Whether one hand broke a rule and the board was not right since: playing on does not repair that."""

    @classmethod
    def at(cls, game: AnyGame, start: Any = None, plies: Sequence[Ply] = (), agents: Iterable[Side] = ()) -> Belief:
        """The belief before the first look, with the plies of a recorded game, none of which came together."""
        starts = game.starts if start is None else (start,)
        made = tuple(dataclasses.replace(ply, time_s=number - len(plies)) for number, ply in enumerate(plies))
        position = plies[-1].position if plies else starts[0]
        lines = tuple(Line(one, made, game.board(position)) for one in (starts[:1] if plies else starts))
        return cls(game, lines, lines[0], manner=Manner(agents=frozenset(agents)), seen=bool(plies))

    @property
    def position(self) -> Any:
        """The last certain position."""
        return self.told.position

    @property
    def near(self) -> list[Line]:
        """The lines that may be right, the likeliest first; empty if it is likelier that none is."""
        return Weighed(self.lines, self.none, self.standing.state != "wrong").near(self.game)

    def after(self, look: Look, movers: Sequence[Side] = ()) -> Belief:
        """The belief after a look; `movers` made the last plies seen, where hands were recognised."""
        said = tuple(one for one in self.said if _is_read(look, one[0]) == one[2])
        evidence = Evidence(look, {cell: letter for cell, letter, _ in said}, self.evidence)
        shown = evidence.likeliest(self.told.board)
        before = self.standing
        again = before.state == "wrong" and (shown, evidence.unknown) == (before.board, before.unknown)
        manner = dataclasses.replace(self.manner, movers=tuple(movers))
        found = weighed(self.game, self._remembering(evidence), evidence, manner, again=again)
        told = believed(self.game, self.told, found.near(self.game))
        state, board = _state(self.game, found, told, shown)
        since = look.time_s if look.free else None
        standing = Standing(state, board, since, look.time_s, evidence.unknown).after(self.standing)
        belief = dataclasses.replace(
            self,
            lines=found.lines,
            told=told,
            none=found.none,
            standing=standing,
            trouble=self._trouble(standing, told),
            look=look,
            evidence=evidence,
            said=said,
            manner=dataclasses.replace(manner, free_s=look.time_s) if look.free else manner,
            seen=self.seen or standing.state == "right" or told is not self.told,
            by_one_hand=self.by_one_hand and standing.state == "wrong",
        )
        stands_since = belief.has_stood and not (self.has_stood and self.standing.since_s == standing.since_s)
        return belief._with_missed() if standing.state == "wrong" and stands_since else belief

    @property
    def has_stood(self) -> bool:
        """Whether the state has stood long enough to be a fault."""
        return self.standing.free_s >= STANDING_S

    def _remembering(self, evidence: Evidence) -> list[Line]:
        """The lines, each less likely by what contradicted it on cells that look otherwise now.

        Unless none of them was likely: then it was not they that were contradicted.
        """
        if self.standing.state == "wrong":
            return list(self.lines)
        priors = [line.prior + _contradicted(self.game, line, evidence) for line in self.lines]
        least = min(priors)
        return [dataclasses.replace(line, prior=one - least) for line, one in zip(self.lines, priors, strict=True)]

    def _trouble(self, standing: Standing, told: Line) -> Standing | None:
        if is_due(self.game, told.history, standing):
            return self.trouble if standing.is_alike(self.trouble) else standing
        mended = self.trouble is None or is_mended(standing, self.trouble, told.board)
        return None if told is not self.told or mended else self.trouble

    def _with_missed(self) -> Belief:
        """With the ways to a board that no line allows, once it has stood; they cost as much as none of the lines."""
        board = self.standing.board
        if not self.seen or self.manner.agents or any(line.shown == board for line in self.lines):
            return self
        if not may_be_missed(self.game, self.told, board):
            return dataclasses.replace(self, by_one_hand=True)
        if self.by_one_hand or self.game.outcome(self.told.position) is not None:
            return self
        return dataclasses.replace(self, lines=(*self.lines, *ways_to(self.game, self.told, board, self.none)))


def _contradicted(game: AnyGame, line: Line, evidence: Evidence) -> float:
    """Nats by which earlier looks contradicted what a line showed then, on cells that look otherwise now."""
    total = 0.0
    for cell, known_s, losses in evidence.replaced:
        since = next((index for index, ply in enumerate(line.plies) if ply.time_s > known_s), None)
        shown = line.shown if since is None else game.board(line.before(since))
        total += losses[shown[cell]]
    return total


def believed(game: AnyGame, told: Line, near: Sequence[Line]) -> Line:
    """The certain plies: what all lines that may be right share; what one of them shares with `told` is kept."""
    if not near:
        return told
    kept = max(common(told, line) for line in near)
    trunk = min(common(near[0], line) for line in near)
    if trunk > kept:
        told, kept = near[0], trunk
    if kept < 0 or (kept == len(told.plies) and told is not near[0]):
        return told
    certain = Line(told.start, told.plies[:kept])
    return dataclasses.replace(certain, board=game.board(certain.position))


def _state(game: AnyGame, found: Weighed, told: Line, shown: str) -> tuple[State, str]:
    best = found.lines[0]
    if not found.fits:
        return "wrong", shown
    near = found.near(game) or [best]
    unfinished = [line for line in near if _is_unfinished(game, line) and line.shown == best.shown]
    if common(told, best) == len(told.plies) == len(best.plies):
        return ("unfinished" if unfinished else "right"), best.shown
    return ("unfinished" if len(unfinished) == len(near) else "torn"), best.shown


def _is_unfinished(game: AnyGame, line: Line) -> bool:
    return (line.begun is not None and line.begun.move is not None) or bool(owed(game, line))


def _is_read(look: Look, cell: int) -> str:
    reading = look.reading
    return str(reading.letters[int(reading.log_probabilities[cell].argmax())])
