"""The result of two players' games, as JSON and as lines of text."""

from __future__ import annotations

import collections
import dataclasses
import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from agents.arena import elo
from agents.arena.elo import BOUND, Estimate, Hypotheses, Verdict, judge
from agents.arena.match import Pairing
from agents.arena.play import Job, Played, Use

EQUAL = 1.1
"""Times as much processor time a move as the other player's that still counts as equal."""
LEAST_S = 1e-6
"""The least that a record of a game counts."""


@dataclasses.dataclass(frozen=True)
class Tally:
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2


@dataclasses.dataclass(frozen=True)
class Spent:
    seconds: float
    longest_s: float
    nodes: float
    depth: float
    from_book: float
    processor_s: float


@dataclasses.dataclass(frozen=True)
class Points:
    mean: float
    error: float
    t: float | None
    """Student's t of the paired test against no difference; None where the pairs do not vary."""
    p: float
    """Probability of a mean at least this far from 0 between equal players: two-sided, normal distribution."""


@dataclasses.dataclass(frozen=True)
class Summary:
    players: tuple[str, str]
    tally: Tally
    """From the first player's point of view, like all fields below."""
    as_first: Tally
    """Games in which the first player had side 0."""
    as_second: Tally
    estimate: Estimate | None
    """None before the first pair of games is complete."""
    pairs: tuple[int, ...]
    """Numbers of openings that brought 0, 1, 2, 3, 4 half points."""
    sprt: Verdict | None
    points: Points | None
    plies: float
    spent: tuple[Spent, Spent]
    processor_ratio: float | None
    """Processor time of the first player's mean move by the second's; None if they have not the same limit of it."""
    reasons: dict[str, int]
    faults: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """A JSON object; unbounded values are null."""
        found = dataclasses.asdict(self)
        found["games"], found["score"] = self.tally.games, self.estimate and self.estimate.score
        return found


def summary(pairing: Pairing, played: Mapping[str, Played], hypotheses: Hypotheses | None = None) -> Summary:
    done = [(job, played[job.id]) for job in pairing.jobs if job.id in played]
    pairs = pairing.pairs(played)
    spent = _spent(pairing, done, True), _spent(pairing, done, False)
    alike = pairing.a.processor_s is not None and pairing.a.processor_s == pairing.b.processor_s
    return Summary(
        players=(pairing.a.text, pairing.b.text),
        tally=_tally(pairing, done),
        as_first=_tally(pairing, [pair for pair in done if pairing.a_is_first(pair[0])]),
        as_second=_tally(pairing, [pair for pair in done if not pairing.a_is_first(pair[0])]),
        estimate=elo.estimate(pairs),
        pairs=tuple(pairs.count(half) for half in range(5)),
        sprt=None if hypotheses is None else judge(pairing.first_pairs(played), hypotheses),
        points=_points(pairing, played),
        plies=statistics.fmean(game.plies for _, game in done) if done else 0.0,
        spent=spent,
        processor_ratio=_ratio(*(one.processor_s for one in spent)) if alike else None,
        reasons=dict(collections.Counter(game.reason for _, game in done).most_common()),
        faults=tuple(f"game {job.id}: {game.fault}" for job, game in done if game.fault),
    )


def _tally(pairing: Pairing, done: Sequence[tuple[Job, Played]]) -> Tally:
    halves = [pairing.half_points(job, game) for job, game in done]
    return Tally(halves.count(2), halves.count(1), halves.count(0))


def _spent(pairing: Pairing, done: Sequence[tuple[Job, Played]], of_a: bool) -> Spent:
    uses: list[Use] = [game.uses[0 if pairing.a_is_first(job) == of_a else 1] for job, game in done]
    moves = max(1, sum(use.moves for use in uses))
    return Spent(
        seconds=sum(use.seconds for use in uses) / moves,
        longest_s=max((use.longest_s for use in uses), default=0.0),
        nodes=sum(use.nodes for use in uses) / moves,
        depth=sum(use.depths for use in uses) / moves,
        from_book=sum(use.from_book for use in uses) / max(1, len(uses)),
        processor_s=sum(use.processor_s for use in uses) / moves,
    )


