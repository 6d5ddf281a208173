"""Tags of PGN, the Portable Game Notation, that tell rules and start: `Variant` and `FEN` of Chess960."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.chess.notation import CLAIM_TEXT
from games.chess.position import USUAL, number_of, position_of, text_of

UNWRITTEN = (CLAIM_TEXT,)
PLAIN = ("", "chess", "standard", "from position")
SHUFFLED = ("chess960", "chess 960", "fischerandom", "fischer random", "freestyle")


def tags_of(game: Any, start: Any) -> dict[str, str]:
    """`Variant "Chess960"` with the start position of its number, and whether draws come by themselves."""
    tags = {} if game.rules.draws == "claimed" else {"Rules": f"draws={game.rules.draws}"}
    if not game.shuffled:
        return tags
    begun = {"SetUp": "1", "FEN": text_of(start)} if start in game.starts else {}
    return {"Variant": "Chess960"} | tags | begun


def rules_of(tags: Mapping[str, str]) -> dict[str, object] | None:
    """The start position's number; None where the tags name another game."""
    variant = tags.get("Variant", "").strip().lower()
    if variant not in PLAIN + SHUFFLED or "GameType" in tags:
        return None
    rules: dict[str, object] = {}
    if "FEN" in tags and variant in SHUFFLED:
        start = position_of(tags["FEN"])
        number = number_of(start.board)
        rules["start"] = USUAL if number is None else number
    if not variant and "Event" not in tags and "White" not in tags:
        return None
    return rules
