"""The games of the family by name: rule options that belong together.

Lasker: Emanuel Lasker, "Brettspiele der Völker", 1931. Morabaraba: the generally accepted rules of Mind Sports South
Africa, with "within ten moves" read as ten moves of each side. In the Russian game (мельница) a side may repeat a mill
but takes a man only the first time; a second man for two mills at once, as some take it, is not taken here.
"""

from __future__ import annotations

from rules import RuleSet
from wording import noun, sentence

FLYING = {"flying": True, "mill_protected": True}
TWELVE = {**FLYING, "men": 12, "diagonals": True, "full_draw": True}

RULE_SETS = {
    "tintar": RuleSet(
        noun("rules", "țintar"),
        sentence("Nine men each, who go along the lines to the end; a mill takes any man."),
        {},
    ),
    "standard": RuleSet(
        noun("rules", "nine men's morris, flying"),
        sentence("Nine men each; who has three left may fly, and men in mills are safe while others stand free."),
        FLYING,
    ),
    "lasker": RuleSet(
        noun("rules", "Lasker morris"),
        sentence("Ten men each; from the first turn on you lay a man or move one, as you like."),
        {**FLYING, "men": 10, "move_early": True},
    ),
    "twelve": RuleSet(
        noun("rules", "twelve men's morris"),
        sentence("Twelve men each, and the corners are joined too; a board filled while laying is a draw."),
        TWELVE,
    ),
    "morabaraba": RuleSet(
        noun("rules", "Morabaraba"),
        sentence(
            "Twelve men each, and the corners are joined too; a man may not go back and forth between two mills, "
            "and ten quiet moves of each with three men left are a draw."
        ),
        {**TWELVE, "no_return": True, "three_men_plies": 20},
    ),
    "russian": RuleSet(
        noun("rules", "Russian mill"),
        sentence("Nine men each; a mill takes any man, but only the first time on its line, and three men may fly."),
        {"flying": True, "one_time_mills": True},
    ),
    "one_time": RuleSet(
        noun("rules", "one-time mills"),
        sentence("Nine men each, with flying and safe mills; a mill takes a man only the first time on its line."),
        {**FLYING, "one_time_mills": True},
    ),
    "six": RuleSet(
        noun("rules", "six men's morris"),
        sentence("Six men each on two squares; nobody flies, and men in mills are safe while others stand free."),
        {"board": "six", "men": 6, "mill_protected": True},
    ),
    "three": RuleSet(
        noun("rules", "three men's morris"),
        sentence("Three men each on nine points; whoever has three in a line wins."),
        {"board": "three", "men": 3},
    ),
}
