"""What each way on costs by itself, in nats, and how long trouble stands before it is told."""

from __future__ import annotations

BELIEVE_NATS = 2.9
"""Least lead of a believed line, odds of eighteen: so much more a wrong board costs than a verdict that comes a look
later."""
HOPELESS_NATS = 16.0
"""Distance from the best line at which another is given up: more than two cells read wrongly beyond doubt."""
FOLLOWED_NATS = 2 * BELIEVE_NATS
"""Distance from the likeliest line before a look up to which others are moved on by it; the rest may only prove
right."""
ROUNDING_NATS = 1e-6
MAX_LINES = 64
MAX_BACK = 8
"""Boards, and plies of an adopted board, to which play is taken back."""
WRONG_CELL_NATS = 2.3
"""Loss above which a cell contradicts a board: it was read as something else at ten to one."""

EXTRA_PLY_NATS = 4.6
"""Each ply after the first between two looks: of a hundred plies about one comes so quickly."""
PHOTO_PLY_NATS = 3.0
"""The same between two photos, where a missed ply is no surprise: more than BELIEVE_NATS, so that one still leads."""
OBEYED_NATS = 0.2
"""A ply right after the one that an agent asked for, which people often answer at once: less than a takeback by
BELIEVE_NATS."""
HASTE_NATS = 3.5
"""A ply after one that no free look has shown: both sides would have moved under the same hand. More than BELIEVE_NATS,
and so little that a quick answer is still believed."""
PASS_NATS = 3.5
"""A pass that was neither forced nor told: more than BELIEVE_NATS, so that the line with fewer of them leads."""
MOVER_NATS = 12.0
"""A ply by another side than the hand that was seen: more than the two passes that may explain that hand."""
HALF_NATS = 3.5
"""A turn only begun: more than BELIEVE_NATS, so that a whole turn is no half of another until more is seen."""
LATE_NATS = 2.7
"""An answer to a turn that hands have not finished, besides HALF_NATS: together less than three plies, and more than a
takeback, by BELIEVE_NATS."""
HIDDEN_NATS = 2.5
"""A ply with a step on a cell of which nothing is known: a piece may as well be in the fingers, or not be taken off."""
TAKEBACK_NATS = 3.2
"""Less likely than a ply by more than BELIEVE_NATS, and likelier than two at once."""
FURTHER_NATS = 2.0
"""Each further way to the same board: a longer takeback, other missed plies, another piece that a pawn became. Less
than BELIEVE_NATS, since only later plies tell them apart; until then the likeliest is taken."""
AGAIN_NATS = 1.0
"""Plies made again that were taken back: what was lifted is usually put back."""
CLEARED_NATS = 7.0
"""A board being cleared after the end: more than a takeback by BELIEVE_NATS."""
ILLEGAL_NATS = 5.0
"""None of the lines: a rule is broken, once in about a hundred and fifty moves..."""
STRAY_NATS = 3.0
"""...and each cell that changed did so at random, one of twenty such changes; so no rare legal way is believed for one
stray cell, and missed plies are believed once the play has gone on from them by one cell."""

STANDING_S = 1.0
"""Seconds that a free board stands before a fault is told: longer than a hand rests on its way to another cell."""
UNFINISHED_S = 2.0
"""Seconds before the rest of a turn is asked for: most are finished by then."""
TORN_S = 2.0
"""Seconds before people are asked which line it was: the next ply may tell."""
GOING_BACK_S = 3.0
"""Seconds before a fault is told where men may be going back one by one: hands pause between them."""
