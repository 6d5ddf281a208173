"""Shows the referee random play, takebacks, disobeyed agents and illegal boards, all read perfectly.

    kibitzer bench referee-storm --minutes 5 --seed 1

It shows thousands of boards a minute, while the soak with its pictures shows some dozen: the quickest search for a
board that is wrongly believed or wrongly complained of. The truth is the player's own line, and illegal boards are
found by brute force (`lab.soak.legal_boards`), not by the referee's own search. Prints one JSON object a game; exit
status 1 if anything went wrong.
"""

from __future__ import annotations

import collections
import dataclasses
import json
import random
import sys
import time
from typing import Annotated, Any

import typer

import games
from daemon.game.effects import Announcement
from daemon.game.line_of_play import shares_pieces, unseen_moves
from daemon.judging import adopting
from daemon.judging.referee import Referee
from lab.bench.readings import judged, reading_of
from lab.soak.legal_boards import is_beyond_doubt
from lab.soak.mistakes import Situation, mistakes_of
from rules import AnyGame

GAMES = ["nine_mens_morris", "reversi", "co_ganh", "gomoku", "double_double_dominoes"]
AGENT = "alphabeta"
MAX_PLIES = 160
FAILURES = ("believed", "unreported", "another rule", "unneeded", "not restored", "another line")


