"""Players' ranking by Elo rating, recomputed from the record each time.

Every finished game between two names counts, in the order in which games ended; also games lost by resigning or on
time. After a game the rating is `R' = R + K * (S - E)`, where S is 1, 1/2 or 0, and
`E = 1 / (1 + 10**((R2 - R1) / 400))` is the expected score (A. E. Elo, The Rating of Chessplayers, Past and Present,
1978, chapter 1; FIDE Handbook B.02). K is the same for all, so that one gains what the other loses, and the mean of
all ratings stays at the initial rating.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence

from daemon.record.browsing import names_of
from daemon.record.journal import Journal

K = 32.0
"""Most rating points one game can move; 32 makes a few dozen games between friends count."""
START = 1500.0
SPREAD = 400.0
"""Rating difference at which the stronger player is expected to score ten to one."""


@dataclasses.dataclass(frozen=True)
class Result:
    players: tuple[str, str]
    winner: int | None
    """0 or 1, an index into `players`; None is a draw."""


@dataclasses.dataclass(frozen=True)
class Standing:
    player: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    elo: float = START

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def after(self, points: float, expected: float) -> Standing:
        return dataclasses.replace(
            self,
            wins=self.wins + (points == 1),
            draws=self.draws + (points == 0.5),
            losses=self.losses + (points == 0),
            elo=self.elo + K * (points - expected),
        )


def expected_points(own: float, other: float) -> float:
    """Expected points, 0 to 1, of one game for a player rated `own` against one rated `other`."""
    # Beyond ten times the spread the result is 0 or 1 to ten digits, and the power would overflow far beyond.
    return 1 / (1 + math.pow(10, max(-10.0, min(10.0, (other - own) / SPREAD))))


def ranking(results: Iterable[Result]) -> list[Standing]:
    """Standings, best first, by rating, then by name; `results` must be in the order in which the games ended.

    Games with the same name on both sides are skipped: nobody can win against themselves.
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
    """Finished games of the record, or of one game only, in the order in which they ended; practice does not count.

    Raises JournalError.
    """
    where, given = ("AND game = ?", [game]) if game else ("", [])
    where += " AND game_id NOT IN (SELECT game_id FROM notes WHERE kind = 'practice')"
    rows = journal.rows(
        f"SELECT players, winner FROM games WHERE finished IS NOT NULL {where} ORDER BY finished, game_id", given
    )
    found = []
    for row in rows:
        names = names_of(row["players"])
        if len(names) == 2 and row["winner"] in (None, 0, 1):  # skip invalid rows, which another program wrote
            found.append(Result((names[0], names[1]), row["winner"]))
    return found


def ranking_object(journal: Journal, game: str = "", most: int | None = None) -> dict[str, object]:
    """The whole ranking as a JSON-ready object. Raises JournalError."""
    found = results(journal, game)
    players = []
    for place, one in enumerate(ranking(found)[:most], 1):
        counts = {"games": one.games, "wins": one.wins, "draws": one.draws, "losses": one.losses}
        players.append({"place": place, "player": one.player, **counts, "elo": round(one.elo)})
    return {
        "game": game,
        "k": K,
        "start": START,
        "games": sum(one.players[0] != one.players[1] for one in found),
        "players": players,
    }
