"""Builds the small tables of some rules when first needed, during a game, in a process of its own.

No move waits for it: the search works without the tables until they are there. One process at a time builds in a
folder; it ends with the program that started it, and the next one goes on with the tables that are missing.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import threading
from pathlib import Path
from subprocess import DEVNULL
from typing import IO

from agents.tables import SMALL_MEN, endgames, files
from games.nine_mens_morris import NineMensMorris
from system import paths
from system.processes import Process

log = logging.getLogger(__name__)
MAX_SAID_BYTES = 65536
_lock = threading.Lock()
_asked: set[Path] = set()
"""Folders for which this process has started a build; a failed build is not retried."""
_opened: dict[Path, endgames.Endgames] = {}


def small_tables(game: NineMensMorris, within: Path) -> endgames.Endgames:
    """The tables of a game's rules that exist now, with a build of the small ones started; shared by all searches."""
    key = files.of_rules(game, within) / str(game.rules.men)
    with _lock:
        if key not in _opened or _opened[key].men < wanted(game):
            _opened[key] = endgames.Endgames(game, within)
            if _opened[key].men < wanted(game) and key not in _asked:
                _asked.add(key)
                _start(game, within)
        return _opened[key]


def wanted(game: NineMensMorris) -> int:
    """Men on the board of the largest table to build on first use; fewer if the game cannot have that many."""
    return min(SMALL_MEN, 2 * game.rules.men)


def _start(game: NineMensMorris, within: Path) -> None:
    """Starts the builder in the background with low priority; a machine that cannot do so plays without tables."""
    rules = [f"{name}=true" for name in files.DECIDING if getattr(game.rules, name)]
    words = ["build", "--men", str(wanted(game)), "--jobs", "1", "--into", str(within)]
    words += [word for rule in rules for word in ("--rule", rule)]
    program = "import os; os.nice(10); from agents.tables_cli import app; app()"
    said = tempfile.TemporaryFile()  # noqa: SIM115 - a file, as a pipe would end a builder that outlives this process
    try:
        process = Process(
            [sys.executable, "-c", program, *words],
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=said,
            env={**os.environ, "PYTHONPATH": str(paths.PROGRAM)},
        )
    except OSError as error:
        log.warning("the small endgame tables cannot be built: %s", error)
        return
    log.info("building the small endgame tables of %s in %s", files.rules_key(game), within)
    threading.Thread(target=_wait, args=(process, said), name="endgame builder", daemon=True).start()


def _wait(process: Process, said: IO[bytes]) -> None:
    """Thread: waits for the builder, and logs why it failed if it did."""
    with said:
        if process.wait() == 0:
            return
        said.seek(0)
        lines = said.read(MAX_SAID_BYTES).decode(errors="replace").strip().splitlines()
        why = lines[-1] if lines else f"status {process.returncode}"
        log.warning("the small endgame tables are not built: %s", why)
