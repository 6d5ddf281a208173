"""The lines of `daemon.belief` beside the referee that they are to replace: the same looks for both, and what differs.

    python -m tests.bench.belief_shadow --games chess,go --tables 20 --seed 1

Games of random legal moves with faults of eyes and hands (`tests.daemon.storms`). The truth is the players' own line:
after every deed both are asked for the board that they believe. Where one of them is wrong or behind, both start again
from the truth, so that every deed counts by itself. The table printed has a row for each deed.
"""

from __future__ import annotations

import argparse
import collections
import json
import random

import games
from daemon.game.line_of_play import shares_pieces
from rules import AnyGame
from tests.bench.belief_deeds import deeds, deeds_with_agent
from tests.bench.belief_table import RANKS, Shadow

GAMES = ("morris", "reversi", "dominoes", "ganh", "gomoku", "chess", "go", "draughts")
WEIGHTS = {"obeyed": 4, "1": 6, "2": 2, "illegal": 2}


def play(
    game: AnyGame, seed: int, plies: int, counts: collections.Counter[tuple[str, str, str]], *, tells: bool = False
) -> Shadow:
    """One table."""
    table = Shadow(game, random.Random(f"{game.name} {seed}"))
    table.seed, table.tells = seed, tells
    table.has_agent = seed % 4 == 3 and not shares_pieces(game)
    table.begin_both(counts)
    done = deeds_with_agent(table) if table.has_agent else deeds(table)
    weights = [WEIGHTS.get(name, 1) for name in done]
    for _ in range(plies):
        if game.outcome(table.positions[-1]) is not None:
            break
        table.dice.choices(list(done.values()), weights)[0]()
    return table


def main() -> None:
    """Prints a table for each game, and one for all; a JSON line of the figures last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", default=",".join(GAMES))
    parser.add_argument("--tables", type=int, default=10, help="for each game")
    parser.add_argument("--deeds", type=int, default=40, help="at each table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tell", action="store_true", help="print every difference")
    options = parser.parse_args()
    everything: collections.Counter[tuple[str, str, str]] = collections.Counter()
    figures = {}
    for name in options.games.split(","):
        counts: collections.Counter[tuple[str, str, str]] = collections.Counter()
        seeds = range(options.seed, options.seed + options.tables)
        tables = [play(games.load(name), seed, options.deeds, counts, tells=options.tell) for seed in seeds]
        old, new = (sum(table.seconds[which] for table in tables) for which in ("old", "new"))
        looks = sum(table.looks for table in tables)
        figures[name] = {
            "looks": looks,
            "old_ms": round(1000 * old / looks, 2),
            "new_ms": round(1000 * new / looks, 2),
            "ratio": round(old / new, 1),
            "most_lines": max(table.most_lines for table in tables),
        }
        everything += counts
        print(name, figures[name], flush=True)
        print_table(counts)
    print("all games")
    print_table(everything)
    print(json.dumps(figures))


def print_table(counts: collections.Counter[tuple[str, str, str]]) -> None:
    """Rows of deeds: how often both are the same, the new better, the old better, and in what."""
    names = dict.fromkeys(deed for deed, _, _ in counts)
    for deed in names:
        rows = {(old, new): number for (one, old, new), number in counts.items() if one == deed}
        same = sum(number for (old, new), number in rows.items() if RANKS[old] == RANKS[new])
        better = sum(number for (old, new), number in rows.items() if RANKS[old] > RANKS[new])
        worse = sum(number for (old, new), number in rows.items() if RANKS[old] < RANKS[new])
        said = ", ".join(
            f"{old}/{new} {number}" for (old, new), number in sorted(rows.items()) if (old, new) != ("right", "right")
        )
        print(f"  {deed:32} same {same:6} new better {better:5} old better {worse:5}   {said}")


if __name__ == "__main__":
    main()
