"""The referee: a pure state machine. Explained readings and agents' answers go in, effects come out.

It uses no clock, socket, image or thread, so in a test a match is a list of events. Its belief is a line of positions
from the start; only a reading that a legal move explains ever extends it.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Sequence

from daemon.game.effects import Announcement, Code, Effect, Known, TakeBack
from daemon.interpret.explain import explain
from daemon.interpret.explanation import RIVAL_NATS, Explanation, Kind, MoveEvent
from daemon.judging import choices, complaints, exchanged, phrases, reopening
from daemon.judging.complaints import Complaint
from daemon.judging.other_lines import MAX_UNDONE, OtherLine, Together, longer_takebacks, next_moves
from daemon.judging.play import Play, Withdrawn
from rules import EMPTY, Fault, Side
from rules.turns import changed_cells
from wording import Sentence, Sentences, Value, sentence, sentence_n

MAX_OPEN = 8
"""Greatest number of ways left open by a doubtful board that are kept: each costs the next reading up to a tenth of a
second."""
MAX_STRANGE = 1
"""Number of further boards in a row, all another position, that are complained of; after that reminders do it."""
MAX_TOLD = 3
"""Number of last moves that are named when a line turns out to have been right."""


class Referee(Play):
    """Judges the readings of one game."""

    def see(self, event: MoveEvent, movers: Sequence[Side] = (), *, watched: bool = True) -> list[Effect]:
        """Judges a settled reading. The same verdict on the same board is announced once.

        `movers` are the sides that made the last plies, if known, as in `explain`. `watched` is whether the board was
        in view before these were made.
        """
        if self.paused:
            return []
        self.exchange, begun = None, self.ply
        effects = self._judge(choices.as_asked(self.game, self.position, self.agent_move, event), movers)
        self._glimpsed = None
        if self.ply > begun and not watched and not self.in_photos:
            effects += self._played_unwatched(begun)
        announcements = [effect for effect in effects if isinstance(effect, Announcement)]
        if announcements:
            self.fault_cells = announcements[-1].cells
        elif self.verdict in ("unchanged", "legal"):
            self.fault_cells = ()
        if self.verdict in ("unchanged", "legal", "takeback", "over"):
            self._prompt = None
        return effects

    def glimpse(self, event: MoveEvent) -> None:
        """Remembers a board that must stay for a while before it is believed; it may be covered before that."""
        self._glimpsed = choices.as_asked(self.game, self.position, self.agent_move, event)

    def bears_out(self, event: MoveEvent) -> bool:
        """Whether a reading continues from a board that was only glimpsed, which makes both clear."""
        return self._after_glimpse(event) is not None

    def _after_glimpse(self, event: MoveEvent) -> tuple[OtherLine, tuple[int, MoveEvent]] | None:
        """The line through the glimpsed board on which a single ply explains a reading; None if there is none.

        At equal cost it is preferred to several plies at once that never showed the glimpsed board.
        """
        glimpsed = self._glimpsed
        in_play = self.outcome is None and self.withdrawn is None and not self.paused
        if glimpsed is None or not in_play or glimpsed.board == event.board or not glimpsed.explanations:
            return None
        best = event.explanations[0] if event.explanations else None
        if best is not None and best.kind != "plies":
            return None
        most, found = math.inf if best is None else best.cost, []
        for way in (glimpsed.explanations[0], *glimpsed.rivals):
            if way.kind not in ("plies", "takeback") or self._agents_fault(way) is not None:
                continue
            other = OtherLine.after(self.line, way)
            again = other.explains(self.line, event)
            if again is not None and again[0] == len(other.plies) and again[1].explanations[0].kind == "plies":
                found.append((way.cost + again[1].explanations[0].cost, other, again))
        found.sort(key=lambda one: one[0])
        if not found or found[0][0] > most or found[0][2][1].explanations[0].seen > 1:
            return None
        near = [(other, again) for cost, other, again in found if cost < found[0][0] + RIVAL_NATS]
        return near[0] if len(near) == 1 or self._alike(near) else None

    def _judge(self, event: MoveEvent, movers: Sequence[Side]) -> list[Effect]:
        best = event.explanations[0] if event.explanations else None
        if self.outcome is not None and not self._concerns_the_end(best):
            return self._after_the_end(event, movers)
        if (effects := self._other_line(event, movers)) is not None:
            return effects
        if self.withdrawn is not None and not self._is_put_back(self.withdrawn, event):
            return self._complain(complaints.not_to_put_back(self.game, self.position, event), event.board)
        if best is None and (effects := self._borne_out(event, movers)) is not None:
            return effects
        if best is None:
            gone_on = self._gone_on(event, movers)
            return self._complain(self._strange_board(event), event.board) if gone_on is None else gone_on
        if event.ambiguous and best.kind == "unchanged" and all(one.kind == "unfinished" for one in event.rivals):
            # Nobody has to say whether a move was begun: it continues, or it does not.
            return [] if self.verdict in ("illegal", "desync", "unfinished") else self._unchanged(event)
        if event.ambiguous:
            ways = [way for way in (best, *event.rivals) if way.kind != "plies" or self._agents_fault(way) is None]
            if len(ways) != 1:
                # Too many ways make a reading worthless, and keeping only a few of them could leave out the right one.
                self._open = tuple(OtherLine.after(self.line, way) for way in ways) if len(ways) <= MAX_OPEN else ()
                return self._once("ambiguous", event.board, self._ambiguous(event))
            best = ways[0]  # all others contradict an agent
        self._open = self._still_open(best, event)
        match best.kind:
            case "unchanged":
                return self._unchanged(event)
            case "plies":
                return self._plies(best, event, movers)
            case "unfinished":
                return self._unfinished(best, event)
            case "takeback":
                obeyed = self._obeyed(event)
                if obeyed is not None and obeyed.board == best.board:
                    return self._plies(obeyed, event, movers)  # what was asked for is likelier than what was not
                return self._takeback(best)

    @property
    def loss_announced(self) -> bool:
        """Whether the last report was that the board is out of sight."""
        return self._said[:1] == ("board_lost",)

    def lost(self, *why: Sentence) -> list[Effect]:
        """Reports that the board is out of sight, with the reason if known."""
        lost = self.announce("board_lost", sentence("I cannot see the whole board."), *why, urgent=True)
        return self._once("board_lost", "", lost)

    def found(self) -> list[Effect]:
        """Reports that the board is in sight again, if it was reported lost."""
        if not self.loss_announced:
            return []
        self._said = ()
        return [self.announce("board_found", sentence("I see the board again."))]

    def _played_unwatched(self, begun: int) -> list[Effect]:
        """Tells that the plies after the first `begun` were made unseen; not of the first man on an empty board."""
        moves = [ply.text for ply in self.line.plies[begun:] if ply.seen]
        if len(moves) == 1 and not self.game.board(self.history[begun]).strip(EMPTY):
            return []
        told = sentence("I take it that the game had begun already: {moves}.", moves=phrases.listed(moves))
        return [self.announce("assumed", told, sentence("If not, set up the board as at the start."))]

    def _concerns_the_end(self, best: Explanation | None) -> bool:
        """Whether a board seen after the end still belongs to the game: the last one, or its last moves undone."""
        if best is None or best.kind == "takeback":
            lately = best is not None and best.ply >= max(1, self.ply - MAX_UNDONE)
            return lately and self._declared is None  # after a resignation, lifting a piece takes no move back
        return best.kind == "unchanged"

    def _after_the_end(self, event: MoveEvent, movers: Sequence[Side]) -> list[Effect]:
        """Judges what is seen after the end: the board is being cleared, or the players simply go on."""
        self.verdict = "over"
        if self._declared is not None or self.withdrawn is not None:
            return []
        if (effects := self._borne_out(event, movers)) is not None:
            return effects
        # With an agent in play the makers of all moves are known.
        found = reopening.reopened(self.line, event, movers) if self.agents == (None, None) else None
        if found is None:
            return self._insist(event)
        ended = self.line.copy()
        self._undone, self._together, self._open = None, None, ()
        effects = [*reopening.take_up(self, found), *self._judge(found.event, movers)]
        self.ended = ended
        return effects

    def _borne_out(self, event: MoveEvent, movers: Sequence[Side]) -> list[Effect] | None:
        """Effects if a late ply proves to have been another one that the board could not tell from it; else None."""
        found = choices.borne_out(self.line, event) if self.withdrawn is None else None
        if found is None or self._goes_against_an_agent(found[2].explanations[0], found[2]):
            return None
        other, ply, again = found
        whole = len(other.plies) < len(self.line.plies)
        effects = other.take_over(self.line, ply) if whole else self._take_over(other, ply)
        return [*effects, *self._judge(again, movers)]

    def _insist(self, event: MoveEvent) -> list[Effect]:
        """Says once that the game is over although the players go on: all movers are known."""
        if self._insisted == self.position or reopening.reopened(self.line, event, (), known=False) is None:
            return []
        self._insisted = self.position
        return [reopening.insist(self)]

    def _end_after_all(self, why: Sentence, code: Code) -> list[Effect]:
        """Restores the line that had ended the game: the tile played after its end is gone."""
        assert self.ended is not None
        effects = reopening.end_again(self, self.ended)
        self.ended, self._undone, self._together, self._open, self.verdict = None, None, None, (), "over"
        assert self.outcome is not None
        return [*effects, self.announce(code, why, *phrases.result(self.game, self.outcome))]

    def _unchanged(self, event: MoveEvent) -> list[Effect]:
        before, self.verdict, self._said = self.verdict, "unchanged", ()
        check = () if self.seen else self._to_check()
        self.withdrawn, self.seen = None, True
        self._gaps.forget()
        if before == "start":
            return [self.announce("start", sentence("I see the board, as the game stands."), *check, self.whose_turn())]
        if not check and before not in ("illegal", "desync", "put_back"):
            return []
        return [self.announce("resumed", sentence("The board is right again."), *check, self.whose_turn())]

    def _to_check(self) -> Sentences:
        """What people are asked to look at before the first move, because no camera sees it."""
        game, position = self.game, self.position
        if self.ply:
            return ()
        if game.to_check and position in game.starts:
            return game.to_check
        if game.figures(position) == game.board(position):
            return ()
        return (sentence("I cannot tell the pieces apart: look that each stands as it is drawn on the page."),)

    def _plies(self, best: Explanation, event: MoveEvent, movers: Sequence[Side]) -> list[Effect]:
        fault = self._agents_fault(best, event.board)
        if fault is not None and (obeyed := self._obeyed(event)) is not None:
            best, fault = obeyed, None
        if fault is not None:
            if (back := _takeback_to(best.board, event)) is not None:
                return self._takeback(back)  # rather than a move that nobody asked for
            return self._complain(Complaint("illegal", fault.said, fault.cells, fault.rule), event.board)
        if self.ply == 0:
            self.history[0] = best.start
        effects: list[Effect] = []
        last, begun = len(best.moves) - 1, self.ply
        for number, (move, position) in enumerate(zip(best.moves, best.positions, strict=True)):
            side = self.game.to_move(self.position)
            assumed = number == last and event.order_assumed
            # If the order is assumed, the hand that was seen may have played any of the pieces.
            from_seat = number == last and not assumed and bool(movers) and movers[-1] == side
            known: Known = "seat" if from_seat else ""
            effects += self.make(move, position, known, goes_on=number < last, order_assumed=assumed)
        self.verdict, self._said = "legal", ()
        self.withdrawn = self._undone = self.ended = None
        if best.seen > 1:
            self._together = Together(begun, tuple(one.text for one in self.line.plies[begun:] if one.seen))
        return [*effects, *self.pass_if_forced()]

    def _obeyed(self, event: MoveEvent) -> Explanation | None:
        """The agent's move and the next one, if they explain the board as well as a move not asked for."""
        if self.agent_move is None:
            return None
        after = self.game.apply(self.position, self.agent_move)
        again = explain(self.game, [*self.history, after], event.reading)
        best = again.explanations[0] if again.explanations and not again.ambiguous else None
        if best is None or best.kind != "plies" or best.seen > 1:
            return None
        moves, positions = (self.agent_move, *best.moves), (after, *best.positions)
        return dataclasses.replace(best, start=self.position, moves=moves, positions=positions, seen=2)

    def _agents_fault(self, way: Explanation, board: str = "") -> Fault | None:
        """The fault of legal plies that contradict an agent's play; None if there is none."""
        asked = self.agent_move
        return complaints.not_the_agents(self.game, self.position, self.agents, asked, way, board or way.board)

    def _goes_against_an_agent(self, best: Explanation, event: MoveEvent) -> bool:
        """Whether what is seen can only be legal plies that contradict an agent's play."""
        return best.kind == "plies" and not event.ambiguous and self._agents_fault(best, event.board) is not None

    def _unfinished(self, best: Explanation, event: MoveEvent) -> list[Effect]:
        agent = self.agents[self.game.to_move(best.start)]
        if agent is not None and not self._is_begun(best):
            if (back := _takeback_to(best.board, event)) is not None:
                return self._takeback(back)
            complaint = complaints.another_begun(self.game, self.position, agent, self.agent_move, best.board)
            return self._complain(complaint, best.board)
        if not self.seen and complaints.lacks_pieces(self.game.board(self.position), best.board):
            return self._complain(self._strange_board(event), best.board)  # nobody has set them up yet
        self.verdict = "unfinished"
        said = phrases.missing_steps(self.game, best.start, best.moves[0], best.missing, best.board)
        if self.awaiting == "carry_out":
            asked = phrases.spoken_move(self.game, self.position, self.agent_move)
            said = sentence("The move is {move}: it is not finished.", move=asked)
        cells = phrases.cells_of_unfinished(self.game, best.start, best.moves[0], best.missing)
        announcement = self.announce("unfinished", said, board=best.board, cells=cells, urgent=True)
        return self._once("unfinished", best.board, announcement)

    def _is_begun(self, half: Explanation) -> bool:
        """Whether the steps done so far belong to the move that the agent asked for."""
        if self.agent_move is None:
            return False
        done = [step for step in self.game.steps(half.start, half.moves[0]) if step not in half.missing]
        asked = self.game.steps(self.position, self.agent_move)
        return all(step in asked for step in done)

    def _takeback(self, best: Explanation) -> list[Effect]:
        if reopening.is_withdrawn(self, best):
            return self._end_after_all(sentence("The last move is taken back."), "takeback")
        self.verdict, self._said, self.withdrawn = "takeback", (), None
        ply = best.ply
        while self.line.plies[ply].known == "said" and not self.line.plies[ply].seen:
            ply += 1  # an announced pass remains, whatever becomes of the move after it
        undone = sum(one.seen for one in self.line.plies[ply:])
        if self._undone is None or not self._undone.continues(self.line):
            self._undone = OtherLine.of(self.line, self.outcome)
        self._open = longer_takebacks(self.line, best)
        repeated = self._repeated(best)
        self.line.cut(ply)
        self.agent_move = None
        remade: list[Effect] = []
        for move, position in zip(best.moves, best.positions, strict=True):
            undone -= self.line.add(move, position).seen  # they came together, but not in the order that was assumed
            remade.append(self.line.record(self.ply - 1))
        what = sentence_n("The last move is taken back.", "{count} moves are taken back.", undone)
        said = (what, *phrases.totals(self.game, self.position), self.whose_turn(), *repeated)
        return [TakeBack(ply), *remade, self.announce("takeback", *said), *self.pass_if_forced()]

    def _repeated(self, best: Explanation) -> Sentences:
        """The rule that the board breaks if it was no takeback but a move, such as a ko retaken at once."""
        fault = self.game.fault(self.position, best.board) if self.game.repetitions else None
        if fault is None or fault.rule not in self.game.repetitions:
            return ()
        return sentence("If it was a move:"), *fault.said

    def _is_put_back(self, withdrawn: Withdrawn, event: MoveEvent) -> bool:
        """Whether a board may be judged as usual: the pieces are back, or another move was made instead."""
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

    def _other_line(self, event: MoveEvent, movers: Sequence[Side]) -> list[Effect] | None:
        """Effects if a line other than the believed one proves right; None if none does."""
        best, undone = event.explanations[0] if event.explanations else None, self._undone
        if self.ended is not None and OtherLine.ended(self.ended).is_being_cleared(best, event.board):
            return self._end_after_all(sentence("The board is being cleared."), "cleared")
        if undone is not None and undone.is_being_cleared(best, event.board):
            return self._end_again(undone)
        if self.withdrawn is not None:
            return None
        if (borne_out := self._after_glimpse(event)) is not None:
            other, (ply, again) = borne_out
            return [*self._take_over(other, ply), *self._judge(again, movers)]
        if self._open and (effects := self._settled_by(event, best, movers)) is not None:
            return effects
        if event.doubtful:
            return None
        allowed = best is not None and not self._goes_against_an_agent(best, event)
        if undone is not None and not allowed and (ply := undone.again(self.line, event.board)):
            return self._take_over(undone, ply)
        if (lifted := self._lifted(best, event)) is not None:
            return self._takeback(lifted)
        if best is not None:
            return None
        way = None if undone is None else undone.explains(self.line, event)
        if undone is None or way is None or way[1].explanations[0].seen > 1:
            return None  # moves undone, redone, and several more: one illegal move is likelier
        effects = self._take_over(undone, way[0])
        return [*effects, *self._judge(way[1], movers)]

    def _lifted(self, best: Explanation | None, event: MoveEvent) -> Explanation | None:
        """The takeback of part of what came together, if preferable to a longer one or to no explanation."""
        together = self._together
        if together is None or (best is not None and (best.kind != "takeback" or best.ply >= together.ply)):
            return None
        return together.lifted(self.line, event)

    def _settled_by(self, event: MoveEvent, best: Explanation | None, movers: Sequence[Side]) -> list[Effect] | None:
        """Effects if a reading continues one of the open lines, and better than `best` explains it; else None."""
        most = math.inf if best is None else best.cost - RIVAL_NATS
        ways = [(other, way) for other in self._open if (way := other.explains(self.line, event)) is not None]
        # Prefer one undoubted move to three unseen ones in a row.
        least = min((way[1].explanations[0].cost for _, way in ways), default=0.0)
        ways = [(other, way) for other, way in ways if way[1].explanations[0].cost <= min(most, least + RIVAL_NATS)]
        if len(ways) == 1 or (ways and self._alike(ways)):
            # Of ways to the same position take the cheapest, and of those the one that takes back least.
            other, (ply, again) = min(ways, key=lambda way: (way[1][1].explanations[0].cost, -len(way[0].plies)))
            effects = self._take_over(other, ply)
            return [*effects, *self._judge(again, movers)]
        if best is not None or not ways:
            return None
        self.verdict, self._open = "ambiguous", tuple(other.gone_on(self.game, *way) for other, way in ways)
        said = sentence("I am not sure how it went. Tell me whose turn it is: adopt, and the side.")
        announcement = self.announce("ambiguous", said, board=event.board, urgent=True)
        return self._once("ambiguous", event.board, announcement)

    def _alike(self, ways: Sequence[tuple[OtherLine, tuple[int, MoveEvent]]]) -> bool:
        """Whether the ways are equivalent for the rest of the game."""
        ends = [other.gone_on(self.game, *way).positions[-1] for other, way in ways]
        return len({next_moves(self.game, end) for end in ends}) == 1

    def settle(self, board: str, mover: Side) -> list[Effect]:
        """Takes the open line that shows that board with that side to move; no effects if there is none."""
        fitting = [
            one for one in self._open if one.boards[-1] == board and self.game.to_move(one.positions[-1]) == mover
        ]
        return self._take_over(fitting[0], len(fitting[0].plies)) if fitting else []

    def _end_again(self, undone: OtherLine) -> list[Effect]:
        """Restores the undone moves of a finished game: its board was only being cleared."""
        assert undone.outcome is not None
        effects = undone.take_over(self.line, len(undone.plies))
        self.forget_answer()
        self._undone, self.verdict = None, "over"
        said = phrases.result(self.game, undone.outcome)
        return [*effects, self.announce("cleared", sentence("The board is being cleared."), *said)]

    def _take_over(self, other: OtherLine, ply: int) -> list[Effect]:
        """Believes the first `ply` plies of another line, which a board has shown to be right."""
        effects = other.take_over(self.line, ply)
        self.forget_answer()
        self._undone, self._open, self.verdict = None, (), "legal"
        if not effects:
            return []
        moves = [one.text for one in self.line.plies[-MAX_TOLD:] if one.seen]
        said: Sentences = (self.whose_turn(),)
        if self.outcome is not None and other.outcome:
            said = phrases.result(self.game, other.outcome)
        return [*effects, self.announce("restored", sentence("I see now how it went: {moves}.", moves=moves), *said)]

    def _still_open(self, best: Explanation, event: MoveEvent) -> tuple[OtherLine, ...]:
        """Other lines to the believed board that stay open until a move is made on it.

        Those with unseen moves stay open for as long as they explain what is made.
        """
        if best.kind == "plies":
            return tuple(self._open_after(best, event))
        if best.kind != "unchanged" and best.kind != "unfinished":
            return ()
        board = self.game.board(self.position)
        return tuple(one for one in self._open if one.boards[-1] == board and one.positions[-1] != self.position)

    def _open_after(self, best: Explanation, event: MoveEvent) -> Iterator[OtherLine]:
        """The other ways through unseen moves, continued to the board believed now."""
        for other in self._open:
            way = other.explains(self.line, event) if other.assumed else None
            if way is None or way[1].explanations[0].kind != "plies":
                continue
            after = other.gone_on(self.game, *way)
            if next_moves(self.game, after.positions[-1]) != next_moves(self.game, best.positions[-1]):
                yield after

    def _gone_on(self, event: MoveEvent, movers: Sequence[Side]) -> list[Effect] | None:
        """Effects if the players have continued from a strange board, having made unseen moves; else None."""
        ways = self._gaps.gone_on(self.line, event)
        if not ways:
            return None
        effects = self.catch_up([other for other, _ in ways])
        return [*effects, *self._judge(ways[0][1], movers)]

    def _strange_board(self, event: MoveEvent) -> Complaint:
        """The complaint about a board; if legal play could have led to it, also tells the players what they may do."""
        complaint = self._unexplained(event)
        judged = complaint.verdict == "illegal" and self.seen and self.awaiting == "move"
        if judged and (found := exchanged.explaining(self.line, event.board)):
            self.exchange = found[0] if len(found) == 1 else None
            return dataclasses.replace(complaint, said=(*complaint.said, exchanged.offer(found)))
        if complaint.verdict not in ("illegal", "desync") or self.agents != (None, None) or not self.seen:
            return complaint
        illegal = complaint.verdict == "illegal"
        self._gaps.keep(self.line, event.board, illegal=illegal, in_photos=self.in_photos)
        if (illegal and self.in_photos) or not self._gaps.is_known(self.line, event.board):
            return complaint
        played = sentence("If you have played so, play on, or tell me to adopt the board.")
        return dataclasses.replace(complaint, said=(*complaint.said, played))

    def _unexplained(self, event: MoveEvent) -> Complaint:
        """The complaint about a board that nothing legal explains, compared with the position most like it.

        If it is open how the last board came about, that is the nearest of the positions that it may have shown.
        """
        ends = [self.position, *(one.positions[-1] for one in self._open)]
        if not self._gaps.is_known(self.line, event.board):
            ends += self._gaps.ends(self.line)
        meant = min(ends, key=lambda one: len(changed_cells(self.game.board(one), event.board)))
        believed = meant is self.position
        asked = self.agent_move if believed else None
        complaint = complaints.unexplained(self.game, meant, event, begun=not believed or self.ply > 0, asked=asked)
        if believed and complaint.verdict == "illegal" and self._said != ("illegal", event.board):
            return self._doubting(complaint, event)
        return complaint

    def _doubting(self, complaint: Complaint, event: MoveEvent) -> Complaint:
        """The complaint, with advice if the last move may have been misread: another one would explain the board."""
        last = self.line.seen[-1] if self.line.seen else None
        if last is None or self.line.plies[last].known == "agent":
            return complaint
        other = explain(self.game, self.history[: last + 1], event.reading)
        if other.ambiguous or not other.explanations or other.explanations[0].kind != "plies":
            return complaint
        if other.explanations[0].seen != 1:
            return complaint
        misread = sentence("If I misread the last move, tell me to adopt the board.")
        return dataclasses.replace(complaint, said=(*complaint.said, misread))

    def _complain(self, complaint: Complaint, board: str) -> list[Effect]:
        """Announces a complaint; not again while many pieces are being set right one after the other."""
        before, self.verdict = self.verdict, complaint.verdict
        announcement = self.announce(
            complaint.verdict,
            *complaint.said,
            board=board,
            rule=complaint.rule,
            cells=complaint.cells,
            urgent=complaint.verdict != "unclear",
        )
        many = before == "desync" or (before == "put_back" and self.withdrawn is not None and self.withdrawn.strict)
        if many and before == complaint.verdict and set(complaint.cells) < set(self.fault_cells):
            self._said, self._prompt, self.fault_cells = (complaint.verdict, board), announcement, complaint.cells
            return []
        if before == complaint.verdict == "desync":
            return self._still_strange(announcement)
        self._strange = 0
        return self._once(complaint.verdict, board, announcement)

    def _still_strange(self, announcement: Announcement) -> list[Effect]:
        """Handles one more board that is another position: names the other remedy, then stops repeating itself."""
        said = ("desync", announcement.board)
        self._strange += self._said != said
        if self._strange and self.ply:
            misread = sentence("If I misread the last move, tell me to adopt the board.")
            announcement = dataclasses.replace(announcement, said=(*announcement.said, misread))
        if self._strange > MAX_STRANGE:
            self._said = said
        return self._once(*said, announcement)

    def _ambiguous(self, event: MoveEvent) -> Announcement:
        self.verdict = "ambiguous"
        assert event.rival is not None
        lines = [self._line(one) for one in (event.explanations[0], event.rival)]
        said = sentence("I am not sure: was it {one} or {other}?", one=lines[0], other=lines[1])
        if lines[0] == lines[1]:  # two boards that differ in a doubtful cell: name the cell, which can be cleared
            cells = changed_cells(event.explanations[0].board, event.rival.board)
            said = sentence("I cannot see {cells} clearly.", cells=phrases.named_cells(self.game, cells))
        return self.announce("ambiguous", said, board=event.board, urgent=True)

    def _line(self, explanation: Explanation) -> Value:
        if explanation.kind != "plies":
            return _in_general(explanation.kind)
        words, position = list[Value](), explanation.start
        for move, successor in zip(explanation.moves, explanation.positions, strict=True):
            words.append(phrases.spoken_move(self.game, position, move))
            position = successor
        return functools.reduce(lambda first, then: sentence("{first}, then {then}", first=first, then=then), words)

    def _once(self, code: str, board: str, announcement: Announcement) -> list[Effect]:
        """The announcement, unless the last one said the same about the same board."""
        if code == "ambiguous":
            self._prompt = None  # a question is asked once, and the earlier fault is gone
        elif announcement.urgent and code != "board_lost":
            self._prompt = announcement
        if self._said == (code, board):
            return []
        self._said = (code, board)
        return [announcement]


def _takeback_to(board: str, event: MoveEvent) -> Explanation | None:
    """The takeback that explains a board too, if there is one."""
    return next((one for one in event.explanations if one.kind == "takeback" and one.board == board), None)


def _in_general(kind: Kind) -> Sentence:
    """What was done according to an explanation, without naming a move."""
    if kind == "unchanged":
        return sentence("no move")
    return sentence("a move taken back") if kind == "takeback" else sentence("half a move")
