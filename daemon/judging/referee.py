"""The referee, pure: puts into words what follows from one belief after another, and keeps the certain plies."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

from daemon.belief.belief import Belief
from daemon.belief.costs import BELIEVE_NATS
from daemon.belief.deciding import Decision, Moved, Over, Right, Torn, Unfinished, Wrong, decide
from daemon.belief.figures import are_checked
from daemon.belief.line import Line, common, owed
from daemon.belief.look import Look
from daemon.belief.missed import would_go_on
from daemon.belief.plies import MAX_PLIES
from daemon.game.effects import Announcement, Effect, Finish, TakeBack
from daemon.game.line_of_play import Ply, shares_pieces
from daemon.judging import complaints, exchanged, offering, phrases
from daemon.judging.play import Play
from rules import EMPTY, MoveError, Side, figures_of
from rules.turns import changed_cells
from wording import Sentence, Sentences, Value, apart, sentence, sentence_n

MISREAD = sentence("If I misread the last move, tell me to adopt the board.")


class Referee(Play):
    def see(self, look: Look, movers: Sequence[Side] = (), *, watched: bool = True) -> list[Effect]:
        """Judges a look. The same verdict on the same board is announced once.

        `movers` are the sides that made the last plies, if known, as in `Belief.after`. `watched` is whether the board
        was in view before these were made.
        """
        if self.paused:
            return []
        if self.declared is not None:
            self.verdict = "over"
            return []
        begun = self.ply
        effects = self._clearing(look) if self.to_clear else self._judged(look, movers)
        if self.ply > begun and not watched and not self.in_photos:
            effects += self._played_unwatched(begun)
        announcements = [effect for effect in effects if isinstance(effect, Announcement)]
        if announcements or self.verdict in ("unchanged", "legal"):
            self.fault_cells = announcements[-1].cells if announcements else ()
        if self.verdict in ("unchanged", "legal", "takeback", "over"):
            self._prompt = None
        return effects

    def _judged(self, look: Look, movers: Sequence[Side]) -> list[Effect]:
        before, first, effects = self.belief, self.verdict == "start", list[Effect]()
        self._belief = before.after(look, movers)
        for decision in decide(before, self._belief):
            effects += self._decided(decision, before)
        return effects or self._nothing_new(first=first)

    def covered(self) -> None:
        """A hand is over the board: what it leaves there has to stand anew."""
        self._belief = self._belief.interrupted

    def fits(self, look: Look) -> bool:
        """Whether some line of play leads to what a look shows."""
        return self.belief.after(look).standing.state != "wrong"

    def is_doubtful(self, look: Look) -> bool:
        return len(self.belief.after(look).near) != 1

    @property
    def waits(self) -> bool:
        """Whether time alone may bring something to tell: a board that is not right, which was not told yet."""
        standing = self._belief.standing
        told = standing.state == "right" or standing.is_alike(self._belief.trouble)
        return standing.since_s is not None and not told

    @property
    def is_doubted(self) -> bool:
        """Whether the last look left open what happened."""
        return len(self._belief.near) != 1

    @property
    def goes_on_after_an_end(self) -> bool:
        """Whether a piece laid after an end has shown that the game goes on, and no other was laid since."""
        return self._belief.lines[0].over is not None

    def _decided(self, decision: Decision, before: Belief) -> list[Effect]:
        match decision:
            case Moved():
                return self._moved(decision, before)
            case Right():
                return self._right()
            case Unfinished():
                return self._unfinished(decision)
            case Torn():
                return [self._asked(decision)]
            case Wrong():
                return self._complain(*self.complaint(decision, self._belief))
            case Over():
                return self._over()

    def _nothing_new(self, *, first: bool) -> list[Effect]:
        """What follows from a look that decided nothing: at first sight that the board is seen."""
        if self._belief.standing.state != "right" or _is_clearing(self._belief.lines[0]):
            if self.outcome is not None:
                self.verdict = "over"
            return []
        if first:
            return self._right()
        if self.verdict != "put_back" and self._belief.trouble is None:
            self.verdict = "unchanged"
        return []

    def lost(self, *why: Sentence) -> list[Effect]:
        """Reports that the board is out of sight, with the reason if known; once until it is found."""
        if self.loss_announced:
            return []
        self.loss_announced = True
        return [self.announce("board_lost", sentence("I cannot see the whole board."), *why, urgent=True)]

    def found(self) -> list[Effect]:
        if not self.loss_announced:
            return []
        self.loss_announced = False
        self.say_again()
        return [self.announce("board_found", sentence("I see the board again."))]

    def _played_unwatched(self, begun: int) -> list[Effect]:
        """Tells that the plies after the first `begun` were made unseen; not of the first man on an empty board."""
        moves = [ply.text for ply in self.line.plies[begun:] if ply.seen]
        if len(moves) == 1 and not self.game.board(self.history[begun]).strip(EMPTY):
            return []
        told = sentence("I take it that the game had begun already: {moves}.", moves=phrases.listed(moves))
        return [self.announce("assumed", told, sentence("If not, set up the board as at the start."))]

    def _clearing(self, look: Look) -> list[Effect]:
        """Waits until the board of another game is set up for this one."""
        board = look.reading.board
        if board == self.game.board(self.position):
            self.to_clear = False
            self._belief = self.belief.after(look)
            return self._right()
        if self.verdict == "put_back" and self._prompt is not None and self._prompt.board == board:
            return []
        return self._complain(*self._to_put_right(board), many=self.verdict == "put_back")

    def _over(self) -> list[Effect]:
        """Says once that the game is over although the players go on: all movers are known."""
        self.verdict = "over"
        evidence = self._belief.evidence
        if self.line.beyond or evidence is None or not would_go_on(self.game, evidence, self._belief.told):
            return []
        return [complaints.insist(self)]

    def _right(self) -> list[Effect]:
        before, self.verdict = self.verdict, "unchanged"
        check = () if self._checked else self._to_check()
        self._checked = True
        if before == "start":
            return [self.announce("start", sentence("I see the board, as the game stands."), *check, self.whose_turn())]
        if not check and before not in ("illegal", "desync", "put_back"):
            return []
        return [self.announce("resumed", sentence("The board is right again."), *check, self.whose_turn())]

    def _to_check(self) -> Sentences:
        """What people are asked to look at before the first move, because no camera sees it."""
        game, position = self.game, self.position
        if are_checked(game, self._belief.evidence, position):
            return ()
        if not self.ply and game.about.to_check and position in game.starts:
            return game.about.to_check
        if self.ply or figures_of(game, position) == game.board(position):
            return ()
        return (sentence("I cannot tell the pieces apart: look that each stands as it is drawn on the page."),)

    def _moved(self, moved: Moved, before: Belief) -> list[Effect]:
        self.line.start = moved.start
        self._checked = True
        leading = self._belief.lines[0]
        if moved.undone or self._is_of_old(moved.made[:1], before):
            return self._otherwise(moved, before, leading)
        if any(ply.assumed for ply in moved.made):
            count = next((index for index, ply in enumerate(moved.made) if not ply.assumed), len(moved.made))
            return [*self.caught_up(moved.made[:count]), *self._made(moved.made[count:], leading)]
        return self._made(moved.made, leading)

    def _made(self, plies: Sequence[Ply], leading: Line) -> list[Effect]:
        seen = [ply for ply in plies if ply.seen]
        effects, assumed = list[Effect](), self._is_order_assumed(seen, leading)
        for ply in plies:
            if ply.known != "agent":
                self.agent_move = None
            order, goes_on = assumed and ply is seen[-1], ply is not plies[-1]
            effects += self.make(ply, goes_on=goes_on, order_assumed=order)
            self.verdict = "legal"
        return effects

    def _is_order_assumed(self, seen: Sequence[Ply], leading: Line) -> bool:
        """Whether plies that came together may as likely have been made in another order."""
        if len(seen) < 2:
            return False
        first, last = _index(leading, seen[0]), seen[-1]
        if shares_pieces(self.game):
            try:
                self.game.parse_move(leading.before(first), self.game.format_move(_before(leading, last), last.move))
            except MoveError:
                return len(seen) > MAX_PLIES
            return True
        return any(
            other.shown == leading.shown and first <= common(other, leading) < len(leading.plies)
            for other in self._belief.lines[1:]
            if other.cost < leading.cost + BELIEVE_NATS
        )

    def _is_of_old(self, plies: Sequence[Ply], before: Belief) -> bool:
        """Whether plies had been made earlier and taken back."""
        return any(ply is one for ply in plies for line in before.lines for one in line.undone)

    def _otherwise(self, moved: Moved, before: Belief, leading: Line) -> list[Effect]:
        """Believes that it went otherwise: plies are taken back, made again, or were others."""
        now = self._belief.look.time_s if self._belief.look is not None else 0.0
        old = [ply for ply in moved.made if ply.time_s < now or self._is_of_old((ply,), before)]
        made = moved.made[len(old) :]
        undone, stood = self.line.plies[moved.same :], self.position
        texts = [self.game.format_move(_before(leading, ply), ply.move) for ply in old if ply.seen]
        gone = [ply for ply in undone if ply.seen]
        sides = [ply.side for ply in old if ply.seen]
        if texts == [ply.text for ply in gone[: len(texts)]] and sides != [ply.side for ply in gone[: len(texts)]]:
            return [*self._other_movers(moved, old, made, leading), *self._made(made, leading)]
        lifted = not old and self._is_lifted(moved)
        if not made or lifted:
            old, made = list(moved.made), ()
        self._cut(moved, old)
        effects: list[Effect] = [TakeBack(moved.same)] if undone else []
        effects += map(self.line.record, range(moved.same, self.ply))
        if _is_clearing(leading) and self.outcome is not None:
            return [*effects, Finish(self.outcome), *self._ended_after_all(leading)]
        if (not old or lifted) and undone and not made:
            count = sum(one.seen for one in undone) - sum(one.seen for one in old)
            return [*effects, self._taken_back(count, stood, leading)]
        if self.outcome is not None:
            effects.append(Finish(self.outcome))
        if old or not self._has_gone_on(undone, made):
            effects += self._restored()
        return [*effects, *self._made(made, leading)]

    def _cut(self, moved: Moved, old: Sequence[Ply]) -> None:
        """Puts plies that were made before in the place of those that no longer count."""
        self.line.cut(moved.same)
        for ply in old:
            self.line.add(ply)
        self.forget_answer()

    def _is_lifted(self, moved: Moved) -> bool:
        """Whether some of the plies are left that came together, in another order than was assumed."""
        seen, gone = sum(ply.seen for ply in moved.made), [ply.time_s for ply in moved.undone if ply.seen]
        return 0 < seen < len(gone) and len(set(gone)) == 1

    def _has_gone_on(self, undone: Sequence[Ply], made: Sequence[Ply]) -> bool:
        """Whether the ply that no longer counts was the beginning of the next: a rook that went before its king."""
        if not self.game.about.any_order or len(undone) != 1 or not made:
            return False
        first, then = (set(self.game.steps(self.position, one.move)) for one in (undone[0], made[0]))
        return first < then

    def _restored(self) -> list[Effect]:
        self.verdict = "legal"
        moves = phrases.listed([one.text for one in self.line.plies[-MAX_PLIES:] if one.seen])
        said = (self.whose_turn(),) if self.outcome is None else phrases.result(self.game, self.outcome)
        return [self.announce("restored", sentence("I see now how it went: {moves}.", moves=moves), *said)]

    def _other_movers(self, moved: Moved, old: Sequence[Ply], made: Sequence[Ply], leading: Line) -> list[Effect]:
        """Believes that the same pieces were laid by others, so that the game goes on, or is over after all."""
        before = self.line.until(self.ply)
        self._cut(moved, old)
        rewrite = self.line.rewrite(moved.same, self.outcome)
        if self.outcome is not None:
            return [rewrite, *self._ended_after_all(leading)]
        self.verdict = "legal"
        return [rewrite, *complaints.reopened(self, before)]

    def _ended_after_all(self, leading: Line) -> list[Effect]:
        """The end of a game whose last piece was taken away again, or whose board is only being cleared."""
        assert self.outcome is not None
        self.verdict = "over"
        said = phrases.result(self.game, self.outcome)
        if _is_clearing(leading):
            return [self.announce("cleared", sentence("The board is being cleared."), *said)]
        return [self.announce("takeback", sentence("The last move is taken back."), *said)]

    def _taken_back(self, count: int, stood: Any, leading: Line) -> Effect:
        """Tells of a takeback, and of the rule that it breaks if it was a move, such as a ko retaken at once."""
        self.verdict = "takeback"
        what = sentence_n("The last move is taken back.", "{count} moves are taken back.", count)
        said = [what, *phrases.totals(self.game, self.position), self.whose_turn()]
        fault = self.game.fault(stood, leading.shown) if self.game.about.repetitions else None
        if fault is not None and fault.rule in self.game.about.repetitions:
            said += sentence("If it was a move:"), *fault.said
        return self.announce("takeback", *said)

    def _unfinished(self, decision: Unfinished) -> list[Effect]:
        game, board = self.game, decision.board
        if self._belief.to_put_back:
            return self._complain(*self._to_put_right(board))
        self.verdict = "unfinished"
        if decision.moves:
            move = decision.moves[0]
            said = phrases.missing_steps(game, decision.position, move, decision.missing, board)
            cells = phrases.cells_of_unfinished(game, decision.position, move, decision.missing)
        else:
            said = phrases.owed_step(game, decision.position, decision.missing)
            cells = changed_cells(board, game.board(decision.position))
        if self.awaiting == "carry_out" and decision.moves:
            asked = phrases.spoken_move(game, self.position, self.agent_move)
            said = sentence("The move is {move}: it is not finished.", move=asked)
        self._prompt = self.announce("unfinished", said, board=board, cells=cells, urgent=True)
        return [self._prompt]

    def complaint(self, wrong: Wrong, belief: Belief) -> tuple[Wrong, Sentences]:
        """What is wrong with a board, and the sentences; they name what players may do if play could have led there."""
        if belief.to_put_back:
            return self._to_put_right(wrong.board)
        if wrong.against is not None:
            return complaints.against_an_agent(belief, self.agents, wrong)
        if wrong.figures:
            return offering.of_figures(self.game, wrong)
        if not self.ply and (turned := complaints.turned_start(self.game, wrong.position, wrong.board)) is not None:
            return dataclasses.replace(wrong, cells=turned[0]), turned[1]
        if (offer := offering.offer_of(belief, wrong)) is not None:
            return dataclasses.replace(wrong, positions=offer.positions), offering.told(self, offer, wrong.cells)
        believed = wrong.position == self.position
        asked = self.agent_move if believed else None
        said = [*complaints.told(self.game, wrong, begun=not believed or self.ply > 0, asked=asked)]
        if wrong.kind == "illegal" and believed and complaints.is_misread(belief):
            said.append(MISREAD)
        if wrong.kind == "illegal" and belief.seen and self.awaiting == "move":
            found = exchanged.explaining(self.line, wrong.board)
            said += [exchanged.offer(found)] if found else []
        if wrong.maybe_missed and not (wrong.kind == "illegal" and self.in_photos):
            said.append(sentence("If you have played so, play on, or tell me to adopt the board."))
        return wrong, tuple(said)

    def withdraw(self, ply: int) -> Announcement | None:
        """Takes back the plies after `ply` by word and asks for the pieces to be put back; None if none need be."""
        belief = self.belief
        stood = belief.lines[0].shown if belief.to_put_back else self.game.board(self.position)
        self.line.cut(ply)
        self.forget_answer()
        if stood == self.game.board(self.position):
            self.believe()
            return None
        self.stands(stood)
        self._complain(*self._to_put_right(stood))
        assert self._prompt is not None
        self.fault_cells = self._prompt.cells
        return self._prompt

    def _to_put_right(self, board: str) -> tuple[Wrong, Sentences]:
        """What is still to be put back of a board for the game to go on."""
        cells = changed_cells(self.game.board(self.position), board)
        said = phrases.put_right(self.game, self.position, board)
        return Wrong("put_back", self.position, "", cells, board), said

    def _complain(self, wrong: Wrong, said: Sentences, *, many: bool = False) -> list[Effect]:
        """Announces a complaint; not again while many pieces are being set right one after the other."""
        before, self.verdict, cells, urgent = self.verdict, wrong.kind, wrong.cells, wrong.kind != "unclear"
        about: dict[str, Any] = {"rule": wrong.rule, "cells": cells, "positions": wrong.positions}
        announcement = self.announce(wrong.kind, *said, board=wrong.board, urgent=urgent, **about)
        if urgent:
            self._prompt = announcement
        fewer = set(cells) < set(self.fault_cells)
        if before == wrong.kind and fewer and (many or before == "desync"):
            self.fault_cells = cells
            return []
        if not before == wrong.kind == "desync":
            self._strange = False
            return [announcement]
        if self.ply:
            announcement = dataclasses.replace(announcement, said=(*announcement.said, MISREAD))
        self._prompt = announcement
        strange, self._strange = self._strange, True
        return [] if strange else [announcement]

    def _asked(self, torn: Torn) -> Announcement:
        """A question that only people can answer; asked once, and the earlier fault is gone."""
        self.verdict, self._prompt = "ambiguous", None
        lines = [
            functools.reduce(lambda first, then: sentence("{first}, then {then}", first=first, then=then), went)
            for went in apart(*map(self._went, torn.lines))
        ]
        said = sentence("I am not sure: was it {one} or {other}?", one=lines[0], other=lines[1])
        if lines[0] == lines[1] and torn.cells:  # two boards that differ in a doubtful cell, which can be cleared
            said = sentence("I cannot see {cells} clearly.", cells=phrases.named_cells(self.game, torn.cells))
        elif lines[0] == lines[1]:
            said = sentence("I am not sure how it went. Tell me to adopt the board; if you type, add whose turn it is.")
        return self.announce("ambiguous", said, board=torn.lines[0].shown, urgent=True)

    def _went(self, line: Line) -> list[Value]:
        told = self._belief.told
        same = common(told, line)
        if same < len(told.plies):
            return [sentence("a move taken back")]
        went = [phrases.spoken_move(self.game, _before(line, ply), ply.move) for ply in line.plies[same:] if ply.seen]
        return went or [sentence("half a move") if line.begun or owed(self.game, line) else sentence("no move")]


def _is_clearing(line: Line) -> bool:
    return line.begun is not None and line.begun.move is None


def _index(line: Line, ply: Ply) -> int:
    return next(index for index, one in enumerate(line.plies) if one is ply)


def _before(line: Line, ply: Ply) -> Any:
    return line.before(_index(line, ply))
