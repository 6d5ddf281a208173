"""Bookkeeping of workers: who they are, whether they are alive, and whether a reply still counts.

The caller passes the time in: no socket, no thread, no clock. `Bus` owns one.
"""

from __future__ import annotations

import collections
import dataclasses

from agents import messages
from agents.messages import AnswerMessage, HeartbeatMessage, MessageError, ReadyMessage, StateMessage

ALIVE_S = 5.0
"""Seconds of silence after which a worker no longer counts as alive."""
MAX_WORKERS = 64
"""Most workers known at a time, and most connections whose message rate is remembered."""
MAX_GAMES = 64
"""Most games of a worker, of which the newest count."""
MAX_RATE = 50.0
"""Messages per second that one connection may send; any excess is dropped."""
MAX_REPLIES = 64
"""Most replies to one state; later ones are dropped."""
COUNTERS = (
    *("received", "accepted", "late", "repeated", "unasked", "forged", "illegal_format", "too_long"),
    *("unknown_worker", "too_many_workers", "flood", "dropped"),
)


@dataclasses.dataclass(frozen=True)
class Worker:
    name: str
    agents: tuple[str, ...]
    games: tuple[str, ...]
    last_seen_s: float
    """Monotonic time of its last valid message."""


@dataclasses.dataclass
class _Allowance:
    """How many messages one connection may still send: refilled over time, up to one second's worth."""

    messages: float
    time_s: float
    warned: bool = False
    """Whether the connection has been warned that it sends too much; it is warned once per excess."""


class WorkerRegistry:
    """Checks and counts the messages of workers. Its memory stays bounded whatever they send."""

    def __init__(self, own: str = "") -> None:
        """`own` is the name of the table's own worker, which no stranger can guess: it is always let in."""
        self._own = own
        self.counters: dict[str, int] = dict.fromkeys(COUNTERS, 0)
        self._workers: collections.OrderedDict[bytes, Worker] = collections.OrderedDict()
        self._allowances: collections.OrderedDict[bytes, _Allowance] = collections.OrderedDict()
        self._seen: collections.OrderedDict[str, float] = collections.OrderedDict()
        self._state: StateMessage | None = None
        self._answered: set[bytes] = set()
        self._replies: collections.deque[AnswerMessage] = collections.deque()

    def expect(self, state: StateMessage) -> None:
        """From now on only replies to this state count; unfetched replies to an older one are dropped as late."""
        self._state, self._answered = state, set()
        self.counters["late"] += len(self._replies)
        self._replies.clear()

    def take(self, identity: bytes, data: bytes, now_s: float) -> MessageError | None:
        self.counters["received"] += 1
        excess = self._excess(identity, now_s)
        if excess is not None:
            self.counters["flood"] += 1
            return excess if excess.args[0] else None
        try:
            message = messages.decode_from_worker(data)
        except MessageError as error:
            self.counters["too_long" if error.code == "too_long" else "illegal_format"] += 1
            return error
        match message:
            case ReadyMessage():
                return self._welcome(identity, message, now_s)
            case HeartbeatMessage():
                return self._keep(identity, message.worker, now_s)
            case AnswerMessage():
                return self._keep(identity, message.worker, now_s) or self._judge(identity, message)

    def replies(self) -> list[AnswerMessage]:
        fetched = list(self._replies)
        self._replies.clear()
        return fetched

    def workers(self, now_s: float) -> list[Worker]:
        return [worker for worker in self._workers.values() if now_s - worker.last_seen_s <= ALIVE_S]

    def last_seen_s(self, name: str) -> float | None:
        return self._seen.get(name)

    def _excess(self, identity: bytes, now_s: float) -> MessageError | None:
        """None within the allowed rate; beyond it the error, with an empty text if the sender was already warned."""
        allowance = self._allowances.setdefault(identity, _Allowance(MAX_RATE, now_s))
        self._allowances.move_to_end(identity)
        if len(self._allowances) > MAX_WORKERS:
            self._allowances.popitem(last=False)
        gained = (now_s - allowance.time_s) * MAX_RATE
        allowance.messages, allowance.time_s = min(MAX_RATE, allowance.messages + gained), now_s
        if allowance.messages >= 1:
            allowance.messages -= 1
            allowance.warned = allowance.warned and allowance.messages < MAX_RATE / 2
            return None
        first, allowance.warned = not allowance.warned, True
        return MessageError("flood", f"at most {MAX_RATE:.0f} messages a second; the rest is dropped" if first else "")

    def _welcome(self, identity: bytes, message: ReadyMessage, now_s: float) -> MessageError | None:
        full = identity not in self._workers and len(self.workers(now_s)) >= MAX_WORKERS
        if full and message.worker != self._own:
            return self._refused("too_many_workers", f"at most {MAX_WORKERS} workers may join a table")
        self._workers[identity] = Worker(message.worker, tuple(message.agents), tuple(message.games), now_s)
        self._workers.move_to_end(identity)
        while len(self._workers) > MAX_WORKERS:  # of the dead, remove the one silent the longest
            self._workers.pop(min(self._workers, key=lambda known: self._workers[known].last_seen_s))
        self._note(message.worker, now_s)
        return None

    def _keep(self, identity: bytes, name: str, now_s: float) -> MessageError | None:
        """Records a sign of life of a worker that has sent READY, if it uses the name it gave then."""
        worker = self._workers.get(identity)
        if worker is None:
            return self._refused("unknown_worker", "say READY first, with the agents and games you play", "worker")
        if name != worker.name:
            return self._refused("forged", f"this connection said READY as {worker.name}, not as {name}", "worker")
        self._workers[identity] = dataclasses.replace(worker, last_seen_s=now_s)
        self._note(worker.name, now_s)
        return None

    def _note(self, name: str, now_s: float) -> None:
        self._seen[name] = now_s
        self._seen.move_to_end(name)
        if len(self._seen) > 2 * MAX_WORKERS:
            del self._seen[next(name for name in self._seen if name != self._own)]

    def _refused(self, code: str, text: str, field: str = "") -> MessageError:
        self.counters[code] += 1
        return MessageError(code, text, field)

    def _judge(self, identity: bytes, reply: AnswerMessage) -> MessageError | None:
        """Keeps each worker's first reply to the newest state: if one is illegal, another may be good."""
        state, worker = self._state, self._workers[identity]
        if state is None or (reply.session == state.session and reply.sequence > state.sequence):
            return self._refused("forged", "no such state was published", "sequence")
        if (reply.session, reply.game_id, reply.sequence) != (state.session, state.game_id, state.sequence):
            self.counters["late"] += 1
            return None
        if state.awaiting != "agent" or reply.agent != state.players[state.to_move].agent:
            return self._refused("unasked", f"sequence {state.sequence} asks nothing of agent {reply.agent}", "agent")
        if reply.agent not in worker.agents:
            return self._refused("unasked", f"worker {worker.name} did not announce agent {reply.agent}", "agent")
        if identity in self._answered or len(self._answered) >= MAX_REPLIES:
            self.counters["repeated" if identity in self._answered else "dropped"] += 1
            return None
        if state.game not in worker.games:  # who answers plays it, whatever was announced
            self._workers[identity] = dataclasses.replace(worker, games=(*worker.games, state.game)[-MAX_GAMES:])
        self._answered.add(identity)
        self.counters["accepted"] += 1
        self._replies.append(reply)
        return None
