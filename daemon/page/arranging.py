"""Positions that people set up on the page: what they put where is drawn, checked, and told as a position's text.

Nothing is kept here: the page sends the pieces again after each change, and begins a game by `POST /menu`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from aiohttp import web

import games
from calibration.template import TemplateError
from daemon.commands.command import CommandError
from daemon.drawing.board_svg import board_svg
from daemon.judging import phrases
from daemon.judging.adopting import HIDDEN, OVER
from daemon.page.answering import refusing, words_of
from daemon.page.permission import Permission
from daemon.page.view import names_of, sides_of, template_of
from daemon.words.translation import alone, in_words, worded
from rules import EMPTY, AnyGame, Arranged, Figures, GameError, HiddenHands, PositionError, arranged_by, figures_of

MAX_BYTES = 8192
FIELDS = {"game": str, "rules": dict, "position": str, "figures": str, "side": int, "told": dict}


class Arranging:
    """Answers what a position is that people set up. Used by the page's thread."""

    def __init__(self, permission: Permission) -> None:
        self._permission = permission

    async def arranged(self, request: web.Request) -> web.Response:
        """The arrangement of `{"game": ..., "rules": {...}}` with a `position`, or `figures`, `side` and `told`."""
        self._permission.check(request)
        words = _checked(await words_of(request, MAX_BYTES))
        with refusing((GameError, TemplateError), 409, "refused"):
            return web.json_response(await asyncio.to_thread(arrangement, words))


def _checked(words: object) -> Mapping[str, Any]:
    """A question with values of the right kinds. Raises CommandError."""
    if not isinstance(words, dict) or not isinstance(words.get("game"), str):
        raise CommandError(f"an arrangement is an object with a game and some of {', '.join(FIELDS)}")
    for name, value in words.items():
        if name not in FIELDS:
            raise CommandError(f"{str(name)[:32]}: an arrangement has {', '.join(FIELDS)}")
        if not isinstance(value, FIELDS[name]) or (isinstance(value, bool) and FIELDS[name] is int):
            raise CommandError(f"{name} is not a {FIELDS[name].__name__}")
    if words.get("side", 0) not in (0, 1):
        raise CommandError(f"side is 0 or 1, not {words['side']}")
    return words


def arrangement(words: Mapping[str, Any]) -> dict[str, object]:
    """What stands where, whose turn it is and what else may be chosen, with the drawing; and the `position`'s text.

    Where the rules forbid it, `position` is null and `fault` says why. Without figures and position it is the usual
    start, with what the page needs once: the sides' names, the kinds of pieces, and a drawing that shows each once.
    Raises GameError.
    """
    game = games.load(words["game"], words.get("rules", {}))
    if isinstance(game, HiddenHands):
        raise PositionError(in_words(HIDDEN))
    kinds = kinds_of(game)
    if "figures" in words:
        return _of_figures(game, words["figures"], words.get("side", 0), words.get("told", {}))
    if "position" not in words:
        start = game.initial()
        sides = list(map(_capital, sides_of(game).values()))
        named = [{"piece": one, "name": names_of(game, template_of(game))[one]} for one in kinds]
        shown = (kinds + EMPTY * len(game.cells))[: len(game.cells)]
        return _of_position(game, start) | {"sides": sides, "kinds": named, "palette": _drawn(game, shown)}
    try:
        position = game.parse_position(words["position"].strip())
    except PositionError as error:
        return {"position": None, "fault": _told(error)}
    return _of_position(game, position)


def kinds_of(game: AnyGame) -> str:
    return Figures.of(game).kinds or game.classes.replace(EMPTY, "")


def _of_figures(game: AnyGame, figures: str, side: int, told: Mapping[str, Any]) -> dict[str, object]:
    if len(figures) != len(game.cells) or not set(figures) <= {EMPTY, *kinds_of(game)}:
        raise PositionError(f"figures are {len(game.cells)} of {EMPTY}{kinds_of(game)}, not {figures[:80]!r}")
    chosen = {str(code): value is True for code, value in told.items()}
    try:
        position = arranged_by(game, figures, side, chosen)
    except PositionError as error:
        seen = {"figures": figures, "side": side, "rights": [], "board": _drawn(game, figures)}
        return seen | {"position": None, "fault": _told(error)}
    return _of_position(game, position)


def _of_position(game: AnyGame, position: Any) -> dict[str, object]:
    outcome, figures = game.outcome(position), figures_of(game, position)
    rights = [
        {"code": one.code, "name": _capital(in_words(one.said)), "held": one.held}
        for one in Arranged.of(game).rights(position)
    ]
    return {
        "figures": figures,
        "side": game.to_move(position),
        "rights": rights,
        "board": _drawn(game, figures),
        "position": None if outcome else game.format_position(position),
        "fault": "" if outcome is None else in_words(OVER, *phrases.result(game, outcome)),
    }


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _drawn(game: AnyGame, figures: str) -> str:
    template = template_of(game)
    return board_svg(template, figures, title=alone("game", game.title), names=names_of(game, template))


def _told(error: PositionError) -> str:
    why = error.said if isinstance(error.said, str) else in_words(error.said)
    return worded("This board is no position to go on from: {why}.", why=why.rstrip("."))
