"""The commands `kibitzer table` and `kibitzer serve`: streams such as a phone sends, without a camera."""

from __future__ import annotations

import json
import logging
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

import games
from calibration.template import TemplateError, load_template
from daemon.cli.wrong_call import stop
from lab.simulated.calibration_player import CalibrationTable
from lab.simulated.mjpeg_server import MjpegServer, ServerError
from lab.simulated.scenes import profile_of
from lab.simulated.scripted_games import ScriptedGames, record_video
from lab.simulated.source import StateFollower
from rules import AnyGame, GameError
from rules.options import rules_from_words, switched_on
from vision.cli import MEGAPIXELS
from vision.frame import Frame, FrameSource, SourceEnded, SourceError
from vision.sources.encoded import MAX_MEGAPIXELS
from vision.sources.opening import open_source

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

PORT = typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")


@app.command("table")
def table(
    game: Annotated[str, typer.Option(help="Game, by module or short name, such as morris.")],
    rule: Annotated[
        list[str],
        typer.Option(
            "--rule", "--rules", help="Rule option k=v, such as flying=true, or a rule set, such as lasker. Repeatable."
        ),
    ] = [],  # noqa: B006
    port: Annotated[int, PORT] = 8090,
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same game on the same table.")] = 0,
    humans: Annotated[
        str,
        typer.Option(help="Sides that the simulated player plays itself, such as light or light,dark. Default: both."),
    ] = "",
    follow: Annotated[
        str,
        typer.Option(
            help="State address of a daemon whose agent's moves are carried out, such as http://127.0.0.1:8765/state."
        ),
    ] = "",
    number: Annotated[
        int, typer.Option("--games", min=1, max=1000, help="Number of games, played one after the other.")
    ] = 1,
    pace: Annotated[float, typer.Option(min=0.2, max=5, help="Speed of the hand: 2 is twice as fast.")] = 1.0,
    think_s: Annotated[float, typer.Option(min=0, max=600, help="Seconds that the player waits before a move.")] = 2.0,
    chance: Annotated[
        bool, typer.Option("--chance", help="Let the seed pick another table, board, light, camera.")
    ] = False,
    sway: Annotated[
        float, typer.Option(min=0, max=3, help="How the camera sways: 0.2 leans on a glass, 1 is held in a hand.")
    ] = 0.0,
    pawns: Annotated[bool, typer.Option(help="Score pawns on the track of a board that has one.")] = True,
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="No game: lay the boards that a POST to /lay asks for.")
    ] = False,
    record: Annotated[
        Path | None, typer.Option(help="Serve nothing: write the games to this video file (.avi, .mp4) at once.")
    ] = None,
    write_profile: Annotated[
        Path | None, typer.Option(help="Also write a profile of this table to the file, before the game begins.")
    ] = None,
) -> None:
    """Serves a simulated table as an MJPEG stream in real time; a scripted player makes the moves.

    Open http://127.0.0.1:8090/video in a browser, or give that address to `kibitzer watch` or to the daemon's
    configuration as the camera. /snapshot.jpg is one picture; /truth is what really happened, as JSON: game,
    moves (passes too), sides, scores, board, busy, finished. After the last game the table stays as it is until Ctrl-C.

    With --calibrate no game is played: POST /lay {"board": CELLS, "slip": "wrong cell"} (or "none", "left out", "wrong
    class") makes the player lay that board, and {"mend": true} makes it correct a slip.

    With --record the truth is printed once the video is written.

    Example: kibitzer table --game morris --humans light --follow http://127.0.0.1:8765/state
    """
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    try:
        the_game = games.load(game, rules_from_words(rule))
        template = load_template(the_game.name, switched_on(the_game))
        if calibrate:
            guided = CalibrationTable(template, seed=seed, pace=pace, chance=chance)
            server = MjpegServer(guided, port, get={"/truth": guided.truth}, post={"/lay": guided.hear})
            sys.stderr.write(f"a table to calibrate at {server.url}  (POST http://127.0.0.1:{server.port}/lay)\n")
            _serve_until_ended(server, "table")
            return
        sides = sides_of(the_game, humans)
        follower = StateFollower(follow) if follow else None
        sitting = ScriptedGames(
            the_game, template, sides, seed=seed, games=number, pace=pace, think_s=think_s, chance=chance,
            pawns=pawns, real_time=record is None, sway=sway,
        )  # fmt: skip
        if write_profile is not None:
            profile_of(the_game, template, sitting.table, seed).save(write_profile)
        if record is not None:
            sys.stdout.write(json.dumps(record_video(sitting, record)) + "\n")
            return
        server = MjpegServer(sitting, port, get={"/truth": sitting.truth})
    except (GameError, TemplateError, ServerError, SourceError, ValueError) as error:
        raise stop("table", error) from None
    sitting.follower = follower
    sys.stderr.write(f"{the_game.title} at {server.url}  (truth: http://127.0.0.1:{server.port}/truth)\n")
    _serve_until_ended(server, "table")


