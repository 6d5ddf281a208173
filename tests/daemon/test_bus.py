"""The bus as a worker in another program sees it: real sockets on loopback."""

import json
import socket
import time
from collections.abc import Iterator

import pytest
import zmq

from agents.messages import MAX_BYTES, TOPIC, PlayerPart, StateMessage
from daemon.bus import worker_registry
from daemon.bus.bus import MAX_TOPICS, Bus
from daemon.bus.endpoints import BusError
from tests.waiting import wait_for

FREE = "tcp://127.0.0.1:*"


def state(sequence: int = 1, **changes: object) -> StateMessage:
    fields: dict[str, object] = {
        "session": "s1",
        "table": "table",
        "game": "nine_mens_morris",
        "rules": {"flying": "true"},
        "game_id": "g1",
        "sequence": sequence,
        "ply": 0,
        "moves": [],
        "position": "start",
        "board": "." * 24,
        "cells": ["a7"],
        "sides": ("light", "dark"),
        "to_move": 0,
        "players": (PlayerPart(agent="alphabeta"), PlayerPart()),
        "awaiting": "agent",
        "verdict": "legal",
    }
    return StateMessage.model_validate(fields | changes)


class Worker:
    """A third-party worker: two plain sockets, JSON written by hand."""

    def __init__(self, bus: Bus) -> None:
        self.context = zmq.Context()
        self.states = self.context.socket(zmq.SUB)
        self.states.subscribe(TOPIC)
        self.states.connect(bus.state_endpoint)
        self.replies = self.context.socket(zmq.DEALER)
        self.replies.connect(bus.reply_endpoint)
        for sock in (self.states, self.replies):
            sock.setsockopt(zmq.LINGER, 0)
            sock.setsockopt(zmq.RCVTIMEO, 3000)
            sock.setsockopt(zmq.SNDTIMEO, 3000)

    def say(self, kind: str, **fields: object) -> None:
        self.replies.send(json.dumps({"type": kind, "worker": "w1", **fields}).encode())

    def ready(self) -> None:
        self.say("ready", agents=["alphabeta"], games=["nine_mens_morris"])

    def reply(self, sequence: int = 1, **changes: object) -> None:
        fields = {"agent": "alphabeta", "session": "s1", "game_id": "g1", "sequence": sequence, "move": "d6"}
        self.say("reply", **(fields | changes))

    def hear(self) -> dict[str, object]:
        """The next state."""
        topic, data = self.states.recv_multipart()
        assert topic == TOPIC + b"table"
        return dict(json.loads(data))

    def told(self) -> dict[str, object]:
        """The next error message."""
        return dict(json.loads(self.replies.recv()))

    def close(self) -> None:
        self.context.destroy(linger=0)


@pytest.fixture
def bus() -> Iterator[Bus]:
    made = Bus(FREE, FREE)
    yield made
    made.close()


@pytest.fixture
def worker(bus: Bus) -> Iterator[Worker]:
    made = Worker(bus)
    yield made
    made.close()


def test_a_late_joiner_gets_the_current_state_at_once(bus: Bus) -> None:
    bus.publish(state(1))
    bus.publish(state(2))
    wait_for(lambda: bus.counters()["published"])
    late = Worker(bus)
    assert late.hear()["sequence"] == 2
    late.close()


def test_subscriptions_without_end_are_given_up_and_the_bus_goes_on(bus: Bus) -> None:
    """ZeroMQ keeps every subscription in memory."""
    bus.publish(state(1))
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    greedy = context.socket(zmq.XSUB)
    greedy.setsockopt(zmq.SNDHWM, 0)
    greedy.connect(bus.state_endpoint)
    try:
        for number in range(MAX_TOPICS + 1):
            greedy.send(b"\x01" + TOPIC + f"another-{number}".encode())
        wait_for(lambda: bus.counters()["reopened"] == 1)
    finally:
        context.destroy(linger=0)
    late = Worker(bus)
    assert late.hear()["sequence"] == 1
    late.close()


def test_every_subscriber_gets_a_new_state(bus: Bus, worker: Worker) -> None:
    other = Worker(bus)
    bus.publish(state(1))
    assert (worker.hear()["sequence"], other.hear()["sequence"]) == (1, 1)
    other.close()


def test_a_ready_worker_is_listed_with_what_it_plays(bus: Bus, worker: Worker) -> None:
    before_s = time.monotonic()
    worker.ready()
    (known,) = wait_for(bus.workers)  # type: ignore[misc]
    assert (known.name, known.agents, known.games) == ("w1", ("alphabeta",), ("nine_mens_morris",))
    seen_s = bus.last_seen_s("w1")
    assert seen_s is not None and before_s <= seen_s <= time.monotonic()


