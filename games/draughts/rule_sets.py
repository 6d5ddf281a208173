"""The games of draughts by name: rule options that belong together.

English: the rules of the World Checkers Draughts Federation, with its 40 moves without progress as 80 plies.
International: the annex to the rules of the FMJD, with 25 moves of kings, and the last pieces after 16 and 5 moves.
Brazilian: international on the small board. Russian and pool: the rules of their federations (`docs/rules.md`).
"""

from __future__ import annotations

from rules import RuleSet
from wording import noun, sentence

FLYING = {"flying": True, "backwards": True}

RULE_SETS = {
    "english": RuleSet(
        noun("rules", "English draughts"),
        sentence("Eight rows and twelve men each; men take forwards only, kings go one square, any capture will do."),
        {},
    ),
    "international": RuleSet(
        noun("rules", "international draughts"),
        sentence(
            "Ten rows and twenty men each; kings fly, men also take backwards, and the most pieces must be taken."
        ),
        {**FLYING, "size": "10", "first": "light", "longest": True, "king_plies": 50, "last_pieces": True},
    ),
    "brazilian": RuleSet(
        noun("rules", "Brazilian draughts"),
        sentence("International draughts on eight rows, with twelve men each."),
        {**FLYING, "first": "light", "longest": True, "king_plies": 40, "last_pieces": True},
    ),
    "russian": RuleSet(
        noun("rules", "Russian draughts"),
        sentence(
            "Eight rows; kings fly, men also take backwards, any capture will do, and a man that comes to the last row "
            "while taking goes on as a king."
        ),
        {**FLYING, "first": "light", "passing": True, "king_plies": 30},
    ),
    "pool": RuleSet(
        noun("rules", "pool checkers"),
        sentence("Eight rows; kings fly, men also take backwards, and any capture will do."),
        FLYING,
    ),
}
