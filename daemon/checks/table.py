"""Checks the game at the table: its rules, what vision needs, and whether the agents answer."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from subprocess import TimeoutExpired

import numpy as np

import games
from calibration.profile import ProfileError, TableProfile
from calibration.template import TemplateError, load_template
from daemon.checks import CheckResult
from daemon.config.settings import JOINS, ROOT, Config, PlayerSection
from daemon.perception.pipeline import Pipeline
from rules import GameError
from rules.options import switched_on
from system import paths, processes
from system.weights import WeightsError, check_all
from vision.reading.descriptors import load_descriptor

AGENT_S = 90.0
"""Seconds to wait at most for an agent's first move: its search may have to be compiled."""
THINKING_S = 0.2


def check_game(config: Config) -> CheckResult:
    """Checks game, rules and board template."""
    try:
        game = games.load(config.game.name, config.game.rules)
        template = load_template(game.name, switched_on(game))
    except (GameError, TemplateError) as error:
        return CheckResult("game", False, f"{error}")
    return CheckResult("game", True, f"{game.title}, {len(template.cell_names)} cells")


def check_models(config: Config) -> CheckResult:
    """Checks the network that describes this game's cells, what reads them, and every other learnt file."""
    try:
        game = games.load(config.game.name, config.game.rules)
        template = load_template(game.name, switched_on(game))
        Pipeline(template, None)
        descriptor = load_descriptor(template.descriptor)
        described = descriptor.describe(np.zeros((1, 48, 48, 3), dtype=np.uint8))
        files = check_all()
    except (OSError, ValueError) as error:
        return CheckResult("models", False, f"{error}")
    return CheckResult("models", True, f"{descriptor.name}, {described.shape[1]} numbers a cell; {files} files intact")


def check_profile(config: Config) -> CheckResult:
    """Checks that the table's profile exists, is intact and belongs to this game."""
    if not config.board.profile:
        return CheckResult("profile", True, "none: the board is found and read without; `kibitzer calibrate` makes one")
    path = paths.resolved(config.board.profile)
    try:
        game = games.load(config.game.name, config.game.rules)
        profile = TableProfile.load(path)
        Pipeline(load_template(game.name, switched_on(game)), profile)
    except (ProfileError, WeightsError, GameError, TemplateError) as error:
        return CheckResult("profile", False, f"{error}. Make it again with `kibitzer calibrate`")
    return CheckResult("profile", not profile.caution, profile.caution or str(path))


def check_players(config: Config) -> CheckResult:
    """Checks whether each agent answers with a move, regardless of its own limits."""
    asked = {one.agent: one for one in config.players.both if one.agent}
    if not asked:
        return CheckResult("players", True, "two people")
    joining = [name for name in asked if name.startswith(JOINS)]
    if not config.bus.start_workers:
        return CheckResult("players", True, f"{', '.join(asked)}, by workers that others start")
    own = {name: one for name, one in asked.items() if name not in joining}
    faults = [fault for one in own.values() if (fault := _fault_of(one, config))]
    answers = [f"{', '.join(own)} answers"] * bool(own) + [f"{', '.join(joining)} joins by itself"] * bool(joining)
    if importlib.util.find_spec("numba") is None:
        faults.append(f"without numba agents search far less deep; {paths.installs('play', 'doctor')}")
    return CheckResult("players", not faults, "; ".join(faults) or " and ".join(answers))


def check_engines(_config: Config) -> CheckResult:
    """Checks which engines of others are installed; none is needed."""
    command = [sys.executable, "-m", "daemon.cli", "agents", "--json"]
    try:
        done = processes.run(command, AGENT_S, cwd=ROOT, capture_output=True, text=True)
        known = json.loads(done.stdout)["known"]
    except (TimeoutExpired, ValueError, KeyError):
        return CheckResult("engines", False, "`kibitzer agents` does not say which there are")
    there = [f"{one['name']} ({one['game']})" for one in known if one["installed"]]
    missing = [one for one in known if not one["installed"]]
    text = ", ".join(there) or "none installed; Kibitzer has its own players"
    if missing:
        names = " and ".join(f"{one['name']} ({one['game']})" for one in missing)
        text += f"; for {names}: sudo apt install {' '.join(one['package'] for one in missing)}"
    return CheckResult("engines", True, text)


def _fault_of(player: PlayerSection, config: Config) -> str:
    """Why an agent gives no first move; empty if it does, or if the settings alone cannot show it."""
    if player.agent == "external":
        return "" if player.options.get("engine") in config.engines else "external: options.engine names no [engines.…]"
    rules = [word for name, value in config.game.rules.items() for word in ("--rule", f"{name}={str(value).lower()}")]
    options = [word for name, value in player.options.items() for word in ("--option", f"{name}={str(value).lower()}")]
    command = [sys.executable, "-m", "daemon.cli", "move", "--game", config.game.name, "--agent", player.agent]
    try:
        done = processes.run(
            [*command, "--time-s", str(THINKING_S), *rules, *options],
            AGENT_S,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
    except TimeoutExpired:
        return f"{player.agent} gives no move within {AGENT_S:.0f} s; choose another agent, such as level-3"
    said = done.stderr.strip().splitlines() or ["no reason given"]
    return "" if done.returncode == 0 else said[-1].removeprefix("kibitzer move: ")