def test_a_reply_to_the_newest_state_is_delivered_once(bus: Bus, worker: Worker) -> None:
    bus.publish(state(1))
    worker.ready()
    worker.reply()
    worker.reply(move="a7")
    (reply,) = wait_for(bus.poll)  # type: ignore[misc]
    assert reply.move == "d6"
    wait_for(lambda: bus.counters()["repeated"] == 1)
    assert bus.poll() == []


def test_each_worker_may_answer_the_newest_state_once(bus: Bus, worker: Worker) -> None:
    other = Worker(bus)
    bus.publish(state(1))
    worker.ready()
    other.ready()
    worker.reply(move="nonsense")
    wait_for(lambda: bus.counters()["accepted"] == 1)
    other.reply()
    wait_for(lambda: bus.counters()["accepted"] == 2)
    assert [reply.move for reply in bus.poll()] == ["nonsense", "d6"]
    other.close()


@pytest.mark.parametrize("changes", [{"sequence": 1}, {"session": "s0"}, {"game_id": "g0"}])
def test_late_reply_for_an_old_position_is_dropped(bus: Bus, worker: Worker, changes: dict[str, object]) -> None:
    bus.publish(state(1))
    bus.publish(state(2))
    worker.ready()
    worker.reply(**({"sequence": 2} | changes))  # type: ignore[arg-type]
    wait_for(lambda: bus.counters()["late"] == 1)
    assert bus.poll() == []


def test_a_reply_that_was_not_fetched_before_the_next_state_is_late(bus: Bus, worker: Worker) -> None:
    bus.publish(state(1))
    worker.ready()
    worker.reply()
    wait_for(lambda: bus.counters()["accepted"] == 1)
    bus.publish(state(2))
    assert bus.poll() == []
    assert bus.counters()["late"] == 1


@pytest.mark.parametrize("changes", [{"awaiting": "move"}, {"to_move": 1}])
def test_an_agent_that_is_not_asked_is_told_so(bus: Bus, worker: Worker, changes: dict[str, object]) -> None:
    bus.publish(state(1, **changes))
    worker.ready()
    worker.reply()
    assert worker.told()["code"] == "unasked"
    assert bus.poll() == []


def test_a_worker_that_answers_for_an_agent_it_did_not_announce_is_told_so(bus: Bus, worker: Worker) -> None:
    bus.publish(state(1, players=(PlayerPart(agent="mcts"), PlayerPart())))
    worker.ready()
    worker.reply(agent="mcts")
    assert worker.told()["code"] == "unasked"


def test_a_worker_that_never_said_ready_is_told_so(bus: Bus, worker: Worker) -> None:
    bus.publish(state(1))
    worker.reply()
    assert worker.told()["code"] == "unknown_worker"
    worker.say("heartbeat")
    assert worker.told()["code"] == "unknown_worker"
    assert bus.poll() == []


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"rubbish",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"type": "state"}',
        b'{"type": "reply", "worker": "w1"}',
        b"9" * 9999,
    ],
)
def test_rubbish_is_counted_and_answered(bus: Bus, worker: Worker, data: bytes) -> None:
    worker.replies.send(data)
    told = worker.told()
    assert (told["type"], told["code"]) == ("error", "invalid")
    assert bus.counters()["illegal_format"] == 1


def test_a_message_of_many_frames_is_counted_and_answered(bus: Bus, worker: Worker) -> None:
    worker.replies.send_multipart([b"a"] * 1000)
    assert worker.told()["code"] == "invalid"


def test_a_req_socket_with_its_empty_frame_is_understood(bus: Bus, worker: Worker) -> None:
    text = json.dumps({"type": "ready", "worker": "w2", "agents": ["a"], "games": ["g"]}).encode()
    worker.replies.send_multipart([b"", text])
    assert wait_for(bus.workers)


def test_a_message_that_is_too_long_is_counted_and_answered(bus: Bus, worker: Worker) -> None:
    worker.replies.send(b" " * (MAX_BYTES + 1))
    assert worker.told()["code"] == "too_long"
    assert bus.counters()["too_long"] == 1


def test_a_giant_message_costs_the_connection_only(bus: Bus, worker: Worker) -> None:
    worker.ready()
    wait_for(bus.workers)
    stranger = Worker(bus)
    stranger.replies.send(b" " * 10_000_000)
    stranger.states.close(linger=0)
    bus.publish(state(1))
    worker.reply()
    assert wait_for(bus.poll)
    assert bus.counters()["received"] == 2
    stranger.close()


def test_a_flood_is_dropped_and_does_not_hold_up_the_others(bus: Bus, worker: Worker) -> None:
    bus.publish(state(1))
    flooder = Worker(bus)
    flooder.ready()
    for _ in range(2000):
        flooder.say("heartbeat")
    worker.ready()
    worker.reply()
    assert wait_for(bus.poll)
    wait_for(lambda: bus.counters()["received"] == 2003)
    assert 1500 < bus.counters()["flood"] <= 1951
    assert flooder.told()["code"] == "flood"
    flooder.replies.setsockopt(zmq.RCVTIMEO, 200)
    with pytest.raises(zmq.Again):  # only one such message is sent
        flooder.told()
    flooder.close()


