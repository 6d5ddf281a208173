"""Opening books: positions of a game's beginning, with the value of their good moves by long searches.

keys       the name of a position, the same however the board is turned or mirrored
book       the file: JSON lines in the game's own notation
opening    the book of a game under its rules, and the moves that it knows in a position
building   how a book grows: the most likely position next, searched longer than a player can
"""


class BookError(ValueError):
    """A book that cannot be read, made or used."""
