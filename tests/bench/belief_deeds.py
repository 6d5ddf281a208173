"""What happens at a table that two judges watch: plies, faults of hands and eyes, and an agent that is not obeyed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from daemon.game.line_of_play import shares_pieces
from proving.soak.legal_boards import is_beyond_doubt
from proving.soak.mistakes import Situation, mistakes_of
from rules.turns import boards_of_turn
from tests.bench.belief_table import Shadow

EXACT = ("morris", "reversi", "dominoes", "ganh", "gomoku")
"""Games in which brute force can tell that a board is illegal."""


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
        steps = {one: game.steps(position, one) for one in game.legal_moves(position)}
        moves = [one for one, its in steps.items() if len(its) > 1 and its[0].kind != "remove"]
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