def test_a_silent_worker_does_not_count_as_alive_and_its_next_message_brings_it_back() -> None:
    ready = json.dumps({"type": "ready", "worker": "w1", "agents": ["a"], "games": ["g"]}).encode()
    beat = json.dumps({"type": "heartbeat", "worker": "w1"}).encode()
    book = worker_registry.WorkerRegistry()
    book.take(b"id", ready, 100.0)
    assert book.workers(100.0 + worker_registry.ALIVE_S)
    assert not book.workers(100.1 + worker_registry.ALIVE_S)
    book.take(b"id", beat, 110.0)
    assert [worker.name for worker in book.workers(112.0)] == ["w1"]
    assert book.last_seen_s("w1") == 110.0


def test_a_crowd_of_strangers_is_bounded_and_the_living_stay() -> None:
    book = worker_registry.WorkerRegistry()
    for number in range(1000):
        ready = json.dumps({"type": "ready", "worker": f"w{number}", "agents": ["a"], "games": ["g"]}).encode()
        book.take(b"%d" % number, ready, 100.0)
    assert [worker.name for worker in book.workers(100.0)] == [
        f"w{number}" for number in range(worker_registry.MAX_WORKERS)
    ]
    assert book.counters["too_many_workers"] == 1000 - worker_registry.MAX_WORKERS
    book.take(b"new", ready, 200.0)
    assert [worker.name for worker in book.workers(200.0)] == ["w999"]


@pytest.mark.parametrize(
    "endpoint", ["tcp://0.0.0.0:5555", "tcp://*:5555", "tcp://192.168.1.5:5555", "tcp://example.org:5555", "nonsense"]
)
def test_an_address_that_others_could_reach_is_refused(endpoint: str) -> None:
    with pytest.raises(BusError, match="only this computer may connect"):
        Bus(endpoint, FREE)


@pytest.mark.parametrize(
    "endpoint", ["tcp://127.0.0.1:0", "tcp://127.0.0.1:65536", "ipc://relative", "ipc:///" + "x" * 200, "ipc:///\udcfe"]
)
def test_an_impossible_endpoint_is_refused_by_name(endpoint: str) -> None:
    with pytest.raises(BusError, match=r"a port is between|an ipc path is absolute"):
        Bus(FREE, endpoint)


def test_a_port_in_use_is_named_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        with pytest.raises(BusError, match=f"port {port} is in use.*another kibitzer"):
            Bus(FREE, f"tcp://127.0.0.1:{port}")


def test_an_ipc_path_works_and_is_not_taken_from_a_running_one(tmp_path) -> None:  # type: ignore[no-untyped-def]
    states, replies = f"ipc://{tmp_path}/s", f"ipc://{tmp_path}/r"
    first = Bus(states, replies)
    with pytest.raises(BusError, match="in use"):
        Bus(states, replies)
    member = Worker(first)
    member.ready()
    assert wait_for(first.workers)
    assert (tmp_path / "s").stat().st_mode & 0o077 == 0
    member.close()
    first.close()
    Bus(states, replies).close()  # a path left behind is taken over


def test_ports_are_free_again_after_close() -> None:
    first = Bus(FREE, FREE)
    states, replies = first.state_endpoint, first.reply_endpoint
    first.close()
    first.close()
    assert first.status()["ok"] is False
    second = Bus(states, replies)
    assert second.status() == {"ok": True, "text": "0 workers"}
    second.close()


def test_publishing_never_waits_even_where_nobody_reads(bus: Bus) -> None:
    sleeper = Worker(bus)
    for sequence in range(5000):
        bus.publish(state(sequence))
    wait_for(lambda: sum(bus.counters()[name] for name in ("published", "superseded")) == 5000)
    sleeper.close()


def test_a_reply_to_a_state_that_never_was_is_forged_and_told(bus: Bus, worker: Worker) -> None:
    bus.publish(state(3))
    worker.ready()
    worker.reply(sequence=4)
    assert worker.told()["code"] == "forged"
    assert bus.counters()["forged"] == 1 and bus.poll() == []


def test_nobody_speaks_under_another_workers_name(bus: Bus, worker: Worker) -> None:
    bus.publish(state(1))
    worker.ready()
    worker.reply(worker="somebody-else")
    told = worker.told()
    assert (told["code"], told["field"]) == ("forged", "worker")
    assert bus.counters()["forged"] == 1 and bus.poll() == []
    assert bus.last_seen_s("somebody-else") is None


def test_a_worker_that_answers_another_game_plays_it_too(bus: Bus, worker: Worker) -> None:
    bus.publish(state())
    worker.say("ready", agents=["alphabeta"], games=["reversi"])
    worker.reply()
    wait_for(lambda: bus.counters()["accepted"] == 1)
    assert [one.games for one in bus.workers()] == [("reversi", "nine_mens_morris")]
