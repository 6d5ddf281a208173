"""The worker: joins a daemon's bus, announces what its agents play, and answers states that wait for one of them.

`python -m agents.worker --connect STATES --reply REPLIES`, or `kibitzer worker`. It survives restarts of the daemon and
malformed messages; `docs/protocol.md` describes its messages.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Annotated

import typer
import zmq
from pydantic import ValidationError

import games
from agents import kernels, loading, messages, registry
from agents.agent import AgentError
from agents.certificates import Admission, WorkerKeys, read_worker_keys
from agents.command_line import EnginesOption, new_app, stop, use_engines
from agents.messages import (
    AnswerMessage,
    ErrorMessage,
    HeartbeatMessage,
    MessageError,
    ReadyMessage,
    StateMessage,
)
from agents.thinker import Thinker
from wording.outside import clean

app = new_app()
_log = logging.getLogger(__name__)

POLL_MS = 250
HEARTBEAT_S = 1.0
HIGH_WATER = 64
BATCH = 64
"""Messages taken from a socket before the others get their turn."""
HARD_LIMIT_BYTES = 4 * messages.MAX_BYTES
LINGER_MS = 100
CLOSE_S = 1.0


StateKey = tuple[str, str, int]
"""Session, game id and sequence, which a reply quotes to identify its state."""


class Worker:
    """One worker; `run` owns its sockets."""

    def __init__(
        self, name: str, agents: tuple[str, ...], parent: int | None = None, keys: WorkerKeys | None = None
    ) -> None:
        """`parent` is a process whose end also ends the worker; `keys` are for a bus that requires them.

        Raises AgentError, or ValueError if the name is not allowed.
        """
        self._admission = Admission(keys)
        playable = sorted({game for agent in agents for game in registry.games_of(agent)})
        if agents and not playable:
            raise AgentError(f"{', '.join(agents)}: no game here that any of them plays")
        self._ready = messages.encode(ReadyMessage(worker=name, agents=list(agents), games=playable))
        self._heartbeat = messages.encode(HeartbeatMessage(worker=name))
        self._agents = frozenset(agents)
        self._parent, self._is_child = parent, parent == os.getppid()
        self._thinker = Thinker(name, self._deliver)
        self._answers: queue.Queue[tuple[StateMessage, AnswerMessage]] = queue.Queue(HIGH_WATER)
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._woken.setblocking(False)
        self._session: str | None = None
        self._greeted = False
        self._newest: dict[str, StateKey] = {}
        self._answered: dict[str, bytes] = {}
        """The reply to the newest state of each table."""
        self._prepared: set[str] = set()
        self._warming: threading.Thread | None = None
        self._unsent: set[str] = set()

    def run(self, state_endpoint: str, reply_endpoint: str, closing: threading.Event) -> bool:
        """Serves until `closing` is set or the parent is gone; returns whether all threads have ended.

        Raises ZMQError if an endpoint is invalid.
        """
        try:
            with (
                zmq.Context() as context,
                context.socket(zmq.SUB) as states,
                context.socket(zmq.DEALER) as replies,
            ):
                for sock, endpoint in ((states, state_endpoint), (replies, reply_endpoint)):
                    _configure(sock)
                    self._admission.connect(sock, endpoint)
                try:
                    self._serve(states, replies, closing)
                finally:
                    self._admission.close()
        finally:
            busy = loading.is_busy() or (self._warming is not None and self._warming.is_alive())
            ended = self._thinker.close(CLOSE_S) and not busy
            if ended:
                self._wake.close()
                self._woken.close()
        return ended

    def _serve(self, states: zmq.Socket[bytes], replies: zmq.Socket[bytes], closing: threading.Event) -> None:
        poller = zmq.Poller()
        for source in (states, replies, self._woken):
            poller.register(source, zmq.POLLIN)
        beat_s = time.monotonic()
        while not closing.is_set() and self._has_parent():
            ready = dict(poller.poll(POLL_MS))
            if self._woken.fileno() in ready:
                self._collect()
            if replies in ready:
                self._hear(replies)
            if states in ready:
                self._take_in(states)
            self._admission.look()
            self._greeted = self._greeted or _send(replies, self._ready)
            if self._greeted:
                self._unsent = {table for table in self._unsent if not _send(replies, self._answered[table])}
            if time.monotonic() - beat_s >= HEARTBEAT_S:
                beat_s = time.monotonic()
                _send(replies, self._heartbeat)

    def _deliver(self, state: StateMessage, reply: AnswerMessage) -> None:
        with contextlib.suppress(queue.Full, OSError):  # nobody fetches: the worker is about to end
            self._answers.put_nowait((state, reply))
            self._wake.send(b"!")

    def _collect(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(4096)
        while not self._answers.empty():
            state, reply = self._answers.get_nowait()
            if self._newest.get(state.table) == _key(state):
                self._answered[state.table] = messages.encode(reply)
                self._unsent.add(state.table)

    def _hear(self, replies: zmq.Socket[bytes]) -> None:
        """Handles the daemon's replies; a daemon that does not know us gets the greeting and our answers again."""
        for frames in _batch(replies):
            try:
                message = messages.decode_from_daemon(frames[-1])
            except MessageError as error:
                _log.warning("the daemon's message is ignored: %s", error)
                continue
            if isinstance(message, ErrorMessage) and message.code == "unknown_worker":
                self._greeted = False
                self._unsent |= set(self._answered)
            elif isinstance(message, ErrorMessage):
                _log.warning("the daemon says: %s: %s", clean(message.code, 64), clean(message.text))

    def _take_in(self, states: zmq.Socket[bytes]) -> None:
        newest: dict[str, StateMessage] = {}
        for frames in _batch(states):
            try:
                message = messages.decode_from_daemon(frames[-1]) if len(frames) == 2 else None
            except MessageError as error:
                _log.warning("a state is ignored: %s", error)
                continue
            if isinstance(message, StateMessage):
                newest[message.table] = message
        for state in newest.values():
            self._consider(state)

    def _consider(self, state: StateMessage) -> None:
        if state.session != self._session:
            self._session, self._greeted = state.session, False
        if self._newest.get(state.table) == _key(state):  # the daemon repeats it for a new subscriber, or for us
            self._unsent |= {state.table} & set(self._answered)
            return
        if len(self._newest) >= HIGH_WATER and state.table not in self._newest:
            self._forget(next(iter(self._newest)))
        self._forget(state.table)
        self._newest[state.table] = _key(state)
        self._prepare(state)
        if state.awaiting == "agent" and state.players[state.to_move].agent in self._agents:
            self._thinker.think(state)

    def _prepare(self, state: StateMessage) -> None:
        """Starts the warm-up, once for every game seen; warm-ups compile one game after the other."""
        if state.game in self._prepared or state.game not in games.names():
            return
        self._prepared.add(state.game)
        asked = frozenset(player.agent for player in state.players if player.agent) & self._agents
        self._warming = threading.Thread(target=_warm_up, args=(asked, state), name="warm-up", daemon=True)
        self._warming.start()

    def _forget(self, table: str) -> None:
        self._thinker.forget(table)
        self._newest.pop(table, None)
        self._answered.pop(table, None)
        self._unsent.discard(table)

    def _has_parent(self) -> bool:
        """Whether the parent lives; for our own parent checks `getppid`, as a dead parent's id may be reused."""
        if self._parent is None:
            return True
        if self._is_child:
            return os.getppid() == self._parent
        try:
            os.kill(self._parent, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True


def _key(state: StateMessage) -> StateKey:
    return state.session, state.game_id, state.sequence


def _configure(sock: zmq.Socket[bytes]) -> None:
    sock.setsockopt(zmq.LINGER, LINGER_MS)
    sock.setsockopt(zmq.SNDHWM, HIGH_WATER)
    sock.setsockopt(zmq.RCVHWM, HIGH_WATER)
    sock.setsockopt(zmq.MAXMSGSIZE, HARD_LIMIT_BYTES)
    sock.setsockopt(zmq.RECONNECT_IVL, 100)
    sock.setsockopt(zmq.RECONNECT_IVL_MAX, 2000)
    if sock.getsockopt(zmq.TYPE) == zmq.SUB:
        sock.setsockopt(zmq.SUBSCRIBE, messages.TOPIC)
    else:
        sock.setsockopt(zmq.IMMEDIATE, 1)  # queues nothing while no daemon is connected


def _batch(sock: zmq.Socket[bytes]) -> list[list[bytes]]:
    batch: list[list[bytes]] = []
    with contextlib.suppress(zmq.Again):
        while len(batch) < BATCH:
            batch.append(sock.recv_multipart(zmq.NOBLOCK))
    return batch


def _send(sock: zmq.Socket[bytes], data: bytes) -> bool:
    try:
        sock.send(data, zmq.NOBLOCK)
    except zmq.Again:
        return False
    return True


def serve(state_endpoint: str, reply_endpoint: str, worker: Worker) -> None:
    """Runs a worker as this process until a signal or the parent's end. Raises ZMQError."""
    closing = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: closing.set())
    loading.answer_within(loading.PATIENCE_S)
    ended = worker.run(state_endpoint, reply_endpoint, closing)
    if not ended:
        logging.shutdown()
        os._exit(0)  # a running compiler cannot be interrupted, and would crash while the interpreter shuts down


