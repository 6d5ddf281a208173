"""Second opinions on our referee: another program follows the game, and says what is legal and who has won."""

from __future__ import annotations

from typing import Any, Protocol

from agents.engines.engine_protocols import Gtp, GtpRefused, deadline_in
from agents.engines.process import EngineProcess
from agents.protocols import gtp
from games.chess import uci
from lab.bench.talks.tally import program
from rules import DeadPieces
from rules.stones import COLOURS

WAIT_S = 60.0


class Witness(Protocol):
    """Methods return what differs, or an empty text."""

    def see(self, position: Any, move: Any) -> str:
        """Follows a move that is made in the position."""
        ...

    def judge(self, position: Any) -> str:
        """The end of a game."""
        ...

    def close(self) -> None: ...


class Nobody(Witness):
    """Where no other program knows the game."""

    def __init__(self, game: Any) -> None: ...

    def see(self, position: Any, move: Any) -> str:
        return ""

    judge = close = lambda *_: ""  # type: ignore[assignment]


class PythonChess(Witness):
    def __init__(self, game: Any) -> None:
        import chess

        self._game, self._board = game, chess.Board(game.format_position(game.initial()))

    def see(self, position: Any, move: Any) -> str:
        ours = {text for one in self._game.legal_moves(position) if (text := uci.text(self._game, position, one))}
        theirs = {self._board.uci(one) for one in self._board.legal_moves}
        if self._board.outcome() is not None or ours != theirs:
            return f"legal moves differ by {ours ^ theirs} in {self._board.fen()}"
        self._board.push_uci(uci.text(self._game, position, move))
        return ""

    def judge(self, position: Any) -> str:
        ours, theirs = self._game.outcome(position), self._board.outcome()
        winner = {True: 0, False: 1, None: None}
        if ours is None or theirs is None or ours.winner != winner[theirs.winner]:
            return f"ended with {ours}, by python-chess with {theirs}: {self._board.fen()}"
        return ""

    def close(self) -> None:
        pass


class GnuGo(Witness):
    """GNU Go by the rules of our count, so that its `final_score` should be the same."""

    def __init__(self, game: Any) -> None:
        rules = ["--chinese-rules"] if game.rules.scoring == "area" else ["--japanese-rules"]
        self._game = game
        self._process = EngineProcess([program("gnugo") or "gnugo", "--mode", "gtp", "--level", "1", *rules])
        self._gtp = Gtp(self._process, deadline_in(WAIT_S))
        for command in (f"boardsize {game.size}", f"komi {game.rules.komi}"):
            self._gtp.ask(command, deadline_in(WAIT_S))

    def see(self, position: Any, move: Any) -> str:
        """Legality of the move; the captures of both sides after it."""
        game, side = self._game, COLOURS[self._game.to_move(position)]
        vertex = gtp.to_vertex(game, game.format_move(position, move))
        try:
            self._gtp.ask(f"play {side} {vertex}", deadline_in(WAIT_S))
        except GtpRefused as error:
            return f"{error} in {game.format_position(position)}"
        taken = tuple(int(self._gtp.ask(f"captures {colour}", deadline_in(WAIT_S))) for colour in COLOURS)
        ours = game.apply(position, move).prisoners
        return "" if taken == ours else f"captured {ours}, by GNU Go {taken}"

    def judge(self, position: Any) -> str:
        outcome = self._game.outcome(position)
        lead = outcome.scores[0] - outcome.scores[1]
        ours = "0" if not lead else f"{'B' if lead > 0 else 'W'}+{abs(lead):.1f}"
        theirs = self._gtp.ask("final_score", deadline_in(WAIT_S))
        if ours == theirs:
            return ""
        dead = {self._game.cells[cell] for cell in DeadPieces.of(self._game).dead(position)}
        theirs_dead = set(self._gtp.ask("final_status_list dead", deadline_in(WAIT_S)).split())
        differing = " ".join(sorted(dead ^ theirs_dead)) or "none"
        return (
            f"counted {ours}, by GNU Go {theirs}; dead by one only: {differing}; {self._game.format_position(position)}"
        )

    def close(self) -> None:
        self._process.close()
