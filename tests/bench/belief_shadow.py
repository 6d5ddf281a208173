"""The lines of `daemon.belief` beside the referee that they are to replace: the same looks for both, and what differs.

    python -m tests.bench.belief_shadow --games chess,go --tables 20 --seed 1

Games of random legal moves with faults of eyes and hands (`tests.daemon.storms`). The truth is the players' own line:
after every deed both are asked for the board that they believe. Where one of them is wrong or behind, both start again
from the truth, so that every deed counts by itself. The table printed has a row for each deed.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import games
from daemon.belief import words
from daemon.belief.belief import Belief
from daemon.belief.deciding import Wrong, decide
from daemon.belief.line import Ply
from daemon.belief.look import Look
from daemon.game.effects import Announcement
from daemon.game.line_of_play import shares_pieces
from daemon.interpret.explain import explain
from daemon.judging.referee import Referee
from proving.soak.legal_boards import is_beyond_doubt
from proving.soak.mistakes import Situation, mistakes_of
from rules import AnyGame
from rules.turns import boards_of_turn
from tests.daemon.storms import Table
from vision.reading.board_reading import BoardReading

GAMES = ("morris", "reversi", "dominoes", "ganh", "gomoku", "chess", "go", "draughts")
EXACT = ("morris", "reversi", "dominoes", "ganh", "gomoku")
"""Games in which brute force can tell that a board is illegal."""
AGENT = "alphabeta"
LOOKS = 5
LOOK_S = 0.8
MAX_PLIES = 120
COMPLAINTS = ("illegal", "desync", "unfinished", "unclear", "put_back")
RANKS = {"right": 0, "complains": 1, "silent": 2, "behind": 3, "wrong": 4}
"""What either did with a deed, from best to worst: it complained of a board that was right, said nothing of one that
was not, did not believe a board that was clearly shown, or believed one that never stood there."""


@dataclasses.dataclass
class Old:
    """The referee."""

    game: AnyGame
    referee: Referee
    told: list[str] = dataclasses.field(default_factory=list)

    def look(self, reading: BoardReading, time_s: float) -> None:
        effects = self.referee.see(explain(self.game, self.referee.history, reading))
        self.told += [one.code for one in effects if isinstance(one, Announcement)]

    @property
    def position(self) -> Any:
        return self.referee.position

    @property
    def complains(self) -> bool:
        return any(code in COMPLAINTS for code in self.told)

    @property
    def objects(self) -> bool:
        """Whether it now objects to the board."""
        return self.referee.verdict in COMPLAINTS


@dataclasses.dataclass
class New:
    """The lines."""

    game: AnyGame
    belief: Belief
    told: list[str] = dataclasses.field(default_factory=list)
    most_lines: int = 0

    def look(self, reading: BoardReading, time_s: float) -> None:
        before, self.belief = self.belief, self.belief.after(Look(time_s, reading))
        for one in decide(before, self.belief):
            self.told.append(one.kind if isinstance(one, Wrong) else type(one).__name__.lower())
        self.most_lines = max(self.most_lines, len(self.belief.lines))

    @property
    def position(self) -> Any:
        return self.belief.position

    @property
    def complains(self) -> bool:
        return any(code in COMPLAINTS for code in self.told)

    @property
    def objects(self) -> bool:
        return self.belief.standing.state in ("wrong", "unfinished")


class Shadow(Table):
    """A table that two judges watch."""

    def begin_both(self, counts: collections.Counter[tuple[str, str, str]]) -> None:
        self.counts = counts
        self.time_s, self.seconds, self.looks, self.most_lines = 0.0, {"old": 0.0, "new": 0.0}, 0, 0
        self.seat()
        self.show("start", self.reading())

    def seat(self) -> None:
        """Both judges start from the truth."""
        game, moves = self.game, [self._move_to(a, b) for a, b in zip(self.positions, self.positions[1:], strict=False)]
        texts = [game.format_move(before, move) for before, move in zip(self.positions, moves, strict=False)]
        plies = [
            Ply(move, after, game.to_move(before), bool(game.steps(before, move)))
            for before, move, after in zip(self.positions, moves, self.positions[1:], strict=False)
        ]
        started = bool(plies)
        agents = (None, AGENT) if self.has_agent else (None, None)
        self.old = Old(game, Referee(game, agents, list(self.positions) if started else (), texts))
        start = self.positions[0] if started else None
        self.new = New(game, Belief.at(game, start, plies, [1] if self.has_agent else []))

    @property
    def is_agents(self) -> bool:
        """Whether the agent is to move."""
        return self.has_agent and self.game.to_move(self.positions[-1]) == 1

    def answer(self, move: Any) -> None:
        """The agent asks for a move, unless it waits for one already."""
        if self.old.referee.awaiting == "agent":
            text = self.game.format_move(self.positions[-1], move)
            self.old.referee.reply(AGENT, self.old.referee.ply, text)
        self.new.belief = words.told(words.Asked(self.old.referee.agent_move), self.new.belief)

    def _move_to(self, before: Any, after: Any) -> Any:
        return next(move for move in self.game.legal_moves(before) if self.game.apply(before, move) == after)

    def show(self, deed: str, reading: BoardReading, illegal: bool = False) -> None:
        """Both judges look for a while, and are compared."""
        if self.tidy:
            self.stood.add(self.board)
        for name, judge in (("old", self.old), ("new", self.new)):
            judge.told.clear()
            begun = time.process_time()
            for number in range(LOOKS):
                judge.look(reading, self.time_s + number * LOOK_S)
            self.seconds[name] += time.process_time() - begun
        self.time_s += LOOKS * LOOK_S
        self.looks += LOOKS
        self.most_lines = max(self.most_lines, self.new.most_lines)
        sure = self.tidy and not self.doubted
        verdicts = [self._verdict(judge, sure, illegal) for judge in (self.old, self.new)]
        self.counts[(deed, *verdicts)] += 1
        if verdicts[0] != verdicts[1] and self.tells:
            print(self.game.short_name, self.seed, deed, verdicts, *self._described(), file=sys.stderr)
        if self.tidy:
            self.behind = 0
        if self.tidy and (verdicts != ["right", "right"] or (sure and self._tells_otherwise())):
            self.seat()
            for number in range(2):
                for judge in (self.old, self.new):
                    judge.look(self.reading(), self.time_s + number)
            self.time_s += 2

    def _described(self) -> list[str]:
        """What both said, the true board and theirs, and the likeliest lines."""
        boards = [self.board, *(self.game.board(judge.position) for judge in (self.old, self.new))]
        lines = [(len(line.plies), round(line.cost, 1), line.shown) for line in self.new.belief.lines[:4]]
        belief = self.new.belief
        return [str(one) for one in (self.old.told, self.new.told, boards, belief.standing.state, lines, belief.none)]

    def _tells_otherwise(self) -> bool:
        """Whether one of them has another line to the same board, which nobody who looks can tell."""
        return any(judge.position != self.positions[-1] for judge in (self.old, self.new))

    def _verdict(self, judge: Old | New, sure: bool, illegal: bool) -> str:
        board = self.game.board(judge.position)
        if board not in self.stood:
            return "wrong"
        if sure and board != self.board:
            return "behind"
        if sure and judge.objects:
            return "complains"
        return "silent" if illegal and not judge.complains else "right"

    has_agent = False
    """Whether an agent plays the second side."""
    doubted = False
    """Whether a cell is shown in doubt, so that nothing has to be believed."""
    seed = 0
    tells = False
    """Whether every difference is printed."""


def deeds(table: Shadow) -> dict[str, Callable[[], None]]:
    """What happens at the table, by name."""

    def moved(count: int) -> Callable[[], None]:
        def do() -> None:
            for _ in range(count):
                table.move()
            table.show(f"{count} plies", table.reading())

        return do

    def begun() -> None:
        table.begin()
        table.show("half a turn", table.reading())
        table.mend()
        table.show("put back", table.reading())

    def late() -> None:
        """Half a turn, its answer, and then the rest."""
        game, position = table.game, table.positions[-1]
        moves = [one for one in game.legal_moves(position) if len(game.steps(position, one)) > 1]
        begins = len(game.starts) > 1 and len(table.positions) == 1
        if not moves or game.outcome(position) is not None or begins or shares_pieces(game):
            return  # nobody lays half a tile
        move = table.dice.choice(moves)
        half, whole = boards_of_turn(game, position, move)[0], game.apply(position, move)
        following = [one for one in game.legal_moves(whole) if game.steps(whole, one)]
        owed = [cell for cell, (one, other) in enumerate(zip(half, game.board(whole), strict=True)) if one != other]
        table.board = half
        table.show("half a turn", table.reading())
        answers = [
            one
            for one in following
            if not {cell for step in game.steps(whole, one) for cell in (step.cell, step.origin)} & set(owed)
        ]
        if answers:
            answer = table.dice.choice(answers)
            after = game.board(game.apply(whole, answer))
            table.board = "".join(half[cell] if cell in owed else one for cell, one in enumerate(after))
            table.stood.update({game.board(whole), after})
            table.positions += [whole, game.apply(whole, answer)]
            table.show("answered before it is finished", table.reading())
        else:
            table.positions.append(whole)
        table.mend()
        table.show("finished late", table.reading())

    def taken_back() -> None:
        table.take_back()
        table.show("takeback", table.reading())

    def disturbed() -> None:
        table.disturb()
        if not table.tidy:
            table.show("cells changed at random", table.reading())
            table.mend()
            table.show("put back", table.reading())

    def swept() -> None:
        table.sweep()
        table.show("swept", table.reading())
        table.mend()
        table.show("put back", table.reading())

    def doubted() -> None:
        table.doubted = True
        table.show("doubtful cell", table.doubtful())
        table.doubted = False
        table.show("doubtful cell cleared", table.reading())

    def moved_in_doubt() -> None:
        table.move()
        table.show("ply with a doubtful cell", table.doubtful())

    def covered() -> None:
        """A ply while other cells are hidden."""
        before = table.board
        table.move()
        same = [cell for cell, (one, other) in enumerate(zip(before, table.board, strict=True)) if one == other]
        mask = np.zeros(len(before), bool)
        mask[table.dice.sample(same, min(4, len(same)))] = True
        table.show("ply beside a hand", table.reading().without(mask))

    def illegal() -> None:
        at = Situation(table.game, table.positions[-1], table.board, table.dice)
        mistake = table.dice.choice(mistakes_of(table.game))
        board = mistake.make(at)
        if board in (None, table.board) or (len(table.game.starts) > 1 and len(table.positions) == 1):
            return
        if not is_beyond_doubt(table.game, table.positions, str(board)):
            return
        table.board = str(board)
        table.show("illegal move", table.reading(), illegal=True)
        table.mend()
        table.show("put back", table.reading())

    found = {
        "1": moved(1), "2": moved(2), "3": moved(3), "begun": begun, "late": late, "back": taken_back,
        "disturbed": disturbed, "swept": swept, "doubted": doubted, "in doubt": moved_in_doubt, "covered": covered,
    }  # fmt: skip
    return {**found, "illegal": illegal} if table.game.short_name in EXACT else found


def deeds_with_agent(table: Shadow) -> dict[str, Callable[[], None]]:
    """What happens at a table with an agent."""
    game = table.game

    def choices() -> list[Any]:
        return [one for one in game.legal_moves(table.positions[-1]) if game.steps(table.positions[-1], one)]

    def obeyed() -> None:
        moves = choices()
        if not moves or game.outcome(table.positions[-1]) is not None:
            return
        move = table.dice.choice(moves)
        if table.is_agents:
            table.answer(move)
            move = table.old.referee.agent_move
            if move is None:
                return
        table.positions.append(game.apply(table.positions[-1], move))
        table.mend()
        table.show("agent obeyed", table.reading())

    def disobeyed() -> None:
        moves = choices()
        if not table.is_agents or len(moves) < 2 or table.old.referee.agent_move is not None:
            return obeyed()
        asked, other = table.dice.sample(moves, 2)
        after = game.apply(table.positions[-1], asked)
        follows = {game.board(game.apply(after, one)) for one in game.legal_moves(after)}
        board = game.board(game.apply(table.positions[-1], other))
        if board in {game.board(after), *follows, *table.stood}:
            return None
        table.answer(asked)
        table.board = board
        table.show("agent disobeyed", table.reading(), illegal=True)
        table.mend()
        table.show("put back", table.reading())
        return None

    def too_early() -> None:
        moves = choices()
        if not table.is_agents or table.old.referee.agent_move is not None or not moves:
            return obeyed()
        table.board = game.board(game.apply(table.positions[-1], table.dice.choice(moves)))
        if not table.tidy and table.board not in table.stood:
            table.show("moved before the agent", table.reading(), illegal=True)
        table.mend()
        table.show("put back", table.reading())
        return None

    return {"obeyed": obeyed, "disobeyed": disobeyed, "too early": too_early}


WEIGHTS = {"obeyed": 4, "1": 6, "2": 2, "illegal": 2}


def play(
    game: AnyGame, seed: int, plies: int, counts: collections.Counter[tuple[str, str, str]], *, tells: bool = False
) -> Shadow:
    """One table."""
    table = Shadow(game, random.Random(f"{game.name} {seed}"))
    table.seed, table.tells = seed, tells
    table.has_agent = seed % 4 == 3 and not shares_pieces(game)
    table.begin_both(counts)
    done = deeds_with_agent(table) if table.has_agent else deeds(table)
    weights = [WEIGHTS.get(name, 1) for name in done]
    for _ in range(plies):
        if game.outcome(table.positions[-1]) is not None:
            break
        table.dice.choices(list(done.values()), weights)[0]()
    return table


def main() -> None:
    """Prints a table for each game, and one for all; a JSON line of the figures last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default=",".join(GAMES))
    parser.add_argument("--tables", type=int, default=10, help="for each game")
    parser.add_argument("--deeds", type=int, default=40, help="at each table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tell", action="store_true", help="print every difference")
    options = parser.parse_args()
    everything: collections.Counter[tuple[str, str, str]] = collections.Counter()
    figures = {}
    for name in options.games.split(","):
        counts: collections.Counter[tuple[str, str, str]] = collections.Counter()
        seeds = range(options.seed, options.seed + options.tables)
        tables = [play(games.load(name), seed, options.deeds, counts, tells=options.tell) for seed in seeds]
        old, new = (sum(table.seconds[which] for table in tables) for which in ("old", "new"))
        looks = sum(table.looks for table in tables)
        figures[name] = {
            "looks": looks,
            "old_ms": round(1000 * old / looks, 2),
            "new_ms": round(1000 * new / looks, 2),
            "ratio": round(old / new, 1),
            "most_lines": max(table.most_lines for table in tables),
        }
        everything += counts
        print(name, figures[name], flush=True)
        print_table(counts)
    print("all games")
    print_table(everything)
    print(json.dumps(figures))


def print_table(counts: collections.Counter[tuple[str, str, str]]) -> None:
    """Rows of deeds: how often both are the same, the new better, the old better, and in what."""
    names = dict.fromkeys(deed for deed, _, _ in counts)
    for deed in names:
        rows = {(old, new): number for (one, old, new), number in counts.items() if one == deed}
        same = sum(number for (old, new), number in rows.items() if RANKS[old] == RANKS[new])
        better = sum(number for (old, new), number in rows.items() if RANKS[old] > RANKS[new])
        worse = sum(number for (old, new), number in rows.items() if RANKS[old] < RANKS[new])
        said = ", ".join(
            f"{old}/{new} {number}" for (old, new), number in sorted(rows.items()) if (old, new) != ("right", "right")
        )
        print(f"  {deed:32} same {same:6} new better {better:5} old better {worse:5}   {said}")


if __name__ == "__main__":
    main()
