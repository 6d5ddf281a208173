"""Walks through a new user's first game with the daemon as the service starts it, and checks its answers.

    kibitzer bench walk-through --keep DIR

A simulated table serves MJPEG as a phone would. The daemon is started by the unit's own ExecStart line in a shell. Then
the simulated user plays against the agent, unplugs the camera and plugs it in again, pushes the board, carries out the
agent's move wrongly, plays two men at once, takes a move back, takes a man that may not be taken, puts things right,
stops the daemon and starts it again in the middle, plays to the end and exports the game.

Prints the transcript: seconds, who, and what was done or said. Exit status 1 if the record differs from the game, or an
answer never came.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Annotated, Any

import typer

import games
from calibration.template import load_template
from daemon.storage.journal import Journal
from lab.bench.kill_resume import ROOT, fetch, free_port
from lab.simulated.calibrated import profile_of
from lab.simulated.player import ScriptedPlayer
from lab.simulated.source import SimulatedSource
from lab.simulated.state_follower import StateFollower
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from rules import EMPTY, Step
from rules.options import switched_on
from vision.frame import Frame
from vision.sources.mjpeg_server import MjpegServer

GAME = "nine_mens_morris"
ANSWER_S = 60.0
"""Seconds to wait for an answer."""
QUIET_S = 3.0
"""Seconds to listen for further announcements."""
GAME_S = 1500.0
SAID = re.compile(r"^\S+ \S+ [DIWEC] daemon\.(?:match|session): (?:(?P<code>[a-z_]+): )?(?P<text>.*)$")
UNSAID = ("resuming game",)
COMMAND = (sys.executable, "-m", "daemon.cli")


class Transcript:
    """Lines with the seconds since the beginning, printed as they come."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.heard: list[str] = []
        """All announcements of the daemon."""
        self._begun_s = time.monotonic()

    def add(self, who: str, text: str) -> None:
        self.lines.append(f"{time.monotonic() - self._begun_s:6.1f}  {who:<9}{text}")
        sys.stdout.write(self.lines[-1] + "\n")
        sys.stdout.flush()


class Hands:
    """The table as a camera's source: hands move only between two pictures, in the thread that takes them."""

    live = True

    def __init__(self, seed: int, pace: float) -> None:
        self.game = games.load(GAME)
        self.template = load_template(GAME, switched_on(self.game))
        self.table = SimulatedTable(self.template, self.game.board(self.game.initial()), default_style(), seed=seed)
        self.player = ScriptedPlayer(self.game, self.table, frozenset({0}), seed, think_s=0.8, pace=pace)
        self.player.held = True
        self.profile = profile_of(self.game, self.template, self.table, seed)
        self.follower: StateFollower | None = None
        self._source = SimulatedSource(self.table, real_time=True)
        self._wanted: queue.Queue[Callable[[], Any]] = queue.Queue()

    def read(self, timeout_s: float) -> Frame | None:
        frame = self._source.read(timeout_s)
        with contextlib.suppress(queue.Empty):
            self._wanted.get_nowait()()
        if self.follower is not None and (waiting := self.follower.waiting) is not None:
            self.player.hear(*waiting)
        self.player.update()
        return frame

    def close(self) -> None:
        """Does nothing: the camera is unplugged, but the table stays."""

    def do(self, action: Callable[[], Any]) -> None:
        """Carries out an action between two pictures, and waits until no hand is over the table any more."""
        done = threading.Event()

        def act() -> None:
            action()
            done.set()

        self._wanted.put(act)
        assert done.wait(ANSWER_S), "nobody takes pictures of the table"
        wait_for(lambda: not self.table.busy and not self.player.moving, "the hand does not leave")


