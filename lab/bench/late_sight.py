"""Shows the eyes tables at which the game had begun before the camera saw the board, and counts what they make of it.

    .venv/bin/python -m lab.bench.late_sight --game chess --tables 4 --seed 1

Every table is first seen after 0, 1, 2, 3 or 4 plies of random play, half of them from the other side of the board, and
rests; there is no profile. Prints a row for each number of plies:

- right: the position is believed, and the plies are named;
- asked: something else is believed or nothing is, and people are told that the board is not as it should be;
- silent: the board is believed to stand as at the start, or nothing is, and nobody is told;
- wrong: plies are believed that were not made.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import sys
from typing import Any

import cv2
import numpy as np

import games
from calibration.template import load_template
from daemon.core.match import Match
from daemon.i18n.translation import in_words
from daemon.judging.referee import Referee
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from lab.films.strange_styles import strange_style
from lab.simulated.random_style import random_style
from lab.simulated.source import SimulatedSource
from lab.simulated.table import SimulatedTable
from rules import AnyGame
from rules.options import switched_on

SIZE_PX = (1280, 960)
RATE_HZ = 5.0
WATCHED_S = 8.0
PLIES = range(5)
STRANGE = ("chess", "draughts", "go")
COMPLAINTS = {"desync", "illegal", "unclear", "ambiguous", "unfinished", "trouble", "board_lost"}


def main() -> int:
    """Runs the bench."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="chess")
    parser.add_argument("--rule", action="append", default=[], help="rule option, such as size=9")
    parser.add_argument("--tables", type=int, default=4, help="for each number of plies")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plies", type=int, action="append", choices=PLIES, help="repeatable; default: all")
    parser.add_argument("--show", action="store_true", help="print what is said at each table")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    game = games.load(given.game, dict(rule.split("=", 1) for rule in given.rule))
    wrong = 0
    for plies in given.plies or PLIES:
        counts: collections.Counter[str] = collections.Counter()
        for number in range(given.tables):
            result, said = first_sight(game, plies, np.random.default_rng([given.seed, number, plies]), number % 2 == 1)
            counts[result] += 1
            if given.show:
                sys.stdout.write(f"{game.name} {plies} {number} {result}: {said}\n")
        wrong += counts["wrong"]
        sys.stdout.write(f"{game.name:24} after {plies} plies  {dict(counts)}\n")
        sys.stdout.flush()
    return 1 if wrong else 0


def first_sight(game: AnyGame, plies: int, rng: np.random.Generator, turned: bool) -> tuple[str, str]:
    """What the eyes make of a table first seen after that many plies, and what they say."""
    template = load_template(game.name, switched_on(game))
    position: Any = game.initial()
    moves: list[Any] = []
    while len(moves) < plies:
        move = game.legal_moves(position)[int(rng.integers(len(game.legal_moves(position))))]
        moves.append(game.format_move(position, move))
        position = game.apply(position, move)
    style = (strange_style if game.short_name in STRANGE else random_style)(template, rng)
    if turned:
        camera = dataclasses.replace(style.camera, azimuth_deg=style.camera.azimuth_deg + 180)
        style = dataclasses.replace(style, camera=camera)
    laid = game.figures(position) if game.name == "chess" else game.board(position)
    source = SimulatedSource(SimulatedTable(template, laid, style, int(rng.integers(2**31)), SIZE_PX), RATE_HZ)
    eyes = BoardTracker(Pipeline(template, None), Match(Referee(game)))
    told: list[tuple[str, str]] = []
    eyes.match.listeners.append(lambda one: told.append((one.code, in_words(*one.said))))
    eyes.match.start()
    for _ in range(round(WATCHED_S * RATE_HZ)):
        frame = source.read(1.0)
        assert frame is not None
        eyes.feed(frame)
        eyes.poll()
    source.close()
    referee, said = eyes.match.referee, "; ".join(f"{code}: {text}" for code, text in told)
    believed, codes = referee.position, {code for code, _ in told}
    if referee.ply and game.board(believed) != game.board(position):
        return "wrong", said
    if game.board(believed) == game.board(position):
        return "right" if codes & {"start", "move"} else "silent", said
    return "asked" if codes & COMPLAINTS else "silent", said


if __name__ == "__main__":
    sys.exit(main())
