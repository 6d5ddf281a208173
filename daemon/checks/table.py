"""Checks the game at the table: its rules, what vision needs, and whether the agents answer."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import numpy as np

import games
import places
from calibration.profile import ProfileError, TableProfile
from calibration.template import TemplateError, load_template
from daemon.checks.finding import Finding
from daemon.config.settings import ROOT, Config, PlayerSection
from daemon.perception.pipeline import Pipeline
from places.weights import WeightsError, check_all
from vision.reading.descriptors import load_descriptor

AGENT_S = 90.0
"""Seconds to wait at most for an agent's first move: its search may have to be compiled."""
THINKING_S = 0.2


def check_game(config: Config) -> Finding:
    """Checks game, rules and board template."""
    try:
        game = games.load(config.game.name, config.game.rules)
        template = load_template(game.name, games.switched_on(game))
    except (games.GameError, TemplateError) as error:
        return Finding("game", False, f"{error}")
    return Finding("game", True, f"{game.title}, {len(template.cell_names)} cells")


def check_models(config: Config) -> Finding:
    """Checks the network that describes this game's cells, what reads them, and every other learnt file."""
    try:
        game = games.load(config.game.name, config.game.rules)
        template = load_template(game.name, games.switched_on(game))
        Pipeline(template, None)
        descriptor = load_descriptor(template.descriptor)
        described = descriptor.describe(np.zeros((1, 48, 48, 3), dtype=np.uint8))
        files = check_all()
    except (OSError, ValueError) as error:
        return Finding("models", False, f"{error}")
    return Finding("models", True, f"{descriptor.name}, {described.shape[1]} numbers a cell; {files} files intact")


def check_profile(config: Config) -> Finding:
    """Checks that the table's profile exists, is intact and belongs to this game."""
    if not config.board.profile:
        return Finding("profile", True, "none: the board is found and read without; `kibitzer calibrate` makes one")
    path = places.resolved(config.board.profile)
    try:
        game = games.load(config.game.name, config.game.rules)
        profile = TableProfile.load(path)
        Pipeline(load_template(game.name, games.switched_on(game)), profile)
    except (ProfileError, WeightsError, games.GameError, TemplateError) as error:
        return Finding("profile", False, f"{error}. Make it again with `kibitzer calibrate`")
    return Finding("profile", not profile.caution, profile.caution or str(path))


def check_players(config: Config) -> Finding:
    """Checks whether each agent answers with a move, regardless of its own limits."""
    asked = {one.agent: one for one in (config.players.first, config.players.second) if one.agent}
    if not asked:
        return Finding("players", True, "two people")
    if not config.bus.start_workers:
        return Finding("players", True, f"{', '.join(asked)}, by workers that others start")
    faults = [fault for one in asked.values() if (fault := _fault_of(one, config))]
    if importlib.util.find_spec("numba") is None:
        faults.append(f"without numba agents search far less deep; {places.installs('play', 'doctor')}")
    return Finding("players", not faults, "; ".join(faults) or f"{', '.join(asked)} answers")


def _fault_of(player: PlayerSection, config: Config) -> str:
    """Why an agent gives no first move; empty if it does, or if the settings alone cannot show it."""
    if player.agent == "external":
        return "" if player.options.get("engine") in config.engines else "external: options.engine names no [engines.…]"
    rules = [word for name, value in config.game.rules.items() for word in ("--rule", f"{name}={str(value).lower()}")]
    options = [word for name, value in player.options.items() for word in ("--option", f"{name}={str(value).lower()}")]
    command = [sys.executable, "-m", "daemon.cli", "move", "--game", config.game.name, "--agent", player.agent]
    try:
        done = subprocess.run(
            [*command, "--time-s", str(THINKING_S), *rules, *options],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=AGENT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{player.agent} gives no move within {AGENT_S:.0f} s; choose another agent, such as level-3"
    said = done.stderr.strip().splitlines() or ["no reason given"]
    return "" if done.returncode == 0 else said[-1].removeprefix("kibitzer move: ")
