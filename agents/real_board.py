"""The agent `board`: a person at the real board, whose moves the eyes of a running daemon see.

A program that thinks that it talks to an engine plays against that person: its moves are told at the table, as an
agent's are. `kibitzer engine --board` sets it up. State and menu of the daemon go over the page's HTTP, moves over the
bus, which this joins as the agent of a side (docs/protocol.md).
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import zmq
from pydantic import ValidationError

from agents import messages
from agents.agent import AgentError, Answer, GameAgent, Limits, NoMove
from agents.messages import HeartbeatMessage, Message, ReadyMessage, ReplyMessage, StateMessage
from agents.move_request import MoveRequest
from rules import AnyGame, GameError, HiddenHands, MoveError
from rules.options import rule
from system import paths
from system.named_files import read_toml
from system.processes import Process

VARIABLE = "KIBITZER_BOARD"
"""Environment variable with the addresses of page and bus, as `use` sets them; if unset, nobody plays as `board`."""
GUEST = "guest"
LOOK_S = 0.1
SEAT_S = 3600.0
"""Seconds that the program may think before the table asks again: whoever is behind it may be a person, too."""


@dataclasses.dataclass(frozen=True)
class BoardOptions:
    wait_s: int = rule(3600, "seconds to wait for the person's move", minimum=1, maximum=86400)


def use(settings: Path | None) -> Addresses:
    """Names the table to players: that of the settings, or of the usual ones. Raises AgentError."""
    at = usual = Addresses()
    if settings is not None:
        try:
            tables = read_toml(settings)
            port, reply = tables.get("page", {}).get("port", 8765), tables.get("bus", {}).get("reply", usual.reply)
        except (OSError, ValueError, AttributeError) as error:
            raise AgentError(f"{settings}: {error}") from None
        at = Addresses(f"http://127.0.0.1:{port}", str(reply))
    os.environ[VARIABLE] = " ".join(at)
    return at


class Board(GameAgent):
    """Brings the table to a position, and waits for the person's move there. Limits of thinking mean nothing to it."""

    name = "board"
    Options = BoardOptions

    def __init__(self, game: AnyGame, options: BoardOptions | None = None) -> None:
        """The table is joined with the first question."""
        super().__init__(game, options)
        self.tell: Callable[[str], None] = lambda _text: None
        """Gets what the program's user should know."""
        self._link: TableLink | None = None
        self._game_id = ""
        """The table's game that was begun for the program; empty before."""
        self._start: Any = None

    @classmethod
    def plays(cls, game: AnyGame) -> bool:
        """Games in which nothing is hidden, where a table was named."""
        return bool(os.environ.get(VARIABLE)) and not isinstance(game, HiddenHands)

    def choose(self, position: Any, limits: Limits, stop: threading.Event) -> Answer:
        """The move that the person makes in this position.

        Raises NoMove if there is none: nobody has moved in time, or before `stop`, somebody has resigned, the daemon is
        gone, or another game was begun.
        """
        request = MoveRequest(self.game, position)
        if self._link is None:
            self._link = TableLink(Addresses(*os.environ[VARIABLE].split()), GUEST, self.game.name)
        try:
            return request.answer(self.game.parse_move(position, self._made(position, stop)))
        except GameError as error:
            raise NoMove(f"the table has another game: {error}") from None

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None

    def _made(self, position: Any, stop: threading.Event) -> str:
        """The text of the move that follows the position at the table. Raises NoMove."""
        assert self._link is not None
        end_s = seen_s = time.monotonic()
        end_s += self.options.wait_s
        wanted, reached = self.game.format_position(position), False
        while not stop.is_set():
            now_s, state = time.monotonic(), self._link.state()
            seen_s = now_s if state is not None else seen_s
            if now_s - seen_s > ANSWER_S:
                raise NoMove("the daemon of the table does not answer any more")
            if now_s > end_s:
                raise NoMove(f"nobody has moved for {self.options.wait_s} s")
            ours = state is not None and state.game_id == self._game_id
            line = self._line(state) if state is not None and ours else []
            if wanted in line:
                at = len(line) - 1 - line[::-1].index(wanted)
                assert state is not None
                if at < len(state.moves):
                    return state.moves[at]
                reached = True
                self._look(state)
            elif state is not None and not (ours and self._leads_on(state, wanted)):
                if not reached:
                    self._begin(position, again=bool(self._game_id))
                    reached = True
                elif ours:
                    self._look(state)  # a move was taken back: it is made again, or another game is begun
                else:
                    raise NoMove("another game was begun at the table")
            stop.wait(LOOK_S)
        raise NoMove("nobody has moved yet")

    def _look(self, state: StateMessage) -> None:
        """Raises NoMove where nobody will move any more."""
        side = state.to_move
        if state.outcome is not None:
            why = f"the game at the table is over: {state.outcome.reason}"
            raise NoMove(why, resigned=state.outcome.winner == 1 - side)
        if state.players[1 - side].agent != GUEST and state.awaiting == "move":
            raise NoMove("somebody else has taken the program's seat at the table")

    def _line(self, state: StateMessage) -> list[str]:
        """The positions of the table's game, from the first on; empty if its moves are not of this game."""
        position, line = self._start, [self.game.format_position(self._start)]
        for text in state.moves:
            try:
                position = self.game.apply(position, self.game.parse_move(position, text))
            except MoveError:
                return []
            line.append(self.game.format_position(position))
        return line

    def _leads_on(self, state: StateMessage, wanted: str) -> bool:
        """Whether the table is on its way to the position; makes the program's move where it is asked for."""
        assert self._link is not None
        if state.outcome is not None or state.players[state.to_move].agent != GUEST:
            return False
        position = self.game.parse_position(state.position)
        move = self._step(position, wanted)
        if move is not None and state.awaiting == "agent":
            self._link.answer(state, move)
        return move is not None and state.agent_move in (None, move)

    def _step(self, position: Any, wanted: str) -> str | None:
        for move in self.game.legal_moves(position):
            if self.game.format_position(self.game.apply(position, move)) == wanted:
                return self.game.format_move(position, move)
        return None

    def _begin(self, position: Any, *, again: bool) -> None:
        """Begins a game at the table: from the start if the position is there or a move later, else from itself.

        Raises AgentError if the daemon refuses it.
        """
        assert self._link is not None
        game, wanted = self.game, self.game.format_position(position)
        start = game.initial()
        is_near = game.format_position(start) == wanted or self._step(start, wanted) is not None
        if not is_near or again:
            self.tell("the table does not stand there: a new game begins at it, please set the board up as it says")
        side = game.to_move(position)
        guest = {"agent": f"bus:{GUEST}", "time_s": SEAT_S}
        rules = {name: str(value).lower() for name, value in vars(game.rules).items()}
        choice: dict[str, object] = {
            "game": {"name": game.name, "rules": rules},
            "players": {"first": guest if side else {}, "second": {} if side else guest},
        }
        if not is_near:
            start = position
            choice["start"] = {"position": wanted}
        before = self._link.state()
        self._link.begin(choice)
        end_s = time.monotonic() + ANSWER_S
        while (now := self._link.state()) is None or (before is not None and now.game_id == before.game_id):
            if time.monotonic() > end_s:
                raise NoMove("the table does not begin the game")
            time.sleep(LOOK_S)
        self._game_id, self._start = now.game_id, start


