"""Networks that choose a morris move as three choices: where TO, FROM where, what to REMOVE.

    board        the points as the networks number them: lines, neighbours, the sixteen symmetries
    good_moves   states and moves as numbers; the public data format, its split into training and held-out states
    legality     which choices the rules allow, for many states at once
    networks     the trained networks' answers, for either design
    measure      how often they answer like the data, and how often legally, and which purposes they confuse
    service      the answers over plain TCP, one state per line

A state is 28 characters from the mover's side, `NineMensMorris.format_position` without the name. Choices are numbers
into `games.nine_mens_morris.CELLS`; `NONE` is no point: a man laid from the hand, or no man taken.
"""

from __future__ import annotations

POINTS = 24
NONE = 24
"""Choice value for no point."""
CHOICES = 25
DESIGNS = ("ours", "paper")
"""Network designs: our own first, then three residual networks as the paper describes."""
