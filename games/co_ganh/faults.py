"""What is wrong with a board of cờ gánh that no legal move, nor part of one, can bring about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games import EMPTY, Fault, changed_cells
from games.co_ganh.board import CELLS, JUMPS, bits_of, names_of
from games.co_ganh.position import PIECES, SIDES, Move, Position

if TYPE_CHECKING:
    from games.co_ganh import CoGanh


class Judge:
    """Names the broken rule for one board."""

    def __init__(self, game: CoGanh, position: Position, board: str) -> None:
        before = game.board(position)
        mine, theirs = PIECES[position.side], PIECES[1 - position.side]
        self.game, self.position, self.before, self.board = game, position, before, board
        self.me, self.foe = SIDES[position.side], SIDES[1 - position.side]
        self.changed = changed_cells(before, board)
        self.my_new = [cell for cell in self.changed if (before[cell], board[cell]) == (EMPTY, mine)]
        self.foe_new = [cell for cell in self.changed if (before[cell], board[cell]) == (EMPTY, theirs)]
        self.my_gone = [cell for cell in self.changed if (before[cell], board[cell]) == (mine, EMPTY)]
        self.foe_gone = [cell for cell in self.changed if (before[cell], board[cell]) == (theirs, EMPTY)]
        self.turned = [cell for cell in self.changed if EMPTY not in (before[cell], board[cell])]

    def fault(self) -> Fault:
        """The first rule found broken."""
        if not self.changed:
            return self._say("unexplained", f"Nothing has changed on the board. It is {self.me}'s turn.")
        if self.game.outcome(self.position) is not None:
            return self._say("game_over", f"The game is over. {self._remedy()}")
        lost = [cell for cell in self.turned if self.board[cell] == PIECES[1 - self.position.side]]
        if lost or (self.turned and not self.game.rules.flips):
            wrong = lost or self.turned
            what = (
                "man has changed its colour: turn it" if len(wrong) == 1 else "men have changed their colour: turn them"
            )
            return self._say("piece_changed_colour", f"On {names_of(wrong)} the {what} back.")
        if self.foe_new:
            return self._enemy_acted()
        if len(self.my_new) == 1:
            return self._arrived(self.my_new[0])
        return self._several() if self.my_new else self._none_came()

    def _say(self, code: str, text: str) -> Fault:
        return Fault(code, self.changed, text if len(text) <= 512 else f"{text[:500].rsplit(' ', 1)[0]} and so on.")

    def _remedy(self) -> str:
        """What hands must do to have the board as before."""
        new, gone = self.my_new + self.foe_new, self.my_gone + self.foe_gone
        if len(new) == len(gone) == 1 and not self.turned and self.board[new[0]] == self.before[gone[0]]:
            return f"Move it back to {names_of(gone)}."
        words = [f"Take {names_of(new)} away."] if new else []
        words += [f"Turn {names_of(self.turned)} back."] if self.turned else []
        back = [
            f"{side}'s {'man' if len(cells) == 1 else 'men'} back on {names_of(cells)}"
            for side, cells in ((self.me, self.my_gone), (self.foe, self.foe_gone))
            if cells
        ]
        return " ".join(words + ([f"Put {' and '.join(back)}."] if back else []))

    def _unexplained(self) -> Fault:
        return self._say("unexplained", f"No move of {self.me} leads here. {self._remedy()}")

    def _enemy_acted(self) -> Fault:
        """Enemy men arrived."""
        arrived = names_of(self.foe_new)
        if not self.my_new and len(self.foe_new) == len(self.foe_gone) == 1:
            moved = f"It is {self.me}'s turn, but {self.foe} moved {names_of(self.foe_gone)} to {arrived}."
            return self._say("not_your_turn", f"{moved} {self._remedy()}")
        if len(self.changed) == len(self.foe_new):
            return self._say(
                "extra_man", f"Nobody lays men in this game, but {self.foe} did on {arrived}. Take it away."
            )
        return self._unexplained()

    def _several(self) -> Fault:
        """Several of the mover's men arrived."""
        if self.foe_gone or self.turned or len(self.my_gone) != len(self.my_new):
            return self._unexplained()
        text = f"{self.me.capitalize()} moved {len(self.my_new)} men at once. {self._remedy()}"
        return self._say("two_men_moved", text)

    def _none_came(self) -> Fault:
        """Men are gone or turned, and none arrived."""
        if self.turned and not self.my_gone and not self.foe_gone:
            return self._say(
                "man_turned_without_move", f"No man was moved, but {names_of(self.turned)} changed. Turn it back."
            )
        if self.turned:
            return self._unexplained()
        gone, one = self.my_gone + self.foe_gone, len(self.changed) == 1
        what = f"The {'man' if one else 'men'} on {names_of(gone)} {'is' if one else 'are'} missing. {self._remedy()}"
        return self._say("man_missing", what)

    def _arrived(self, to: int) -> Fault:
        """One man of the mover arrived: what is wrong is its way or what was captured."""
        if not self.my_gone:
            text = f"Nobody lays men in this game, but {self.me} laid one on {CELLS[to]}. Take it away."
            return self._say("extra_man", text) if len(self.changed) == 1 else self._unexplained()
        if len(self.my_gone) > 1:
            return self._say("wrong_man_removed", f"{self.me.capitalize()}'s own man was taken. {self._remedy()}")
        move = Move(self.my_gone[0], to)
        if not self.game.reach(self.position, move.origin) >> to & 1:
            return self._wrong_way(move)
        if self.position.opened not in (None, to):
            point = names_of([self.position.opened or 0])
            text = f"{point} was left open: {self.me} must step onto it. Move {CELLS[to]} back to {CELLS[move.origin]}."
            return self._say("must_enter", text)
        return self._wrong_captures(move)

    def _wrong_way(self, move: Move) -> Fault:
        origin, to, over = CELLS[move.origin], CELLS[move.to], JUMPS[move.origin].get(move.to)
        if over is None:
            code, why = "not_adjacent", f"{origin} and {to} are not joined by a line"
        elif self.game.rules.flips:
            code, why = "no_jumps", f"Nobody jumps in this game, as from {origin} to {to}"
        else:
            code, why = "nothing_to_jump", f"From {origin} to {to} there is no enemy man to leap over on {CELLS[over]}"
        return self._say(code, f"{why}. {self._remedy()}")

    def _wrong_captures(self, move: Move) -> Fault:
        """The man's way is right: too much was captured, or in a way that nobody captures."""
        due, to = self.game.captured(self.position, move), CELLS[move.to]
        done, undone = (self.turned, self.foe_gone) if self.game.rules.flips else (self.foe_gone, self.turned)
        if undone:
            return self._say("man_not_turned", f"Captured men are turned, not taken. {self._put_back(undone)}")
        extra = sorted(set(done) - set(due))
        if extra:
            captures = f"captures {names_of(due)} only" if due else "captures nobody"
            verb = "turned" if self.game.rules.flips else "taken"
            was = f"{'was' if len(extra) == 1 else 'were'} {verb}"
            text = f"The move to {to} {captures}, but {names_of(extra)} {was}. {self._put_back(extra)}"
            return self._say("not_captured", text)
        missing, verb = sorted(set(due) - set(done)), "turn" if self.game.rules.flips else "take"
        if not missing:
            return self._unexplained()
        return self._say(
            "capture_unfinished", f"The move to {to} captures {names_of(due)}: {verb} {names_of(missing)} too."
        )

    def _put_back(self, cells: list[int]) -> str:
        man = "man" if bits_of(cells).bit_count() == 1 else "men"
        verb = "Turn" if self.game.rules.flips and not set(cells) & set(self.foe_gone) else "Put"
        return f"{verb} {self.foe}'s {man} back on {names_of(cells)}."
