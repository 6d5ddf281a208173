"""Counts faults while two people play and lamps are switched, hands hover, and board and camera are knocked.

    kibitzer bench disturbances --games 5 --seed 1

The people and their table are simulated; their time runs as fast as the machine allows. Prints one JSON object per game
and a total. `complaints` are reports other than moves; none is justified, since nobody makes a mistake. Exit status 1
if a board was wrong or a ply was missed.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from typing import Annotated

import typer

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
SUMMED = ("plies", "wrong_boards", "missed_plies", "complaints", "disturbances")


def disturbances(table: SimulatedTable, chance: random.Random) -> list[Callable[[], None]]:
    azimuth = table.style.camera.azimuth_deg
    return [
        lambda: table.switch_lamp(chance.choice([0.5, 0.7, 1.0, 1.3])),
        lambda: table.switch_lamp(chance.choice([0.6, 1.0]), over_s=3.0),
        lambda: table.hover(chance.uniform(1, 4), chance.randrange(2)),
        lambda: table.bump((chance.uniform(-15, 15), chance.uniform(-15, 15)), chance.uniform(-4, 4)),
        lambda: table.move_camera(azimuth_deg=azimuth + chance.uniform(-4, 4)),
    ]


def play(seed: int, use_profile: bool) -> dict[str, float]:
    """Plays one game to its end; returns its counts."""
    game = games.load("morris")
    template = load_template(game.name)
    table = SimulatedTable(template, game.board(game.initial()), default_style(), seed=seed)
    profile = profile_of(game, template, table, seed) if use_profile else None
    source = SimulatedSource(table)
    player = ScriptedPlayer(game, table, frozenset((0, 1)), seed, think_s=1.0)
    match, chance = Match(Referee(game)), random.Random(seed)
    eyes = BoardTracker(Pipeline(template, profile), match)
    believed, complaints, disturbed = dict[int, str](), list[str](), 0

    def hear(announcement: Announcement) -> None:
        if announcement.code == "move":
            believed[announcement.ply] = announcement.board
        elif announcement.code not in ORDINARY:
            complaints.append(announcement.code)
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
            disturbed += 1
            next_s = table.time_s + chance.uniform(3, 8)
    truth, moves = {ply.ply: ply for ply in player.record}, match.referee.moves
    return {
        "seed": seed,
        "profile": use_profile,
        "plies": len(truth),
        "wrong_boards": sum(ply not in truth or truth[ply].board != board for ply, board in believed.items()),
        "missed_plies": sum(ply > len(moves) or moves[ply - 1] != one.move for ply, one in truth.items()),
        "complaints": len(complaints),
        "disturbances": disturbed,
        "simulated_s": round(table.time_s, 1),
    }


def main(
    games: Annotated[int, typer.Option(help="half of them with a table profile, half without")] = 4, seed: int = 1
) -> bool:
    counts = []
    for number in range(games):
        counts.append(play(seed + number, use_profile=number % 2 == 0))
        print(json.dumps(counts[-1]), flush=True)
    total = {name: sum(count[name] for count in counts) for name in SUMMED}
    print(json.dumps({"games": games, **total}))
    return bool(total["wrong_boards"] or total["missed_plies"])
