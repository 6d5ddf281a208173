"""`kibitzer watch`: prints what happens at a table until the source ends; no agents, no voice."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

import games
from calibration.profile import TableProfile
from calibration.template import load_template
from daemon.cli.options import GameOption, ProfileOption, RuleOption
from daemon.cli.read import game_seen
from daemon.cli.wrong_call import BLOCKED, refusals, stop
from daemon.game.effects import Announcement
from daemon.judging.referee import Referee
from daemon.match.match import Match
from daemon.page.overlay import draw_overlay
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Observation, Pipeline
from daemon.run.ui_publisher import scene_of
from daemon.words.translation import in_words
from rules.options import rules_from_words, switched_on
from vision.cli import MEGAPIXELS
from vision.film import CODECS, Film, check_film
from vision.frame import FrameSource, Image, SourceEnded, SourceError
from vision.sources.encoded import MAX_MEGAPIXELS
from vision.sources.opening import open_source
from vision.sources.slot import NewestFrame
from wording.outside import shown_address

UNSEEN = 1
"""Exit status where the source held no board that could be read."""
READ_S = 0.5
LOST_S = 3.0
"""Seconds that the board must be out of sight before it is reported as lost."""
PHOTO_LOST_SHARE = 0.6
"""The same for a folder of photos, as a share of the time each photo is held."""
FILM_HZ = 10.0
"""Pictures a second of a film, as many as the page shows."""
LAST_S = 2.0
"""Seconds that a film goes on after the source's end: long enough to read its last sentence."""
GIVE_UP_S = 15.0
"""Seconds without a picture after which a stream has ended."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("watch")
def watch(
    source: Annotated[str, typer.Option(help="Camera index or path, video, folder of photos, or http/rtsp address.")],
    game: GameOption = "",
    profile: ProfileOption = None,
    rule: RuleOption = [],  # noqa: B006
    hold_s: Annotated[float, typer.Option(min=0.5, max=60, help="Seconds to hold each photo of a folder.")] = 1.0,
    give_up_s: Annotated[
        float, typer.Option(min=1, max=3600, help="Seconds without a picture after which a stream counts as ended.")
    ] = GIVE_UP_S,
    out: Annotated[
        Path | None,
        typer.Option(help=f"Film to write ({', '.join(CODECS)}): the board from above, what is said, the camera."),
    ] = None,
    max_megapixels: Annotated[float, MEGAPIXELS] = MAX_MEGAPIXELS,
) -> None:
    """Watches a game between people, and prints one JSON object per event.

    Fields: event (move, illegal, unfinished, takeback, desync, unclear, board_lost, ...), ply, move, cells (the
    board, one class letter per cell), frame (photo name, or seconds), text (what would be said). Faults add rule and
    marked (names of the cells concerned). Moves and passes (event pass) add side, and in games with points also gains
    (points and bonus of each side for this move) and scores (the points of both sides so far).
    For morris, this command uses rule first=auto by default: whoever lays the first man has begun.

    --out also films what Kibitzer sees and says, as in the picture of the page. Until the film is closed, at the end or
    by Ctrl-C, it is called NAME.part; where the disk gets full it ends there, is whole, and the watching goes on (exit
    status 75 at the end). Browsers play .webm; .mp4 is written faster. Exit status 1: no board was ever read.

    Example: kibitzer watch --game morris --rule flying=true --source photos/ --profile table.npz

    Example: kibitzer watch --game reversi --source game.mp4 --out seen.webm
    """
    with refusals("watch", ValueError, SourceError):
        if out is not None:
            check_film(out)
            if out.exists() and Path(source).exists() and out.samefile(source):
                raise SourceError(f"--out {out}: that is the source itself, which is never overwritten")
        rules = rules_from_words(rule)
        if "first" not in rules and "auto" in games.rule_choices(game, "first"):
            rules["first"] = "auto"
        the_game = games.load(game, rules)
        table = None if profile is None else TableProfile.load(profile)
        template = load_template(the_game.name, switched_on(the_game))
        pipeline = Pipeline(template, table)
        frames = open_source(source, hold_s=hold_s, give_up_s=give_up_s, max_megapixels=max_megapixels)
    if table is not None and table.caution:
        sys.stderr.write(f"{table.caution}\n")
    # The next photo comes before the usual limit for a hidden board is over.
    photos = Path(source).is_dir()
    lost_s = PHOTO_LOST_SHARE * hold_s if photos else LOST_S
    match = Match(Referee(the_game, in_photos=photos))
    eyes = BoardTracker(pipeline, match, lost_s=lost_s)
    match.listeners.append(lambda announcement: print_event(match, announcement, eyes.observation))
    recorder = None if out is None else Recorder(eyes, Film(out, FILM_HZ, give_up_s))
    try:
        with refusals("watch", SourceError):
            was_read = follow(eyes, frames, recorder)
    finally:
        if recorder is not None:
            recorder.close()
    if recorder is not None and recorder.fault:
        raise typer.Exit(BLOCKED)
    if not was_read:
        other = game_seen(eyes.observation.frame.image) if eyes.observation is not None else ""
        seen = games.find(other) if other else None
        looks = f"; it looks like {seen.title}: --game {seen.about.short_name}" if seen else ""
        raise stop("watch", f"{shown_address(source)}: no board of {the_game.title} was read in it{looks}", UNSEEN)


class Recorder:
    """Films what the overlay shows. A film that cannot be continued ends with a message, and watching goes on."""

    def __init__(self, eyes: BoardTracker, film: Film) -> None:
        self.fault = ""
        self._eyes, self._film, self._closed = eyes, film, False

    def show(self, time_s: float) -> None:
        if self._closed:
            return
        try:
            self._film.add(time_s, self._draw)
        except SourceError as error:
            self._say(error)
            self.close()

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if self._film.close():
                sys.stderr.write(f"film written: {self._film.path}, {self._film.seconds:.0f} s\n")
        except OSError as error:
            self._say(error)

    def _draw(self) -> Image:
        scene = scene_of(self._eyes)
        assert scene is not None  # a frame was fed
        return draw_overlay(scene)

    def _say(self, error: OSError) -> None:
        self.fault = str(error)
        sys.stderr.write(f"kibitzer watch: {error}\n")


def follow(eyes: BoardTracker, source: FrameSource, recorder: Recorder | None = None) -> bool:
    """Follows the source to its end; whether a board was read in it."""
    frames, match, was_read = NewestFrame(source), eyes.match, False
    try:
        match.start()
        while True:
            frame = frames.read(READ_S)
            if frame is not None:
                eyes.feed(frame)
                was_read |= eyes.observation is not None and eyes.observation.reading is not None
                if eyes.new_game_due:
                    eyes.begin_again(Referee(match.referee.game, in_photos=match.referee.in_photos))
            eyes.poll()
            if recorder is not None and frame is not None:
                recorder.show(frame.time_s)
    except SourceEnded:
        eyes.end()
        if recorder is not None and eyes.observation is not None:
            recorder.show(eyes.observation.frame.time_s + LAST_S)
        return was_read
    finally:
        frames.close()


def print_event(match: Match, announcement: Announcement, observation: Observation | None) -> None:
    cells = match.referee.game.cells
    event: dict[str, object] = {
        "event": announcement.code,
        "ply": announcement.ply,
        "move": announcement.move,
        "cells": announcement.board,
        "frame": "" if observation is None else observation.frame.name or round(observation.frame.time_s, 3),
        "text": in_words(*announcement.said),
    }
    if announcement.side is not None:
        event["side"] = match.referee.game.sides[announcement.side]
    if announcement.gains is not None:
        event["gains"] = [dataclasses.asdict(gain) for gain in announcement.gains]
    if announcement.scores is not None:
        event["scores"] = announcement.scores
    if announcement.rule:
        event["rule"] = announcement.rule
    if announcement.cells:
        event["marked"] = [cells[cell] for cell in announcement.cells]
    sys.stdout.write(json.dumps(event, ensure_ascii=False) + "\n")
    sys.stdout.flush()
