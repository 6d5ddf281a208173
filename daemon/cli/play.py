"""`kibitzer play`: plays a game in the terminal, without a camera or the page."""

from __future__ import annotations

import logging
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import games
from calibration.template import TemplateError
from daemon.bus.endpoints import BusError
from daemon.cli.options import GameOption, RuleOption
from daemon.cli.wrong_call import BLOCKED, stop
from daemon.commands.game_choice import ChoiceError, chosen
from daemon.config.settings import JOINS, Config
from daemon.match.recovery import was_left
from daemon.record.journal import Journal, JournalError
from daemon.run.session import Session
from daemon.run.terminal import TerminalGame, TypedLines
from daemon.setup.catalogue import Catalogue
from daemon.setup.vision_setup import vision_setup_of
from daemon.words.translation import worded
from rules import AnyGame, GameError
from rules.options import rules_from_words
from system import paths

PERSON = ("", "me", "person", "human")
LIMITS = ("time_s", "depth", "nodes")
CATALOGUE_S = 60.0
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("play", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def play(
    context: typer.Context,
    game: GameOption = "",
    white: Annotated[str, typer.Option(help="Who plays white (light, up, red): me, or an agent.")] = "",
    black: Annotated[str, typer.Option(help="Who plays black (dark, down, green): me, or an agent.")] = "",
    rule: RuleOption = [],  # noqa: B006
    minutes: Annotated[float, typer.Option(min=0, max=1440, help="Minutes per move; 0: no clock.")] = 0,
    language: Annotated[str, typer.Option(help="en, ro, pl, vi or pt-br.")] = "en",
    two_people: Annotated[bool, typer.Option("--two-people", help="Two people in turn.")] = False,
    speak: Annotated[bool, typer.Option("--speak", help="Also say everything aloud.")] = False,
    new: Annotated[bool, typer.Option("--new", help="Begin a new game, even if one is unfinished.")] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**31, help="Random seed for dealing dominoes; 0: a random one.")] = 0,
    journal: Annotated[
        Path | None, typer.Option(help="File to keep the game in. Default: var/play-GAME.sqlite.")
    ] = None,
) -> None:
    """Plays a game in the terminal: you against an agent, two people in turn, or two agents while you watch.

    A player is `me`, `level-1` (a child's first opponent) to `level-8`, or an agent with options, such as
    alphabeta:depth=3,heuristic=best; `kibitzer agents` lists them. If you name nobody, those of the unfinished game
    play on; in a new one you play the game's first side and level-4 the other. Each side's own name works as an
    option too, such as --light me --dark level-5.

    Type a move, `?` for the legal moves, or `help` for everything else. You can leave at any time: the next start
    resumes the game.

    Example: kibitzer play --game reversi --black me --white level-3

    Example: kibitzer play chess --two-people
    """
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr, format="%(message)s")
    if not game and context.args and not context.args[0].startswith("-"):
        game = context.args.pop(0)
    try:
        the_game = games.load(game, rules_from_words(rule))
        players = _players(the_game, white, black, context.args)
        named = bool(two_people or white or black or context.args)
        players = ("me", "me") if two_people else players if named or new else _before(the_game, journal) or players
        config = _config(the_game, players, minutes, language, speak, seed, journal)
        session = Session(config, the_game)
    except (JournalError, BusError) as error:
        raise stop("play", error, BLOCKED) from None
    except (GameError, ChoiceError, TemplateError, ValueError) as error:
        raise stop("play", error) from None
    try:
        template, typed = vision_setup_of(config, the_game).template, TypedLines(sys.stdin.fileno())
        TerminalGame(session, template, typed, sys.stdout).play(resume=not new)
    except JournalError as error:
        raise stop("play", error, BLOCKED) from None
    except KeyboardInterrupt:
        sys.stdout.write("\n")
        raise typer.Exit(130) from None
    finally:
        session.close()
        given = list(zip(the_game.sides, players, strict=True)) if named else []
        words = [*(("rule", one) for one in rule), *given, *([("language", language)] if language != "en" else [])]
        words += [] if journal is None else [("journal", str(journal))]
        again = ["kibitzer", "play", "--game", the_game.about.short_name, *(["--speak"] if speak else [])]
        again += [part for name, value in words for part in (f"--{name}", value)]
        told = worded("The game is kept. It is over.")
        if session.match is None or session.match.referee.outcome is None:
            told = worded("The game is kept. To go on: {command}", command=shlex.join(again))
        sys.stdout.write(told + "\n")


