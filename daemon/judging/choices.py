"""Choices that the board does not show, as people tell them; until then `rules.turns.seen_moves` has the first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from daemon.game.effects import Effect
from daemon.game.line_of_play import LineOfPlay, played
from daemon.i18n.translation import called
from daemon.judging import phrases
from daemon.judging.play import Play
from rules import AnyGame, MoveError, Words
from rules.turns import alike
from wording import sentence


def choose(play: Play, text: str) -> list[Effect] | None:
    """Corrects the last move that the text may mean, its own or its choice's name, "knight"; None if none is meant."""
    for index, move in _others(play.line):
        before, ply = play.line.before(index), play.line.plies[index]
        if ply.known == "agent" or not _means(play.game, before, move, text):
            continue
        again = play.line.until(index)
        again.add(played(play.game, before, move, "said"))
        if (other := play.line.replayed(again)) is None:
            continue
        ended, rewrite = play.outcome, play.rewritten(other)
        play.believe()
        words = phrases.spoken_move(play.game, before, move)
        said = sentence("{side:Nom}: {move}.", side=phrases.named(play.game, ply.side), move=words)
        effects: list[Effect] = [rewrite, play.announce("corrected", said, *play.next_turn())]
        if play.outcome is not None and play.outcome != ended:
            effects.append(play.announce_end(play.outcome))
        return effects
    return None


def _means(game: AnyGame, before: Any, move: Any, text: str) -> bool:
    term = Words.of(game).choice(before, move)
    if term is not None and text.strip().casefold() in called(term):
        return True
    try:
        return bool(game.parse_move(before, text) == move)
    except MoveError:
        return False


def _others(line: LineOfPlay) -> Iterator[tuple[int, Any]]:
    """The plies that may have been another move to the same board, the last first, each with such a move."""
    for index in range(len(line.plies) - 1, -1, -1):
        if line.plies[index].move is not None:
            for move in alike(line.game, line.before(index), line.plies[index].move):
                yield index, move
