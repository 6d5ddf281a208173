"""What each way on costs by itself, in nats, and how long trouble stands before it is told."""

from __future__ import annotations

BELIEVE_NATS = 2.9
"""Least lead of a believed line, odds of eighteen: so much more a wrong board costs than a verdict that comes a look
later."""
TENFOLD_NATS = 2.3
"""Ten to one. A cell read as something else at more than that contradicts a board. A ply with a step on a cell of which
nothing is known, and each further way to the same board, cost as much: less than BELIEVE_NATS, as only later looks tell
them apart; until then the likeliest is taken."""
RARE_NATS = 3.2
"""What hands seldom do: a takeback, a turn only begun, its answer before that, a pass neither forced nor told, a ply
after one that no free look or no photo has shown; twice, a board cleared after the end. More than BELIEVE_NATS, so that
the line with fewer of them leads. None of the lines costs as much for each cell that changed at random."""
ODD_NATS = 4.8
"""Each ply after the first between two looks, and none of the lines, a broken rule: about one ply in a hundred. So no
rare way is believed for one stray cell, and missed plies are once the play has gone on from them by one cell."""
HOPELESS_NATS = 16.0
"""Distance from the best line at which another is given up: more than two cells read wrongly beyond doubt. A ply by
another side than the hand that was seen costs as much: more than the passes that may explain that hand."""
ROUNDING_NATS = 1e-6
MAX_LINES = 64
MAX_BACK = 8
"""Boards, and plies of an adopted board, to which play is taken back."""
MAX_PASSES = 2
"""Passes in a row that are neither forced nor told."""

STANDING_S = 1.0
"""Seconds that a free board stands before a fault is told: longer than a hand rests on its way to another cell."""
WAITING_S = 2.0
"""Seconds before the rest of a turn is asked for, or which line it was: most turns are finished by then, or the next
ply tells."""