def _record_of(game: AnyGame, journal: Path | None) -> Path:
    return (journal or paths.state_folder() / f"play-{game.name}.sqlite").resolve()


def _before(game: AnyGame, journal: Path | None) -> tuple[str, str] | None:
    """Who plays the unfinished game of that record; None if there is none. Raises JournalError."""
    path = _record_of(game, journal)
    if not path.is_file():
        return None
    record = Journal(path, read_only=True)
    try:
        stored = record.unfinished()
    finally:
        record.close()
    if stored is None or stored.game != game.name or not stored.plies or was_left(stored):
        return None
    first, second = (name if stored.was_an_agents(side) else "me" for side, name in enumerate(stored.players))
    return first, second


def _players(game: AnyGame, white: str, black: str, named: list[str]) -> tuple[str, str]:
    # Pieces without colours: the first side is named as white.
    order = (game.pieces.index("W"), game.pieces.index("B")) if set(game.pieces) == {"W", "B"} else (0, 1)
    given = {game.sides[side]: text for side, text in zip(order, (white, black), strict=True) if text}
    words = [word for one in named for word in one.split("=", 1)] if any("=" in one for one in named[:1]) else named
    for flag, text in zip(words[::2], words[1::2], strict=False):
        if flag.removeprefix("--") not in game.sides:
            break
        given[flag.removeprefix("--")] = text
    else:
        if len(words) % 2 == 0:
            first, second = game.sides
            others = {first: "me" if second not in given or given[second] not in PERSON else "level-4"}
            others[second] = "level-4" if given.get(first, "me") in PERSON else "me"
            return given.get(first, others[first]), given.get(second, others[second])
    known = ", ".join(f"--{side}" for side in game.sides)
    raise ValueError(f"there is no option {named[0]!r}; the sides of {game.title} are {known}; --help lists the rest")


def _config(
    game: AnyGame, players: tuple[str, str], minutes: float, language: str, speak: bool, seed: int, journal: Path | None
) -> Config:
    bare = Config.model_validate(
        {
            "camera": {"source": "none"},
            "bus": {"state": "tcp://127.0.0.1:*", "reply": "tcp://127.0.0.1:*"},
            "page": {"enabled": False, "window": False},
            "journal": {"path": str(_record_of(game, journal))},
        }
    )
    choice: dict[str, dict[str, Any]] = {
        "game": {"name": game.name, "rules": dict(vars(game.rules)), "deal_seed": seed},
        "players": {name: _player(text) for name, text in zip(("first", "second"), players, strict=True)},
        "clock": {"control": "move", "minutes": minutes} if minutes else {},
        "speech": {"enabled": speak, "language": language},
    }
    agents = {} if all(text in PERSON for text in players) else Catalogue().wait(CATALOGUE_S)
    return chosen(bare, choice, agents)


def _player(text: str) -> dict[str, Any]:
    """Parses a player such as `alphabeta:depth=3,heuristic=best` into settings. Raises ValueError."""
    agent, _, rest = text.strip().partition(":")
    if agent in PERSON:
        return {"agent": ""}
    if f"{agent}:" == JOINS:
        raise ValueError(f"{text!r}: no agent can join from the bus here, but in kibitzer run")
    settings: dict[str, Any] = {"agent": agent, "options": {}}
    for word in filter(None, rest.split(",")):
        name, equals, value = word.partition("=")
        if not equals or not value:
            raise ValueError(f"{text!r}: after the colon stand name=value, such as depth=3, not {word!r}")
        (settings if name in LIMITS else settings["options"])[name] = value
    return settings
