"""The believed state of a game: its line of play, who must act, and what people and agents change by command."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from daemon.belief.belief import Belief
from daemon.belief.line import Line
from daemon.belief.missed import turned
from daemon.commands.strengths import known_as
from daemon.game.effects import Announcement, Code, Effect, Finish, Known, Rewrite, Verdict
from daemon.game.line_of_play import LineOfPlay, Ply, forced_passes, played, shares_pieces
from daemon.judging import phrases
from rules import EMPTY, AnyGame, Counts, DeadPieces, MoveError, Outcome, Side, Step
from wording import Sentence, Sentences, Term, sentence

WRONG_SIDE = sentence("If a move was counted for the wrong side, say so on the page, or type its number and side.")

MARK_DEAD = (
    sentence("Mark what counts as captured as it stands, or no longer; then agree."),
    sentence("Whoever does not agree takes the pass back, and plays on."),
)


class Play:
    """One game. `agents` names the agent of each side, None for a person.

    `in_photos`: the board is seen in single pictures, so that there may be moves between any two that no picture shows.
    """

    def __init__(
        self,
        game: AnyGame,
        agents: tuple[str | None, str | None] = (None, None),
        history: Sequence[Any] = (),
        moves: Sequence[str] = (),
        known: Sequence[Known] = (),
        assumed: Sequence[bool] = (),
        *,
        in_photos: bool = False,
    ) -> None:
        self.game = game
        self.agents = agents
        self.line = LineOfPlay.of(game, history or [game.initial()], moves, known, assumed)
        self.agent_move: Any = None
        """The agent's answer that waits to be carried out on the board."""
        self.verdict: Verdict = "start"
        self.fault_cells: tuple[int, ...] = ()
        """Cells that must be put right according to the last verdict."""
        self.to_clear = False
        """Whether the board of another game must first be set up for this one: nothing on it is a move."""
        self.declared: Outcome | None = None
        """An end that the board does not show."""
        self._agreed: tuple[Any, frozenset[Side]] = None, frozenset()
        self.in_photos = in_photos
        self._belief = Belief.at(game, history[0] if history else None, self.line.plies, in_photos=in_photos)
        """What may be true of the board; what people said is told to it by `belief`."""
        self._checked = bool(self.line.plies)
        """Whether people have been told what to look at before the first move."""
        self._before_pause: Verdict | None = None
        self._strange = False
        """Whether two boards in a row were another position: reminders tell of the next."""
        self.loss_announced = False
        """Whether the last report was that the board is out of sight."""
        self._prompt: Announcement | None = None
        """The last request to a player that has not been fulfilled."""

    @property
    def belief(self) -> Belief:
        """What may be true of the board, after all that people and agents said."""
        if not self._belief.tells(self.line):
            self._belief = self._belief.telling(self.line)
        agents = frozenset(side for side, agent in ((0, self.agents[0]), (1, self.agents[1])) if agent is not None)
        asked = None if self.agent_move is None else (self.position, self.agent_move)
        return self._belief.expecting(agents, asked)

    @property
    def to_put_back(self) -> bool:
        """Whether hands have still to put back what was taken back by word."""
        return self.to_clear or (self._belief.to_put_back and self.belief.to_put_back)

    @property
    def history(self) -> list[Any]:
        return self.line.positions

    @property
    def moves(self) -> list[str]:
        return [ply.text for ply in self.line.plies]

    @property
    def last_steps(self) -> tuple[Step, ...]:
        """The steps of the last ply that changed the board; empty before the first."""
        seen = self.line.seen
        return self.line.steps(seen[-1]) if seen else ()

    @property
    def position(self) -> Any:
        return self.line.position

    @property
    def ply(self) -> int:
        return len(self.line.plies)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, on the board or by declaration; None while it continues."""
        return self.declared or self.game.outcome(self.position)

    @property
    def agreed(self) -> frozenset[Side]:
        """The sides that agree to how the game is counted as it stands now."""
        return self._agreed[1] if self._agreed[0] == self.position else frozenset()

    def recounted(self, cell: int) -> Any:
        """The move that ended the game, with the pieces around a cell counted otherwise; None where none can be."""
        if self.outcome is None or self.declared is not None or not self.line.plies:
            return None
        return DeadPieces.of(self.game).counted(self.line.before(self.ply - 1), self.line.plies[-1].move, cell)

    @property
    def is_counted(self) -> bool:
        """Whether the game is over, and people may say which pieces count as captured as they stand."""
        board = self.game.board(self.position)
        return any(self.recounted(cell) is not None for cell, letter in enumerate(board) if letter != EMPTY)

    def agree(self, sides: Iterable[Side]) -> None:
        self._agreed = self.position, self.agreed | frozenset(sides)

    @property
    def paused(self) -> bool:
        """Whether nothing on the board counts at present."""
        return self._before_pause is not None

    @property
    def awaiting(self) -> Literal["move", "agent", "carry_out", "nothing"]:
        """What must happen next, as in the state message; `nothing` also in a pause and until pieces are put back."""
        if self.outcome is not None or self.paused or self.to_put_back:
            return "nothing"
        if self.agents[self.game.to_move(self.position)] is None:
            return "move"
        return "agent" if self.agent_move is None else "carry_out"

    @property
    def agent_move_text(self) -> str | None:
        return None if self.agent_move is None else self.game.format_move(self.position, self.agent_move)

    def reply(self, agent: str, ply: int, text: str) -> list[Effect]:
        """Takes an agent's answer for the position after `ply` plies; a late one is ignored, an illegal one refused."""
        if self.awaiting != "agent" or ply != self.ply or agent != self.agents[self.game.to_move(self.position)]:
            return []
        try:
            self.agent_move = self.game.parse_move(self.position, text)
        except MoveError as why:
            said = sentence("{agent} answered {answer}: {why}.", agent=known_as(agent), answer=repr(text), why=why.said)
            return [self.announce("refused_reply", said, rule=why.rule)]
        self.forget_said()
        if not self.game.steps(self.position, self.agent_move):  # a pass: nobody has to carry it out
            made = self.make(played(self.game, self.position, self.agent_move))
            return [*made, *self.pass_if_forced()]
        words = phrases.spoken_move(self.game, self.position, self.agent_move)
        said = sentence("{side:Nom} plays {move}.", side=self._mover(), move=words)
        return [self.announce("agent_move", said, move=self.agent_move_text, urgent=True)]

    def rewritten(self, other: LineOfPlay) -> Rewrite:
        """Believes another line of play. Returns its entry for the record."""
        return self.line.rewrite(self.line.become(other), self.outcome)

    def recall(self, text: str) -> None:
        """Restores an agent's move that was announced before a restart; an empty or unplayable text is ignored."""
        if self.awaiting == "agent" and text:
            with contextlib.suppress(MoveError):
                self.agent_move = self.game.parse_move(self.position, text)

    def forget_answer(self) -> None:
        """Drops the agent's answer, which was given for another position."""
        self.agent_move = None
        self.forget_said()

    def declare(self, outcome: Outcome) -> list[Effect]:
        """Ends the game by what the board does not show, such as `resigned` or `time`; no effects if it is over."""
        if self.outcome is not None:
            return []
        self.forget_answer()
        self._before_pause, self.declared = None, outcome
        return [Finish(outcome), self.announce_end(outcome)]

    def revoke(self) -> list[Effect]:
        """Withdraws the declared end: the game continues."""
        self.declared, self.verdict = None, "unchanged"
        self.say_again()
        return [Rewrite(self.ply, (), None)]

    def pause(self) -> None:
        """Pauses the game: nothing on the board counts until `go_on`."""
        if not self.paused:
            self._before_pause, self.verdict = self.verdict, "paused"

    def go_on(self) -> None:
        """Ends the pause: restores the verdict before it, and lets announcements be repeated."""
        if self._before_pause is not None:
            self.verdict, self._before_pause = self._before_pause, None
            self.say_again()

    @property
    def asked(self) -> Sentences:
        """What a player still has to put right or to finish; empty if nothing is."""
        return () if self._prompt is None else self._prompt.said

    @property
    def offered(self) -> tuple[Any, ...]:
        """The board in view as positions from which people may play on, one for each side that may be to move."""
        return () if self._prompt is None or self.paused else self._prompt.positions

    def remind(self) -> list[Effect]:
        """Repeats what a player still has to do; no effects if nothing is asked of anybody."""
        if self.paused or self.outcome is not None:
            return []
        if self._prompt is not None:
            return [dataclasses.replace(self._prompt, code="reminder")]
        if self.awaiting == "carry_out":
            return [self.announce("reminder", self.whose_turn(), urgent=True)]
        return []

    def believe(self, lines: Sequence[Line] = ()) -> None:
        """Treats the board in view as the believed one, because somebody said so; `lines` may have led to it."""
        self.verdict, self._prompt, self.fault_cells = "legal", None, ()
        self.to_clear = False
        self._belief = self._belief.telling(self.line, lines)

    def stands(self, board: str) -> None:
        """From that board hands have still to put back what was taken back."""
        self._belief = self._belief.telling(self.line, stands=board)

    def forget_said(self) -> None:
        """Forgets what was asked of people, which belonged to another position."""
        self._prompt = None
        self.say_again()

    def say_again(self) -> None:
        """Lets the next reading be announced even if the same was said before."""
        self._belief = self._belief.forgiving

    def next_turn(self) -> Sentences:
        """Whose turn it is, in two or three words; empty when the game is over."""
        if self.outcome is not None:
            return ()
        side, plies = self.game.to_move(self.position), self.line.plies
        goes_on = bool(plies) and plies[-1].side == side
        if self.is_yours:
            return (sentence("Go on, or pass.") if goes_on else sentence("Your move."),)
        who = phrases.named(self.game, side)
        if goes_on:
            return (sentence("{side:Nom} may go on or pass.", side=who),)
        return (sentence("{side:Gen}'s turn.", side=who),)

    def whose_turn(self) -> Sentence:
        """Whose turn it is, in a sentence; what to play if an agent's move waits."""
        if self.outcome is not None:
            return sentence("It is over.")
        if self.ply == 0 and len(self.game.starts) > 1 and self.position in self.game.starts:
            return sentence("Whoever moves first begins.")
        if self.awaiting == "carry_out":
            words = phrases.spoken_move(self.game, self.position, self.agent_move)
            return sentence("Please play {move} for {side:gen}.", move=words, side=self._mover())
        if self.is_yours:
            return sentence("Your move.")
        return sentence("It is {side:gen}'s turn.", side=self._mover())

    @property
    def is_yours(self) -> bool:
        """Whether the only person is to move."""
        return self.awaiting == "move" and self.agents[1 - self.game.to_move(self.position)] is not None

    def _mover(self) -> Term:
        return phrases.named(self.game, self.game.to_move(self.position))

    def pass_if_forced(self) -> list[Effect]:
        """Passes for the side to move while it can do nothing else, without anybody having to say so."""
        passes = [] if self.agent_move is not None else forced_passes(self.game, self.position)
        return [effect for ply in passes for effect in self.make(ply)]

    def make(self, ply: Ply, *, goes_on: bool = False, order_assumed: bool = False) -> list[Effect]:
        """Adds a legal ply to the line. `goes_on` leaves points and turn to the announcement of the next one."""
        before, carried_out = self.position, self.agent_move is not None
        again = bool(self.line.plies) and self.line.plies[-1].side == self.game.to_move(before)
        self.agent_move = None
        self.line.add(dataclasses.replace(ply, known="agent") if carried_out else ply)
        said = [*phrases.ply_sentences(self.game, before, ply.move, thanks=carried_out, again=again)]
        said += phrases.opening_left(self.game, before, ply.position)
        if order_assumed:
            said.append(sentence("They came together, so I assume their order."))
        if not goes_on and Counts.of(self.game).scores(ply.position) is not None:
            said += [*phrases.totals(self.game, ply.position), *self.next_turn()]
        return [*self._recorded(*said), *self.end()]

    def _recorded(self, *said: Sentence) -> list[Effect]:
        ply = self.line.plies[-1]
        code: Code = "move" if ply.seen else "pass"
        gains = Counts.of(self.game).gains(self.line.before(self.ply - 1), ply.move)
        return [self.line.record(self.ply - 1), self.announce(code, *said, move=ply.text, side=ply.side, gains=gains)]

    def caught_up(self, plies: Sequence[Ply]) -> list[Effect]:
        """Believes plies that nobody saw, as one way to a board."""
        effects: list[Effect] = []
        for ply in plies:
            self.line.add(dataclasses.replace(ply, assumed=True))
            effects += self._recorded()
        self.forget_answer()
        self.verdict = "legal"
        moves = phrases.listed([ply.text for ply in self.line.plies[-len(plies) :] if ply.seen])
        said = sentence("I missed some moves. I take it that they were: {moves}.", moves=moves)
        return [*effects, self.announce("assumed", said), *self.end()]

    def end(self) -> list[Effect]:
        """Effects of the game's end; none while it continues."""
        if (outcome := self.outcome) is None:
            return []
        return [Finish(outcome), self.announce_end(outcome)]

    def announce_end(self, outcome: Outcome) -> Announcement:
        """The announcement of the end; tells how to correct it if the maker of the last move is assumed."""
        said = phrases.result(self.game, outcome)
        if self.agents == (None, None) and self._is_assumed(outcome):
            said = *said, WRONG_SIDE
        if None in self.agents and self.is_counted:
            dead = phrases.named_cells(self.game, DeadPieces.of(self.game).dead(self.position))
            if dead:
                said = *said, phrases.captured(len(dead), dead)
            said = *said, *MARK_DEAD
        return self.announce("game_over", *said, rule=outcome.reason, urgent=True)

    def _is_assumed(self, outcome: Outcome) -> bool:
        """Whether the game would continue or end otherwise if the other side made the last move, as may be the case."""
        last = self.line.plies[-1] if self.line.plies else None
        if self.declared is not None or last is None or not last.seen or not shares_pieces(self.game):
            return False
        other = turned(self.line, len(self.line.seen))
        return other is not None and self.game.outcome(other.position) != outcome

    def announce(self, code: Code, *said: Sentence, board: str = "", **rest: Any) -> Announcement:
        scores = Counts.of(self.game).scores(self.position)
        return Announcement(code, said, board or self.game.board(self.position), self.ply, scores=scores, **rest)
