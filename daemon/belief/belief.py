"""What is believed of the game: a bounded set of lines, and those of their plies that are certain."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from daemon.belief.costs import STANDING_S
from daemon.belief.figures import misplaced
from daemon.belief.gap_search import MAX_MOVES_ASKED
from daemon.belief.line import Line, common, owed
from daemon.belief.look import Evidence, Look
from daemon.belief.missed import begins_a_game, may_be_missed, overlooked, plies_of, ways_to
from daemon.belief.moving import Weighed, weighed
from daemon.belief.plies import MAX_MOVES, Manner
from daemon.belief.standing import Standing, State, is_due, is_mended
from daemon.game.line_of_play import LineOfPlay, Ply
from rules import AnyGame, Side
from rules.turns import changed_cells


@dataclasses.dataclass(frozen=True)
class Belief:
    """Immutable; `after` a look, and `telling` what people said, give the next one."""

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
    evidence: Evidence | None = None
    """What it shows, and what was known before of the cells that it does not show."""
    manner: Manner = dataclasses.field(default_factory=Manner)
    seen: bool = False
    """Whether the board of this game was in view."""
    by_one_hand: bool = False
    """Whether one hand broke a rule and the board was not right since: playing on does not repair that."""
    to_put_back: bool = False
    """Whether plies were taken back by word and are still to be put back by hand: nothing is awaited until then."""
    vain: tuple[str, frozenset[int], Any] | None = None
    """The board, its doubtful cells and who moves, where they were searched in vain last."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Belief:
        return self

    @classmethod
    def at(cls, game: AnyGame, start: Any = None, plies: Sequence[Ply] = (), *, in_photos: bool = False) -> Belief:
        """The belief before the first look, with the plies of a recorded game, none of which came together."""
        starts = game.starts if start is None else (start,)
        made = tuple(dataclasses.replace(ply, time_s=number - len(plies)) for number, ply in enumerate(plies))
        position = plies[-1].position if plies else starts[0]
        lines = tuple(Line(one, made, game.board(position)) for one in (starts[:1] if plies else starts))
        return cls(game, lines, lines[0], manner=Manner(in_photos=in_photos), seen=bool(plies))

    def telling(self, line: LineOfPlay, lines: Sequence[Line] = (), *, stands: str = "") -> Belief:
        """The belief in what people said, which is certain; the plies before stay as they were seen.

        One of `lines` may have led there. From the board `stands` hands have still to put back what no longer counts.
        """
        certain = Line(line.start, plies_of(line, self.told.plies), stands or self.game.board(line.position))
        standing = Standing("unfinished", stands) if stands else Standing()
        return dataclasses.replace(
            self,
            lines=(certain, *(dataclasses.replace(one, unproved=False) for one in lines[1:])),
            told=dataclasses.replace(certain, board=self.game.board(certain.position)),
            standing=standing,
            trouble=standing if stands else None,
            by_one_hand=False,
            to_put_back=bool(stands),
            vain=None,
        )

    def tells(self, line: LineOfPlay) -> bool:
        return (line.start, *line.plies) == (self.told.start, *self.told.plies)

    def expecting(self, agents: frozenset[Side], asked: tuple[Any, Any] | None) -> Belief:
        """The belief while agents play these sides, and one asked for a move in a position."""
        return dataclasses.replace(self, manner=dataclasses.replace(self.manner, agents=agents, asked=asked))

    @property
    def forgiving(self) -> Belief:
        """The belief that objects anew to what it objected to before."""
        return dataclasses.replace(self, trouble=None)

    @property
    def interrupted(self) -> Belief:
        """The belief while a hand is over the board: whatever stands there does so anew."""
        return dataclasses.replace(self, standing=dataclasses.replace(self.standing, since_s=None))

    @property
    def position(self) -> Any:
        return self.told.position

    @property
    def near(self) -> list[Line]:
        """The lines that may be right, the likeliest first; empty if it is likelier that none is."""
        if self.evidence is None:
            return list(self.lines)
        return Weighed(self.lines, self.none, self.standing.state != "wrong").near(self.game, self.evidence)

    def after(self, look: Look, movers: Sequence[Side] = ()) -> Belief:
        """The belief after a look; `movers` made the last plies seen, where hands were recognised."""
        evidence = Evidence(look, self.evidence)
        shown = evidence.likeliest(self.told.board)
        manner = dataclasses.replace(self.manner, movers=tuple(movers))
        here = shown, evidence.unsure, dataclasses.replace(manner, free_s=0.0)
        again = self.standing.state == "wrong" and self.vain == here
        found = weighed(self.game, self._remembering(evidence), evidence, manner, again=again)
        near, best = found.near(self.game, evidence), found.lines[0]
        told = believed(self.game, self.told, near)
        state = _state(self.game, best, near or [best], told) if found.fits else "wrong"
        if state == "right" and not told.plies:
            again = self.standing.state == "misplaced"
            state = "misplaced" if misplaced(self.game, evidence, told.position, again=again) else "right"
        board = best.shown if found.fits else shown
        since = look.time_s if look.free else None
        amiss = tuple((cell, board[cell]) for cell in changed_cells(self.game.board(told.position), board))
        named = state == "wrong" and evidence.reading.figures is not None
        standing = Standing(state, board, since, look.time_s, evidence.unknown, look.final, amiss, named=named)
        standing = standing.after(self.standing)
        belief = dataclasses.replace(
            self,
            lines=found.lines,
            told=told,
            none=found.none,
            standing=standing,
            trouble=self._trouble(standing, told),
            look=look,
            evidence=evidence,
            manner=dataclasses.replace(manner, free_s=look.time_s) if look.free else manner,
            seen=self.seen or standing.state in ("right", "misplaced") or told is not self.told,
            by_one_hand=self.by_one_hand and standing.state == "wrong",
            to_put_back=self.to_put_back and told is self.told and state != "right",
            vain=here if state == "wrong" else None,
        )
        stands_since = belief.has_stood and not (self.has_stood and self.standing.is_alike(standing))
        return belief._with_missed() if standing.state == "wrong" and stands_since else belief

    @property
    def has_stood(self) -> bool:
        return self.standing.free_s >= STANDING_S

    def _remembering(self, evidence: Evidence) -> list[Line]:
        """The lines, each less likely by what contradicted it on cells that are hidden or look otherwise now.

        Unless none of them was likely: then it was not they that were contradicted.
        """
        if self.standing.state == "wrong":
            return list(self.lines)
        priors = [line.prior + _contradicted(self.game, line, evidence) for line in self.lines]
        least = min(priors)
        return [dataclasses.replace(line, prior=one - least) for line, one in zip(self.lines, priors, strict=True)]

    def _trouble(self, standing: Standing, told: Line) -> Standing | None:
        if self.trouble is not None and standing.state == "unfinished" and standing.amiss == self.trouble.amiss:
            return self.trouble  # they play on over what is amiss
        if is_due(self.game, told.positions, standing) or (self.trouble is None and standing.is_lasting):
            return self.trouble if standing.is_alike(self.trouble) else standing
        mended = self.trouble is None or is_mended(standing, self.trouble, told.board)
        return None if told is not self.told or mended else self.trouble

    def _with_missed(self) -> Belief:
        """With the ways to a board that no line allows, once it has stood; they cost as much as none of the lines."""
        board = self.standing.board
        if any(line.shown == board for line in self.lines):
            return self
        if not self.manner.in_photos and not may_be_missed(self.game, self.told, board):
            proved = [line for line in self.lines if not line.unproved]
            best = min(proved, key=lambda line: line.cost)
            strange = overlooked(self.game, best, board, self.standing.until_s, self.manner.agents)
            return dataclasses.replace(self, lines=(*proved, *strange), by_one_hand=True)
        if (
            not self.seen
            or self.manner.agents
            or self.by_one_hand
            or self.game.outcome(self.told.position) is not None
            or begins_a_game(self.game, board)
        ):
            return self
        most_moves = MAX_MOVES_ASKED if self.manner.in_photos else MAX_MOVES
        ways, evidence = ways_to(self.game, self.told, board, self.none, most_moves), self.evidence
        assert evidence is not None
        likely = (way for way in ways if not misplaced(self.game, evidence, way.position))
        return dataclasses.replace(self, lines=(*self.lines, *likely))


def _contradicted(game: AnyGame, line: Line, evidence: Evidence) -> float:
    """Nats by which earlier looks contradicted a line on cells that are hidden or look otherwise now."""
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


def _state(game: AnyGame, best: Line, near: Sequence[Line], told: Line) -> State:
    """What the likeliest of the lines that may be right says of the board."""
    begun = (line for line in near if (line.begun is not None and line.begun.move is not None) or owed(game, line))
    unfinished = [line for line in begun if line.shown == best.shown]
    if common(told, best) == len(told.plies) == len(best.plies):
        return "unfinished" if unfinished else "right"
    return "unfinished" if len(unfinished) == len(near) else "torn"
