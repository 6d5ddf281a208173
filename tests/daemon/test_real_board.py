"""A program that thinks it talks to an engine plays against a person at the real board."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import games
from agents import players, protocols, real_board
from calibration.template import load_template
from daemon.config.settings import Config
from daemon.game.effects import Announcement
from daemon.run import loop
from daemon.run.loop import Daemon
from daemon.run.session import Session
from lab.simulated.player import ScriptedPlayer
from lab.simulated.source import SimulatedSource
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from tests.daemon.play.test_no_camera import Table
from tests.waiting import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]


class FilmedTable:
    """A daemon whose camera sees a simulated table, at which a person plays the light men and carries out the dark."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, **rules: object) -> None:
        self.game = games.load("morris", rules)
        template = load_template(self.game.name)
        table = SimulatedTable(
            template, self.game.board(self.game.initial()), default_style(), seed=3, size_px=(640, 360)
        )
        self.player = ScriptedPlayer(self.game, table, frozenset({0}), seed=3, think_s=0.2)
        self.player.held = True
        source = SimulatedSource(table, rate_hz=8.0, on_frame=lambda _: self.player.update())
        monkeypatch.setattr(loop, "opener_with", lambda _feed: lambda _spec, _settings: source)
        config = Config.model_validate(
            {
                "game": {"name": "morris", "rules": rules},
                "camera": {"source": "simulated"},
                "eyes": {"settle_s": 0.2, "readings": 1},
                "bus": {"state": "tcp://127.0.0.1:*", "reply": "tcp://127.0.0.1:*"},
                "speech": {"enabled": False},
                "page": {"port": 0, "window": False},
                "journal": {"path": str(folder / "journal.sqlite")},
            }
        )
        self._opened: queue.Queue[Session] = queue.Queue()
        self._stop = threading.Event()

        def run() -> None:
            session = Session(config, self.game)
            session.listeners.append(self._hear)
            self._opened.put(session)
            try:
                Daemon(session, config, template, None, "simulated").run(self._stop)
            finally:
                session.close()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        self.session = self._opened.get(timeout=60)
        self.settings = folder / "table.toml"
        assert self.session.services.page is not None
        reply = self.session.services.bus.reply_endpoint
        self.settings.write_text(
            f'[page]\nport = {self.session.services.page.port}\n[bus]\nreply = "{reply}"\n', "utf-8"
        )

    def _hear(self, announcement: Announcement) -> None:
        if announcement.code == "agent_move":
            self.player.hear(announcement.ply + 1, announcement.move)

    def close(self) -> None:
        self._stop.set()
        self._thread.join(20)


class Program:
    """A program that runs `kibitzer engine --board`."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "daemon.cli", "engine", *words]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=-1, stdout=-1, stderr=-1, text=True, bufsize=1)
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.strip())

    def say(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))

    def hear(self, beginning: str) -> str:
        """The next line with that beginning."""
        while not (line := self._lines.get(timeout=PATIENCE_S)).startswith(beginning):
            pass
        return line

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FilmedTable]:
    made = FilmedTable(tmp_path, monkeypatch, men=3)
    yield made
    made.close()


def test_a_program_plays_a_whole_game_on_the_board_by_uci(table: FilmedTable) -> None:
    game: Any = table.game
    program = Program(
        "--game", "morris", "--rule", "men=3", "--protocol", "uci", "--board", "--config", str(table.settings)
    )
    try:
        program.say("uci", "isready")
        assert "board" in program.hear("id name") and program.hear("readyok")
        program.say("position startpos moves zz", "position startpos", "go")
        assert "position not changed" in program.hear("info string")
        program.say("stop")
        assert program.hear("info string") == "info string nobody has moved yet"
        assert program.hear("bestmove") == "bestmove none"
        position, tokens, texts = game.initial(), list[str](), list[str]()
        table.player.held = False
        while game.outcome(position) is None:
            if game.to_move(position) == 0:
                program.say(
                    f"position startpos moves {' '.join(tokens)}" if tokens else "position startpos", "go movetime 1"
                )
                said = [program.hear("bestmove").split()[1]]
                if said[0] not in {game.format_move(position, move) for move in game.legal_moves(position)}:
                    program.say(f"position startpos moves {' '.join([*tokens, *said])}", "go movetime 1")
                    said.append(program.hear("bestmove").split()[1])
                text = "".join(said)
            else:
                text = game.format_move(position, game.legal_moves(position)[len(tokens) % 3])
                said = [word for word in text.replace("x", " x").split() if word]
            tokens += said
            texts.append(text)
            position = game.apply(position, game.parse_move(position, text))
        program.say("quit")
        assert program.process.wait(PATIENCE_S) == 0
        made = [ply.move for ply in table.player.record]
        assert made == texts[: len(made)] and len(made) >= len(texts) - 1  # the program's winning move is not asked for
    finally:
        program.close()


def test_positions_from_the_middle_resignations_and_other_games_are_told_by_gtp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = {"state": f"ipc://{tmp_path}/bus/s", "reply": f"ipc://{tmp_path}/bus/r"}
    table, said = Table(tmp_path, "reversi", bus=bus), list[str]()
    monkeypatch.setenv(real_board.VARIABLE, f"{table._address.rstrip('/')} {bus['reply']}")
    player = players.parse("board:wait_s=60")
    session: Any = protocols.open_session("gtp", games.load("reversi"), player, said.append)

    def asked(line: str, meanwhile: Callable[[], object]) -> str:
        """The answer to a line, while something happens at the table."""
        said.clear()
        thread = threading.Thread(target=session.hear, args=(line,))
        thread.start()
        meanwhile()
        thread.join(PATIENCE_S)
        return said[0]

    def moved(move: str, plies: int) -> Callable[[], None]:
        def make() -> None:
            table.wait(
                lambda: (now := table.get("state"))["ply"] == plies and now["awaiting"] == "move" and is_seated(now)
            )
            assert table.tell(command="move", move=move)[0] == 200

        return make

    def is_seated(state: Any) -> bool:
        return "guest" in [player["agent"] for player in state["players"]]

    try:
        assert asked("genmove b", moved("d3", 0)) == "= D3"
        session.hear("play w c3")
        assert asked("genmove b", moved("c4", 2)) == "= C4"
        assert table.get("state")["moves"] == ["d3", "c3", "c4"]
        for line in ("undo", "undo", "play w e3"):
            session.hear(line)
        assert asked("genmove b", moved("f2", 0)) == "= F2"  # the table began anew from the position
        position = session._line[-1]
        session.hear(f"play w {session._game.format_move(position, session._game.legal_moves(position)[0])}")
        table.wait(lambda: table.get("state")["awaiting"] == "agent")

        def resign() -> None:
            table.wait(lambda: table.get("state")["awaiting"] == "move")
            assert table.tell(command="resign")[0] == 200

        assert asked("genmove b", resign) == "= resign"
        session.hear("clear_board")

        def another() -> None:
            table.wait(lambda: table.get("state")["ply"] == 0 and is_seated(table.get("state")))
            assert table.tell("menu", players={"first": {}, "second": {}})[0] == 200

        assert asked("genmove b", another) in (
            "? another game was begun at the table",
            "? somebody else has taken the program's seat at the table",
        )
    finally:
        session.hear("quit")
        table.close()
