"""Plays whole games in the terminal, in a pseudo-terminal, typing only moves that the screen offers.

    kibitzer bench terminal
    kibitzer bench terminal --game gomoku --rule swap2 --pairing two --language ro

Every game is played twice: against the agent `random` (`--pairing agent`), and by two people (`--pairing two`). A move
is typed by chance among those that `?` lists. After a limit of moves players pass where they may, and count, as people
do in go. Prints one JSON line a game: how many moves the screen `offered`, how many were `typed` and `accepted`, the
`refused` ones with what the screen said, accepted ones that the record has `lost`, how the game `ended`, and of that
what the screen left `untold`. Exit status 1 if a move was refused or lost, or a game did not end with its result told.
"""

from __future__ import annotations

import itertools
import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import games
from daemon.cli.options import RuleOption
from daemon.cli.wrong_call import refusals
from daemon.judging import phrases
from daemon.record.journal import Journal
from daemon.record.stored_game import StoredGame
from daemon.words.translation import in_words, language, speak, worded
from lab.bench.pseudo_terminal import Terminal
from lab.bench.whole_games import LONGEST, Figures, Most, Names, Seed, in_turn
from rules import GameError
from rules.options import rules_from_words

PAIRINGS = {"agent": "random:seed={seed}", "two": "me"}
"""The player of the second side."""
AGREE = "agree, "
"""Of the prompt after a game as long as it is still to be agreed how the game is counted."""
GAP = "  "
"""What lies between two moves of the list."""
Pairings = Annotated[list[str], typer.Option("--pairing", help=f"{' or '.join(PAIRINGS)}. Repeatable.")]


class Typist:
    """A person who types by chance."""

    def __init__(self, terminal: Terminal, chance: random.Random) -> None:
        self.terminal, self.chance = terminal, chance
        self.offered = 0
        self.accepted: list[str] = []
        self.refused: list[str] = []
        self.shown = terminal.prompted()
        """What the last line typed brought."""

    @property
    def is_over(self) -> bool:
        return worded("It is over.") in self.shown

    def play(self, most: int) -> None:
        """Plays to the end, and leaves. Raises OSError where the program ends before, TimeoutError where it waits."""
        turns = 0
        while not self.is_over and not self.refused and turns < LONGEST * most:
            self.turn(weary=turns >= most)
            turns += 1
        self.agree()
        self.terminal.type("quit")
        self.terminal.end()

    def turn(self, weary: bool) -> None:
        """Makes one move; someone `weary` passes where that can be done."""
        moves = listed(self.terminal.say("?"))
        self.offered += len(moves)
        passes = [move for move in moves if move.startswith("pass")]
        move = self.chance.choice(passes if weary and passes else moves)
        self.shown = self.terminal.say(move)
        if drawn(self.shown):
            self.accepted.append(move)
        else:
            self.refused.append(f"{len(self.accepted)}: {move}: {' '.join(self.shown.split())}")

    def agree(self) -> None:
        """Both sides agree to the count of a game that was ended by passing."""
        for _ in range(2):
            if AGREE in self.shown.splitlines()[-1]:
                self.shown += self.terminal.say("agree")


def listed(shown: str) -> list[str]:
    """The moves of a list, without what those do that change nothing on the board."""
    words = shown.partition("\n")[2].partition("\n")[0].split(GAP)
    more = re.escape(worded("and {count} more", count=0)).replace("0", r"\d+")
    return [word.partition(" (")[0] for word in words if not re.fullmatch(more, word)]


def drawn(shown: str) -> bool:
    """Whether a board was drawn, which stands between two empty lines; a refusal has none."""
    return "\n\n" in shown


def play(name: str, pairing: str, journal: Path, seed: int, most: int, rules: Sequence[str] = ()) -> Figures:
    first, second = games.load(name, rules_from_words(rules)).sides
    words = [f"--{first}", "me", f"--{second}", PAIRINGS[pairing].format(seed=seed), "--language", language()]
    words += [word for rule in rules for word in ("--rule", rule)]
    terminal = Terminal(journal, "--game", name, "--seed", str(seed), *words)
    try:
        typist = Typist(terminal, random.Random(seed))
        try:
            typist.play(most)
        except (OSError, TimeoutError) as error:
            typist.refused.append(f"{len(typist.accepted)}: nothing more was asked: {error}")
    finally:
        terminal.close()
    return {"game": name, "pairing": pairing, **figures_of(typist, recorded(journal))}


def recorded(journal: Path) -> StoredGame:
    stored = Journal(journal, read_only=True)
    try:
        return stored.games()[-1]
    finally:
        stored.close()


def figures_of(typist: Typist, stored: StoredGame) -> Figures:
    outcome = stored.outcome
    rest = iter(stored.moves)
    result = () if outcome is None else phrases.result(games.load(stored.game, stored.rules), outcome)
    return {
        "plies": len(stored.plies),
        "offered": typist.offered,
        "typed": len(typist.accepted) + len(typist.refused),
        "accepted": len(typist.accepted),
        "refused": typist.refused,
        "lost": [move for move in typist.accepted if move not in rest],
        "ended": None if outcome is None else outcome.reason,
        "untold": [told for told in map(in_words, result) if told not in typist.shown],
    }


def main(
    game: Names = None,
    seed: Seed = 1,
    most: Most = 90,
    pairing: Pairings = list(PAIRINGS),  # noqa: B006
    rule: RuleOption = [],  # noqa: B006
    spoken: Annotated[str, typer.Option("--language", help="en, ro, pl, vi or pt-br.")] = "en",
) -> int:
    speak(spoken)
    with refusals("bench terminal", GameError):
        for name in game or games.names():
            games.load(name, rules_from_words(rule))
    with tempfile.TemporaryDirectory() as folder:
        games_played = (
            play(name, other, Path(folder) / f"{name}-{other}.sqlite", seed, most, rule)
            for name, other in itertools.product(game or games.names(), pairing)
        )
        return in_turn(games_played)
