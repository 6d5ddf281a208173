"""Words for a game that goes on after its end, as the maker of some piece was assumed wrongly, or that does not."""

from __future__ import annotations

from daemon.belief.missed import turned
from daemon.game.effects import Announcement
from daemon.game.line_of_play import LineOfPlay
from daemon.judging import phrases
from daemon.judging.play import WRONG_SIDE, Play
from wording import Listing, listing, sentence


def told(play: Play, before: LineOfPlay) -> list[Announcement]:
    """Says what is assumed so that the game goes on, and how to correct it."""
    moves = _assumed(play, before)
    said = sentence(
        "You play on, so I count {moves}; if it was another, tell me its number and side: mover.", moves=moves
    )
    return [play.announce("reopened", said, urgent=True)]


def insist(play: Play) -> Announcement:
    """Announces that the game is over under every assumption, and what to do if it is not."""
    assert play.outcome is not None
    what = sentence("What is laid now does not count.")
    if play.agents == (None, None):
        what = WRONG_SIDE
    said = *phrases.result(play.game, play.outcome), what
    return play.announce("game_over", *said, rule=play.outcome.reason, urgent=True)


def _assumed(play: Play, before: LineOfPlay) -> Listing:
    """The moves given to the other side, with the sides to which they now belong; those after them follow in turn."""
    line, parts = play.line, []
    one: LineOfPlay | None = before
    while one is not None and (number := _first_other(one, line)) is not None:
        one, side = turned(one, number), phrases.named(play.game, line.plies[line.seen[number - 1]].side)
        if number == len(line.seen):
            parts.append(sentence("move {number} as {side:gen}'s", number=number, side=side))
        else:
            parts.append(
                sentence("the moves from {number} on in turn, the first as {side:gen}'s", number=number, side=side)
            )
    return listing(parts)


def _first_other(one: LineOfPlay, other: LineOfPlay) -> int | None:
    """The first move, from 1 without passes, that was another side's in the other line."""
    pairs = zip(one.seen, other.seen, strict=False)
    sides = ((one.plies[mine].side, other.plies[others].side) for mine, others in pairs)
    return next((number for number, (mine, others) in enumerate(sides, 1) if mine != others), None)
