"""A program for the board file interface, good or bad as MANNER says: `file_program.py MANNER SYMBOL FILE`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from games.reversi import PASS, Position, Reversi

MANNER, SYMBOL, FILE = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])

rows = json.loads(FILE.read_text())
cells = [value for row in rows for value in row]
discs = [sum(1 << cell for cell, value in enumerate(cells) if value == symbol) for symbol in (1, 2)]
game, position = Reversi(), Position((discs[0], discs[1]), SYMBOL - 1)
moves = [move for move in game.legal_moves(position) if move != PASS]

if MANNER == "stalls":
    time.sleep(600)
if MANNER == "dies":
    sys.exit("out of ideas")
if MANNER == "garbage":
    FILE.write_text("[[0, 1, 2")
elif MANNER == "seven":
    rows[2][3] = 7
    FILE.write_text(json.dumps(rows))
elif MANNER == "lies":
    rows[0][0] = SYMBOL
    FILE.write_text(json.dumps(rows))
elif MANNER == "good" and moves:
    after = game.apply(position, moves[0]).discs
    cells = [1 if after[0] >> cell & 1 else 2 if after[1] >> cell & 1 else 0 for cell in range(64)]
    FILE.write_text(json.dumps([cells[row : row + 8] for row in range(0, 64, 8)]))