ANSWER_S = 10.0
START_S = 90.0
END_S = 5.0
BEAT_S = 1.0
POLL_MS = 100
LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Addresses(NamedTuple):
    page: str = "http://127.0.0.1:8765"
    reply: str = "tcp://127.0.0.1:5556"


class TableLink:
    """Talks to one daemon, and answers for one agent. Every method is thread-safe."""

    def __init__(self, at: Addresses, agent: str, game: str) -> None:
        """Joins as the agent from now on; a daemon that is not there yet is waited for."""
        self._at, self._agent, self._game = at, agent, game
        self._worker = f"{agent}-{time.monotonic_ns()}"
        self._answer: Message | None = None
        self._answered: int | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="table", daemon=True)
        self._thread.start()

    def state(self) -> StateMessage | None:
        """The table's newest state; None if no daemon answers, or before its first game."""
        try:
            with LOCAL.open(f"{self._at.page}/state", timeout=ANSWER_S) as response:
                return StateMessage.model_validate_json(response.read(2 * messages.MAX_BYTES), strict=True)
        except (OSError, ValidationError):
            return None

    def begin(self, choice: Mapping[str, object]) -> None:
        """Begins a game with these choices of the menu. Raises NoMove with the reason if the daemon refuses."""
        body, kind = json.dumps(choice).encode(), {"Content-Type": "application/json"}
        try:
            with LOCAL.open(urllib.request.Request(f"{self._at.page}/menu", body, kind), timeout=ANSWER_S):
                return
        except urllib.error.HTTPError as error:
            with error:
                told = error.read(messages.MAX_BYTES).decode("utf-8", "replace")
            raise NoMove(f"the table refuses the game: {_text_of(told)}") from None
        except OSError as error:
            raise NoMove(f"no daemon answers at {self._at.page}: {error}") from None

    def answer(self, state: StateMessage, move: str) -> None:
        """Makes the move in a state that asks for one; once, however often this is called."""
        if self._answered == state.sequence:
            return
        self._answered = state.sequence
        quoted: dict[str, Any] = {"session": state.session, "game_id": state.game_id, "sequence": state.sequence}
        self._answer = ReplyMessage(worker=self._worker, agent=self._agent, move=move, **quoted)

    def close(self) -> None:
        self._closing.set()
        self._thread.join(END_S)

    def _serve(self) -> None:
        ready = ReadyMessage(worker=self._worker, agents=[self._agent], games=[self._game])
        with zmq.Context() as context, context.socket(zmq.DEALER) as sock:
            sock.setsockopt(zmq.LINGER, 0)
            sock.setsockopt(zmq.IMMEDIATE, 1)
            sock.connect(self._at.reply)
            beat_s = float("-inf")
            due: Message | None = ready
            while not self._closing.is_set():
                if time.monotonic() - beat_s >= BEAT_S:
                    beat_s, due = time.monotonic(), due or HeartbeatMessage(worker=self._worker)
                if due is not None and _is_sent(sock, due):
                    due = None
                elif due is None and (answer := self._answer) is not None and _is_sent(sock, answer):
                    self._answer = None if self._answer is answer else self._answer
                if sock.poll(POLL_MS) and b"unknown_worker" in sock.recv_multipart()[-1]:
                    due, self._answered = ready, None


