"""Who has won how often, and what that is worth: the players' ranking, worked out anew from the record each time.

Every finished game between two names counts, in the order in which games ended; those lost by resigning or on time too.
Ratings follow Elo: after a game `R' = R + K * (S - E)`, where S is 1, 1/2 or 0, and
`E = 1 / (1 + 10**((R2 - R1) / 400))` is what was expected (A. E. Elo, The Rating of Chessplayers, Past and Present,
1978, chapter 1; FIDE Handbook B.02). K is the same for all, so that what one wins the other loses, and the mean of all
ratings stays where they begin.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence

from daemon.storage.browsing import names_of
from daemon.storage.journal import Journal

K = 32.0
"""Rating points that a game can move at most; 32 lets a few dozen games between friends tell."""
START = 1500.0
"""Rating of who has not played yet."""
SPREAD = 400.0
"""Rating difference at which the stronger is expected to score ten to one."""


@dataclasses.dataclass(frozen=True)
class Result:
    """One finished game."""

    players: tuple[str, str]
    winner: int | None
    """0 or 1, an index into `players`; None is a draw."""


@dataclasses.dataclass(frozen=True)
class Standing:
    """A player's place."""

    player: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    elo: float = START

    @property
    def games(self) -> int:
        """Games that count."""
        return self.wins + self.draws + self.losses

    def after(self, points: float, expected: float) -> Standing:
        """The standing after a game with so many points, 1, 1/2 or 0."""
        return dataclasses.replace(
            self,
            wins=self.wins + (points == 1),
            draws=self.draws + (points == 0.5),
            losses=self.losses + (points == 0),
            elo=self.elo + K * (points - expected),
        )


def expected_points(own: float, other: float) -> float:
    """Points a game that somebody of the one rating is expected to make against the other, 0 to 1."""
    # Beyond ten times the spread the answer is 0 or 1 to ten digits, and the power would overflow far beyond.
    return 1 / (1 + math.pow(10, max(-10.0, min(10.0, (other - own) / SPREAD))))


def ranking(results: Iterable[Result]) -> list[Standing]:
    """The best first, by rating, then by name; `results` come in the order in which the games ended.

    A game of somebody against the same name is none: nobody can win against themselves.
    """
    standings: dict[str, Standing] = {}
    for one in results:
        first, second = one.players
        if first == second:
            continue
        mine, theirs = (standings.get(name, Standing(name)) for name in one.players)
        expected = expected_points(mine.elo, theirs.elo)
        points = 0.5 if one.winner is None else 1.0 - one.winner
        standings[first] = mine.after(points, expected)
        standings[second] = theirs.after(1 - points, 1 - expected)
    return sorted(standings.values(), key=lambda one: (-one.elo, one.player))


def results(journal: Journal, game: str = "") -> Sequence[Result]:
    """Every finished game of the record, or of one game, in the order in which they ended. Raises JournalError."""
    where, given = ("AND game = ?", [game]) if game else ("", [])
    rows = journal.rows(
        f"SELECT players, winner FROM games WHERE finished IS NOT NULL {where} ORDER BY finished, game_id", given
    )
    found = []
    for row in rows:
        names = names_of(row["players"])
        if len(names) == 2 and row["winner"] in (None, 0, 1):  # what somebody else wrote into the file does not count
            found.append(Result((names[0], names[1]), row["winner"]))
    return found


def standing_object(place: int, one: Standing) -> dict[str, object]:
    """A line of the ranking for programs."""
    counts = {"games": one.games, "wins": one.wins, "draws": one.draws, "losses": one.losses}
    return {"place": place, "player": one.player, **counts, "elo": round(one.elo)}


def ranking_object(journal: Journal, game: str = "", most: int | None = None) -> dict[str, object]:
    """The whole ranking for programs. Raises JournalError."""
    found = results(journal, game)
    standings = ranking(found)[:most]
    return {
        "game": game,
        "k": K,
        "start": START,
        "games": sum(one.players[0] != one.players[1] for one in found),
        "players": [standing_object(place, one) for place, one in enumerate(standings, 1)],
    }
