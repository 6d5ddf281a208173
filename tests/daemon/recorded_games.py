"""Random legal games, written into a journal as a match writes them."""

from __future__ import annotations

import atexit
import functools
import random
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import games
from daemon.game.clocks import GameClock, TimeControl
from daemon.game.effects import Record, Thought
from daemon.record.journal import Journal
from daemon.record.stored_game import StoredGame, rule_texts
from rules import AnyGame, Outcome
from rules.turns import line_of_play

PLAYERS = ('Ana [a] \\ "x"', "level-5; ]")
"""Player names with characters that export formats must escape."""


def connection(journal: Journal) -> sqlite3.Connection:
    """What a test does to a record behind its back."""
    assert journal._connection is not None
    return journal._connection


@functools.cache
def kept_journal() -> Journal:
    """One journal for all generated games: to open one takes longer than to record a game."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Journal(Path(folder) / "journal.sqlite")


def random_moves(game: AnyGame, chance: random.Random, most: int) -> tuple[Any, list[str]]:
    """A start of the game and random moves from it, until the game is over or `most` are made."""
    start = position = chance.choice(game.starts)
    texts: list[str] = []
    while len(texts) < most and game.outcome(position) is None:
        moves = game.legal_moves(position)
        seen = [move for move in moves if game.steps(position, move)] or moves
        # Some games nearly always allow a pass; here one comes now and then.
        move = chance.choice(seen if chance.random() < 0.95 else moves)
        texts.append(game.format_move(position, move))
        position = game.apply(position, move)
    return start, texts


def record_game(
    journal: Journal,
    game: AnyGame,
    start: Any,
    texts: list[str],
    control: TimeControl | None = None,
    outcome: Outcome | None = None,
    players: tuple[str, str] = PLAYERS,
    seed: int = 0,
) -> StoredGame:
    """Records a game, with clock times if there is a time control; `outcome` is an end that the board does not show."""
    chance = random.Random(seed)
    connection(journal).execute("PRAGMA synchronous = OFF")  # durability after a power cut is not tested here
    game_id = journal.new_game(game.name, rule_texts(game), players, control.as_object() if control else None)
    clock, now_s, position = GameClock(control or TimeControl()), 0.0, start
    clock.run(game.to_move(position), now_s)
    with journal.together():
        for ply, text in enumerate(texts, 1):
            side, move = game.to_move(position), game.parse_move(position, text)
            seen = bool(game.steps(position, move))
            position = game.apply(position, move)
            now_s += chance.choice([0.0, 0.5, 2.25])
            times = clock.made(side, now_s, text, seen=seen) if control else None
            clock.run(game.to_move(position), now_s)
            thought = Thought(chance.choice([-1.5, 0.0, 120.0]), 5, 1000, 0.7) if control and side else None
            written = game.format_position(position), game.board(position)
            journal.append(game_id, Record(ply, side, text, *written, times=times, thought=thought))
        ended = outcome or game.outcome(position)
        if ended is not None:
            journal.finish(game_id, ended)
    return journal.game(game_id)


def set_up_game(journal: Journal, game: AnyGame, before: list[str], *texts: str) -> StoredGame:
    """Records a game that began with the position after some moves, set up by hand."""
    position = line_of_play(game, before)[-1]
    game_id = journal.new_game(game.name, rule_texts(game), PLAYERS, None, game.format_position(position))
    for ply, text in enumerate(texts, 1):
        side, position = game.to_move(position), game.apply(position, game.parse_move(position, text))
        journal.append(game_id, Record(ply, side, text, game.format_position(position), game.board(position)))
    return journal.game(game_id)


def journal_of_every_game(path: Path, most: int = 400, seed: int = 1) -> Journal:
    """A journal with one long game of each kind."""
    journal, chance = Journal(path), random.Random(seed)
    for name in games.names():
        game = games.load(name)
        start, texts = random_moves(game, chance, most)
        control = TimeControl("game", 600.0, 2.0, lose=True)
        record_game(journal, game, start, texts, control, players=("Ana", "level-5"), seed=seed)
    return journal
