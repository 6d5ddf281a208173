"""The lines of `daemon.belief` on the readings of a photographed game, beside what `kibitzer watch` makes of it.

    python -m tests.bench.belief_photos ../shared/data/morris

The photos are read once, as `watch` reads them. Prints how many plies both believe, and where their moves differ.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import games
from calibration.template import load_template
from daemon.belief.belief import Belief
from daemon.belief.deciding import Moved, Right, decide
from daemon.belief.look import Look
from daemon.cli.watch import follow
from daemon.core.match import Match
from daemon.game.effects import Effect
from daemon.interpret.explanation import MoveEvent
from daemon.judging.referee import Referee
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from rules import AnyGame, Side
from tests.daemon.belief.table import texts
from vision.reading.board_reading import BoardReading
from vision.sources.opening import open_source

LOOKS = 3
LOOK_S = 0.8


class Recording(Referee):
    """Keeps the readings that it judges."""

    readings: tuple[BoardReading, ...] = ()

    def see(self, event: MoveEvent, movers: Sequence[Side] = (), *, watched: bool = True) -> list[Effect]:
        self.readings = (*self.readings, event.reading)
        return super().see(event, movers, watched=watched)


def believed(game: AnyGame, readings: Sequence[BoardReading]) -> Belief:
    """The belief after looking at each reading for a while; prints its objections."""
    belief, time_s = Belief.at(game), 0.0
    for number, reading in enumerate(readings, 1):
        for _ in range(LOOKS):
            time_s += LOOK_S
            before, belief = belief, belief.after(Look(time_s, reading))
            for one in decide(before, belief):
                if not isinstance(one, Moved | Right):
                    print(f"reading {number}: {one}")
    return belief


def main() -> None:
    """Exit status 1 if the lines have fewer plies than the referee."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--game", default="morris")
    options = parser.parse_args()
    game = games.load(options.game, {"flying": "true", "first": "auto"} if options.game == "morris" else {})
    referee = Recording(game, in_photos=True)
    eyes = BoardTracker(Pipeline(load_template(game.name), None), Match(referee))
    follow(eyes, open_source(str(options.folder), hold_s=1.0, give_up_s=1.0))
    moves = texts(game, believed(game, referee.readings).told)
    print(f"{len(referee.readings)} readings; the referee believes {referee.ply} plies, the lines {len(moves)}")
    for number, (one, other) in enumerate(zip(referee.moves, moves, strict=False), 1):
        if one != other:
            print(f"ply {number}: {one}, by the lines {other}")
    raise SystemExit(len(moves) < referee.ply)


if __name__ == "__main__":
    main()