def start_daemon(at: Addresses, settings: Path | None) -> Process | None:
    """Starts `kibitzer run` if no daemon answers; returns it, None if one does. Raises AgentError if it does not start.

    Its output goes to standard error.
    """
    if _answers(at):
        return None
    command = [sys.executable, "-m", "daemon.cli", "run", *(("--config", str(settings)) if settings else ())]
    try:
        process = Process(command, cwd=paths.PROGRAM, stdout=sys.stderr)
    except OSError as error:
        raise AgentError(f"kibitzer run cannot be started: {error}") from None
    end_s = time.monotonic() + START_S
    while not _answers(at):
        if process.poll() is not None or time.monotonic() > end_s:
            process.end()
            raise AgentError(f"kibitzer run does not answer at {at.page}; what it said is above")
        time.sleep(0.2)
    return process


def _answers(at: Addresses) -> bool:
    try:
        with LOCAL.open(f"{at.page}/state", timeout=ANSWER_S) as response:
            return bool(response.read(1))
    except OSError:
        return False


def _is_sent(sock: zmq.Socket[bytes], message: Message) -> bool:
    try:
        sock.send(messages.encode(message), zmq.NOBLOCK)
    except zmq.Again:
        return False
    return True


def _text_of(answer: str) -> str:
    try:
        return str(json.loads(answer)["text"])
    except (ValueError, KeyError, TypeError):
        return answer[:200]


AGENT = Board
