"""`kibitzer demo`: runs the whole program without a camera."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.logging import RichHandler

import games
from agents import heuristics
from calibration.template import TemplateError, load_template
from daemon.bus.endpoints import BusError
from daemon.cli.browser import open_in_browser
from daemon.cli.wrong_call import refusals, stop
from daemon.config.settings import BusSection, Config, JournalSection, PageSection, PlayerSection, PlayersSection
from daemon.game.effects import Announcement
from daemon.game.line_of_play import shares_pieces
from daemon.page.view import template_of
from daemon.page.web import WebError
from daemon.page.window import Window
from daemon.record.formats.imported import ImportFault
from daemon.record.formats.reading import read_game
from daemon.record.journal import JournalError
from daemon.run.loop import Daemon
from daemon.run.session import Session
from daemon.supervision.camera import NONE
from daemon.words.translation import LANGUAGES
from lab.demo.demo import Demo, DemoPage, Left, Tally
from rules import AnyGame, GameError
from rules.options import rules_from_words, switched_on
from system.weights import WeightsError

MORRIS = "nine_mens_morris"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("demo")
def demo(
    headless: Annotated[bool, typer.Option("--headless", help="No window, no page, no sound device.")] = False,
    fast: Annotated[bool, typer.Option("--fast", help="Do not wait for the clock; speech is rendered only.")] = False,
    number: Annotated[int, typer.Option("--games", min=1, max=10000, help="Games to play.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first game; the next ones count up.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per game.")] = False,
    game: Annotated[str, typer.Option(help="Game, by module or short name.")] = MORRIS,
    rule: Annotated[
        list[str], typer.Option("--rule", "--rules", help="Rule option k=v, or a rule set. Repeatable.")
    ] = [],  # noqa: B006
    language: Annotated[str, typer.Option(help=f"What is said, in {', '.join(LANGUAGES)}.")] = "en",
    plies: Annotated[int, typer.Option(min=0, help="Break a game off after so many plies; 0 plays to the end.")] = 0,
    replay: Annotated[
        Path | None, typer.Option(help="Play the moves of this game, such as game.sgf: two people sit at the table.")
    ] = None,
    stay: Annotated[
        bool | None,
        typer.Option("--stay/--no-stay", help="Keep the page after the last game. Default: in a terminal only."),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    silent: Annotated[bool, typer.Option("--silent", help="Say nothing aloud; everything is written.")] = False,
    beside: Annotated[str, typer.Option(hidden=True, help="The address on which a table's page listens.")] = "",
    verbose: Annotated[bool, typer.Option("--verbose", help="Also log what the parts do.")] = False,
) -> None:
    """Plays a whole game on a simulated table, through the real pipeline, camera to speech.

    A scripted player sits at the table, plays the first side, and carries out the spoken moves that an agent finds
    for the second. In games with hidden hands two players sit opposite one another. Meanwhile the page is on
    http://127.0.0.1:8765/. It stays after the game: see it again there, or play yourself. Ctrl-C ends the demo.

    Wrong boards, missed plies, movers and points are judged by the simulated table, which knows what was done on it.
    Exit status 1 if a board was wrong or a ply was missed.

    Example: kibitzer demo --headless --fast --games 20 --json

    Example: kibitzer demo --language ro
    """
    console = Console(stderr=True)
    logging.basicConfig(
        level=logging.INFO if verbose else logging.ERROR, format="%(message)s", handlers=[RichHandler(console=console)]
    )
    if language not in LANGUAGES:
        raise stop("demo", f"there is no language {language!r}; there are {', '.join(LANGUAGES)}")
    with refusals("demo", GameError, ImportFault):
        moves = None
        the_game = games.load(game, rules_from_words(rule))
        if replay is not None:
            recorded = read_game(replay, game="" if game == MORRIS else game)
            the_game, moves = games.load(recorded.game, recorded.rules), recorded.moves
            if recorded.start:
                raise ImportFault("the game began with a position set up by hand")
    with tempfile.TemporaryDirectory(prefix="kibitzer-demo-") as folder:
        config = demo_config(
            the_game.name, headless=headless, fast=fast, language=language, silent=silent, two=replay is not None
        )
        if beside:
            config = beside_table(config, beside, Path(folder))
        try:
            with refusals("demo", JournalError, BusError, WebError):
                session = open_session(config, the_game, Path(folder) if fast or headless else None)
        except KeyboardInterrupt:
            console.print("stopped before the first game", highlight=False)
            raise typer.Exit(0) from None
        faults = 0
        try:
            window = Window(f"Kibitzer: {session.game.title}") if session.services.config.page.window else None
            demonstration = Demo(session, fast=fast, most_plies=plies or None, window=window, moves=moves)
            page = None if session.services.page is None else DemoPage(session, beside=bool(beside))
            if session.services.page is not None and page is not None:
                demonstration.turn = page.turn
                console.print(
                    f"The page with the picture: [bold]{session.services.page.address}[/bold]  (Ctrl-C ends the demo)"
                )
                if open_page:
                    open_in_browser(session.services.page.address)
            seeds = range(seed, seed + number)
            stays = page is not None and (bool(beside) or (sys.stdout.isatty() if stay is None else stay))
            try:
                faults = _play(demonstration, console, seeds, quiet=fast and headless, as_json=as_json)
                while page is not None and stays:
                    console.print("The page stays: play yourself there, or watch again. Ctrl-C ends the demo.")
                    page.stay()
                    seeds = range(seeds[-1] + 1, seeds[-1] + 2)
                    faults += _play(demonstration, console, seeds, quiet=False, as_json=as_json)
            except Left as left:
                if left.config is not None:
                    play_on(session, left.config)
            if window is not None:
                window.close()
        except (WeightsError, TemplateError) as error:
            raise stop("demo", error) from None
        except KeyboardInterrupt:
            console.print(f"stopped; what was played is in {session.services.journal.path}", highlight=False)
        finally:
            session.close()
    raise typer.Exit(1 if faults else 0)


def _play(demo: Demo, console: Console, seeds: Sequence[int], *, quiet: bool, as_json: bool) -> int:
    """Plays a game for every seed and returns the sum of wrong boards and missed plies."""
    session, faults, seed = demo.session, 0, seeds[0]
    template = load_template(session.game.name, switched_on(session.game))
    with console.status("learning what the men of this table look like") as status:

        def narrate(announcement: Announcement) -> None:
            if announcement.text and not quiet:
                console.print(f"[dim]{announcement.ply:3d}[/dim]  {announcement.text}", highlight=False)
            status.update(f"game {seed}: ply {announcement.ply}")

        session.listeners.append(narrate)
        try:
            for seed in seeds:
                tally = demo.play(template, seed)
                faults += tally.wrong_boards + tally.missed_plies
                if as_json:
                    sys.stdout.write(json.dumps(dataclasses.asdict(tally)) + "\n")
                    sys.stdout.flush()
                else:
                    console.print(tally_text(tally), highlight=False)
        finally:
            session.listeners.remove(narrate)
    return faults


def play_on(session: Session, config: Config) -> None:
    """Goes on as a table without a simulated camera, with the game that somebody chose on the demo's page."""
    game = games.load(config.game.name, config.game.rules)
    session.change(config, game)
    Daemon(session, config, template_of(game), None, config.camera.source).run(threading.Event(), resume=False)