@app.command("serve")
def serve(
    source: Annotated[str, typer.Argument(help="A folder of photos, a video file, a camera or a stream.")],
    port: Annotated[int, PORT] = 8090,
    hold_s: Annotated[float, typer.Option(min=0.1, max=600, help="Seconds each photo of a folder is shown.")] = 3.0,
    rate_hz: Annotated[float, typer.Option(min=0.5, max=60, help="Frames a second.")] = 10.0,
    first: Annotated[str, typer.Option("--from", help="Photo to begin with, such as 1_20.jpg.")] = "",
    max_megapixels: Annotated[float, MEGAPIXELS] = MAX_MEGAPIXELS,
    at_once: Annotated[bool, typer.Option("--at-once", help="Begin now, not when the first viewer comes.")] = False,
) -> None:
    """Serves photos or a video as an MJPEG stream, as a phone over a board would send it.

    It starts when the first viewer connects, and ends with the source. /snapshot.jpg is the newest picture; /now names
    the photo shown, as JSON.

    Example: kibitzer serve photos/ --hold-s 2 --port 8090
    """
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    try:
        frames = NamedFrames(open_source(source, hold_s=hold_s, rate_hz=rate_hz, max_megapixels=max_megapixels), first)
        server = MjpegServer(frames, port, rate_hz=rate_hz, wait=not at_once, get={"/now": frames.now})
    except (SourceError, ServerError) as error:
        raise stop("serve", error) from None
    sys.stderr.write(f"{source} at {server.url}\n")
    _serve_until_ended(server, "serve")


class NamedFrames:
    """A source that reports which photo it shows, and can begin at a later one."""

    def __init__(self, source: FrameSource, first: str = "") -> None:
        self.live = source.live
        self._source, self._first = source, first
        self._name, self._index = "", -1

    def now(self) -> dict[str, object]:
        return {"photo": self._name, "frame": self._index}

    def read(self, timeout_s: float) -> Frame | None:
        """The next frame. Raises SourceError where the requested first photo never comes."""
        while True:
            try:
                frame = self._source.read(timeout_s)
            except SourceEnded:
                if self._first:
                    raise SourceError(f"there is no photo named {self._first!r}") from None
                raise
            if frame is None or not self._first or frame.name == self._first:
                break
        if frame is not None:
            self._first, self._name, self._index = "", frame.name, frame.index
        return frame

    def close(self) -> None:
        self._source.close()


def sides_of(game: AnyGame, names: str) -> frozenset[int]:
    """The sides named in a comma-separated list; all if empty. Raises ValueError naming the possible sides."""
    words = [word.strip() for word in names.split(",") if word.strip()]
    for word in words:
        if word not in game.sides:
            raise ValueError(f"the sides of {game.title} are {' and '.join(game.sides)}, not {word!r}")
    return frozenset(game.sides.index(word) for word in words) or frozenset((0, 1))


def _serve_until_ended(server: MjpegServer, command: str) -> None:
    try:
        while not server.ended.wait(0.5):
            pass
        # The last frame is still on its way to the viewers.
        time.sleep(0.5)
    finally:
        server.stop()
    if server.fault:
        raise stop(command, server.fault)
