"""The message bus: publishes game states and receives messages from agent workers.

One thread owns both sockets: an XPUB that sends each new subscriber the current state at once, and a ROUTER for
messages from workers. Callers of `Bus` never wait for a socket.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import socket
import threading
import time
from pathlib import Path

import zmq

from agents import messages
from agents.messages import AnswerMessage, ErrorMessage, StateMessage
from daemon.bus import endpoints
from daemon.bus.curve_auth import HANDSHAKE_MS, CurveAuth
from daemon.bus.endpoints import BusError
from daemon.bus.worker_registry import Worker, WorkerRegistry
from daemon.words.translation import worded, worded_n

_log = logging.getLogger(__name__)

POLL_MS = 500
SILENT_S = 10.0
OPEN_S = 5.0
CLOSE_S = 3.0
RESEND_MS = 50
"""Milliseconds: subscribers that join within this time share one resend of the state."""
HIGH_WATER = 256
BATCH = 64
"""Most messages read from a socket before checking for a newer state to send."""
MAX_TOPICS = 256
"""Subscriptions to other topics than this table's, within TOPICS_S, after which the sockets are reopened: ZeroMQ keeps
every subscription of every connection in memory, and ends no connection."""
TOPICS_S = 60.0
HARD_LIMIT_BYTES = 4 * messages.MAX_BYTES
"""Bytes: a longer message closes the connection. One between MAX_BYTES and this is counted and answered."""


class Bus:
    """Publishes states and collects replies. Every method is thread-safe and none blocks."""

    def __init__(
        self,
        state_endpoint: str = "tcp://127.0.0.1:5555",
        reply_endpoint: str = "tcp://127.0.0.1:5556",
        table: str = "table",
        keys: Path | None = None,
        own_worker: str = "",
    ) -> None:
        """Opens both sockets. With a `keys` folder, only workers whose keys are allowed can connect.

        `own_worker` is the name of the table's own worker, which joins however many others have.
        Raises BusError naming the port or the key and what to do.
        """
        self._topic = messages.TOPIC + table.encode()
        self._curve_auth = None if keys is None else CurveAuth(keys)
        self.worker_options = () if self._curve_auth is None else self._curve_auth.worker_options
        """Command-line options, besides the endpoints, for a worker on this computer."""
        wanted = (endpoints.checked(asked, has_keys=keys is not None) for asked in (state_endpoint, reply_endpoint))
        self._wanted: tuple[str, str] = (next(wanted), next(wanted))
        self._current: bytes | None = None
        self._looked_s = 0.0
        self._lock = threading.Lock()
        self._registry = WorkerRegistry(own_worker)
        self._unsent: bytes | None = None
        self._published = self._superseded = self._resent = self._reopened = 0
        self._topics, self._topics_s = 0, time.monotonic()
        """Subscriptions to other topics since that monotonic time."""
        self._failure = ""
        self._beat_s = time.monotonic()
        self._closing = threading.Event()
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._woken.setblocking(False)
        opened: queue.Queue[tuple[str, str] | BusError] = queue.Queue(maxsize=1)
        self._thread = threading.Thread(target=self._serve, args=(opened,), name="bus", daemon=True)
        self._thread.start()
        try:
            answer = opened.get(timeout=OPEN_S)
        except queue.Empty:
            answer = BusError(f"the bus did not open within {OPEN_S:.0f} s")
        if isinstance(answer, BusError):
            self.close()
            raise answer
        self.bound: tuple[str, str] = answer
        self.state_endpoint, self.reply_endpoint = (endpoints.reachable(bound) for bound in answer)

    def publish(self, state: StateMessage) -> None:
        """Sends the state to all subscribers; the newest replaces any unsent one. From now on only replies to it count.

        Raises MessageError if it is too long to send.
        """
        data = messages.encode(state)
        with self._lock:
            self._superseded += self._unsent is not None
            self._unsent = data
            self._registry.expect(state)
        with contextlib.suppress(OSError):  # socket full: the thread wakes up anyway; closed: nobody listens
            self._wake.send(b"!")

    def poll(self) -> list[AnswerMessage]:
        with self._lock:
            return self._registry.replies()

    def workers(self) -> list[Worker]:
        with self._lock:
            return self._registry.workers(time.monotonic())

    def last_seen_s(self, name: str) -> float | None:
        with self._lock:
            return self._registry.last_seen_s(name)

    def counters(self) -> dict[str, int]:
        with self._lock:
            sent = {"published": self._published, "superseded": self._superseded, "resent": self._resent}
            sent["reopened"] = self._reopened
            if self._curve_auth is not None:
                sent |= {"refused_key": self._curve_auth.strangers, "refused_no_key": self._curve_auth.keyless}
            return sent | self._registry.counters

    def status(self) -> dict[str, object]:
        if self._failure:
            why = self._failure
        elif not self._thread.is_alive():
            why = worded("closed")
        elif time.monotonic() - self._beat_s > SILENT_S:
            why = worded("it hangs")
        elif self._curve_auth is not None and not self._curve_auth.is_open:
            why = worded("nobody checks keys any more; workers cannot join until the next start")
        else:
            return {"ok": True, "text": worded_n("{count} worker", "{count} workers", len(self.workers()))}
        return {"ok": False, "text": why}

    def close(self) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):
            self._wake.send(b"!")
        self._thread.join(CLOSE_S)
        if not self._thread.is_alive():
            self._wake.close()
            self._woken.close()

    def _serve(self, opened: queue.Queue[tuple[str, str] | BusError]) -> None:
        try:
            with zmq.Context() as context, contextlib.ExitStack() as stack:
                if self._curve_auth is not None:
                    self._curve_auth.open(context)
                    stack.callback(self._curve_auth.close)
                self._serve_in(context, opened)
        except Exception as error:  # noqa: BLE001 - the top of the thread
            self._failure = f"the bus has stopped: {error}"
            _log.exception("the bus has stopped")
            with contextlib.suppress(queue.Full):
                opened.put_nowait(BusError(self._failure))

    def _serve_in(
        self, context: zmq.Context[zmq.Socket[bytes]], opened: queue.Queue[tuple[str, str] | BusError]
    ) -> None:
        """Serves until `close`. Each iteration opens a new pair of sockets, to which everyone reconnects."""
        deadline_s = 0.0  # at the start, report a port in use immediately
        while not self._closing.is_set():
            with contextlib.ExitStack() as stack:
                states = stack.enter_context(context.socket(zmq.XPUB))
                replies = stack.enter_context(context.socket(zmq.ROUTER))
                _configure(states, replies)
                monitors = []
                if self._curve_auth is not None:
                    monitors = [stack.enter_context(self._curve_auth.secure(sock)) for sock in (states, replies)]
                    for sock in (states, replies):
                        stack.callback(sock.disable_monitor)
                try:
                    bound = self._bind(states, replies, deadline_s)
                except BusError as error:
                    if deadline_s:
                        raise
                    opened.put(error)
                    return
                if not deadline_s:
                    opened.put(bound)
                self._wanted = bound
                self._exchange(states, replies, monitors)
            deadline_s = time.monotonic() + OPEN_S

    def _bind(self, states: zmq.Socket[bytes], replies: zmq.Socket[bytes], deadline_s: float) -> tuple[str, str]:
        """Binds both sockets, retrying until the deadline while the previous pair is still closing."""
        bound: list[str] = []
        while True:
            try:
                for sock, wanted in list(zip((states, replies), self._wanted, strict=True))[len(bound) :]:
                    bound.append(endpoints.bind(sock, wanted))
                return bound[0], bound[1]
            except BusError:
                if time.monotonic() >= deadline_s or self._closing.wait(RESEND_MS / 1000):
                    raise

    def _exchange(
        self, states: zmq.Socket[bytes], replies: zmq.Socket[bytes], monitors: list[zmq.Socket[bytes]]
    ) -> None:
        poller = zmq.Poller()
        for source in (states, replies, self._woken, *monitors):
            poller.register(source, zmq.POLLIN)
        newcomers, resent_s = False, 0.0
        while not (self._closing.is_set() or self._must_reopen()):
            self._beat_s = time.monotonic()
            ready = dict(poller.poll(RESEND_MS if newcomers else POLL_MS))
            if self._woken.fileno() in ready:
                with contextlib.suppress(BlockingIOError):
                    self._woken.recv(4096)
            if states in ready:
                newcomers |= self._subscriptions(states)
            fresh = self._fresh()
            due = newcomers and time.monotonic() - resent_s >= RESEND_MS / 1000
            if fresh is not None or (due and self._current is not None):
                self._current = fresh or self._current
                states.send_multipart([self._topic, self._current or b""], zmq.NOBLOCK)
                self._resent += fresh is None
                newcomers, resent_s = False, time.monotonic()
            elif self._current is None:
                newcomers = False
            if replies in ready:
                self._hear(replies)
            for monitor in monitors:
                if monitor in ready and self._curve_auth is not None:
                    self._curve_auth.watch(monitor)

    def _must_reopen(self) -> bool:
        """Whether every worker must join again: ZeroMQ ends no connection, and forgets no subscription."""
        overrun, revoked, now_s = self._topics > MAX_TOPICS, False, time.monotonic()
        if overrun:
            self._topics = 0
            _log.warning("more than %d subscriptions to other topics: every worker must join again", MAX_TOPICS)
        if self._curve_auth is not None and now_s - self._looked_s >= POLL_MS / 1000:
            self._looked_s, revoked = now_s, self._curve_auth.has_revoked()
        if revoked:
            _log.info("a key was revoked: every worker must join again")
        self._reopened += overrun or revoked
        return overrun or revoked

    def _fresh(self) -> bytes | None:
        with self._lock:
            data, self._unsent = self._unsent, None
            self._published += data is not None
            return data

    def _subscriptions(self, states: zmq.Socket[bytes]) -> bool:
        """Reads subscriptions; returns whether anyone newly subscribed to this table."""
        new = False
        for _ in range(BATCH):
            try:
                frame = states.recv(zmq.NOBLOCK)
            except zmq.Again:
                break
            if frame[:1] == b"\x01" and self._topic.startswith(frame[1:]):
                new = True
            else:
                self._topics += frame[:1] == b"\x01"
        if time.monotonic() - self._topics_s > TOPICS_S:
            self._topics, self._topics_s = 0, time.monotonic()
        return new

    def _hear(self, replies: zmq.Socket[bytes]) -> None:
        for _ in range(BATCH):
            try:
                identity, data = _receive(replies)
            except zmq.Again:
                return
            with self._lock:
                error = self._registry.take(identity, data, time.monotonic())
            if error is not None:
                _log.debug("a worker is told: %s %s", error.code, error)
                answer = ErrorMessage(code=error.code, text=str(error)[:500], field=error.field[:500])
                with contextlib.suppress(zmq.ZMQError):  # the worker has gone or does not read
                    replies.send_multipart([identity, messages.encode(answer)], zmq.NOBLOCK)


def _configure(states: zmq.Socket[bytes], replies: zmq.Socket[bytes]) -> None:
    for sock in (states, replies):
        sock.setsockopt(zmq.LINGER, 100)
        sock.setsockopt(zmq.SNDHWM, HIGH_WATER)
        sock.setsockopt(zmq.RCVHWM, HIGH_WATER)
        sock.setsockopt(zmq.MAXMSGSIZE, HARD_LIMIT_BYTES)
        sock.setsockopt(zmq.HANDSHAKE_IVL, HANDSHAKE_MS)
    states.setsockopt(zmq.XPUB_VERBOSE, 1)  # report every subscription, also a second one to the same topic
    states.setsockopt(zmq.MAXMSGSIZE, 1024)


def _receive(replies: zmq.Socket[bytes]) -> tuple[bytes, bytes]:
    """Identity and text of the next message, with or without the empty delimiter frame of a REQ socket.

    A message with more frames is returned as an empty text, which no schema accepts. Raises zmq.Again.
    """
    identity, data, frames = replies.recv(zmq.NOBLOCK), b"", 0
    while replies.getsockopt(zmq.RCVMORE):
        data = replies.recv(zmq.NOBLOCK)
        frames += 1
    return identity, data if frames in (1, 2) else b""
