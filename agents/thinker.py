"""The worker's thinking thread: takes states, runs agents and delivers replies."""

from __future__ import annotations

import collections
import logging
import threading
from collections.abc import Callable
from typing import Any

import games
from agents import registry
from agents.agent import GameAgent, Limits
from agents.messages import AnswerMessage, FailureMessage, ReplyMessage, StateMessage
from rules import AnyGame, MoveError
from rules.turns import line_of_play
from wording.outside import clean

_log = logging.getLogger(__name__)

MAX_TABLES = 16
"""Tables whose newest state may wait; beyond that the oldest is dropped."""
MAX_AGENTS = 4
"""Agents kept with what they have learnt; the least recently used is dropped."""


class Thinker:
    """Answers the newest state of every table, one after the other, in its own thread."""

    def __init__(self, worker: str, deliver: Callable[[StateMessage, AnswerMessage], None]) -> None:
        self._worker, self._deliver = worker, deliver
        self._agents: collections.OrderedDict[tuple[object, ...], tuple[AnyGame, GameAgent]] = collections.OrderedDict()
        self._waiting: collections.OrderedDict[str, StateMessage] = collections.OrderedDict()
        self._table: str | None = None
        self._stop = threading.Event()
        self._closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._serve, name="thinker", daemon=True)
        self._thread.start()

    def think(self, state: StateMessage) -> None:
        """Queues this state; an earlier question of the same table is dropped."""
        with self._changed:
            self._drop(state.table)
            self._waiting[state.table] = state
            while len(self._waiting) > MAX_TABLES:
                table, _ = self._waiting.popitem(last=False)
                _log.warning("more than %d tables are waiting: %s is dropped", MAX_TABLES, table)
            self._changed.notify()

    def forget(self, table: str) -> None:
        with self._changed:
            self._drop(table)

    def close(self, timeout_s: float) -> bool:
        """Stops thinking; returns whether the thread ended in time."""
        with self._changed:
            self._closing = True
            self._stop.set()
            self._changed.notify()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _drop(self, table: str) -> None:
        self._waiting.pop(table, None)
        if self._table == table:
            self._stop.set()

    def _serve(self) -> None:
        """The thread's loop. A state that cannot be answered gets a failure as its answer; the worker goes on."""
        while (state := self._next()) is not None:
            answer: AnswerMessage
            try:
                answer = self._answer(state)
            except Exception as error:  # noqa: BLE001 - the top of the thread
                _log.warning("sequence %d of %s cannot be answered: %s", state.sequence, state.table, error)
                text = clean(str(error) or type(error).__name__)
                answer = FailureMessage(**self._address(state), text=text)
            if not self._stop.is_set():
                self._deliver(state, answer)

    def _next(self) -> StateMessage | None:
        with self._changed:
            self._table = None
            while not self._waiting and not self._closing:
                self._changed.wait()
            if self._closing:
                return None
            self._table, state = self._waiting.popitem(last=False)
            self._stop.clear()
            return state

    def _answer(self, state: StateMessage) -> ReplyMessage:
        player = state.players[state.to_move]
        name = player.agent or ""
        game, agent = self._agent(state, name, player.options)
        position = position_of(game, state)
        wanted = Limits(player.limits.time_s, player.limits.depth, player.limits.nodes)
        answer = agent.choose(position, wanted, self._stop)
        return ReplyMessage(
            **self._address(state),
            move=game.format_move(position, answer.move),
            score=answer.told_score,
            nodes=answer.nodes,
            depth=answer.depth,
            seconds=answer.seconds,
            pv=list(answer.pv),
            masked=answer.masked,
        )

    def _address(self, state: StateMessage) -> dict[str, Any]:
        return {
            "worker": self._worker,
            "agent": state.players[state.to_move].agent,
            "session": state.session,
            "game_id": state.game_id,
            "sequence": state.sequence,
        }

    def _agent(self, state: StateMessage, name: str, options: dict[str, str]) -> tuple[AnyGame, GameAgent]:
        """The state's game, and the agent kept for this table and game with what it has learnt."""
        rules, chosen = tuple(sorted(state.rules.items())), tuple(sorted(options.items()))
        key = (state.table, state.session, state.game_id, state.game, rules, name, chosen)
        if key not in self._agents:
            game = games.load(state.game, state.rules)
            self._agents[key] = game, registry.load_agent(name, game, options)
        self._agents.move_to_end(key)
        while len(self._agents) > MAX_AGENTS:
            self._agents.popitem(last=False)
        return self._agents[key]


def position_of(game: AnyGame, state: StateMessage) -> Any:
    """The position with its history if the moves lead to it, otherwise the one in the position text.

    Raises GameError, or ValueError if the message names the wrong side to move.
    """
    position: Any = None
    for start in game.starts:
        try:
            position = line_of_play(game, state.moves, start)[-1]
        except MoveError:
            continue
        if game.format_position(position) == state.position:
            break
    else:
        position = game.parse_position(state.position)
    if game.to_move(position) != state.to_move:
        raise ValueError(f"side {state.to_move} is to move, but the position {state.position!r} says the other")
    return position
