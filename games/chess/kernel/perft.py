"""Counts the move sequences from a position in machine code."""

from __future__ import annotations

from agents.kernels.leaves import counter
from games.chess.kernel import SEARCH
from games.chess.kernel.negamax import all_written, final_score, make

count = counter(SEARCH, __name__, final_score=final_score, write_moves=all_written, make=make)
