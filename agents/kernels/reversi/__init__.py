"""Reversi in machine code: a search to a depth by trained patterns or a named heuristic, and proofs of the result.

Scores of the named heuristics are theirs, with `agents.search.WIN` less the plies for a game won. Scores of the
patterns are hundredths of a disc, at most 6400; a game won for certain by n discs is `midgame.WON` + 100 n.
The winner's count includes the empty squares, as in published endgames.
"""

from agents.kernels.reversi.memory import HEURISTICS as HEURISTICS
from agents.kernels.reversi.searcher import ReversiSearch

SEARCH = ReversiSearch
