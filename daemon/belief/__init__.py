"""What may be true of the game: one bounded set of lines of play, weighed by every look at the board.

The evidence of a look (`look`) moves the set on (`belief`, `moving`): each line (`line`) by further plies (`plies`),
back and forth (`returning`), or over plies that nobody saw (`missed`, `gap_search`). Of those that show the same board
the pieces seen decide (`figures`). How long that stands (`standing`) says what is told of it (`deciding`), to be worded
elsewhere. All of it is pure: no clock, socket or picture.
"""