def tally_text(tally: Tally) -> str:
    plies = f"{tally.plies} plies" + (f" and {tally.passes} passes" if tally.passes else "")
    parts = [
        f"{plies}, {tally.outcome}",
        f"{tally.wrong_boards} wrong boards, {tally.missed_plies} missed plies, {tally.false_reports} false reports",
    ]
    if tally.scores and tally.true_scores:
        scores = ":".join(map(str, tally.scores))
        truth = "" if tally.scores == tally.true_scores else f" (really {':'.join(map(str, tally.true_scores))})"
        parts.append(f"{tally.right_movers} of {tally.plies} movers right, {scores}{truth}")
    parts += [f"{tally.seconds:.0f} s, verdict in {tally.verdict_ms:.0f} ms", f"record: {tally.journal}"]
    return f"game {tally.seed}: {'; '.join(parts)}"


def open_session(config: Config, game: AnyGame, render_to: Path | None) -> Session:
    """The services of a demo, with a record and a port of its own if another program already has the usual ones.

    Raises JournalError, BusError, WebError.
    """
    try:
        return Session(config, game, render_to=render_to)
    except JournalError as error:
        usual, own = config.journal.path, f"-{os.getpid()}.sqlite"
        if error.code != "busy" or usual.endswith(own):
            raise
        own = usual.removesuffix(".sqlite") + own
        sys.stderr.write(f"kibitzer demo: {error}. This demo keeps {own}.\n")
        journal = config.journal.model_copy(update={"path": own})
        return open_session(config.model_copy(update={"journal": journal}), game, render_to)
    except WebError as error:
        sys.stderr.write(f"kibitzer demo: {error}. This demo takes a free port.\n")
        page = config.page.model_copy(update={"port": 0})
        return open_session(config.model_copy(update={"page": page}), game, render_to)


def beside_table(config: Config, host: str, folder: Path) -> Config:
    """The settings of a demo that a table's page shows: no window, any free port, and a record that goes with it."""
    page = config.page.model_copy(update={"host": host, "port": 0, "window": False})
    journal = config.journal.model_copy(update={"path": str(folder / "demo.sqlite")})
    return config.model_copy(update={"page": page, "journal": journal})


def demo_config(
    game: str, *, headless: bool, fast: bool, language: str = "en", silent: bool = False, two: bool = False
) -> Config:
    """The settings of a demo: its own record, free ports on the bus, a person and an agent on the second side.

    The agent is `alphabeta`, or `mcts` in games for which there is no evaluation. With `two`, two persons; they sit
    opposite one another in games whose pieces belong to nobody, where an agent would show its hand.
    """
    agent = "alphabeta" if set(heuristics.of(games.load(game))) != {"points"} else "mcts"
    players = PlayersSection(first=PlayerSection(), second=PlayerSection(agent=agent, time_s=0.05 if fast else 1.0))
    if two:
        players = PlayersSection(first=PlayerSection(), second=PlayerSection())
    if shares_pieces(games.load(game)):
        players = PlayersSection(first=PlayerSection(seat="bottom"), second=PlayerSection(seat="top"))
    return Config.model_validate(
        {
            "game": {"name": game},
            "players": players,
            "bus": BusSection(state="tcp://127.0.0.1:*", reply="tcp://127.0.0.1:*"),
            "camera": {"source": NONE},
            "speech": {"enabled": not silent, "language": language},
            "page": PageSection(enabled=not headless, window=not headless),
            "journal": JournalSection(path="var/demo.sqlite"),
        }
    )
