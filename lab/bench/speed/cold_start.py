"""Measures the time to a new worker's first answer: the real process, on a bus that only this module serves."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import zmq
from pydantic import ValidationError

from agents.books import opening
from agents.messages import LimitsPart, PlayerPart, ReplyMessage, StateMessage, encode
from lab.bench.processes import cpu_s
from rules import AnyGame, HiddenHands
from system import paths, processes
from system.processes import Process

ROOT = paths.PROGRAM
THINKING_S = 0.1
"""Seconds the agent may think; included in the figures."""
PATIENCE_S = 180.0
SEED = 1
"""Seed of the moves that lead out of the opening book."""
COLD_S, WARM_S = 10.0, 1.5
"""Most seconds allowed with an empty and with a warm compile cache."""
PROCESSOR_S = 2.0
"""Most processor seconds allowed with either."""


class ColdStartError(ValueError):
    """A worker that ended, or did not answer in time."""


@dataclasses.dataclass(frozen=True)
class Start:
    game: str
    cache: str
    """State of the compile cache: `empty` or `warm`."""
    seconds: float
    """Seconds from the start of the process to its first answer."""
    ready_s: float
    """Seconds to its READY message."""
    cpu_s: float
    """Processor seconds of the worker until the answer: about the duration of the same start on an idle machine.

    With an empty cache another process compiles meanwhile.
    """
    nodes: int
    limit_s: float

    @property
    def met(self) -> bool:
        """Whether it stayed within `limit_s`, and within PROCESSOR_S."""
        return self.seconds <= self.limit_s and self.cpu_s <= PROCESSOR_S

    def as_json(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "met": self.met}


def measure(game: AnyGame, agent: str = "alphabeta") -> Iterator[Start]:
    """A start with an empty cache, then one with the cache that a full compilation left. Raises ColdStartError."""
    with tempfile.TemporaryDirectory(prefix="kibitzer-cold-") as folder:
        yield _start(game, agent, Path(folder), "empty", COLD_S)
        compile_all(game, Path(folder))
        yield _start(game, agent, Path(folder), "warm", WARM_S)


def compile_all(game: AnyGame, folder: Path) -> None:
    """Fills the cache completely: a worker may answer and end while its kernel is still compiling."""
    program = "import sys, games; from agents.registry import find; find('alphabeta').warm_up(games.load(sys.argv[1]))"
    command = [sys.executable, "-c", program, game.name]
    processes.run(command, PATIENCE_S, env=_environment(folder)).check_returncode()


def _environment(folder: Path) -> dict[str, str]:
    # An installed program has compiled its modules; here the first start does, whatever the shell asks of Python.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}


def _start(game: AnyGame, agent: str, folder: Path, cache: str, limit_s: float) -> Start:
    with zmq.Context() as context, context.socket(zmq.XPUB) as states, context.socket(zmq.ROUTER) as replies:
        for sock in (states, replies):
            sock.setsockopt(zmq.LINGER, 0)
        ports = [sock.bind_to_random_port("tcp://127.0.0.1") for sock in (states, replies)]
        state = encode(first_state(game, agent))
        began_s = time.monotonic()
        with _worker(folder, *(f"tcp://127.0.0.1:{port}" for port in ports)) as process:
            ready_s = 0.0
            for message in _heard(states, replies, state, process):
                if not ready_s:
                    ready_s = time.monotonic() - began_s
                with contextlib.suppress(ValidationError):
                    reply = ReplyMessage.model_validate_json(message)
                    seconds = time.monotonic() - began_s
                    return Start(game.name, cache, seconds, ready_s, cpu_s(process.pid), reply.nodes or 0, limit_s)
    raise ColdStartError(f"the worker did not answer within {PATIENCE_S:g} s")


def first_state(game: AnyGame, agent: str) -> StateMessage:
    """The first position of a random game that no opening book answers, as a daemon would publish it."""
    position = HiddenHands.of(game).view(game.initial(1), 0) if game.initial(1) not in game.starts else game.initial()
    moves: list[str] = []
    book, draw = opening.of(game), random.Random(SEED)
    while book is not None and book.known(position):
        move = draw.choice(list(game.legal_moves(position)))
        moves.append(game.format_move(position, move))
        position = game.apply(position, move)
    player = PlayerPart(agent=agent, limits=LimitsPart(time_s=THINKING_S))
    return StateMessage(
        session="bench",
        table="table",
        game=game.name,
        rules={name: str(value) for name, value in vars(game.rules).items()},
        game_id="game-1",
        sequence=1,
        ply=len(moves),
        moves=moves,
        position=game.format_position(position),
        board=game.board(position),
        cells=list(game.cells),
        sides=game.sides,
        to_move=0 if game.to_move(position) == 0 else 1,
        players=(player, player),
        awaiting="agent",
        verdict="legal",
    )


@contextlib.contextmanager
def _worker(folder: Path, states: str, replies: str) -> Iterator[Process]:
    command = [sys.executable, "-m", "agents.worker", "--connect", states, "--reply", replies]
    process = Process(command, env=_environment(folder), stdout=DEVNULL, stderr=DEVNULL)
    try:
        yield process
    finally:
        process.end(10)


def _heard(states: zmq.Socket[bytes], replies: zmq.Socket[bytes], state: bytes, process: Process) -> Iterator[bytes]:
    """The worker's messages; new subscribers get the state. Raises ColdStartError if the worker ends."""
    poller, end_s = zmq.Poller(), time.monotonic() + PATIENCE_S
    for sock in (states, replies):
        poller.register(sock, zmq.POLLIN)
    while time.monotonic() < end_s:
        if process.poll() is not None:
            raise ColdStartError(f"the worker ended with status {process.returncode} before it answered")
        ready = dict(poller.poll(100))
        if states in ready and states.recv()[:1] == b"\x01":
            states.send_multipart([b"state/table", state])
        if replies in ready:
            yield replies.recv_multipart()[-1]


def lines_of(starts: list[Start]) -> list[str]:
    return [
        f"{'met   ' if one.met else 'MISSED'}  {one.game}, {one.cache} cache: first answer {one.seconds:.2f} s after "
        f"the start ({one.limit_s:g}; ready after {one.ready_s:.2f} s, processor {one.cpu_s:.2f} s ({PROCESSOR_S:g}), "
        f"{one.nodes} nodes in {THINKING_S:g} s)"
        for one in starts
    ]
