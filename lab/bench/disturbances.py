"""Two simulated people play while lamps are switched, hands hover, board and camera are knocked: counts faults.

    .venv/bin/python -m lab.bench.disturbances --games 5 --seed 1

Prints one JSON object per game and a total. `complaints` are reports other than moves; none is justified, since nobody
makes a mistake. Simulated time runs as fast as the machine allows.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import sys
from collections.abc import Callable

import games
from calibration.template import load_template
from daemon.core.match import Match
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from lab.simulated.calibrated import profile_of
from lab.simulated.player import ScriptedPlayer
from lab.simulated.source import SimulatedSource
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable

MAX_S, AFTERWARDS_S = 400.0, 12.0
ORDINARY = ("start", "move", "game_over")


@dataclasses.dataclass
class Count:
    """Counts of one game."""

    seed: int
    profile: bool
    plies: int = 0
    wrong_boards: int = 0
    missed_plies: int = 0
    complaints: int = 0
    disturbances: int = 0
    simulated_s: float = 0.0


def disturbances(table: SimulatedTable, chance: random.Random) -> list[Callable[[], None]]:
    """Events that may happen at a table besides the game."""
    azimuth = table.style.camera.azimuth_deg
    return [
        lambda: table.switch_lamp(chance.choice([0.5, 0.7, 1.0, 1.3])),
        lambda: table.switch_lamp(chance.choice([0.6, 1.0]), over_s=3.0),
        lambda: table.hover(chance.uniform(1, 4), chance.randrange(2)),
        lambda: table.bump((chance.uniform(-15, 15), chance.uniform(-15, 15)), chance.uniform(-4, 4)),
        lambda: table.move_camera(azimuth_deg=azimuth + chance.uniform(-4, 4)),
    ]


def play(seed: int, use_profile: bool) -> Count:
    """Plays one game to its end."""
    game = games.load("morris")
    template = load_template(game.name)
    table = SimulatedTable(template, game.board(game.initial()), default_style(), seed=seed)
    profile = profile_of(game, template, table, seed) if use_profile else None
    source = SimulatedSource(table)
    player = ScriptedPlayer(game, table, frozenset((0, 1)), seed, think_s=1.0)
    match, count, chance = Match(Referee(game)), Count(seed, use_profile), random.Random(seed)
    eyes = BoardTracker(Pipeline(template, profile), match)
    believed: dict[int, str] = {}

    def hear(announcement: Announcement) -> None:
        if announcement.code == "move":
            believed[announcement.ply] = announcement.board
        elif announcement.code not in ORDINARY:
            count.complaints += 1
            sys.stderr.write(f"seed {seed}, {table.time_s:.1f} s: {announcement.code}: {announcement.text}\n")

    match.listeners.append(hear)
    match.start()
    next_s, over_s = 5.0, MAX_S
    while table.time_s < over_s:
        player.update()
        frame = source.read(1.0)
        if frame is not None:
            eyes.feed(frame)
        eyes.poll()
        if player.finished:
            over_s = min(over_s, table.time_s + AFTERWARDS_S)
        elif table.time_s > next_s and not table.busy:
            chance.choice(disturbances(table, chance))()
            count.disturbances += 1
            next_s = table.time_s + chance.uniform(3, 8)
    truth = {ply.ply: ply for ply in player.record}
    count.plies, count.simulated_s = len(truth), round(table.time_s, 1)
    count.wrong_boards = sum(ply not in truth or truth[ply].board != board for ply, board in believed.items())
    moves = match.referee.moves
    count.missed_plies = sum(ply > len(moves) or moves[ply - 1] != one.move for ply, one in truth.items())
    return count


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4, help="half of them with a table profile, half without")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    counts = []
    for number in range(given.games):
        counts.append(play(given.seed + number, use_profile=number % 2 == 0))
        sys.stdout.write(json.dumps(dataclasses.asdict(counts[-1])) + "\n")
        sys.stdout.flush()
    names = ("plies", "wrong_boards", "missed_plies", "complaints", "disturbances")
    total = {name: sum(getattr(count, name) for count in counts) for name in names}
    sys.stdout.write(json.dumps({"games": given.games, **total}) + "\n")
    return 1 if total["wrong_boards"] or total["missed_plies"] else 0


if __name__ == "__main__":
    sys.exit(main())
