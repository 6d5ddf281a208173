"""A misbehaving worker, run as a program of its own: STATES REPLIES MANNER."""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
import time

import zmq

RUBBISH = (
    b"",
    b"\xff\xfe",
    b"null",
    b"[" * 50_000,
    b"x" * 70_000,
    b'{"type": "reply"}',
    b'{"type": "ready", "worker": "w", "agents": [], "games": []}',
    b'{"type": "heartbeat", "worker": null, "schema_version": 2}',
)
TOO_LARGE = b"y" * 1_000_000
"""Too large a message: sending it costs the connection."""


class Hostile:
    """A worker that breaks the protocol over its two sockets."""

    def __init__(self, states: str, replies: str) -> None:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        self.states, self.replies = context.socket(zmq.SUB), context.socket(zmq.DEALER)
        self.states.connect(states)
        self.states.subscribe("state/")
        self.replies.connect(replies)

    def say(self, kind: str, **fields: object) -> None:
        """Sends a message; drops it while the daemon accepts no more."""
        text = json.dumps({"schema_version": 1, "type": kind, "worker": "hostile", **fields})
        with contextlib.suppress(zmq.Again):
            self.replies.send(text.encode(), zmq.NOBLOCK)

    def greet(self) -> None:
        """Announces the agents and games that it pretends to play."""
        self.say("ready", agents=["mascot"], games=["nine_mens_morris"])

    def asked(self, wait_s: float) -> dict[str, object] | None:
        """The fields that a reply to the next state must quote; None if no state asked for a move in time."""
        if not self.states.poll(round(1000 * wait_s)):
            return None
        state = json.loads(self.states.recv_multipart()[1])
        if state["awaiting"] != "agent":
            return None
        return {name: state[name] for name in ("session", "game_id", "sequence")}

    def lie(self) -> None:
        """Answers every state at once with an illegal move or an insult."""
        for text in itertools.cycle(("zz", "d2", "you are stupid", "</script>")):
            while (quoted := self.asked(0.5)) is None:
                self.say("heartbeat")
            self.say("reply", agent="mascot", move=text, **quoted)

    def flood(self) -> None:
        """Sends as fast as it can, including invalid and oversized messages."""
        for number in itertools.count():
            self.say("heartbeat")
            with contextlib.suppress(zmq.Again):
                self.replies.send(RUBBISH[number % len(RUBBISH)], zmq.NOBLOCK)
            if number % 5000 == 4999:
                self.replies.send(TOO_LARGE)

    def delay(self) -> None:
        """Answers every state, but quotes the one before."""
        quoted: dict[str, object] | None = None
        while True:
            late, quoted = quoted, self.asked(0.5) or quoted
            if late is not None and late != quoted:
                self.say("reply", agent="mascot", move="a1", **late)

    def die(self) -> None:
        """Exits on the first question, without an answer."""
        while self.asked(0.5) is None:
            pass
        sys.exit(3)


if __name__ == "__main__":
    worker = Hostile(sys.argv[1], sys.argv[2])
    time.sleep(0.2)
    worker.greet()
    {"lie": worker.lie, "flood": worker.flood, "delay": worker.delay, "die": worker.die}[sys.argv[3]]()
