"""Measures how many gomoku mates of a file are proven, how fast, and whether the claims are true.

    kibitzer bench prove-mates MATES.jsonl --time-s 1 --whole 12 --quiet 100

Positions are solved as `kibitzer solve --game gomoku --mates` does, which reads the moves alone; the classes of the
file (VCF: a certain win by fours) only sort the figures. Every claimed line is replayed in plain Python, and for every
`--whole`-th the whole tree is followed against every legal answer. Positions without a win are then constructed: after
the first stone of a win whose whole tree holds, the defender is to move and cannot win. In `--quiet` of those no win
may be claimed. Exit status 1 if a claim is false.
"""

from __future__ import annotations

import itertools
import json
import random
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from agents.mates import SIZE, read_positions, solve_mates
from games.gomoku.kernel import memory as layout
from games.gomoku.kernel.prover import Proof, begin_search, write_stones
from tests.agents.threat_lines import Unfinished, faults, fives, holds, is_line_of_fours, windows

MOST = 400
"""Positions of a tree that is followed; larger trees are counted as unfinished."""
TIME_S = 5.0
RANDOM_STONES = (8, 16)


class Prover:
    """The prover that `threat_lines.holds` asks; kept, so that it learns."""

    def __init__(self) -> None:
        self.memory = layout.allocate(SIZE, (False, False), 64)

    def line(self, stones: tuple[int, int], side: int, time_s: float = TIME_S) -> list[int] | None:
        begin_search(self.memory)
        write_stones(self.memory, SIZE, stones)
        proof = Proof(self.memory, side)
        proof.within(time_s)
        return [layout.index_of(cell, SIZE) for cell in proof.line] if proof.line else None

    def as_attacker(self, side: int) -> Any:
        """A function of the attacker's and the defender's stones.

        A table full of other positions may make the search slow: where nothing is found in time, an empty one is asked.
        """

        def prove(mine: int, theirs: int) -> Sequence[int] | None:
            stones = (mine, theirs) if side == 0 else (theirs, mine)
            return self.line(stones, side) or Prover().line(stones, side)

        return prove


def main(
    mates: Annotated[Path, typer.Argument(help="positions, as of `kibitzer solve --mates`")],
    time_s: float = 1.0,
    whole: int = 12,
    quiet: int = 100,
) -> bool:
    prover = Prover()
    wrong = report_mates(mates, time_s, whole, prover)
    claimed = sum(prover.line(*lost, time_s) is not None for lost in itertools.islice(lost_positions(prover), quiet))
    print(f"positions without a win: {quiet}, wins claimed in {claimed}")
    return wrong + claimed > 0


def report_mates(path: Path, time_s: float, whole: int, prover: Prover) -> int:
    """Reports the mates; returns the number of false claims."""
    classes = [json.loads(line).get("class", "") for line in path.read_text().splitlines() if line.strip()]
    positions, answers = list(read_positions(path)), list[Any](solve_mates(path, time_s))
    for name in sorted(set(classes)):
        chosen = [answer for answer, kind in zip(answers, classes, strict=True) if kind == name]
        proven = [answer for answer in chosen if answer["proven"]]
        times = sorted(answer["milliseconds"] for answer in proven) or [0.0]
        nodes = sorted(answer["nodes"] for answer in proven) or [0]
        print(f"{name}: {len(proven)} of {len(chosen)} proven ({100 * len(proven) / len(chosen):.1f} %)")
        print(f"  milliseconds: median {statistics.median(times):.3f}, most {times[-1]:.3f}")
        print(f"  positions visited: median {statistics.median(nodes):.0f}, most {nodes[-1]}")
    wrong = trees = unfinished = 0
    claims = [(place, answer) for place, answer in enumerate(answers) if answer["proven"]]
    for number, (place, answer) in enumerate(claims):
        (stones, side), line = positions[place], [y * SIZE + x for x, y in answer["line"]]
        mine, theirs = stones[side], stones[1 - side]
        found = faults(mine, theirs, line)
        if not found and classes[place] == "VCF" and not is_line_of_fours(mine, theirs, line):
            found = ["not every stone is a four"]
        if found:
            wrong += 1
            print(f"line {place + 1}: {found[0]}")
        if number % whole == 0:
            try:
                holds(mine, theirs, prover.as_attacker(side), most=MOST)
                trees += 1
            except Unfinished:
                unfinished += 1
    print(
        f"lines replayed: {len(claims)}, wrong {wrong}; whole trees followed: {trees}, larger than {MOST}: {unfinished}"
    )
    return wrong


def lost_positions(prover: Prover) -> Iterator[tuple[tuple[int, int], int]]:
    """Positions whose mover has lost, by a tree followed to its end, and has no five to stop."""
    draw = random.Random(20)
    while True:
        stones = _random_stones(draw)
        line = prover.line(stones, 0, 0.2)
        if line is None or is_line_of_fours(*stones, line):
            continue
        try:
            holds(*stones, prover.as_attacker(0), most=MOST)
        except Unfinished:
            continue
        after = stones[0] | 1 << line[0]
        if not fives(after, stones[1]):
            yield (after, stones[1]), 1


def _random_stones(draw: random.Random) -> tuple[int, int]:
    middle = [row * SIZE + column for row in range(4, 11) for column in range(4, 11)]
    while True:
        cells = draw.sample(middle, 2 * draw.randrange(RANDOM_STONES[0] // 2, RANDOM_STONES[1] // 2))
        black, white = (sum(1 << cell for cell in cells[side::2]) for side in (0, 1))
        if not any(window & side == window for side in (black, white) for window in windows(SIZE)):
            return black, white
