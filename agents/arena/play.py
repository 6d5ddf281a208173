"""One game between two players: the job that a process needs to play it, and the result."""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Mapping
from typing import Any

import games
from agents import registry
from agents.arena.openings import Opening
from agents.pace import Pace
from agents.players import Player, PlayerSpec
from rules import AnyGame, Counts, HiddenHands, Side
from system.numbers import number, whole

MAX_TEXT = 200


class Abandoned(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Job:
    id: str
    """Identifies the game in its tournament; the same settings give the same game the same id."""
    game: str
    rules: tuple[tuple[str, str], ...]
    players: tuple[PlayerSpec, PlayerSpec]
    seeds: tuple[int, int]
    opening: Opening
    max_plies: int
    """Plies including the opening; a game not over by then is a draw."""


@dataclasses.dataclass(frozen=True)
class Use:
    moves: int = 0
    seconds: float = 0.0
    longest_s: float = 0.0
    nodes: int = 0
    depths: int = 0
    from_book: int = 0
    processor_s: float = 0.0

    def plus(self, seconds: float, nodes: int, depth: int, from_book: bool, processor_s: float = 0.0) -> Use:
        return Use(
            self.moves + 1,
            self.seconds + seconds,
            max(self.longest_s, seconds),
            self.nodes + nodes,
            self.depths + depth,
            self.from_book + from_book,
            self.processor_s + processor_s,
        )


@dataclasses.dataclass(frozen=True)
class Played:
    id: str
    winner: Side | None
    reason: str
    """The rules' reason code, or the arena's own: `max_plies`, `illegal_move` or `agent_failed`."""
    plies: int
    scores: tuple[float, float] | None
    fault: str | None
    """Fault of the losing side's agent, if it decided the game."""
    uses: tuple[Use, Use]
    deal: int | None
    moves: str
    """All move texts, separated by spaces."""

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Played:
        """A game from the object that a record has of it. Raises KeyError, TypeError, ValueError if it is not one."""
        values = {field.name: found[field.name] for field in dataclasses.fields(cls)}
        first, second = map(_use, values["uses"])
        scores = None if values["scores"] is None else _points(values["scores"])
        whole(values["plies"])
        if values["deal"] is not None:
            whole(values["deal"])
        if values["winner"] is not None and whole(values["winner"]) not in (0, 1):
            raise ValueError(f"winner is 0, 1 or null, not {values['winner']!r}")
        return cls(**{**values, "uses": (first, second), "scores": scores})


def _use(told: Mapping[str, Any]) -> Use:
    for name, value in told.items():
        (number if name in ("seconds", "longest_s", "processor_s") else whole)(value)
    return Use(**told)


def _points(scores: Any) -> tuple[float, float]:
    """Both sides' points, which are numbers. Raises TypeError, ValueError, IndexError if they are not."""
    first, second = (one if type(one) is int else number(one) for one in scores)
    return first, second


@functools.cache
def load(name: str, rules: tuple[tuple[str, str], ...]) -> AnyGame:
    return games.load(name, dict(rules))


@functools.cache
def _prepare(agent: str, name: str, rules: tuple[tuple[str, str], ...]) -> None:
    registry.find(agent).warm_up(load(name, rules))


def prepare(job: Job) -> None:
    for spec in job.players:
        _prepare(spec.agent, job.game, job.rules)


@functools.cache
def _paces(name: str, rules: tuple[tuple[str, str], ...], pair: frozenset[PlayerSpec]) -> dict[PlayerSpec, Pace]:
    """The paces that two players keep in all their games in this process, of those limited by processor time."""
    return {spec: Pace(spec.processor_s) for spec in pair if spec.processor_s is not None}


def paces(job: Job) -> tuple[Pace | None, Pace | None]:
    found = _paces(job.game, job.rules, frozenset(job.players))
    return found.get(job.players[0]), found.get(job.players[1])


def player(spec: PlayerSpec, game: AnyGame, seed: int, pace: Pace | None = None) -> Player:
    """The player, seeded if its agent has an option `seed` that its text does not set.

    Raises AgentError if the agent does not play the game or an option is out of range.
    """
    if "seed" in registry.options_of(spec.agent) and "seed" not in dict(spec.options):
        spec = dataclasses.replace(spec, options=(*spec.options, ("seed", str(seed))))
    return Player(spec, game, pace)


def play(job: Job, stop: threading.Event | None = None) -> Played:
    """Plays the game to its end. An agent that fails or answers with an illegal move loses it.

    Raises Abandoned when `stop` is set, which also makes the agents answer at once.
    """
    stop = stop or threading.Event()
    prepare(job)
    return _RunningGame(job, stop).play()


class _RunningGame:
    def __init__(self, job: Job, stop: threading.Event) -> None:
        self.job, self.stop = job, stop
        self.game = load(job.game, job.rules)
        self.position = job.opening.position(self.game)
        self.moves = list(job.opening.moves)
        self.uses, self.paces = [Use(), Use()], paces(job)

    def play(self) -> Played:
        players = []
        for side, spec in enumerate(self.job.players):
            try:
                players.append(player(spec, self.game, self.job.seeds[side], self.paces[side]))
            except Exception as error:  # noqa: BLE001 - an agent that does not even sit down loses its game
                return self._fault(side, "agent_failed", error)
        self._let_follow(players)
        while (outcome := self.game.outcome(self.position)) is None:
            if len(self.moves) >= self.job.max_plies:
                return self._ended(None, "max_plies", Counts.of(self.game).scores(self.position))
            lost = self._move(players)
            if self.stop.is_set():
                raise Abandoned
            if lost is not None:
                return lost
        return self._ended(outcome.winner, outcome.reason, outcome.scores)

    def _let_follow(self, players: list[Player]) -> None:
        """The player that is easier to steer gets what the other really uses; of programs alike, the later by name.

        Two of ours keep to their own times.
        """
        first, second = self.paces
        if first is None or second is None or first is second or not any(one.coarseness for one in players):
            return
        order = [(one.coarseness, spec.text) for one, spec in zip(players, self.job.players, strict=True)]
        leads, follows = (first, second) if order[0] > order[1] else (second, first)
        follows.follows = leads

    def _move(self, players: list[Player]) -> Played | None:
        side = self.game.to_move(self.position)
        seen = HiddenHands.of(self.game).view(self.position, side)  # hides the other side's hand
        try:
            answer = players[side].choose(seen, self.stop)
        except Exception as error:  # noqa: BLE001 - the arena outlives its players
            return self._fault(side, "agent_failed", error)
        seconds, used_s = round(players[side].seconds, 6), round(players[side].processor_s, 6)
        self.uses[side] = self.uses[side].plus(seconds, answer.nodes, answer.depth, answer.from_book, used_s)
        if answer.move not in self.game.legal_moves(self.position):
            return self._fault(side, "illegal_move", answer.move)
        self.moves.append(self.game.format_move(self.position, answer.move))
        self.position = self.game.apply(self.position, answer.move)
        return None

    def _fault(self, side: Side, reason: str, what: object) -> Played:
        said = f"{type(what).__name__}: {what}" if isinstance(what, Exception) else repr(what)
        text = f"{self.job.players[side].text}: ply {len(self.moves) + 1}: {said}"[:MAX_TEXT]
        return self._ended(1 - side, reason, Counts.of(self.game).scores(self.position), text)

    def _ended(
        self, winner: Side | None, reason: str, scores: tuple[float, float] | None, fault: str | None = None
    ) -> Played:
        uses, deal = (self.uses[0], self.uses[1]), self.job.opening.deal
        return Played(
            self.job.id, winner, reason, len(self.moves), scores, fault, uses, deal, " ".join(self.moves)
        )  # fmt: skip
