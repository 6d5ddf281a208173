"""Reversi in machine code: a search to a depth by trained patterns or a named heuristic, and proofs of the result.

Named heuristics score in their own units, a won game as `agents.search.WIN` minus the plies. The patterns score in
hundredths of a disc, at most 6400; a certain win by n discs is `midgame.WON` + 100 n. The winner's count includes the
empty squares, as in published endgames.
"""

from games.reversi.kernel.memory import HEURISTICS as HEURISTICS
from games.reversi.kernel.searcher import ReversiSearch

SEARCH = ReversiSearch