def _points(pairing: Pairing, played: Mapping[str, Played]) -> Points | None:
    """Point difference from pairs of games with the same deal, so that luck mostly cancels out."""
    leads = []
    for one, two in zip(pairing.jobs[::2], pairing.jobs[1::2], strict=True):
        first, second = (played[job.id].scores if job.id in played else None for job in (one, two))
        if first is not None and second is not None:
            leads.append((first[0] - first[1] + second[1] - second[0]) / 2)
    return points_of(leads)


def points_of(leads: Sequence[float]) -> Points | None:
    """From the mean lead of every pair; None with fewer than two pairs."""
    if len(leads) < 2:
        return None
    mean, error = statistics.fmean(leads), statistics.stdev(leads) / math.sqrt(len(leads))
    if not error:
        return Points(mean, 0.0, None, 1.0 if mean == 0 else 0.0)
    return Points(mean, error, mean / error, math.erfc(abs(mean / error) / math.sqrt(2)))


def lines_of(found: Summary, hypotheses: Hypotheses | None = None) -> list[str]:
    a, b = found.players
    width = max(len(a), len(b), 12)
    lines = [
        f"{'':<{width}}  {'won':>5} {'drawn':>5} {'lost':>5} {'points':>7}",
        _row(a, width, found.tally),
        _row("  begins", width, found.as_first),
        _row("  is second", width, found.as_second),
        f"{b:<{width}}  {found.tally.losses:>5} {found.tally.draws:>5} {found.tally.wins:>5} "
        f"{found.tally.games - found.tally.points:>7g}",
        "",
        elo_line(found.estimate),
        f"openings by half points 0 to 4: {' '.join(map(str, found.pairs))}",
    ]
    if found.sprt is not None and hypotheses is not None:
        lines.append(sprt_line(found.sprt, hypotheses))
    if found.points is not None:
        lines.append(points_line(found.points))
    reasons = ", ".join(f"{reason} ({count})" for reason, count in found.reasons.items()) or "nothing yet"
    lines.append(f"{found.plies:.1f} plies a game; ended by {reasons}")
    lines += [
        f"{name:<{width}}  a move: {one.seconds:.4f} s (longest {one.longest_s:.3f}, processor {one.processor_s:.4f}), "
        f"{one.nodes:.0f} nodes, depth {one.depth:.1f}"
        + (f"; {one.from_book:.1f} moves a game from the book" if one.from_book else "")
        for name, one in zip(found.players, found.spent, strict=True)
    ]
    if found.processor_ratio is not None:
        lines += unequal_lines(found)
    return [*lines, *(f"lost by fault: {fault}" for fault in found.faults)]


def unequal_lines(found: Summary) -> list[str]:
    """A warning where the players' processor times differ by more than EQUAL."""
    used = sorted(zip((one.processor_s for one in found.spent), found.players, strict=True))
    (less_s, less), (more_s, more) = used
    if (times := _ratio(more_s, less_s)) <= EQUAL:
        return []
    return [f"NOT at equal processor time: {more} used {times:.2f} times as much a move as {less}"]


def _ratio(a_s: float, b_s: float) -> float:
    return max(a_s, LEAST_S) / max(b_s, LEAST_S)


def _row(name: str, width: int, tally: Tally) -> str:
    return f"{name:<{width}}  {tally.wins:>5} {tally.draws:>5} {tally.losses:>5} {tally.points:>7g}"


def elo_line(found: Estimate | None) -> str:
    if found is None:
        return "no opening has been played twice yet"
    low, high = ("no bound" if end is None else f"{end:+.0f}" for end in (found.low, found.high))
    exact = "without bound" if found.elo is None else f"{found.elo:+.0f}"
    return (
        f"score {100 * found.score:.1f} % (standard error {100 * found.error:.1f}), "
        f"Elo difference {exact} (95 %: {low} to {high}), stronger with probability {found.los:.4f}"
    )


def sprt_line(found: Verdict, hypotheses: Hypotheses) -> str:
    decided = "undecided" if found.accepted is None else f"accepted {found.accepted}"
    return (
        f"SPRT of elo0 {hypotheses.elo0:g} against elo1 {hypotheses.elo1:g}: LLR {found.llr:+.3f} "
        f"of {-BOUND:.3f} to {BOUND:.3f} after {found.pairs} pairs: {decided}"
    )


def points_line(found: Points) -> str:
    t = "" if found.t is None else f", t {found.t:.2f}, p {found.p:.2g}"
    return f"points difference {found.mean:+.2f} a game (standard error {found.error:.2f}, paired by deal{t})"
