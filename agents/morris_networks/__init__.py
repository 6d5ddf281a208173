"""Networks that choose a morris move as three choices: where TO, FROM where, what to REMOVE.

    board        the points as the networks number them: lines, neighbours, the sixteen symmetries
    good_moves   the public data format, its split into what is learnt from and what is held out
    legality     which choices the rules allow, for many states at once
    rows         moves and positions of the rules as the networks number them
    networks     the trained files as they answer, by either design
    measure      how often they answer as the data does, and legally
    purposes     what moves are for, and which purposes are taken for which
    service      the answers over plain TCP, a state a line

A state is 28 characters from the mover's side, `NineMensMorris.format_position` without the name. Choices are numbers
into `games.nine_mens_morris.CELLS`; `NONE` is no point: laid from the hand, or nothing taken.
"""

from __future__ import annotations

POINTS = 24
NONE = 24
"""Choice value for no point."""
CHOICES = 25
DESIGNS = ("ours", "paper")
"""Network designs: our own first, then three residual networks as the paper describes."""
