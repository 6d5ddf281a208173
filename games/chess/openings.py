"""Names of chess openings, as players call them, with the moves that lead to each; recognised by any order of moves."""

from __future__ import annotations

import functools
import itertools

from games.chess.board import INDEX
from games.chess.moves import Move, State, after
from games.chess.position import start
from rules.opening_names import names_on

LINES = {
    "King's Gambit": "e2e4e7e5f2f4",
    "King's Gambit Accepted": "e2e4e7e5f2f4e5f4",
    "King's Gambit Declined": "e2e4e7e5f2f4f8c5",
    "Falkbeer Countergambit": "e2e4e7e5f2f4d7d5",
    "Vienna Game": "e2e4e7e5b1c3",
    "Bishop's Opening": "e2e4e7e5f1c4",
    "Wayward Queen Attack": "e2e4e7e5d1h5",
    "Centre Game": "e2e4e7e5d2d4e5d4d1d4",
    "Danish Gambit": "e2e4e7e5d2d4e5d4c2c3",
    "Latvian Gambit": "e2e4e7e5g1f3f7f5",
    "Elephant Gambit": "e2e4e7e5g1f3d7d5",
    "Damiano Defence": "e2e4e7e5g1f3f7f6",
    "Philidor Defence": "e2e4e7e5g1f3d7d6",
    "Petrov's Defence": "e2e4e7e5g1f3g8f6",
    "Ponziani Opening": "e2e4e7e5g1f3b8c6c2c3",
    "Three Knights Game": "e2e4e7e5g1f3b8c6b1c3",
    "Four Knights Game": "e2e4e7e5g1f3b8c6b1c3g8f6",
    "Scotch Game": "e2e4e7e5g1f3b8c6d2d4",
    "Scotch Gambit": "e2e4e7e5g1f3b8c6d2d4e5d4f1c4",
    "Italian Game": "e2e4e7e5g1f3b8c6f1c4",
    "Hungarian Defence": "e2e4e7e5g1f3b8c6f1c4f8e7",
    "Giuoco Piano": "e2e4e7e5g1f3b8c6f1c4f8c5",
    "Evans Gambit": "e2e4e7e5g1f3b8c6f1c4f8c5b2b4",
    "Two Knights Defence": "e2e4e7e5g1f3b8c6f1c4g8f6",
    "Fried Liver Attack": "e2e4e7e5g1f3b8c6f1c4g8f6f3g5d7d5e4d5f6d5g5f7",
    "Spanish Game": "e2e4e7e5g1f3b8c6f1b5",
    "Spanish Game, Morphy Defence": "e2e4e7e5g1f3b8c6f1b5a7a6",
    "Spanish Game, Exchange": "e2e4e7e5g1f3b8c6f1b5a7a6b5c6",
    "Spanish Game, Berlin Defence": "e2e4e7e5g1f3b8c6f1b5g8f6",
    "Spanish Game, Steinitz Defence": "e2e4e7e5g1f3b8c6f1b5d7d6",
    "Spanish Game, Schliemann Gambit": "e2e4e7e5g1f3b8c6f1b5f7f5",
    "Open Spanish Game": "e2e4e7e5g1f3b8c6f1b5a7a6b5a4g8f6e1h1f6e4",
    "Closed Spanish Game": "e2e4e7e5g1f3b8c6f1b5a7a6b5a4g8f6e1h1f8e7",
    "Marshall Attack": "e2e4e7e5g1f3b8c6f1b5a7a6b5a4g8f6e1h1f8e7f1e1b7b5a4b3e8h8c2c3d7d5",
    "Sicilian Defence": "e2e4c7c5",
    "Sicilian Defence, Alapin": "e2e4c7c5c2c3",
    "Sicilian Defence, Smith-Morra Gambit": "e2e4c7c5d2d4c5d4c2c3",
    "Closed Sicilian Defence": "e2e4c7c5b1c3",
    "Sicilian Defence, Grand Prix Attack": "e2e4c7c5b1c3b8c6f2f4",
    "Sicilian Defence, Rossolimo": "e2e4c7c5g1f3b8c6f1b5",
    "Sicilian Defence, Moscow": "e2e4c7c5g1f3d7d6f1b5",
    "Sicilian Defence, Najdorf": "e2e4c7c5g1f3d7d6d2d4c5d4f3d4g8f6b1c3a7a6",
    "Sicilian Defence, Dragon": "e2e4c7c5g1f3d7d6d2d4c5d4f3d4g8f6b1c3g7g6",
    "Sicilian Defence, Scheveningen": "e2e4c7c5g1f3d7d6d2d4c5d4f3d4g8f6b1c3e7e6",
    "Sicilian Defence, Classical": "e2e4c7c5g1f3d7d6d2d4c5d4f3d4g8f6b1c3b8c6",
    "Sicilian Defence, Accelerated Dragon": "e2e4c7c5g1f3b8c6d2d4c5d4f3d4g7g6",
    "Sicilian Defence, Sveshnikov": "e2e4c7c5g1f3b8c6d2d4c5d4f3d4g8f6b1c3e7e5",
    "Sicilian Defence, Kan": "e2e4c7c5g1f3e7e6d2d4c5d4f3d4a7a6",
    "Sicilian Defence, Taimanov": "e2e4c7c5g1f3e7e6d2d4c5d4f3d4b8c6",
    "French Defence": "e2e4e7e6",
    "French Defence, Advance": "e2e4e7e6d2d4d7d5e4e5",
    "French Defence, Exchange": "e2e4e7e6d2d4d7d5e4d5",
    "French Defence, Tarrasch": "e2e4e7e6d2d4d7d5b1d2",
    "French Defence, Rubinstein": "e2e4e7e6d2d4d7d5b1c3d5e4",
    "French Defence, Winawer": "e2e4e7e6d2d4d7d5b1c3f8b4",
    "French Defence, Classical": "e2e4e7e6d2d4d7d5b1c3g8f6",
    "Caro-Kann Defence": "e2e4c7c6",
    "Caro-Kann Defence, Advance": "e2e4c7c6d2d4d7d5e4e5",
    "Caro-Kann Defence, Exchange": "e2e4c7c6d2d4d7d5e4d5",
    "Caro-Kann Defence, Panov Attack": "e2e4c7c6d2d4d7d5e4d5c6d5c2c4",
    "Caro-Kann Defence, Classical": "e2e4c7c6d2d4d7d5b1c3d5e4c3e4c8f5",
    "Scandinavian Defence": "e2e4d7d5",
    "Alekhine's Defence": "e2e4g8f6",
    "Pirc Defence": "e2e4d7d6",
    "Modern Defence": "e2e4g7g6",
    "Nimzowitsch Defence": "e2e4b8c6",
    "Owen's Defence": "e2e4b7b6",
    "St George Defence": "e2e4a7a6",
    "Queen's Gambit": "d2d4d7d5c2c4",
    "Queen's Gambit Accepted": "d2d4d7d5c2c4d5c4",
    "Queen's Gambit Declined": "d2d4d7d5c2c4e7e6",
    "Queen's Gambit Declined, Exchange": "d2d4d7d5c2c4e7e6b1c3g8f6c4d5",
    "Tarrasch Defence": "d2d4d7d5c2c4e7e6b1c3c7c5",
    "Slav Defence": "d2d4d7d5c2c4c7c6",
    "Slav Defence, Exchange": "d2d4d7d5c2c4c7c6c4d5",
    "Semi-Slav Defence": "d2d4d7d5c2c4c7c6g1f3g8f6b1c3e7e6",
    "Semi-Slav Defence, Meran": "d2d4d7d5c2c4c7c6g1f3g8f6b1c3e7e6e2e3b8d7f1d3d5c4d3c4b7b5",
    "Albin Countergambit": "d2d4d7d5c2c4e7e5",
    "Chigorin Defence": "d2d4d7d5c2c4b8c6",
    "London System": "d2d4d7d5g1f3g8f6c1f4",
    "Colle System": "d2d4d7d5g1f3g8f6e2e3",
    "Veresov Attack": "d2d4d7d5b1c3g8f6c1g5",
    "Blackmar-Diemer Gambit": "d2d4d7d5e2e4",
    "Trompowsky Attack": "d2d4g8f6c1g5",
    "Torre Attack": "d2d4g8f6g1f3e7e6c1g5",
    "Catalan Opening": "d2d4g8f6c2c4e7e6g2g3",
    "Nimzo-Indian Defence": "d2d4g8f6c2c4e7e6b1c3f8b4",
    "Queen's Indian Defence": "d2d4g8f6c2c4e7e6g1f3b7b6",
    "Bogo-Indian Defence": "d2d4g8f6c2c4e7e6g1f3f8b4",
    "King's Indian Defence": "d2d4g8f6c2c4g7g6b1c3f8g7",
    "King's Indian Defence, Sämisch": "d2d4g8f6c2c4g7g6b1c3f8g7e2e4d7d6f2f3",
    "King's Indian Defence, Four Pawns Attack": "d2d4g8f6c2c4g7g6b1c3f8g7e2e4d7d6f2f4",
    "King's Indian Defence, Classical": "d2d4g8f6c2c4g7g6b1c3f8g7e2e4d7d6g1f3e8h8f1e2e7e5",
    "Grünfeld Defence": "d2d4g8f6c2c4g7g6b1c3d7d5",
    "Grünfeld Defence, Exchange": "d2d4g8f6c2c4g7g6b1c3d7d5c4d5f6d5e2e4",
    "Old Indian Defence": "d2d4g8f6c2c4d7d6",
    "Benoni Defence": "d2d4g8f6c2c4c7c5",
    "Modern Benoni Defence": "d2d4g8f6c2c4c7c5d4d5e7e6",
    "Benko Gambit": "d2d4g8f6c2c4c7c5d4d5b7b5",
    "Budapest Gambit": "d2d4g8f6c2c4e7e5",
    "Old Benoni Defence": "d2d4c7c5",
    "Englund Gambit": "d2d4e7e5",
    "Dutch Defence": "d2d4f7f5",
    "Dutch Defence, Leningrad": "d2d4f7f5c2c4g8f6g2g3g7g6",
    "English Opening": "c2c4",
    "English Opening, Symmetrical": "c2c4c7c5",
    "English Opening, Reversed Sicilian": "c2c4e7e5",
    "Réti Opening": "g1f3d7d5c2c4",
    "King's Indian Attack": "g1f3d7d5g2g3",
    "Bird's Opening": "f2f4",
    "From's Gambit": "f2f4e7e5",
    "Larsen's Opening": "b2b3",
    "Polish Opening": "b2b4",
    "Grob's Attack": "g2g4",
    "Dunst Opening": "b1c3",
}
"""The cells that each move goes from and to; castling is the king to his rook."""


def opening(state: State) -> str:
    """The name of the opening that a position of usual chess belongs to; empty outside the known lines."""
    return _named().get(state, "")


@functools.cache
def _named() -> dict[State, str]:
    return names_on({name: _way(moves) for name, moves in LINES.items()})


def _way(moves: str) -> list[State]:
    """The positions on a line, without the start."""
    cells = [INDEX[moves[at : at + 2]] for at in range(0, len(moves), 2)]
    states = itertools.accumulate(
        zip(cells[::2], cells[1::2], strict=True), lambda state, way: after(state, Move(*way)), initial=start().state
    )
    return list(states)[1:]
