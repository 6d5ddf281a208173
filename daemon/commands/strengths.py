"""How strong an agent is, in words: four named strengths among the levels, and what each means in a game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from daemon.words.translation import OPTION, alone, as_words, in_a_row, in_words, titled, worded, worded_n
from wording import Sentence, sentence

STRENGTHS = {
    "level-2": sentence("Beginner"),
    "level-4": sentence("Casual"),
    "level-6": sentence("Strong"),
    "level-8": sentence("Strongest"),
}
"""The name of each strength, by its level. None is called unbeatable: no game here is solved."""
SEARCHES = {
    "alphabeta": sentence("Alpha-beta search"),
    "expectimax": sentence("Expectimax search"),
    "external": sentence("Another program"),
    "mcts": sentence("Monte Carlo search"),
    "minimax": sentence("Minimax search"),
    "neural": sentence("Neural network"),
}
"""What people read for the agents whose names are no words."""
LIMITS: Mapping[str, Callable[[str], str]] = {
    "time_s": lambda value: worded("{count} s a move", count=value),
    "depth": lambda value: worded("depth {count}", count=value),
    "nodes": lambda value: worded("{count} positions a move", count=value),
}
"""An agent's limits, as `player_name` writes them beside its options."""


def strengths_of(levels: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The strengths, weakest first: `agent`, `title`, and what it `means`; `levels` are the catalogue's of one game.

    Nothing is known about what they mean until the catalogue is.
    """
    players = {level["name"]: level["player"] for level in levels}
    return [
        {"agent": agent, "title": in_words(title), "means": meaning(players.get(agent, ""))}
        for agent, title in STRENGTHS.items()
    ]


def engines_of(names: Iterable[str]) -> list[dict[str, str]]:
    """Others' engines as opponents, in the same form; how strong each is, its option `level` says."""
    means = worded("Another program on this computer, with eight levels of its own.")
    return [{"agent": name, "title": name, "means": means} for name in names]


def known_as(agent: str) -> Sentence | str:
    """An agent's name for people, to stand in a sentence."""
    if agent.startswith("level-") and agent not in STRENGTHS:
        return sentence("Level {number}", number=agent.removeprefix("level-"))
    return STRENGTHS.get(agent) or SEARCHES.get(agent) or agent


def shown_name(agent: str) -> str:
    return as_words(known_as(agent))


def level_title(name: str) -> str:
    """One of the eight levels in a list of all: with its strength's name where it has one."""
    number = worded("Level {number}", number=name.removeprefix("level-"))
    return f"{number} ({in_words(STRENGTHS[name])})" if name in STRENGTHS else number


def shown_player(recorded: str) -> str:
    """The name of a player in the record for people: an agent's own with its settings, as `player_name` writes them."""
    agent, _, rest = recorded.partition(":")
    settings = [word.partition("=") for word in rest.split(",")]
    if not all(name and value for name, _, value in settings):
        return shown_name(recorded)
    return f"{shown_name(agent)} ({', '.join(_setting(name, value) for name, _, value in settings)})"


def _setting(name: str, value: str) -> str:
    return LIMITS[name](value) if name in LIMITS else f"{alone(OPTION, titled(name))} {value}"


def meaning(player: str) -> str:
    """What to expect of a player such as `alphabeta:depth=2,error_percent=10`, by what its settings say."""
    agent, _, rest = player.partition(":")
    settings = dict(word.split("=", 1) for word in rest.split(",") if "=" in word)
    names = ("depth", "nodes", "simulations", "error_percent")
    depth, nodes, simulations, errors = (_whole(settings.get(name, "")) for name in names)
    own = {
        "random": lambda: worded("Plays any move that the rules allow."),
        "greedy": lambda: worded("Takes the most points at once."),
        "expectimax": lambda: worded("Also thinks of what you may answer."),
    }
    return in_a_row(
        (
            own[agent]() if agent in own else "",
            worded_n("Looks {count} move ahead.", "Looks {count} moves ahead.", depth) if depth else "",
            worded("Looks at up to {count} positions a move.", count=nodes) if nodes else "",
            worded("Plays {count} games on at random before a move.", count=simulations) if simulations else "",
            worded("Thinks up to {seconds} s a move.", seconds=settings["time_s"]) if "time_s" in settings else "",
            worded_n("Errs in {count} of 100 moves.", "Errs in {count} of 100 moves.", errors) if errors else "",
        )
    )


def _whole(text: str) -> int:
    """The number that a setting is; 0 if it is none."""
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        return 0
