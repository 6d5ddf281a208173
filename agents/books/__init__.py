"""Opening books: positions of a game's beginning, with the value of their good moves by long searches.

book       the file: JSON lines in the game's own notation
opening    the book of a game under its rules, the moves that it knows in a position, and how positions are named
building   how a book grows: the most likely position next, searched longer than a player can
"""


class BookError(ValueError):
    pass
