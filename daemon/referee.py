"""The referee: a pure state machine. Explained readings and agents' answers go in, effects come out.

It knows no clock, socket, picture or thread, so that a match in a test is a list of events. What it believes is a
line of positions from the start; only a reading that a legal move explains ever lengthens it.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

from daemon import phrases
from daemon.explanation import Explanation, MoveEvent
from games import AnyGame, Fault, MoveError, Outcome, Side, Step

MOST_UNDONE_AT_END = 2
"""A takeback of more plies after the end is no takeback, but a board that is being cleared."""
DESYNC_CELLS = 5
"""From so many cells on, a difference is no illegal move but another position."""

Code = Literal[
    "start",
    "move",
    "agent_move",
    "illegal",
    "unfinished",
    "takeback",
    "ambiguous",
    "unclear",
    "desync",
    "resumed",
    "board_lost",
    "board_found",
    "bumped",
    "refused_reply",
    "game_over",
    "trouble",
]


@dataclasses.dataclass(frozen=True)
class Announcement:
    """Something that happened, for the voice, the page, the log and the record."""

    code: Code
    text: str
    """One sentence for a person; empty where nothing needs to be said."""
    board: str
    """The board that the announcement is about, a class letter per cell: for a move the board after it."""
    ply: int
    """Plies made so far."""
    move: str = ""
    """Text of the move."""
    rule: str = ""
    """Code of the broken rule."""
    cells: tuple[int, ...] = ()
    """Cells that are meant: what to put back, what differs, what cannot be seen."""
    urgent: bool = False
    """Whether a player must act."""


@dataclasses.dataclass(frozen=True)
class Record:
    """A ply to be written down before anything else is done."""

    ply: int
    side: Side
    move: str
    position: str
    board: str


@dataclasses.dataclass(frozen=True)
class TakeBack:
    """The plies after `ply` are no longer part of the game."""

    ply: int


@dataclasses.dataclass(frozen=True)
class Finish:
    """The game is over."""

    outcome: Outcome


Effect = Announcement | Record | TakeBack | Finish


class Referee:
    """Judges one game. `agents` names the agent of each side, None for a person."""

    def __init__(
        self,
        game: AnyGame,
        agents: tuple[str | None, str | None] = (None, None),
        history: Sequence[Any] = (),
        moves: Sequence[str] = (),
    ) -> None:
        self.game = game
        self.agents = agents
        self.history = list(history) or [game.initial()]
        self.moves = list(moves)
        self.agent_move: Any = None
        """The agent's answer that waits to be carried out on the board."""
        self.verdict: str = "start"
        """Code of the last verdict on a reading."""
        self.fault_cells: tuple[int, ...] = ()
        """Cells that must be put right, by the last verdict."""
        self._said: tuple[object, ...] = ()

    @property
    def last_steps(self) -> tuple[Step, ...]:
        """What the hand did for the last ply; empty before the first."""
        if not self.moves:
            return ()
        before = self.history[-2]
        return self.game.steps(before, self.game.parse_move(before, self.moves[-1]))

    @property
    def position(self) -> Any:
        """The last position believed."""
        return self.history[-1]

    @property
    def ply(self) -> int:
        """Plies made so far."""
        return len(self.history) - 1

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        return self.game.outcome(self.position)

    @property
    def awaiting(self) -> Literal["move", "agent", "carry_out", "nothing"]:
        """What must happen next, as in the state message."""
        if self.outcome is not None:
            return "nothing"
        if self.agents[self.game.to_move(self.position)] is None:
            return "move"
        return "agent" if self.agent_move is None else "carry_out"

    @property
    def agent_move_text(self) -> str | None:
        """Text of the agent's move that waits to be carried out."""
        return None if self.agent_move is None else self.game.format_move(self.position, self.agent_move)

    def see(self, event: MoveEvent) -> list[Effect]:
        """Judges a settled reading. The same verdict on the same board is announced once."""
        effects = self._judge(event)
        told = [effect for effect in effects if isinstance(effect, Announcement)]
        if told:
            self.fault_cells = told[-1].cells
        elif self.verdict in ("unchanged", "legal"):
            self.fault_cells = ()
        return effects

    def _judge(self, event: MoveEvent) -> list[Effect]:
        best = event.explanations[0] if event.explanations else None
        if self.outcome is not None and not self._concerns_the_end(best):
            # The board is being cleared: nothing to complain of.
            self.verdict = "over"
            return []
        if best is None:
            return self._unexplained(event)
        if event.ambiguous:
            return self._once("ambiguous", event.board, self._ambiguous(event))
        match best.kind:
            case "unchanged":
                return self._unchanged(event)
            case "plies":
                return self._plies(best, event)
            case "unfinished":
                return self._unfinished(best)
            case "takeback":
                return self._takeback(best)

    def reply(self, agent: str, ply: int, text: str) -> list[Effect]:
        """Takes an agent's answer for the position after `ply` plies; a late one is ignored, an illegal one refused."""
        if self.awaiting != "agent" or ply != self.ply or agent != self.agents[self.game.to_move(self.position)]:
            return []
        try:
            self.agent_move = self.game.parse_move(self.position, text)
        except MoveError as error:
            return [self._announce("refused_reply", f"{agent} answered {text!r}: {error}", rule=error.rule)]
        words = phrases.spoken_move(self.game, self.position, self.agent_move)
        side = self.game.sides[self.game.to_move(self.position)]
        move = self.game.format_move(self.position, self.agent_move)
        self._said = ()
        return [self._announce("agent_move", f"{side.capitalize()} plays {words}.", move=move, urgent=True)]

    def recall(self, text: str) -> None:
        """Takes up an agent's move that was announced before a restart; an empty or unplayable text is none."""
        if self.awaiting == "agent" and text:
            with contextlib.suppress(MoveError):
                self.agent_move = self.game.parse_move(self.position, text)

    def lost(self) -> list[Effect]:
        """The board is out of sight."""
        return self._once("board_lost", "", self._announce("board_lost", "I cannot see the whole board.", urgent=True))

    def found(self) -> list[Effect]:
        """The board is in sight again."""
        if self._said[:1] != ("board_lost",):
            return []
        self._said = ()
        return [self._announce("board_found", "I see the board again.")]

    def _concerns_the_end(self, best: Explanation | None) -> bool:
        """Whether a board seen after the end still belongs to the game: the last one, or its last moves undone."""
        if best is None or best.kind == "takeback":
            return best is not None and best.ply >= max(1, self.ply - MOST_UNDONE_AT_END)
        return best.kind == "unchanged"

    def _unchanged(self, event: MoveEvent) -> list[Effect]:
        before, self.verdict, self._said = self.verdict, "unchanged", ()
        if before == "start":
            return [self._announce("start", f"I see the board, as the game stands. {self._whose_turn()}")]
        if before not in ("illegal", "desync"):
            return []
        return [self._announce("resumed", f"The board is right again. {self._whose_turn()}")]

    def _whose_turn(self) -> str:
        if self.outcome is not None:
            return "It is over."
        if self.ply == 0 and len(self.game.starts) > 1:
            return "Whoever moves first begins."
        if self.awaiting == "carry_out":
            side = self.game.sides[self.game.to_move(self.position)]
            return f"Please play {phrases.spoken_move(self.game, self.position, self.agent_move)} for {side}."
        return f"It is {self.game.sides[self.game.to_move(self.position)]}'s turn."

    def _plies(self, best: Explanation, event: MoveEvent) -> list[Effect]:
        if fault_of_agent := self._not_the_agents(best, event.board):
            return self._illegal(fault_of_agent, event.board)
        if self.ply == 0:
            self.history[0] = best.start
        effects: list[Effect] = []
        for move, position in zip(best.moves, best.positions, strict=True):
            effects += self._ply(move, position)
        self.verdict, self._said = "legal", ()
        return effects

    def _ply(self, move: Any, position: Any) -> list[Effect]:
        side = self.game.to_move(self.position)
        text = self.game.format_move(self.position, move)
        words = phrases.spoken_move(self.game, self.position, move)
        carried_out = self.agent_move is not None
        self.agent_move = None
        self.history.append(position)
        self.moves.append(text)
        board = self.game.board(position)
        sentence = "Thank you." if carried_out else f"{self.game.sides[side].capitalize()}: {words}."
        effects: list[Effect] = [
            Record(self.ply, side, text, self.game.format_position(position), board),
            self._announce("move", sentence, move=text),
        ]
        if (outcome := self.outcome) is not None:
            effects += [
                Finish(outcome),
                self._announce("game_over", phrases.result(self.game, outcome), rule=outcome.reason, urgent=True),
            ]
        return effects

    def _not_the_agents(self, best: Explanation, board: str) -> Fault | None:
        """The fault of plies that go against what an agent plays; None where they do not."""
        cells = self._differing(board)
        if self.awaiting == "agent":
            agent = self.agents[self.game.to_move(self.position)]
            return Fault("not_your_turn", cells, f"It is {agent}'s turn. Put it back and wait for the move, please.")
        if self.awaiting == "carry_out" and best.moves[0] != self.agent_move:
            asked = phrases.spoken_move(self.game, self.position, self.agent_move)
            done = phrases.spoken_move(self.game, self.position, best.moves[0])
            return Fault("not_the_agents_move", cells, f"I asked for {asked}, but I see {done}. Please play {asked}.")
        after = best.positions[:-1]
        if any(self.agents[self.game.to_move(position)] is not None for position in after):
            return Fault(
                "not_your_turn", cells, "That is two moves; one of them is the agent's. Take the last one back."
            )
        return None

    def _unfinished(self, best: Explanation) -> list[Effect]:
        self.verdict = "unfinished"
        text = phrases.missing_steps(self.game, self.game.to_move(best.start), best.missing)
        if self.awaiting == "carry_out":
            asked = phrases.spoken_move(self.game, self.position, self.agent_move)
            text = f"The move is {asked}: it is not finished."
        cells = tuple(sorted({step.cell for step in best.missing[:1]}))
        announcement = self._announce("unfinished", text, board=best.board, cells=cells, urgent=True)
        return self._once("unfinished", best.board, announcement)

    def _takeback(self, best: Explanation) -> list[Effect]:
        self.verdict, self._said = "takeback", ()
        undone = self.ply - best.ply
        del self.history[best.ply + 1 :]
        del self.moves[best.ply :]
        self.agent_move = None
        what = "The last move is" if undone == 1 else f"{undone} moves are"
        text = f"{what} taken back. {self._whose_turn()}"
        return [TakeBack(best.ply), self._announce("takeback", text)]

    def _unexplained(self, event: MoveEvent) -> list[Effect]:
        differing = self._differing(event.board)
        doubtful = tuple(cell for cell in event.doubtful if cell in differing)
        if doubtful or not differing:
            self.verdict = "unclear"
            cells = doubtful or event.doubtful
            names = phrases.listed([self.game.cells[cell] for cell in cells])
            text = f"I cannot see {names} clearly." if cells else "I cannot read the board clearly."
            return self._once("unclear", event.board, self._announce("unclear", text, board=event.board, cells=cells))
        if len(differing) >= DESYNC_CELLS:
            self.verdict = "desync"
            where = phrases.listed(self._names(differing))
            text = f"The board is not as I know it: look at {where}."
            if self.ply == 0:
                text = f"To begin, set up the board as at the start: look at {where}."
            announcement = self._announce("desync", text, board=event.board, cells=differing, urgent=True)
            return self._once("desync", event.board, announcement)
        return self._illegal(self.game.fault(self.position, event.board), event.board)

    def _illegal(self, fault: Fault, board: str) -> list[Effect]:
        self.verdict = "illegal"
        announcement = self._announce(
            "illegal", fault.text, board=board, rule=fault.rule, cells=fault.cells, urgent=True
        )
        return self._once("illegal", board, announcement)

    def _ambiguous(self, event: MoveEvent) -> Announcement:
        self.verdict = "ambiguous"
        lines = [self._line(one) for one in event.explanations[:2]]
        text = f"I am not sure: was it {lines[0]} or {lines[1]}?"
        return self._announce("ambiguous", text, board=event.board, urgent=True)

    def _line(self, explanation: Explanation) -> str:
        if explanation.kind != "plies":
            return {"unchanged": "no move", "takeback": "a move taken back"}.get(explanation.kind, "half a move")
        words, position = [], explanation.start
        for move, successor in zip(explanation.moves, explanation.positions, strict=True):
            words.append(phrases.spoken_move(self.game, position, move))
            position = successor
        return ", then ".join(words)

    def _once(self, code: str, board: str, announcement: Announcement) -> list[Effect]:
        """The announcement, unless the same was said of the same board last."""
        if self._said == (code, board):
            return []
        self._said = (code, board)
        return [announcement]

    def _differing(self, board: str) -> tuple[int, ...]:
        believed = self.game.board(self.position)
        return tuple(cell for cell, (old, new) in enumerate(zip(believed, board, strict=True)) if old != new)

    def _names(self, cells: Sequence[int]) -> list[str]:
        return [self.game.cells[cell] for cell in cells]

    def _announce(self, code: Code, text: str, *, board: str = "", **rest: Any) -> Announcement:
        return Announcement(code, text, board or self.game.board(self.position), self.ply, **rest)