class Walk:
    def __init__(self, folder: Path, seed: int, pace: float) -> None:
        self.folder, self.told = folder, Transcript()
        self.hands = Hands(seed, pace)
        self.video, self.page = free_port(), free_port()
        self.config = folder / "config.toml"
        self.hands.profile.save(folder / "table.npz")
        self.config.write_text(
            f'[game]\nname = "{GAME}"\n[players.first]\nname = "Ana"\n[players.second]\nagent = "random"\n'
            f'options = {{ seed = {seed} }}\n[camera]\nsource = "http://127.0.0.1:{self.video}/video"\n'
            f'[board]\nprofile = "{folder}/table.npz"\n[bus]\nstate = "ipc://{folder}/s"\nreply = "ipc://{folder}/r"\n'
            f'[page]\nport = {self.page}\nwindow = false\n[journal]\npath = "{folder}/journal.sqlite"\n'
            '[speech]\ndevice = "null"\n',
            encoding="utf-8",
        )
        self._camera: MjpegServer | None = None
        self._daemon: subprocess.Popen[str] | None = None

    def run(self) -> bool:
        """Walks through everything; returns whether the record is right."""
        self.plug_in()
        self.start()
        self.expects("^start", "the board is read")
        self.hands.follower = StateFollower(f"http://127.0.0.1:{self.page}/state")
        self.play_until(lambda player: len(player.record) >= 4)
        self.unplugs()
        self.bumps()
        self.places_the_agents_man_elsewhere()
        self.plays_two_men_at_once()
        self.undoes()
        self.takes_a_wrong_man()
        if not self.hands.player.finished:
            self.stops()
            self.start()
            self.expects("I resume", "the game is resumed")
        self.play_until(lambda player: player.finished)
        self.expects("^game_over", "the end is told")
        self.exports()
        self.stops()
        self.start()
        self.expects("^desync", "the old board is no start")
        self.stops()
        return self.judged()

    def plug_in(self) -> None:
        self._camera = MjpegServer(self.hands, self.video)

    def start(self) -> None:
        unit = subprocess.run(
            [*COMMAND, "service", "unit", "--config", str(self.config)], cwd=ROOT, capture_output=True, text=True
        )
        line = next(line for line in unit.stdout.splitlines() if line.startswith("ExecStart="))
        command = line.removeprefix("ExecStart=")
        self.told.add("you", f"$ {command.replace(str(ROOT), '.').replace(str(self.folder), '~')}")
        self._daemon = subprocess.Popen(
            ["sh", "-c", f"exec {command}"], cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self._listen, args=(self._daemon.stderr,), daemon=True).start()

    def stops(self) -> None:
        assert self._daemon is not None
        self.told.add("you", "SIGTERM")
        self._daemon.send_signal(signal.SIGTERM)
        self.told.add("daemon", f"ends with status {self._daemon.wait(ANSWER_S)}")

    def unplugs(self) -> None:
        assert self._camera is not None
        with self.expecting("No picture", "the camera's absence is told"):
            self.told.add("you", "unplug the camera")
            self._camera.stop()
        time.sleep(6)
        with self.expecting("is back", "the camera's return is told"):
            self.told.add("you", "plug it in again")
            self.plug_in()

    def bumps(self) -> None:
        self.told.add("you", "push the board by 25 mm and turn it by 6 degrees")
        self.hands.do(lambda: self.hands.table.bump((25.0, 12.0), 6.0))
        time.sleep(QUIET_S)
        self.plays(2)

    def places_the_agents_man_elsewhere(self) -> None:
        """Carries out the agent's move wrongly, and puts it right."""
        self.wait_for_turn()
        self.plays(1)
        follower, table = self.hands.follower, self.hands.table
        assert follower is not None
        wait_for(lambda: follower.waiting is not None, "the agent never answers")
        time.sleep(QUIET_S)
        asked = follower.waiting
        assert asked is not None
        names = self.hands.game.cells
        wrong = next(cell for cell, letter in enumerate(table.board) if letter == EMPTY and names[cell] != asked[1])
        with self.expecting("I asked for", "it is told that the agent asked for another move"):
            self.told.add("you", f"place dark's man on {names[wrong]} instead")
            self.hands.do(lambda: table.perform([Step("place", wrong, piece="B")], 1, 1.5))
        self.told.add("you", "take it away again")
        self.hands.do(lambda: table.perform([Step("remove", wrong)], 1, 1.5))
        time.sleep(QUIET_S)

    def plays_two_men_at_once(self) -> None:
        self.wait_for_turn()
        board, game = self.hands.table.board, self.hands.game
        free = [cell for cell, letter in enumerate(board) if letter == EMPTY]
        wrong = [Step("place", free[0], piece="W"), Step("place", free[-1], piece="W")]
        with self.expecting("^(illegal|desync|unfinished|unclear)", "two men at once are not taken"):
            self.told.add("you", f"cheat: place two men at once, on {game.cells[free[0]]} and {game.cells[free[-1]]}")
            self.hands.do(lambda: self.hands.table.perform(wrong, 0, 1.5))
        with self.expecting("^resumed", "the board is right again"):
            self.told.add("you", "put both back")
            back = [Step("remove", free[0]), Step("remove", free[-1])]
            self.hands.do(lambda: self.hands.table.perform(back, 0, 1.5))

    def undoes(self) -> None:
        self.wait_for_turn()
        with self.expecting("^(put_back|undo|takeback)", "it is said what to put back"):
            self.commands("tell", "undo", "--config", str(self.config))
        with self.expecting("^(resumed|takeback)", "the men are back"):
            self.told.add("you", "put the men back")
            self.hands.do(lambda: self.hands.player.take_back(2))

    def takes_a_wrong_man(self) -> None:
        """Takes one of the player's own men after the first mill, then the right one."""
        player, game = self.hands.player, self.hands.game
        while True:
            self.wait_for_turn()
            if player.finished:
                self.told.add("you", "(no mill came about)")
                return
            moves = list(game.legal_moves(player.position))
            taking = [move for move in moves if any(one.kind == "remove" for one in game.steps(player.position, move))]
            if taking:
                break
            self.plays(1)
        steps = game.steps(player.position, taking[0])
        right = next(step for step in steps if step.kind == "remove")
        first = [step for step in steps if step.kind != "remove"]
        own = next(n for n, letter in enumerate(self.hands.table.board)
                   if letter == "W" and n not in {step.origin for step in first})  # fmt: skip
        with self.expecting("^(illegal|desync|unfinished|unclear)", "the wrong removal is told"):
            self.told.add("you", f"close a mill, and take your own man from {game.cells[own]}")
            self.hands.do(lambda: self.hands.table.perform([*first, Step("remove", own)], 0, 1.5))
        time.sleep(QUIET_S)
        with self.expecting("^(unfinished|resumed)", "the removal is still owed"):
            self.told.add("you", f"put it back on {game.cells[own]}")
            self.hands.do(lambda: self.hands.table.perform([Step("place", own, piece="W")], 0, 1.5))
        with self.expecting("^move", "the whole move is taken"):
            self.told.add("you", f"take dark's man from {game.cells[right.cell]}")
            self.hands.do(lambda: self._complete(taking[0], right))
        time.sleep(QUIET_S)

    def _complete(self, move: Any, removal: Step) -> None:
        player = self.hands.player
        text, side = self.hands.game.format_move(player.position, move), 0
        player.position = self.hands.game.apply(player.position, move)
        self.hands.table.perform([removal], side, 1.5)
        player._moving = (text, side, self.hands.table.time_s, True, None)

    def exports(self) -> None:
        """Prints the record with the commands that a user would use."""
        journal = "--journal", str(self.folder / "journal.sqlite")
        self.commands("games", "list", *journal)
        self.commands("games", "export", "last", *journal, "--out", str(self.folder / "game.txt"))

    def play_until(self, done: Callable[[ScriptedPlayer], bool]) -> None:
        """Lets both sides play on until `done`."""
        player = self.hands.player
        self.hands.do(lambda: setattr(player, "held", False))
        wait_for(lambda: done(player), "the game does not go on", GAME_S)
        self.hands.do(lambda: setattr(player, "held", True))

    def plays(self, plies: int) -> None:
        target = len(self.hands.player.record) + plies
        self.play_until(lambda player: len(player.record) >= target or player.finished)

    def wait_for_turn(self) -> None:
        """Waits until it is the person's turn, all is announced, and nothing is under way."""
        player = self.hands.player
        if self.hands.game.to_move(player.position) != 0 and not player.finished:
            self.play_until(lambda one: self.hands.game.to_move(one.position) == 0 or one.finished)
        address = f"http://127.0.0.1:{self.page}/state"
        wait_for(lambda: (fetch(address) or {}).get("ply") == len(player.record), "the last move is never told")
        time.sleep(QUIET_S)

    def commands(self, *words: str) -> None:
        self.told.add("you", "$ kibitzer " + shlex.join(words).replace(str(self.folder), "~"))
        done = subprocess.run([*COMMAND, *words], cwd=ROOT, capture_output=True, text=True, timeout=ANSWER_S)
        for line in (done.stdout + done.stderr).splitlines():
            self.told.add("", line)

    def expects(self, pattern: str, what: str) -> None:
        with self.expecting(pattern, what, since=0):
            pass

    @contextlib.contextmanager
    def expecting(self, pattern: str, what: str, since: int | None = None) -> Iterator[None]:
        """Waits for an announcement that matches after the body has run; announcements are written as `code: text`."""
        begun = len(self.told.heard) if since is None else since
        yield
        wanted = re.compile(pattern)
        wait_for(lambda: any(wanted.search(line) for line in self.told.heard[begun:]), f"never heard: {what}")
        time.sleep(QUIET_S)

    def judged(self) -> bool:
        journal = Journal(self.folder / "journal.sqlite", read_only=True)
        try:
            recorded = [list(game.moves) for game in journal.games() if game.moves]
        finally:
            journal.close()
        truth = [ply.move for ply in self.hands.player.record]
        right = bool(recorded) and recorded[-1] == truth
        self.told.add("bench", f"{len(truth)} plies were played; the record is {'right' if right else 'WRONG'}")
        return right

    def close(self) -> None:
        if self.hands.follower is not None:
            self.hands.follower.close()
        if self._daemon is not None and self._daemon.poll() is None:
            os.killpg(self._daemon.pid, signal.SIGKILL)
            self._daemon.wait()
        if self._camera is not None:
            self._camera.stop()

    def _listen(self, log: IO[str] | None) -> None:
        assert log is not None
        self.told.heard = []
        with log, (self.folder / "daemon.log").open("a", encoding="utf-8") as kept:
            for line in log:
                kept.write(line)
                kept.flush()
                found = SAID.match(line.rstrip())
                if found is not None and found["text"] and not found["text"].startswith(UNSAID):
                    self.told.heard.append(f"{found['code'] or 'said'}: {found['text']}")
                    self.told.add("kibitzer", found["text"])


def wait_for(done: Callable[[], Any], what: str, longest_s: float = ANSWER_S) -> None:
    """Waits until something holds. Raises TimeoutError with `what` otherwise."""
    deadline_s = time.monotonic() + longest_s
    while not done():
        if time.monotonic() > deadline_s:
            raise TimeoutError(what)
        time.sleep(0.1)


def main(
    seed: int = 4,
    pace: Annotated[float, typer.Option(help="speed of the hands")] = 2.0,
    keep: Annotated[Path | None, typer.Option(help="folder for transcript, log and record, kept")] = None,
) -> int:
    logging.getLogger("lab.simulated.state_follower").setLevel(logging.ERROR)  # the daemon is away on purpose
    with TemporaryDirectory(prefix="kibitzer-walk-") as temporary:
        folder = (keep or Path(temporary)).resolve()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        walk = Walk(folder, seed, pace)
        right = False
        try:
            right = walk.run()
        except TimeoutError as error:
            walk.told.add("bench", f"gave up: {error}")
        finally:
            walk.close()
            (folder / "transcript.txt").write_text("\n".join(walk.told.lines) + "\n", encoding="utf-8")
    return 0 if right else 1
