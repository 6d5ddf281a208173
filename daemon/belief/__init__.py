"""What may be true of the game: one bounded set of lines of play, weighed by every look at the board.

    costs       what each way on costs by itself
    look        one picture's evidence, and how strongly it contradicts a board
    line        one way in which the game may have gone, with what hands have only begun or still owe
    plies       a line's next plies, some of which hands may finish late
    returning   takebacks, moves made again, and a board that is cleared after the end
    moving      all of these for a set of lines, and what is left of it
    missed      plies that no look showed, from any position, and a game that went on after its end
    gap_search  long ways to a board that is certain
    standing    how the newest look agrees with what is certain, and for how long
    belief      the set, moved on by looks and by what people say
    deciding    what follows from one belief after another: values that are put into words elsewhere

All of it is pure: no clock, socket or picture.
"""
