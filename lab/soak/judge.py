"""Compares the daemon's beliefs and announcements with the simulator's true table.

Beliefs are judged by the table alone. Complaints are judged by the picture that the camera sends: a frozen picture may
show pieces that are no longer there, and a complaint about exactly those is excused. A complaint about anything else
that the picture does not show counts as unneeded, frozen or not.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2

from daemon.game.effects import Announcement
from daemon.game.line_of_play import shares_pieces
from lab.soak.fault import COMPLAINTS
from lab.soak.legal_boards import one_move_on
from lab.soak.tally import Failure
from lab.soak.world import World
from rules import AnyGame, MoveError, Side
from rules.turns import begins_turn, line_of_play

MISSED_S = 30.0
"""Seconds a ply may be visible without being recorded before it counts as missed."""
CAUSED = frozenset({"board_lost", "bumped", "trouble", "game_over"})
"""Announcements that need a cause; complaints about the board are judged by the board."""
GOOD_VERDICTS = frozenset({"unchanged", "legal", "takeback", "over"})
STOOD_S = 5.0
"""Seconds another board must lie in sight before belief in an intermediate legal move counts as wrong."""
JUST_NOW_S = 0.5
"""Seconds after the hand left in which a board may still be believed: the hand may be coming back."""
SHOWN_S = 1.0
"""Seconds in clear sight, with no hand and no bad picture, after which a board could be read."""
MAX_PICTURES = 40


@dataclasses.dataclass(frozen=True)
class Heard:
    time_s: float
    code: str
    rule: str
    board: str


class Judge:
    def __init__(self, trial: World, keep_failures: Path | None) -> None:
        self._trial = trial
        self._keep = keep_failures
        self.heard: list[Heard] = []
        """Announcements of this game."""
        self._legal: set[str] = set()
        self._clear_s = 0.0
        """Seconds for which the whole board has been visible without a break."""
        self._last_s = 0.0
        self._accused: set[str] = set()
        self._agreed: Any = None
        """The last position known to both the players and the daemon."""
        self._by_the_way = ""
        """The believed board if it only stood there in passing; otherwise empty."""
        self._shown_s: dict[str, float] = {}
        """Seconds in sight by board, since the daemon last knew the board."""
        self._to_and_fro = 0
        """Plies of this game that look like plies taken back."""
        self._laid = (0.0, "")
        """Since when (simulated seconds) the present board has been there, and that board."""
        self._free = (0.0, "")
        """When (simulated seconds) the table was last free of hands, and the board at that moment."""

    @property
    def laid_s(self) -> float:
        """Since when the present board has been on the table, in simulated seconds."""
        return self._laid[0]

    @property
    def clear_s(self) -> float:
        """Seconds for which nothing has covered the board and nothing has moved."""
        return self._clear_s

    @property
    def knows(self) -> bool:
        """Whether the daemon sees the board and believes the true position."""
        trial = self._trial
        seen, board = trial.subject.seen, trial.table.board
        sees = seen is not None and seen.rectified is not None
        right = trial.subject.board == board == trial.game.board(trial.player.position)
        return sees and right and trial.subject.referee.verdict in GOOD_VERDICTS

    def insists(self, seconds: float) -> bool:
        """Whether the right board has been in sight for so many seconds and the daemon still complains."""
        trial = self._trial
        lies = min(self._clear_s, trial.time_s - self.laid_s) > seconds
        complains = trial.subject.referee.verdict not in GOOD_VERDICTS
        return lies and complains and self._right and not trial.schedule.holds_hands

    def begin_game(self) -> None:
        self.heard.clear()
        self._legal = {self._trial.game.board(start) for start in self._trial.game.starts}
        self._accused.clear()
        self._clear_s = 0.0
        self._agreed, self._by_the_way = None, ""
        self._shown_s, self._to_and_fro = {}, 0

    def close_game(self) -> None:
        """Ends a game, finished or abandoned: every ply that was made and visible must be in the record."""
        trial = self._trial
        compared = self._compared()
        trial.tally.assumed_plies += compared.assumed
        missed = max(0, compared.missed - self._to_and_fro)
        if missed and not self._accused & {"missed_plies", "wrong_boards"}:
            self._fail("missed_plies", f"{missed} of {len(trial.player.seen)} plies are not in the record", missed)

    def _compared(self) -> Compared:
        """Compares the record with the plies made; plies that the daemon may not have seen yet need not be in it."""
        trial = self._trial
        made = [trial.game.board(trial.player.positions[0]), *(ply.board for ply in trial.player.seen)]
        return compare(made, self._recorded_boards(), whole=self.knows)

    def restarted(self) -> None:
        """After the daemon was killed and restarted: the position it resumes must have been on the table."""
        self._clear_s = 0.0
        self.look()

    def look(self) -> None:
        """Judges the daemon's belief; call it after each picture."""
        trial = self._trial
        self._legal.add(trial.game.board(trial.player.position))
        if self._laid[1] != trial.table.board:
            self._laid = trial.time_s, trial.table.board
        if not trial.table.hand_in_view:
            self._free = trial.time_s, trial.table.board
        passed_s, self._last_s = trial.time_s - self._last_s, trial.time_s
        hidden = trial.table.busy or trial.table.hand_in_view or trial.table.stirs or not trial.camera.shows
        self._clear_s = 0.0 if hidden else self._clear_s + passed_s
        if self.knows:
            self._shown_s.clear()
        elif not hidden:
            self._shown_s[trial.table.board] = self._shown_s.get(trial.table.board, 0.0) + passed_s
        if trial.subject.board in self._legal:
            self._by_the_way = ""
            self._agreed = trial.player.position if self.knows else self._agreed
        elif not self._stood_by_the_way():
            self._spoil("wrong_boards", f"{trial.subject.board} never stood on the table")
        elif self._right and not self.knows and self._clear_s > MISSED_S and not trial.schedule.holds_hands:
            behind = len(trial.player.seen) - len(trial.subject.referee.line.seen)
            verdict = trial.subject.referee.verdict
            self._spoil(
                "missed_plies", f"{behind} plies behind for {MISSED_S:.0f} s, verdict {verdict}", max(1, behind)
            )
        self._note_recoveries()

    def hear(self, announcement: Announcement) -> None:
        trial, code = self._trial, announcement.code
        self.heard.append(Heard(trial.time_s, code, announcement.rule, announcement.board))
        if code == "move":
            self._time_verdict()
        if trial.schedule.allows(code) or (code == "reminder" and self._is_owed()):
            return
        if code == "takeback" and (plies := self._went_to_and_fro()):
            self._to_and_fro += plies
            trial.tally.to_and_fro += plies
            return
        if code == "game_over" and shares_pieces(trial.game) and self._compared().assumed:
            trial.abandon_game()  # the points follow from an order announced as assumed, which nobody corrects here
            return
        if code == "game_over" and shares_pieces(trial.game) and self._took_for_the_other():
            return
        if code in COMPLAINTS and self._is_unneeded(code, announcement.board):
            self._fail("unneeded_reports", f"{code} {announcement.rule}: {announcement.text}")
        elif code in CAUSED and not (code == "game_over" and trial.game.outcome(trial.player.agreed) is not None):
            self._fail("false_events", f"{code}: {announcement.text}")

    def unreported(self, rules: frozenset[str], text: str) -> None:
        """Counts an illegal board that was in sight and was not reported by any of the rules."""
        said = [f"{one.code} {one.rule}".strip() for one in self.heard[-3:]]
        self._fail("unreported_illegal", f"{text}: expected {'/'.join(sorted(rules))}, heard last {said}")

    def _stood_by_the_way(self) -> bool:
        """Whether a legal move was visible, with no hand near, while pieces were on their way elsewhere.

        Half of a takeback may look like the next move. It is counted, but nobody could know better.
        """
        trial, board = self._trial, self._trial.subject.board
        if board == self._by_the_way:
            return self._clear_s < STOOD_S or trial.table.board == board
        free_s, free = self._free
        if self._agreed is None or board != free or trial.time_s - free_s > JUST_NOW_S:
            return False
        position = one_move_on(trial.game, self._agreed, board)
        if position is None:
            return False
        self._agreed, self._by_the_way = position, board
        trial.tally.moves_by_the_way += 1
        return True

    def _went_to_and_fro(self) -> int:
        """Plies missing from the record after a takeback that no observer could doubt; 0 if it was to be doubted.

        The believed position must offer the same moves as the true one, and no board in between may have lain in sight.
        """
        trial = self._trial
        made, recorded = trial.player.seen, len(trial.subject.referee.line.seen)
        passed = [self._shown_s.get(ply.board, 0.0) < SHOWN_S for ply in made[trial.known : -1]]
        right = next_moves(trial.game, trial.subject.referee.position) == next_moves(trial.game, trial.player.position)
        return len(made) - recorded if right and passed and all(passed) else 0

    def _took_for_the_other(self) -> bool:
        """Whether the last ply was counted for the wrong side, with no player having said whose it was."""
        player, counted = self._trial.player, self._trial.subject.referee.line.plies[-1:]
        sides = [ply.side for ply in player.seen]
        if player.moving:
            sides.append(self._trial.game.to_move(player.positions[-1]))
        return any(not one.known and one.side != side for one, side in zip(counted, sides[-1:], strict=False))

    @property
    def _right(self) -> bool:
        return bool(self._trial.table.board == self._trial.game.board(self._trial.player.position))

    def _is_unneeded(self, code: str, complained: str) -> bool:
        """Whether the board was right, or on the way from one right board to the next.

        A complaint about exactly the board of a frozen picture is not unneeded.
        """
        trial = self._trial
        board, player = trial.table.board, trial.player
        if trial.camera.frozen and complained == trial.camera.pictured != board:
            return False
        if player.finished and not trial.subject.referee.ply:
            return False  # restarted after the last move: it waits for the next game, which nobody has set up yet
        if board in {trial.game.board(one) for one in (player.position, player.positions[-1])}:
            return True
        return code != "unfinished" and begins_turn(trial.game, player.positions[-1], board)

    def _is_owed(self) -> bool:
        referee = self._trial.subject.referee
        return referee.awaiting == "carry_out" and len(self._trial.player.seen) <= len(referee.line.seen)

    def _recorded_boards(self) -> list[str]:
        game, texts = self._trial.game, self._trial.subject.recorded()
        for start in game.starts:
            try:
                return [game.board(one) for one in line_of_play(game, texts, start)]
            except MoveError:
                continue
        return []

    def _time_verdict(self) -> None:
        """Notes the seconds from the hand's leaving to the announcement, if no fault is running."""
        trial = self._trial
        if trial.player.record and not trial.schedule.running:
            self._trial.tally.verdict_s.append(round(trial.time_s - trial.player.record[-1].done_s, 2))

    def _note_recoveries(self) -> None:
        trial = self._trial
        if not self.knows:
            return
        for one in trial.schedule.running:
            if one.ended_s is not None and not one.known_again:
                one.known_again = True
                trial.tally.share(one.fault.name).recovery_s.append(round(trial.time_s - one.ended_s, 2))

    def _spoil(self, kind: str, text: str, count: int = 1) -> None:
        """Counts a failure that makes the rest of the game meaningless, and abandons the game."""
        if kind not in self._accused:
            self._accused.add(kind)
            self._fail(kind, text, count)
            self._trial.abandon_game()

    def _fail(self, kind: str, text: str, count: int = 1) -> None:
        trial = self._trial
        failure = Failure(
            kind,
            trial.game.name,
            trial.plan.seed,
            round(trial.time_s, 1),
            len(trial.player.record),
            trial.schedule.blamed(),
            text,
        )
        trial.tally.fail(failure, count)
        self._keep_picture(failure)

    def _keep_picture(self, failure: Failure) -> None:
        trial = self._trial
        if self._keep is None or trial.camera.last is None or len(trial.tally.failures) > MAX_PICTURES:
            return
        self._keep.mkdir(parents=True, exist_ok=True)
        name = f"{failure.game}-{failure.seed}-{failure.time_s:.1f}-{failure.kind}"
        cv2.imwrite(str(self._keep / f"{name}.png"), trial.camera.last.image)
        seen = trial.subject.seen
        if seen is not None and seen.rectified is not None:
            cv2.imwrite(str(self._keep / f"{name}-board.png"), seen.rectified.picture)


