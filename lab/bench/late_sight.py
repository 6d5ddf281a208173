"""Counts what the program makes of tables whose game had begun before the camera saw them.

    kibitzer bench late-sight --game chess --tables 4 --seed 1

Every table is first seen after 0, 1, 2, 3 or 4 plies of random play, half of them from the other side of the board, and
rests; there is no profile. Prints a row for each number of plies; exit status 1 if anything is wrong:

- right: the position is believed, and the plies are named;
- asked: something else is believed or nothing is, and people are told that the board is not as it should be;
- silent: the board is believed to stand as at the start, or nothing is, and nobody is told;
- wrong: plies are believed that were not made.
"""

from __future__ import annotations

import collections
from typing import Annotated

import cv2
import numpy as np
import typer

import games
from calibration.template import load_template
from daemon.judging.referee import Referee
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Pipeline
from daemon.words.translation import in_words
from lab.films.strange_styles import strange_style
from lab.simulated.arrays import Rng
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_play
from lab.simulated.source import SimulatedSource
from lab.simulated.table import SimulatedTable
from rules import AnyGame, figures_of
from rules.options import rules_from_words, switched_on

SIZE_PX = (1280, 960)
RATE_HZ = 5.0
WATCHED_S = 8.0
PLIES = [0, 1, 2, 3, 4]
STRANGE = ("chess", "draughts", "go")
SAID = {"start", "move"}
COMPLAINTS = {"desync", "illegal", "unclear", "ambiguous", "unfinished", "trouble", "board_lost"}


def main(
    game: str = "chess",
    rule: Annotated[list[str] | None, typer.Option(help="rule option, such as size=9; repeatable")] = None,
    tables: Annotated[int, typer.Option(help="for each number of plies")] = 4,
    seed: int = 1,
    plies: Annotated[list[int], typer.Option(min=min(PLIES), max=max(PLIES), help="repeatable")] = PLIES,
    show: Annotated[bool, typer.Option("--show", help="print what is said at each table")] = False,
) -> bool:
    cv2.setNumThreads(1)
    the_game, wrong = games.load(game, rules_from_words(rule or [])), 0
    for made in plies:
        counts = collections.Counter[str]()
        for number in range(tables):
            result, said = first_sight(the_game, made, np.random.default_rng([seed, number, made]), number % 2 == 1)
            counts[result] += 1
            if show:
                print(f"{the_game.name} {made} {number} {result}: {said}")
        wrong += counts["wrong"]
        print(f"{the_game.name:24} after {made} plies  {dict(counts)}", flush=True)
    return wrong > 0


def first_sight(game: AnyGame, plies: int, rng: Rng, turned: bool) -> tuple[str, str]:
    template = load_template(game.name, switched_on(game))
    position = random_play(game, rng, plies)
    style = (strange_style if game.about.short_name in STRANGE else random_style)(template, rng)
    if turned:
        style = style.but("camera", azimuth_deg=style.camera.azimuth_deg + 180)
    laid = figures_of(game, position) if game.name == "chess" else game.board(position)
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
    right = game.board(referee.position) == game.board(position)
    if referee.ply and not right:
        return "wrong", said
    heard = {code for code, _ in told} & (SAID if right else COMPLAINTS)
    return ("right" if right else "asked") if heard else "silent", said
