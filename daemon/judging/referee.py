"""The referee: a pure state machine. Explained readings and agents' answers go in, effects come out.

It knows no clock, socket, picture or thread, so that a match in a test is a list of events. What it believes is a
line of positions from the start; only a reading that a legal move explains ever lengthens it.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

import games
from daemon.judging import complaints
from daemon.judging.complaints import Complaint
from daemon.judging.effects import Announcement, Code, Effect, Finish, Known, Rewrite, TakeBack, Verdict
from daemon.judging.explain import explain
from daemon.judging.explanation import Explanation, MoveEvent
from daemon.judging.line import LineOfPlay
from daemon.judging.other_lines import MOST_UNDONE, OtherLine, Together
from daemon.speaking import phrases
from games import AnyGame, MoveError, Outcome, Side, Step

MISREAD = "If I misread the last move, tell me to adopt the board."
MOST_TOLD = 3
"""As many of the last moves are named when a line turns out to have been right."""
MOST_FORCED = 4
"""As many passes in a row are made without asking."""


@dataclasses.dataclass(frozen=True)
class Withdrawn:
    """Moves that were taken back by word and still stand on the board."""

    boards: frozenset[str]
    """The boards after each of them."""
    moves: frozenset[str]
    """Their texts."""
    strict: bool = False
    """Whether no other move may come in their place: the board of another game is to be set up for this one."""


class Referee:
    """Judges one game. `agents` names the agent of each side, None for a person."""

    def __init__(
        self,
        game: AnyGame,
        agents: tuple[str | None, str | None] = (None, None),
        history: Sequence[Any] = (),
        moves: Sequence[str] = (),
        known: Sequence[Known] = (),
    ) -> None:
        self.game = game
        self.agents = agents
        self.line = LineOfPlay(game, history, moves, known)
        self.agent_move: Any = None
        """The agent's answer that waits to be carried out on the board."""
        self.verdict: Verdict = "start"
        """Code of the last verdict on a reading."""
        self.fault_cells: tuple[int, ...] = ()
        """Cells that must be put right, by the last verdict."""
        self.withdrawn: Withdrawn | None = None
        """What was taken back by word and is to be put back; None where the board may be judged as ever."""
        self._declared: Outcome | None = None
        self._undone: OtherLine | None = None
        """The line before moves were taken back on the board, until another is made."""
        self._open: tuple[OtherLine, ...] = ()
        """Between which lines the last board left the choice."""
        self._together: Together | None = None
        """The last plies that came in one look."""
        self._before_pause: Verdict | None = None
        self._said: tuple[object, ...] = ()
        self._prompt: Announcement | None = None
        """What a player was last asked to do and has not done."""

    @property
    def history(self) -> list[Any]:
        """The positions believed, from the start."""
        return self.line.positions

    @property
    def moves(self) -> list[str]:
        """The texts of the moves between them."""
        return [ply.text for ply in self.line.plies]

    @property
    def last_steps(self) -> tuple[Step, ...]:
        """What the hand did for the last ply that changed the board; empty before the first."""
        seen = self.line.seen
        return self.line.steps(seen[-1]) if seen else ()

    @property
    def position(self) -> Any:
        """The last position believed."""
        return self.line.position

    @property
    def ply(self) -> int:
        """Plies made so far."""
        return len(self.history) - 1

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, on the board or by what was declared; None while it goes on."""
        return self._declared or self.game.outcome(self.position)

    @property
    def declared(self) -> Outcome | None:
        """An end that the board does not show; None where there is none."""
        return self._declared

    @property
    def paused(self) -> bool:
        """Whether nothing on the board counts at present."""
        return self._before_pause is not None

    @property
    def awaiting(self) -> Literal["move", "agent", "carry_out", "nothing"]:
        """What must happen next, as in the state message; nothing also in a pause, and until men are put back."""
        if self.outcome is not None or self.paused or self.withdrawn is not None:
            return "nothing"
        if self.agents[self.game.to_move(self.position)] is None:
            return "move"
        return "agent" if self.agent_move is None else "carry_out"

    @property
    def agent_move_text(self) -> str | None:
        """Text of the agent's move that waits to be carried out."""
        return None if self.agent_move is None else self.game.format_move(self.position, self.agent_move)

    def see(self, event: MoveEvent, movers: Sequence[Side] = ()) -> list[Effect]:
        """Judges a settled reading. The same verdict on the same board is announced once.

        `movers` are the sides that made the last plies, where they are known, as in `explain`.
        """
        if self.paused:
            return []
        effects = self._judge(event, movers)
        told = [effect for effect in effects if isinstance(effect, Announcement)]
        if told:
            self.fault_cells = told[-1].cells
        elif self.verdict in ("unchanged", "legal"):
            self.fault_cells = ()
        if self.verdict in ("unchanged", "legal", "takeback", "over"):
            self._prompt = None
        return effects

    def _judge(self, event: MoveEvent, movers: Sequence[Side]) -> list[Effect]:
        best = event.explanations[0] if event.explanations else None
        if self.outcome is not None and not self._concerns_the_end(best):
            # The board is being cleared: nothing to complain of.
            self.verdict = "over"
            return []
        if effects := self._other_line(event, movers):
            return effects
        if self.withdrawn is not None and not self._is_put_back(self.withdrawn, event):
            return self._complain(complaints.not_to_put_back(self.game, self.position, event), event.board)
        if best is None:
            asked, begun = self.agent_move, self.ply > 0
            complaint = complaints.unexplained(self.game, self.position, event, begun=begun, asked=asked)
            if complaint.verdict == "illegal" and self._said != ("illegal", event.board):
                complaint = self._doubting(complaint, event)
            return self._complain(complaint, event.board)
        if event.ambiguous:
            self._open = tuple(OtherLine.after(self.line, way) for way in (best, *event.rivals))
            return self._once("ambiguous", event.board, self._ambiguous(event))
        self._open = ()
        match best.kind:
            case "unchanged":
                return self._unchanged(event)
            case "plies":
                return self._plies(best, event, movers)
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
            return [self.announce("refused_reply", f"{agent} answered {text!r}: {error}", rule=error.rule)]
        self._said, self._prompt = (), None
        if not self.game.steps(self.position, self.agent_move):  # a pass: nobody has to carry it out
            return [
                *self.make(self.agent_move, self.game.apply(self.position, self.agent_move)),
                *self.pass_if_forced(),
            ]
        words = phrases.spoken_move(self.game, self.position, self.agent_move)
        side = self.game.sides[self.game.to_move(self.position)]
        move = self.game.format_move(self.position, self.agent_move)
        return [self.announce("agent_move", f"{side.capitalize()} plays {words}.", move=move, urgent=True)]

    def recall(self, text: str) -> None:
        """Takes up an agent's move that was announced before a restart; an empty or unplayable text is none."""
        if self.awaiting == "agent" and text:
            with contextlib.suppress(MoveError):
                self.agent_move = self.game.parse_move(self.position, text)

    def forget_answer(self) -> None:
        """The agent's answer no longer counts: it was given for another position."""
        self.agent_move, self._said, self._prompt = None, (), None

    def withdraw(self, ply: int) -> Announcement | None:
        """Takes the plies after `ply` back by word, and asks for the men to be put back; None where none need be."""
        stale = self.history[ply + 1 :]
        before, after = self.game.board(self.history[ply]), self.game.board(self.position)
        moves = {one.text for one in self.line.plies[ply:] if one.seen}
        boards = {self.game.board(position) for position in stale} | (
            self.withdrawn.boards if self.withdrawn else set()
        )
        moves |= self.withdrawn.moves if self.withdrawn else set()
        self.line.cut(ply)
        self.forget_answer()
        self._undone = None
        if not moves:
            return None
        self.withdrawn = Withdrawn(frozenset(boards - {before}), frozenset(moves))
        self.verdict, self._said = "put_back", ("put_back", after)
        cells = games.changed_cells(before, after)
        text = phrases.put_right(self.game, before, after)
        self._prompt = self.announce("put_back", text, board=after, cells=cells, urgent=True)
        self.fault_cells = cells
        return self._prompt

    def declare(self, outcome: Outcome) -> list[Effect]:
        """Ends the game by what the board does not show, such as `resigned` or `time`; nothing where it is over."""
        if self.outcome is not None:
            return []
        self.forget_answer()
        self.withdrawn, self._before_pause, self._declared = None, None, outcome
        return [Finish(outcome), self.told_end(outcome)]

    def revoke(self) -> list[Effect]:
        """The declared end was none: the game goes on."""
        self._declared, self._said, self.verdict = None, (), "unchanged"
        return [Rewrite(self.ply, (), None)]

    def pause(self) -> None:
        """Nothing on the board counts until `go_on`."""
        if not self.paused:
            self._before_pause, self.verdict = self.verdict, "paused"

    def go_on(self) -> None:
        """Ends the pause. The verdict is the one before it, and what was said may be said again."""
        if self._before_pause is not None:
            self.verdict, self._before_pause, self._said = self._before_pause, None, ()

    def remind(self) -> list[Effect]:
        """Says again what a player has still to do; nothing where nothing is asked of anybody."""
        if self.paused or self.outcome is not None:
            return []
        if self._prompt is not None:
            return [dataclasses.replace(self._prompt, code="reminder")]
        if self.awaiting == "carry_out":
            return [self.announce("reminder", self.whose_turn(), urgent=True)]
        return []

    def believe(self) -> None:
        """The board in view is the one believed, because somebody said so."""
        self.verdict, self._said, self._prompt, self._undone = "legal", (), None, None
        self.fault_cells = ()

    def say_again(self) -> None:
        """Whatever the next reading brings is said, also where it was said before."""
        self._said = ()

    @property
    def lost_told(self) -> bool:
        """Whether it was told last that the board is out of sight."""
        return self._said[:1] == ("board_lost",)

    def lost(self, why: str = "") -> list[Effect]:
        """The board is out of sight; `why`, in sentences, where that is known."""
        text = f"I cannot see the whole board. {why}".rstrip()
        return self._once("board_lost", "", self.announce("board_lost", text, urgent=True))

    def found(self) -> list[Effect]:
        """The board is in sight again."""
        if not self.lost_told:
            return []
        self._said = ()
        return [self.announce("board_found", "I see the board again.")]

    def _concerns_the_end(self, best: Explanation | None) -> bool:
        """Whether a board seen after the end still belongs to the game: the last one, or its last moves undone."""
        if best is None or best.kind == "takeback":
            lately = best is not None and best.ply >= max(1, self.ply - MOST_UNDONE)
            return lately and self._declared is None  # whoever resigned takes no move back by lifting a man
        return best.kind == "unchanged"

    def _unchanged(self, event: MoveEvent) -> list[Effect]:
        before, self.verdict, self._said = self.verdict, "unchanged", ()
        self.withdrawn = None
        if before == "start":
            return [self.announce("start", f"I see the board, as the game stands. {self.whose_turn()}")]
        if before not in ("illegal", "desync", "put_back"):
            return []
        return [self.announce("resumed", f"The board is right again. {self.whose_turn()}")]

    def next_turn(self) -> str:
        """Whose turn it is, in two or three words; empty when the game is over."""
        if self.outcome is not None:
            return ""
        side = self.game.to_move(self.position)
        goes_on = bool(self.line.plies) and self.line.plies[-1].side == side
        return phrases.turn(self.game, side, goes_on=goes_on)

    def whose_turn(self) -> str:
        """Whose turn it is, in a sentence; what to play where an agent's move waits."""
        if self.outcome is not None:
            return "It is over."
        if self.ply == 0 and len(self.game.starts) > 1 and self.position in self.game.starts:
            return "Whoever moves first begins."
        if self.awaiting == "carry_out":
            side = self.game.sides[self.game.to_move(self.position)]
            return f"Please play {phrases.spoken_move(self.game, self.position, self.agent_move)} for {side}."
        return f"It is {self.game.sides[self.game.to_move(self.position)]}'s turn."

    def _plies(self, best: Explanation, event: MoveEvent, movers: Sequence[Side]) -> list[Effect]:
        fault = complaints.not_the_agents(self.game, self.position, self.agents, self.agent_move, best, event.board)
        if fault is not None:
            return self._complain(Complaint("illegal", fault.text, fault.cells, fault.rule), event.board)
        if self.ply == 0:
            self.history[0] = best.start
        effects: list[Effect] = []
        last, begun = len(best.moves) - 1, self.ply
        for number, (move, position) in enumerate(zip(best.moves, best.positions, strict=True)):
            side = self.game.to_move(self.position)
            known: Known = "seat" if number == last and movers and movers[-1] == side else ""
            assumed = number == last and event.order_assumed
            effects += self.make(move, position, known, goes_on=number < last, order_assumed=assumed)
        self.verdict, self._said = "legal", ()
        self.withdrawn = self._undone = None
        if best.seen > 1:
            self._together = Together(begun, tuple(one.text for one in self.line.plies[begun:] if one.seen))
        return [*effects, *self.pass_if_forced()]

    def pass_if_forced(self) -> list[Effect]:
        """Passes for the side to move while it can do nothing else: nobody has to say it."""
        effects: list[Effect] = []
        for _ in range(MOST_FORCED):
            moves = [] if self.agent_move is not None else self.game.legal_moves(self.position)
            if len(moves) != 1 or self.game.steps(self.position, moves[0]):
                break
            effects += self.make(moves[0], self.game.apply(self.position, moves[0]))
        return effects

    def make(
        self, move: Any, position: Any, known: Known = "", *, goes_on: bool = False, order_assumed: bool = False
    ) -> list[Effect]:
        """Adds a legal ply to the line. `goes_on` leaves points and turn to be told after the next one."""
        before, carried_out = self.position, self.agent_move is not None
        again = bool(self.line.plies) and self.line.plies[-1].side == self.game.to_move(before)
        self.agent_move = None
        ply = self.line.add(move, position, "agent" if carried_out else known)
        sentences = [phrases.told_ply(self.game, before, move, thanks=carried_out, again=again)]
        if order_assumed:
            sentences.append(phrases.ORDER_ASSUMED)
        if not goes_on and self.game.scores(position) is not None:
            sentences += [phrases.totals(self.game, position), self.next_turn()]
        announcement = self.announce(
            "move" if ply.seen else "pass",
            " ".join(filter(None, sentences)),
            move=ply.text,
            side=ply.side,
            gains=self.game.gains(before, move),
        )
        return [self.line.record(self.ply - 1), announcement, *self.end()]

    def end(self) -> list[Effect]:
        """How the game ended; nothing while it goes on."""
        if (outcome := self.outcome) is None:
            return []
        return [Finish(outcome), self.told_end(outcome)]

    def told_end(self, outcome: Outcome) -> Announcement:
        """The announcement of the end."""
        return self.announce("game_over", phrases.result(self.game, outcome), rule=outcome.reason, urgent=True)

    def _unfinished(self, best: Explanation) -> list[Effect]:
        self.verdict = "unfinished"
        text = phrases.missing_steps(self.game, best.start, best.moves[0], best.missing)
        if self.awaiting == "carry_out":
            asked = phrases.spoken_move(self.game, self.position, self.agent_move)
            text = f"The move is {asked}: it is not finished."
        cells = phrases.cells_of_unfinished(self.game, best.start, best.moves[0], best.missing)
        announcement = self.announce("unfinished", text, board=best.board, cells=cells, urgent=True)
        return self._once("unfinished", best.board, announcement)

    def _takeback(self, best: Explanation) -> list[Effect]:
        self.verdict, self._said, self.withdrawn = "takeback", (), None
        ply = best.ply
        while self.line.plies[ply].known == "said" and not self.line.plies[ply].seen:
            ply += 1  # a pass that was announced stands, whatever became of the move after it
        undone = sum(one.seen for one in self.line.plies[ply:])
        if self._undone is None or not self._undone.continues(self.line):
            self._undone = OtherLine.of(self.line, self.outcome)
        self.line.cut(ply)
        self.agent_move = None
        remade: list[Effect] = []
        for move, position in zip(best.moves, best.positions, strict=True):
            undone -= self.line.add(move, position).seen  # they came together, and in another order than was assumed
            remade.append(self.line.record(self.ply - 1))
        what = "The last move is" if undone == 1 else f"{undone} moves are"
        text = " ".join(
            filter(None, [f"{what} taken back.", phrases.totals(self.game, self.position), self.whose_turn()])
        )
        return [TakeBack(ply), *remade, self.announce("takeback", text), *self.pass_if_forced()]

    def _is_put_back(self, withdrawn: Withdrawn, event: MoveEvent) -> bool:
        """Whether a board may be judged as ever: the men are back, or another move was made in their place."""
        best = event.explanations[0] if event.explanations else None
        if best is None or event.ambiguous:
            return False
        if withdrawn.strict:
            return best.kind == "unchanged"
        if best.kind == "plies":
            others = best.board not in withdrawn.boards and best.seen == 1
            text = self.game.format_move(best.start, best.moves[0])
            return others and len(best.moves) == 1 and text not in withdrawn.moves
        return best.kind in ("unchanged", "takeback")

    def _other_line(self, event: MoveEvent, movers: Sequence[Side]) -> list[Effect]:
        """What follows where another line than the one believed was right after all; nothing where none was."""
        best, undone = event.explanations[0] if event.explanations else None, self._undone
        if undone is not None and undone.is_being_cleared(best, event.board):
            return self._end_again(undone)
        if best is not None or event.doubtful or self.withdrawn is not None:
            return []
        if undone is not None and (ply := undone.again(self.line, event.board)):
            return self._take_over(undone, ply)
        others = (*((undone,) if undone is not None else ()), *self._open)
        if self._together is not None and (lifted := self._together.lifted(self.line, event)) is not None:
            return self._takeback(lifted)
        ways = [(other, way) for other in others if (way := other.explains(self.line, event)) is not None]
        if len(ways) != 1:
            return []
        other, (ply, again) = ways[0]
        effects = self._take_over(other, ply)
        return [*effects, *self._judge(again, movers)]

    def _end_again(self, undone: OtherLine) -> list[Effect]:
        """The board of a finished game was only being cleared: the moves undone by that count again."""
        assert undone.outcome is not None
        effects = undone.take_over(self.line, len(undone.plies))
        self.forget_answer()
        self._undone, self.verdict = None, "over"
        text = f"The board is being cleared. {phrases.result(self.game, undone.outcome)}"
        return [*effects, self.announce("cleared", text)]

    def _take_over(self, other: OtherLine, ply: int) -> list[Effect]:
        """Believes the first plies of another line, which a board has shown to be right."""
        effects = other.take_over(self.line, ply)
        self.forget_answer()
        self._undone, self._open, self.verdict = None, (), "legal"
        if not effects:
            return []
        moves = phrases.listed_briefly([one.text for one in self.line.plies[-MOST_TOLD:] if one.seen])
        what = phrases.result(self.game, other.outcome) if self.outcome is not None and other.outcome else ""
        text = " ".join(filter(None, [f"I see now how it went: {moves}.", what or self.whose_turn()]))
        return [*effects, self.announce("restored", text)]

    def _doubting(self, complaint: Complaint, event: MoveEvent) -> Complaint:
        """The complaint, and what to do if the last move was believed wrongly: another in its place explains all."""
        last = self.line.seen[-1] if self.line.seen else None
        if last is None or self.line.plies[last].known == "agent":
            return complaint
        other = explain(self.game, self.history[: last + 1], event.reading)
        if other.ambiguous or not other.explanations or other.explanations[0].kind != "plies":
            return complaint
        if other.explanations[0].seen != 1:
            return complaint
        return dataclasses.replace(complaint, text=f"{complaint.text} {MISREAD}")

    def _complain(self, complaint: Complaint, board: str) -> list[Effect]:
        """Says what is wrong; not again while hands set many men right, one after the other."""
        before, self.verdict = self.verdict, complaint.verdict
        announcement = self.announce(
            complaint.verdict,
            complaint.text,
            board=board,
            rule=complaint.rule,
            cells=complaint.cells,
            urgent=complaint.verdict != "unclear",
        )
        many = before == "desync" or (before == "put_back" and self.withdrawn is not None and self.withdrawn.strict)
        if many and before == complaint.verdict and set(complaint.cells) < set(self.fault_cells):
            self._said, self._prompt, self.fault_cells = (complaint.verdict, board), announcement, complaint.cells
            return []
        return self._once(complaint.verdict, board, announcement)

    def _ambiguous(self, event: MoveEvent) -> Announcement:
        self.verdict = "ambiguous"
        lines = [self._line(one) for one in (event.explanations[0], event.rival) if one is not None]
        text = f"I am not sure: was it {lines[0]} or {lines[1]}?"
        return self.announce("ambiguous", text, board=event.board, urgent=True)

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
        if announcement.urgent and code not in ("board_lost", "ambiguous"):
            self._prompt = announcement
        if self._said == (code, board):
            return []
        self._said = (code, board)
        return [announcement]

    def announce(self, code: Code, text: str, *, board: str = "", **rest: Any) -> Announcement:
        """An announcement about the present position, or about another board."""
        scores = self.game.scores(self.position)
        return Announcement(code, text, board or self.game.board(self.position), self.ply, scores=scores, **rest)