@dataclasses.dataclass
class Storm:
    game: AnyGame
    seed: int
    counts: collections.Counter[str]
    rules: collections.Counter[str]

    def __post_init__(self) -> None:
        self.dice = random.Random(f"{self.game.name} {self.seed}")
        agent = self.seed % 3 == 2 and not shares_pieces(self.game)  # pieces that belong to nobody are laid by people
        self.referee = Referee(self.game, (None, AGENT) if agent else (None, None))
        self.positions: list[Any] = [self.dice.choice(self.game.starts)]
        self.log: list[str] = []
        self.stood: set[str] = set()
        """All boards that were moves of this game: a piece laid again is no disobedience."""

    def run(self) -> None:
        """Plays until the game is over, long enough, or something went wrong."""
        self._show(self._board, "start")
        often = [self._move] * 8 + [self._two_moves] * 2
        deeds = [*often, self._take_back, self._illegal, self._illegal, self._disobey]
        while self.game.outcome(self.positions[-1]) is None and len(self.positions) < MAX_PLIES:
            if not self.dice.choice(deeds)():
                return

    @property
    def _board(self) -> str:
        return str(self.game.board(self.positions[-1]))

    @property
    def _is_agents(self) -> bool:
        return self.referee.agents[self.game.to_move(self.positions[-1])] is not None

    def _move(self) -> bool:
        return not self._make() or self._expect("move")

    def _two_moves(self) -> bool:
        """Two plies in one look; only one if an agent plays, since people wait for its answer."""
        made = self._make()
        if made and self.referee.agents == (None, None):
            made = self._make() or made
        return not made or self._expect("two moves")

    def _make(self) -> bool:
        """Makes a legal, visible ply, after passes that must be made; False if there is none."""
        game, position, line = self.game, self.positions[-1], list[Any]()
        while game.outcome(position) is None:
            if moves := self._visible(position):
                move = self.dice.choice(moves)
                if self.referee.agents[game.to_move(position)] is not None:
                    move = self._answered(position, move)
                self.log.append(game.format_move(position, move))
                self.positions += [*line, game.apply(position, move)]
                return True
            position = game.apply(position, unseen_moves(game, position)[0])
            line.append(position)
        return False

    def _visible(self, position: Any) -> list[Any]:
        return [one for one in self.game.legal_moves(position) if self.game.steps(position, one)]

    def _answered(self, position: Any, move: Any) -> Any:
        """The agent's answer: this move, unless it has named another."""
        if self.referee.awaiting == "agent":
            self.referee.reply(AGENT, self.referee.ply, self.game.format_move(position, move))
        return self.referee.agent_move

    def _take_back(self) -> bool:
        keep = len(self.positions) - 1
        for _ in range(self.dice.choice((1, 1, 2, 3, 4))):
            board = self.game.board(self.positions[keep])
            while keep and self.game.board(self.positions[keep]) == board:
                keep -= 1
        if keep == len(self.positions) - 1 or self.referee.awaiting == "carry_out":
            return True
        del self.positions[keep + 1 :]
        self.log.append(f"back to {keep}")
        return self._expect("take back")

    def _illegal(self) -> bool:
        at = Situation(self.game, self.positions[-1], self._board, self.dice)
        mistake = self.dice.choice(mistakes_of(self.game))
        board = mistake.make(at)
        if board in (None, self._board) or (len(self.game.starts) > 1 and len(self.positions) == 1):
            return True
        if not is_beyond_doubt(self.game, self.positions, str(board)):
            return True
        told = self._show(str(board), f"illegal: {mistake.name}")
        self.counts["illegal boards"] += 1
        if self._believed == board:
            return self._fail("believed", f"{mistake.name} on {board}")
        complaints = [one for one in told if one.code in ("illegal", "desync", "unfinished")]
        if not complaints:
            return self._fail("unreported", f"{mistake.name} on {board}: {[one.code for one in told]}")
        rule = complaints[-1].rule or complaints[-1].code
        self.rules[rule] += 1
        if not self._is_agents and not mistake.is_called(rule):
            return self._fail("another rule", f"{mistake.name} on {board}: {rule}")
        return self._expect("put back")

    def _disobey(self) -> bool:
        position = self.positions[-1]
        moves = self._visible(position)
        if not self._is_agents or len(moves) < 2:
            return True
        asked, other = self.dice.sample(moves, 2)
        if self._answered(position, asked) != asked:
            return True
        board = self.game.board(self.game.apply(position, other))
        after = self.game.apply(position, asked)
        follows = {self.game.board(self.game.apply(after, one)) for one in self.game.legal_moves(after)}
        if board in {self.game.board(after), *follows, *self.stood}:
            return True
        told = self._show(board, f"disobeyed: {asked} asked, {other} made")
        self.counts["disobeyed"] += 1
        if self._believed == board:
            return self._fail("believed", f"disobeyed on {board}")
        if not any(one.code in ("illegal", "unfinished") for one in told):
            return self._fail("unreported", f"disobeyed on {board}: {[one.code for one in told]}")
        if not self._expect("put back"):
            return False
        self.log.append(self.game.format_move(position, asked))
        self.positions.append(after)
        return self._expect("obeyed")

    @property
    def _believed(self) -> str:
        return str(self.game.board(self.referee.position))

    def _expect(self, what: str) -> bool:
        """Shows the true board, which must be believed without a complaint, with the right line leading to it.

        Nobody who looks can tell three facts: whether a board came about by moves, or half of one, or by taking some
        back, which players answer with `adopt`; which two moves came in one look; and how far pieces were taken back
        that had stood so before. In the last two cases the referee's line is the truth from there on.
        """
        told = self._show(self._board, what)
        self.counts[what] += 1
        self.stood.add(self._board)
        if self.referee.verdict == "ambiguous" or (what == "take back" and self.referee.verdict == "unfinished"):
            self.counts["asked"] += 1
            side = self.game.sides[self.game.to_move(self.positions[-1])]
            adopting.adopt(self.referee, reading_of(self.game, self._board), side)
        if what == "two moves" and self._is_told_otherwise():
            self.counts["told otherwise"] += 1
            return True
        if self._believed != self._board:
            kind = "not restored" if what == "put back" else "unneeded"
            return self._fail(kind, f"{what}: {[(one.code, one.rule) for one in told]}")
        line = self.referee.line  # its last moves may be passes that had to be made
        if self.positions[-1] not in line.positions[line.seen[-1] + 1 if line.seen else 0 :]:
            self.counts[f"{what}, other line"] += 1
            if what not in ("two moves", "take back"):
                return self._fail("another line", f"{what}: {[one.text for one in self.referee.line.plies[-4:]]}")
        self.positions = list(self.referee.history)
        return True

    def _is_told_otherwise(self) -> bool:
        """Whether two moves were taken for the first half of another, and were then undone; neither counts."""
        if self.referee.verdict != "unfinished":
            return False
        self.positions = list(self.referee.history)
        self._show(self._board, "put back")
        return self._believed == self._board

    def _show(self, board: str, what: str) -> list[Announcement]:
        self.counts["boards"] += 1
        told = [one for one in judged(self.referee, reading_of(self.game, board)) if isinstance(one, Announcement)]
        self.log.append(f"{what} -> {self.referee.verdict} {[one.code for one in told]}")
        return told

    def _fail(self, kind: str, text: str) -> bool:
        self.counts[kind] += 1
        print(f"\r{kind}: {self.game.name}, seed {self.seed}: {text}; after {self.log[-8:]}", file=sys.stderr)
        return False


def main(
    game: Annotated[list[str], typer.Option(help="repeatable")] = GAMES,
    minutes: Annotated[float, typer.Option(help="for each game")] = 1.0,
    seed: Annotated[int, typer.Option(help="of the first table; the next ones count on")] = 1,
) -> bool:
    if not set(game) <= set(GAMES):
        raise typer.BadParameter(f"the games are {', '.join(GAMES)}")
    wrong = 0
    for name in game:
        counts, rules = collections.Counter[str](), collections.Counter[str]()
        begun_s, tables = time.monotonic(), 0
        while time.monotonic() - begun_s < 60 * minutes:
            Storm(games.load(name), seed + tables, counts, rules).run()
            tables += 1
        failures = {kind: counts.pop(kind, 0) for kind in FAILURES}
        wrong += sum(failures.values())
        print(json.dumps({"game": name, "tables": tables, **counts, **failures, "rules": dict(rules)}))
    return wrong > 0
