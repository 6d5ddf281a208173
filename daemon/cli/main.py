"""The command line: knows every package's commands, and imports only the one that is called.

Only this module may name every package. Its imports are lazy, so that `kibitzer --help` is fast.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import os
import signal
import sys
import threading
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

import daemon
from daemon.cli import streams
from system import paths

# Kibitzer shares two cores with other processes: one thread per numeric library, unless the user says otherwise.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

EXTRAS = {"numba": ("play", "doctor"), "matplotlib": ("plot", "arena")}
"""Optional packages: the extra that contains each, and a command that installs it in a checkout."""
COMPLETION = "_KIBITZER_COMPLETE"
"""Variable by which shells ask for completions."""
CHECKOUT_ONLY = "`./kibitzer {}` runs this, in a checkout, because it needs what is not installed with the program"
UNWRITABLE = 75
AGAIN_S = 0.05
"""Seconds before a signal whose exception was dropped is sent again."""


class Entry(NamedTuple):
    module: str
    summary: str
    group: bool = False


SECTIONS = {
    "Play and watch": {
        "demo": Entry("lab.demo.cli", "Watch a whole game on a simulated table, camera to speech. Start here."),
        "run": Entry("daemon.cli.run", "Run the daemon: watch a board, referee, play, speak."),
        "play": Entry("daemon.cli.play", "Play in this terminal, against an agent or somebody beside you."),
        "rules": Entry("daemon.cli.rules", "Explain a game: its rules in short, with boards, and its options."),
        "watch": Entry("daemon.cli.watch", "Follow a camera, video, folder of photos or stream; print each event."),
        "read": Entry("daemon.cli.read", "Read the board in photos; draw what is seen."),
        "pips": Entry("daemon.cli.pips", "Count the pips of domino tiles that lie anywhere in a photo."),
        "tell": Entry("daemon.cli.tell", "Tell the running daemon: undo, pass, correct, resign, new game.", group=True),
    },
    "Set up": {
        "doctor": Entry("daemon.cli.doctor", "Check camera, speech, ports and models, and say what to fix."),
        "calibrate": Entry(
            "daemon.cli.calibrate", "Make a table profile: guided with a camera, or from labelled photos."
        ),
        "print-board": Entry("vision.sheet.cli", "Draw a board for printing (PDF or SVG), with markers to find it by."),
        "voices": Entry("daemon.cli.voices", "Speak every phrase in every language once, and check the sound."),
        "service": Entry("daemon.cli.service", "Install the daemon as a systemd service.", group=True),
        "reload": Entry("daemon.cli.reload", "Make the running daemon reload its settings."),
        "keys": Entry(
            "daemon.cli.keys", "Manage keys for workers on other computers, and the page's token.", group=True
        ),
    },
    "Records": {
        "games": Entry("daemon.cli.games", "List, show, export, correct or delete recorded games.", group=True),
        "relay": Entry("daemon.cli.relay", "Send the running game to a broadcast, study, demo board or address."),
        "pad": Entry("daemon.cli.pad", "Keep a score pad: players, points of each round, a target, undo.", group=True),
        "puzzles": Entry(
            "daemon.cli.puzzles", "Make, list and play puzzles, from your games and by the solvers.", group=True
        ),
        "score-dominoes": Entry("daemon.cli.score", "Score dominoes games from photos, one photo per tile."),
        "evaluate-dominoes": Entry("daemon.cli.score", "Compare scored dominoes photos with the true scores."),
        "bundle": Entry("daemon.cli.bundle", "Save a running daemon's last seconds, to show what went wrong."),
        "replay": Entry("daemon.cli.replay", "Play a saved bundle through the pipeline; compare the verdicts."),
    },
    "Players and engines": {
        "agents": Entry("agents.agents_cli", "List the agents, their options, and the levels of every game."),
        "move": Entry("agents.cli", "Ask an agent for one move."),
        "analyse": Entry("agents.analyse_cli", "Judge every move of a game: what it lost, and what was better."),
        "tree": Entry("agents.tree_cli", "Draw the tree of a search, and what alpha-beta cuts off."),
        "solve": Entry("agents.solve_cli", "Solve reversi endgames, or prove gomoku wins."),
        "certify": Entry("agents.solve_cli", "Prove which positions are puzzles, line by line."),
        "arena": Entry(
            "agents.arena_cli", "Play agents against each other: matches, round robins, knock-outs, Elo.", group=True
        ),
        "match": Entry("agents.programs_cli", "Let two programs play a game on one JSON board file."),
        "one-move": Entry("agents.programs_cli", "Play one move on a JSON board file."),
        "engine": Entry("agents.engine_cli", "Speak a standard engine protocol, for play against other programs."),
        "worker": Entry("agents.worker", "Run agents as a worker that joins a daemon."),
        "tables": Entry("agents.tables_cli", "Build and check endgame tables.", group=True),
        "book": Entry("agents.book_cli", "Build, check and show opening books.", group=True),
        "serve-neural": Entry("agents.neural_cli", "Serve the morris networks' moves over plain TCP."),
        "eval-neural": Entry(
            "agents.neural_cli", "Measure the morris networks on good moves: accuracy and legality by phase."
        ),
        "perft": Entry("agents.cli", "Count the move sequences from the start, to check the rules."),
    },
    "Prove and train": {
        "test": Entry("", "Run lint, type checks and all tests; only with the launcher ./kibitzer."),
        "soak": Entry("lab.soak.soak_cli", "Test the daemon on simulated tables while many things go wrong."),
        "bench": Entry("lab.bench.cli", "Measure the program's speed and use of resources.", group=True),
        "train": Entry("lab.train.cli", "Train the networks (installs torch).", group=True),
        "settle": Entry("daemon.cli.settle", "Show when a board would be read: still, and no hand over it."),
        "table": Entry("lab.simulated.cli", "Serve a simulated table as an MJPEG stream, as a phone would."),
        "serve": Entry("lab.simulated.cli", "Serve photos or a video as an MJPEG stream."),
        "eval-descriptors": Entry("lab.evaluation.cli", "Compare ways to describe a cell, from pixels to ResNet-18."),
        "schema": Entry("daemon.cli.schema", "Print the JSON Schema of the settings, the bus or the page."),
    },
}
"""All commands, as `--help` lists them: what a player needs comes first."""
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}


HELP = """Kibitzer, the camera companion for the board on your table.

