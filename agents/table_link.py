"""A running daemon as another program of this computer sees it: its state, its menu, and a seat at its table.

State and menu go over the page's HTTP, moves over the bus, which this joins as the agent of a side (docs/protocol.md).
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import zmq
from pydantic import ValidationError

import places
from agents import messages
from agents.agent import AgentError, NoMove
from agents.messages import HeartbeatMessage, Message, ReadyMessage, ReplyMessage, StateMessage
from places.named_files import read_toml
from processes import Process

_log = logging.getLogger(__name__)

ANSWER_S = 10.0
START_S = 90.0
END_S = 5.0
BEAT_S = 1.0
POLL_MS = 100
LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Addresses(NamedTuple):
    page: str = "http://127.0.0.1:8765"
    reply: str = "tcp://127.0.0.1:5556"


def addresses(settings: Path | None) -> Addresses:
    usual = Addresses()
    if settings is None:
        return usual
    try:
        tables = read_toml(settings)
        port, reply = tables.get("page", {}).get("port", 8765), tables.get("bus", {}).get("reply", usual.reply)
    except (OSError, ValueError, AttributeError) as error:
        raise AgentError(f"{settings}: {error}") from None
    return Addresses(f"http://127.0.0.1:{port}", str(reply))


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
                return StateMessage.model_validate_json(response.read(2 * messages.MAX_BYTES))
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
        process = Process(command, cwd=places.PROGRAM, stdout=sys.stderr)
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