def _warm_up(agents: frozenset[str], state: StateMessage) -> None:
    """Warm-up thread: compiles or loads what the first moves of a game need."""
    try:
        game = games.load(state.game, state.rules)
        for name in sorted(agents):
            if registry.find(name).plays(game):
                registry.find(name).warm_up(game)
    except Exception:  # noqa: BLE001 - the top of the thread
        _log.exception("the agents cannot be prepared; the first answer will say why")


@app.command("worker")
def worker(
    connect: Annotated[str, typer.Option(help="Where the daemon publishes states.")] = "tcp://127.0.0.1:5555",
    reply: Annotated[str, typer.Option(help="Where the daemon takes replies.")] = "tcp://127.0.0.1:5556",
    agents: Annotated[str | None, typer.Option(help="Agents to offer, such as random,alphabeta. Default: all.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of this worker. Default: worker and its process id.")] = None,
    parent: Annotated[
        int | None, typer.Option(min=1, help="Process id; the worker ends when that process does.")
    ] = None,
    engines: EnginesOption = None,
    server_key: Annotated[
        Path | None, typer.Option(help="The daemon's public key, daemon.key; where its bus wants keys.")
    ] = None,
    key: Annotated[Path | None, typer.Option(help="This worker's own pair, NAME.key_secret.")] = None,
) -> None:
    """Offers agents to a daemon, until Ctrl-C; survives restarts of the daemon.

    A daemon on another computer needs keys. Run `kibitzer keys new daemon` there and `kibitzer keys new laptop` here.
    Copy daemon.key from there to here, and laptop.key from here to there. Run `kibitzer keys allow laptop.key` there.
    Then join:

    Example: kibitzer worker --connect tcp://192.168.1.5:5555 --reply tcp://192.168.1.5:5556
    --server-key daemon.key --key var/keys/laptop.key_secret
    """
    logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s", level=logging.INFO)
    if not kernels.is_compiled():
        logging.warning("numba is not installed: searches in plain Python, far less deep")
    chosen = registry.names() if agents is None else tuple(part.strip() for part in agents.split(",") if part.strip())
    try:
        use_engines(engines)
        for offered in chosen:
            registry.find(offered)
        keys = read_worker_keys(server_key, key)
        serve(connect, reply, Worker(name or f"worker-{os.getpid()}", chosen, parent, keys))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise stop("worker", f"{first['loc'][0]}: {first['msg']}, not {first['input']!r}") from None
    except ValueError as error:
        raise stop("worker", error) from None
    except zmq.ZMQError as error:
        raise stop("worker", f"{connect!r} or {reply!r} is no endpoint: {error}") from None


if __name__ == "__main__":
    app()