It watches a board through a camera, referees the game, keeps the record, and plays by voice.

Usage: kibitzer COMMAND [OPTIONS]

{commands}

`kibitzer COMMAND --help` explains a command. Start with `kibitzer demo`: it needs no camera.
`kibitzer --version` prints the version; `kibitzer --install-completion` lets your shell complete commands and options.
"""


def listed(section: str) -> str:
    width = max(map(len, COMMANDS))
    return "\n".join(
        [f"{section}:", *(f"  {name:<{width}}  {entry.summary}" for name, entry in SECTIONS[section].items())]
    )


def main(arguments: list[str]) -> int:
    """Runs one command and returns its exit status: 0 done, 2 wrong usage or bad input, 130 stopped by Ctrl-C."""
    if COMPLETION in os.environ or arguments[:1] in (["--install-completion"], ["--show-completion"]):
        app = typer.Typer(cls=Completed)
        app.callback()(lambda: None)
        get_command(app).main(arguments, prog_name="kibitzer")
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        sys.stdout.write(HELP.format(commands="\n\n".join(map(listed, SECTIONS))))
        return 0
    if arguments[0] == "--version":
        sys.stdout.write(f"kibitzer {daemon.__version__}\n")
        return 0
    name, rest = arguments[0], arguments[1:]
    entry = COMMANDS.get(name)
    if entry is not None and not entry.module:
        sys.stderr.write(f"kibitzer: {CHECKOUT_ONLY.format(name)}\n")
        return 2
    if entry is None:
        near = difflib.get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean {near[0]!r}?" if near else "`kibitzer --help` lists the commands"
        sys.stderr.write(f"kibitzer: there is no command {name!r}; {hint}\n")
        return 2
    try:
        application = load(name)
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler) and handler is not signal.default_int_handler:
            # From here on a Ctrl-C leaves something to tidy up.
            signal.signal(signal.SIGINT, signal.default_int_handler)
        alone = len(application.registered_commands) == 1 and application.registered_callback is None
        if entry.group or alone:
            application(rest, prog_name=f"kibitzer {name}")
        else:
            application([name, *rest], prog_name="kibitzer")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("lab."):
            sys.stderr.write(f"kibitzer: {CHECKOUT_ONLY.format(name)}\n")
            return 2
        if error.name not in EXTRAS:
            raise
        sys.stderr.write(f"kibitzer {name}: {error.name} is not installed; {paths.installs(*EXTRAS[error.name])}\n")
        return 2
    return 0


def load(name: str) -> typer.Typer:
    application: typer.Typer = importlib.import_module(COMMANDS[name].module).app
    return application


class Completed(TyperGroup):
    """All commands as one group, for shells; only the one that was typed is imported."""

    def list_commands(self, _: Any) -> list[str]:
        return [name for name, entry in COMMANDS.items() if entry.module]

    def get_command(self, _: Any, name: str) -> Any:
        return TyperCommand(name, help=COMMANDS[name].summary)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, *rest = args
        if name not in self.list_commands(ctx):
            return None, None, rest
        made = get_command(load(name))
        return name, made.commands.get(name, made) if isinstance(made, TyperGroup) else made, rest


def run() -> None:
    """Runs the command line; Ctrl-C, SIGTERM and a closed pipe end it cleanly, without a traceback."""
    signal.signal(signal.SIGTERM, _terminate)
    sys.unraisablehook = _not_swallowed
    try:
        status: str | int | None
        try:
            status = main(sys.argv[1:])
        except SystemExit as ended:
            status = ended.code
        sys.stdout.flush()
        sys.exit(status)
    except KeyboardInterrupt:
        sys.stderr.write("kibitzer: stopped\n")
        sys.exit(130)
    except BrokenPipeError:
        streams.drop()
        sys.exit(141)
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP) and error.filename is not None:
            sys.stderr.write(f"kibitzer: {str(error.filename)[:100]!r}...: {error.strerror}\n")
            sys.exit(2)
        if not streams.fault():
            raise
        streams.drop()
        sys.stderr.write(f"kibitzer: standard output cannot be written: {streams.fault()}\n")
        sys.exit(UNWRITABLE)
    finally:
        # CPython remembers a Ctrl-C that came during code executed from a string (dataclasses use that), even if it
        # was handled, and then ends by SIGINT instead of the exit status. Executing another string clears this.
        exec("")


def _terminate(number: int, _frame: object) -> None:
    """Unwinds the program as Ctrl-C does, so that its processes and temporary folders are removed."""
    signal.signal(number, signal.SIG_DFL)  # a second signal ends it at once, in case something hangs
    raise SystemExit(128 + number)


def _not_swallowed(lost: sys.UnraisableHookArgs) -> None:
    """Sends a signal again if Python dropped its exception, because it was raised in a destructor, for example.

    It is sent from another thread a moment later, because exceptions raised in this function are dropped too.
    """
    if issubclass(lost.exc_type, SystemExit):
        signal.signal(signal.SIGTERM, _terminate)
        number = signal.SIGTERM
    elif issubclass(lost.exc_type, KeyboardInterrupt):
        number = signal.SIGINT
    else:
        sys.__unraisablehook__(lost)
        return
    again = threading.Timer(AGAIN_S, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


if __name__ == "__main__":
    run()
