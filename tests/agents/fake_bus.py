"""A bus with only the daemon's two sockets, for testing workers."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import zmq

import games
from agents.messages import ErrorMessage, LimitsPart, PlayerPart, StateMessage, encode
from rules.turns import line_of_play
from tests.waiting import PATIENCE_S

Json = dict[str, Any]


class FakeBus:
    """An XPUB socket that repeats the last state to new subscribers, and a ROUTER socket that keeps all it receives."""

    def __init__(self, endpoints: tuple[str, str] = ("tcp://127.0.0.1:*", "tcp://127.0.0.1:*")) -> None:
        self._context = zmq.Context()
        self._states, self._replies = self._context.socket(zmq.XPUB), self._context.socket(zmq.ROUTER)
        self._states.setsockopt(zmq.XPUB_VERBOSE, 1)
        for sock, endpoint in ((self._states, endpoints[0]), (self._replies, endpoints[1])):
            sock.setsockopt(zmq.LINGER, 0)
            sock.bind(endpoint)
        self.endpoints = self._states.last_endpoint.decode(), self._replies.last_endpoint.decode()
        self._last: list[bytes] | None = None
        self.heard: list[tuple[bytes, Json]] = []

    def publish(self, state: StateMessage) -> None:
        self._last = [b"state/table", encode(state)]
        self._states.send_multipart(self._last)

    def publish_raw(self, *frames: bytes) -> None:
        self._states.send_multipart(list(frames))

    def tell(self, identity: bytes, data: bytes) -> None:
        self._replies.send_multipart([identity, data])

    def tell_unknown(self, identity: bytes) -> None:
        self.tell(identity, encode(ErrorMessage(code="unknown_worker", text="say READY first")))

    def pump(self, seconds: float) -> list[tuple[bytes, Json]]:
        """Serves the sockets until a message arrives or the seconds are over; returns what arrived."""
        start, end_s = len(self.heard), time.monotonic() + seconds
        poller = zmq.Poller()
        poller.register(self._states, zmq.POLLIN)
        poller.register(self._replies, zmq.POLLIN)
        while (left_s := end_s - time.monotonic()) > 0 and len(self.heard) < start + 1:
            ready = dict(poller.poll(left_s * 1000))
            if self._states in ready and self._states.recv()[:1] == b"\x01" and self._last:
                self._states.send_multipart(self._last)
            if self._replies in ready:
                identity, data = self._replies.recv_multipart()
                self.heard.append((identity, json.loads(data)))
        return self.heard[start:]

    def wait(self, wanted: Callable[[Json], bool], timeout_s: float = PATIENCE_S) -> tuple[bytes, Json]:
        """Waits for the next message for which `wanted` is true."""
        end_s = time.monotonic() + timeout_s
        while time.monotonic() < end_s:
            for identity, message in self.pump(end_s - time.monotonic()):
                if wanted(message):
                    return identity, message
        raise AssertionError(f"nothing of that kind came within {timeout_s} s; heard {self.heard[-5:]}")

    def wait_for(self, kind: str, timeout_s: float = PATIENCE_S) -> tuple[bytes, Json]:
        return self.wait(lambda message: message["type"] == kind, timeout_s)

    def close(self) -> None:
        self._states.close()
        self._replies.close()
        self._context.term()


def state(
    sequence: int,
    moves: str = "",
    *,
    agent: str | None = "random",
    session: str = "session-1",
    awaiting: str = "agent",
    limits: LimitsPart | None = None,
    **rules: str,
) -> StateMessage:
    """The state of a morris game after some moves; the agent plays both sides."""
    game = games.load("morris", rules)
    texts = moves.split()
    position = line_of_play(game, texts)[-1]
    player = PlayerPart(agent=agent, limits=limits or LimitsPart(time_s=0.2))
    return StateMessage(
        session=session,
        table="table",
        game=game.name,
        rules={name: str(value) for name, value in vars(game.rules).items()},
        game_id="game-1",
        sequence=sequence,
        ply=len(texts),
        moves=texts,
        position=game.format_position(position),
        board=game.board(position),
        cells=list(game.cells),
        sides=game.sides,
        to_move=game.to_move(position),
        players=(player, player),
        awaiting=awaiting,  # type: ignore[arg-type]
        legal_moves=[game.format_move(position, move) for move in game.legal_moves(position)],
        verdict="legal",
    )


@contextlib.contextmanager
def bus() -> Iterator[FakeBus]:
    made = FakeBus()
    try:
        yield made
    finally:
        made.close()


@contextlib.contextmanager
def program(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """Starts Python with these arguments; kills the process at the end if it still runs."""
    process = subprocess.Popen([sys.executable, *map(str, arguments)], stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=10)


def worker(bus: FakeBus, *more: str) -> contextlib.AbstractContextManager[subprocess.Popen[str]]:
    connect, reply = bus.endpoints
    return program("-m", "agents.worker", "--connect", connect, "--reply", reply, *more)