def next_moves(game: AnyGame, position: Any) -> tuple[str, Side, frozenset[str]]:
    """What determines further play from a position: its board, the side to move, and all legal moves."""
    moves = frozenset(game.format_move(position, move) for move in game.legal_moves(position))
    return game.board(position), game.to_move(position), moves


@dataclasses.dataclass(frozen=True)
class Compared:
    missed: int
    """Plies with nothing recorded in their place, or nothing that led back to a board that stood there."""
    assumed: int
    """Plies recorded in another order or with another capture, in equal number between two true boards: they appeared
    in one look, and no observer could tell the order."""


def compare(made: Sequence[str], kept: Sequence[str], *, whole: bool = True) -> Compared:
    """Compares the true boards, the start's first and then one per ply, with those of the record.

    `whole` is whether the record must reach as far as what was made.
    """
    kept = [board for number, board in enumerate(kept) if number == 0 or board != kept[number - 1]]
    missed = assumed = 0
    for what, begin, end, first, last in difflib.SequenceMatcher(None, made, kept, autojunk=False).get_opcodes():
        if what not in ("delete", "replace"):
            continue
        plies, instead = end - begin, last - first
        if end == len(made):
            missed += plies if whole else 0
        else:
            missed += max(0, plies - instead)
            assumed += min(plies, instead)
    return Compared(missed, assumed)
