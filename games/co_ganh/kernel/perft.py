"""Counts the move sequences from a position in machine code."""

from __future__ import annotations

from agents.kernels.leaves import counter
from games.co_ganh.kernel import SEARCH
from games.co_ganh.kernel.moves import write_moves
from games.co_ganh.kernel.negamax import final_score, make

count = counter(SEARCH, __name__, final_score=final_score, write_moves=write_moves, make=make)
