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
        text = json.dumps({"schema_version": 1, "type": kind, "worker": "hostile", **fields})  # also NaN
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

    def strange(self) -> None:
        """Answers every state with whatever no worker may send: see `oddities`."""
        twins = [zmq.Context.instance().socket(zmq.DEALER) for _ in range(2)]
        for twin in twins:  # ZeroMQ ignores the second connection with an identity
            twin.setsockopt(zmq.IDENTITY, b"twin")
            twin.connect(sys.argv[2])
            twin.send_json({"schema_version": 1, "type": "heartbeat", "worker": "never-ready"})
        while True:
            quoted = self.asked(0.5)
            self.say("heartbeat")
            if quoted is not None:
                for kind, fields in oddities(quoted):
                    self.say(kind, **fields)
                    time.sleep(0.03)  # fewer than would count as a flood

    def die(self) -> None:
        """Exits on the first question, without an answer."""
        while self.asked(0.5) is None:
            pass
        sys.exit(3)


def oddities(quoted: dict[str, object]) -> list[tuple[str, dict[str, object]]]:
    """Messages that break one rule each; with the fields of a reply to the state, if they are replies."""
    reply = {"agent": "mascot", "move": "a1", **quoted}
    deep: object = []
    for _ in range(500):
        deep = [deep]
    return [
        ("ready", {"agents": [f"agent-{number}" for number in range(10_000)], "games": ["nine_mens_morris"]}),
        ("reply", reply | {"score": float("nan")}),
        ("reply", reply | {"score": 10**400}),
        ("reply", reply | {"nodes": 10**30}),
        ("reply", reply | {"seconds": -1}),
        ("reply", reply | {"pv": ["a1"] * 10_000}),
        ("reply", reply | {"move": deep}),
        ("reply", reply | {"move": "a" * 65}),
        ("reply", reply | {"move": "a1\n"}),
        ("reply", reply | {"agent": "alphabeta"}),
        ("reply", reply | {"game_id": "another"}),
        ("reply", reply | {"session": "another"}),
        ("reply", reply | {"sequence": 2**53}),
        ("reply", reply | {"worker": "own"}),
    ]


if __name__ == "__main__":
    worker = Hostile(sys.argv[1], sys.argv[2])
    time.sleep(0.2)
    worker.greet()
    manners = (worker.lie, worker.flood, worker.delay, worker.die, worker.strange)
    next(manner for manner in manners if manner.__name__ == sys.argv[3])()
