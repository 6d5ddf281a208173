"""`kibitzer calibrate`: makes a table profile, guided with a camera or from labelled photos."""

from __future__ import annotations

import json
import logging
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import games
from calibration.guide import GuideError, lessons
from calibration.profile import ProfileError
from calibration.template import TemplateError
from daemon.config.settings import DEFAULT, ConfigError, load_config
from daemon.i18n.translation import in_a_row, in_words, speak, worded
from daemon.outputs.speech.speech import Speaker
from daemon.setup.guided_run import GuidedRun, keep_pictures
from places.weights import WeightsError
from rules import GameError
from rules.options import rules_from_words
from vision.calibrating.calibrate import CalibrationError
from vision.calibrating.guided import GuidedCalibration
from vision.calibrating.lesson_check import Taken, fit_guided
from vision.calibrating.verdict import ALL_THE_SAME, RefusedError
from vision.cli import (
    GAME,
    JSON,
    MEGAPIXELS,
    RULE,
    calibrate_photos,
    parse_corners,
    progress_bar,
    refused,
    stop,
    summarise,
    template_of,
)
from vision.frame import SourceError
from vision.reading.descriptors import WEIGHTS_HELP, descriptor_for
from vision.sources.cameras import Camera, cameras
from vision.sources.encoded import MAX_MEGAPIXELS
from vision.sources.opening import open_source

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

REFUSALS = (
    GameError,
    TemplateError,
    GuideError,
    ProfileError,
    CalibrationError,
    WeightsError,
    ConfigError,
    SourceError,
    ValueError,
    OSError,
)


@app.command("calibrate")
def calibrate(
    game: Annotated[str, GAME] = "",
    out: Annotated[Path | None, typer.Option(help="Profile to write, such as table.npz.")] = None,
    source: Annotated[
        str, typer.Option(help="Camera index or path, or http/rtsp address: calibrate step by step.")
    ] = "",
    photos: Annotated[
        Path | None, typer.Option(help="Folder of labelled photos; with --source: folder to save the pictures in.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help='JSON: {"images": {"PHOTO": {"corners_px": ..., "cells": "..."}}}; '
            "for dominoes, a folder of annotations such as 1_01.txt works too."
        ),
    ] = None,
    only: Annotated[
        str, typer.Option(help='Photos to use: names or patterns such as "1_*.jpg", separated by commas. Default: all.')
    ] = "",
    corners: Annotated[
        str, typer.Option(help='With --source: the board\'s corners, "x,y x,y x,y x,y", clockwise from the top left.')
    ] = "",
    silent: Annotated[bool, typer.Option("--silent", help="With --source: no voice.")] = False,
    give_up_s: Annotated[
        float,
        typer.Option(min=0, max=3600, help="With --source: stop after this many seconds without a picture; 0: never."),
    ] = 0.0,
    accept: Annotated[
        bool, typer.Option("--accept", help="Write the profile even where it would be refused; it is marked.")
    ] = False,
    weights: Annotated[str, typer.Option(help=WEIGHTS_HELP)] = "",
    config: Annotated[Path, typer.Option(help="With --source: settings for voice and camera.")] = DEFAULT,
    max_megapixels: Annotated[float, MEGAPIXELS] = MAX_MEGAPIXELS,
    rule: Annotated[list[str], RULE] = [],  # noqa: B006
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Makes a table profile: the shape of the board and the look of its pieces. From a camera, or from labelled photos.

    **With --source** Kibitzer says, aloud and in the terminal, what to put on the board: nothing at first, then a few
    pieces on named points. It takes each picture by itself as soon as the board is right and no hand is in the way, and
    says what is wrong. Enter means "the board is right as it is". Ctrl-C stops; nothing is written then unless you
    want a profile from the pictures taken so far.

    Without a camera and without photos it lists the cameras that there are, and what to type next.

    **With --photos and --labels** four photos are enough if they show pieces of both sides in several places.
    If corners_px is null, Kibitzer looks for the board. If --labels is a folder of annotated dominoes moves (1_01.txt,
    1_02.txt, ...), each photo shows the tiles of all moves of its game up to its own number.

    Both ways estimate how many of a hundred boards will be read without any error, by leaving out one picture at a
    time. They **refuse** to write a profile, with exit status 1 and advice, if that is fewer than 50, or if the board
    is too small in the picture, seen at too low an angle, too dark, blurred or overexposed, or its pieces look too much
    alike. With a camera, a bad picture is reported on the empty board already. --accept writes the profile anyway;
    `kibitzer run` then warns.

    **--weights imagenet** uses torchvision's published ResNet-18 instead of ours, and downloads it if needed, as
    `kibitzer train imagenet` does. The photos must then show every kind of piece.

    Example: kibitzer calibrate --game morris --source 0 --out table.npz

    Example: kibitzer calibrate --game morris --photos shots --labels shots/labels.json --out table.npz

    Example: kibitzer calibrate --game dominoes --photos shots --labels shots --only "1_*.jpg" --out table.npz
    """
    if not source and (photos is None or labels is None):
        raise stop("calibrate", what_to_type(game, out, cameras()))
    if not game or out is None:
        missing = " and ".join(
            filter(None, ["" if game else f"--game ({known_games()})", "" if out else "--out FILE.npz"])
        )
        raise stop("calibrate", f"name {missing} too: which board it is, and where the profile goes")
    if source:
        if labels is not None or only:
            raise stop("calibrate", "--source takes its own pictures: leave --labels and --only away")
        _guided(game, source, out, photos, corners, silent, give_up_s, config, rule, as_json, accept, weights)
    else:
        assert photos is not None and labels is not None
        descriptor = _descriptor(weights)
        calibrate_photos(
            game, photos, labels, out, only, rule,
            descriptor=descriptor, as_json=as_json, accept=accept, max_megapixels=max_megapixels,
        )  # fmt: skip


def what_to_type(game: str, out: Path | None, found: Sequence[Camera]) -> str:
    """The cameras that there are, and a command line for each way to calibrate."""
    begin = f"kibitzer calibrate --game {shlex.quote(game or 'GAME')}"
    end = f"--out {shlex.quote(str(out or 'table.npz'))}"
    name = (found[0].stable or str(found[0].number)) if found else "0"
    lines = ["which camera? --source names it.", ""]
    lines += [f"  {camera.text}" for camera in found] or ["  No camera on a cable is found here."]
    lines += ["", "Type one of these:", ""]
    lines += [f"  {begin} --source {name} {end}"] if found else []
    lines += [
        f"  {begin} --source http://PHONE:8080/video {end}    (a phone with an MJPEG camera app)",
        f"  {begin} --photos FOLDER --labels FILE {end}    (photos that you have labelled)",
    ]
    return "\n".join([*lines, *([] if game else ["", f"GAME is one of {known_games()}."])])


def known_games() -> str:
    """The games' short names, for people."""
    return ", ".join(games.load(name).short_name for name in games.names())


def _descriptor(weights: str) -> str | None:
    """Returns the descriptor for the weights, which are made first if absent."""
    try:
        return descriptor_for(weights)
    except (ValueError, WeightsError) as error:
        raise stop("calibrate", error) from None


def _guided(
    game: str,
    source: str,
    out: Path,
    keep: Path | None,
    corners: str,
    silent: bool,
    give_up_s: float,
    config: Path,
    rule: list[str],
    as_json: bool,
    accept: bool,
    weights: str,
) -> None:
    descriptor = _descriptor(weights)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    try:
        settings = load_config(config)
        the_game = games.load(game, rules_from_words(rule))
        template = template_of(game, rule)
        plan = lessons(the_game, template)
        if not out.absolute().parent.is_dir():
            raise ProfileError(f"{out}: there is no folder {out.absolute().parent}")
        calibration = GuidedCalibration(template, plan, parse_corners(corners) if corners else None, accept=accept)
        camera, speech = settings.camera, settings.speech
        speak(speech.language)
        size_px = camera.width_px, camera.height_px
        frames = open_source(
            source,
            hold_s=camera.photo_hold_s,
            rate_hz=camera.rate_hz,
            size_px=size_px,
            give_up_s=give_up_s or None,
            max_megapixels=camera.max_megapixels,
        )
    except REFUSALS as error:
        raise stop("calibrate", error) from None
    speaker = Speaker(speech.language, speech.rate_wpm, speech.device, enabled=speech.enabled and not silent)
    try:
        run = GuidedRun(calibration, frames, speaker, as_json=as_json)
        if run.go():
            _write(run, calibration, out, keep, as_json, accept=accept, descriptor=descriptor)
            speaker.wait_until_silent(10.0)
        elif calibration.refused:
            raise RefusedError(f"refused: {calibration.refused} {ALL_THE_SAME}")
        else:
            raise typer.Exit(130)
    except RefusedError as error:
        raise refused("calibrate", error) from None
    except REFUSALS as error:
        raise stop("calibrate", error) from None
    finally:
        speaker.close()


def _write(
    run: GuidedRun,
    calibration: GuidedCalibration,
    out: Path,
    keep: Path | None,
    as_json: bool,
    *,
    accept: bool,
    descriptor: str | None,
) -> None:
    """Fits the profile, says how good it is, and writes it. Raises RefusedError if it is too bad."""
    taken: list[Taken] = [calibration.taken[number] for number in sorted(calibration.taken)]
    if keep is not None:
        keep_pictures(taken, calibration, keep)
    with progress_bar() as progress:
        task = progress.add_task("fitting", total=len(taken))
        fit = fit_guided(
            taken,
            calibration.template,
            lambda done, total: progress.update(task, completed=done, total=total),
            descriptor,
        )
    for where in fit.left_out:
        sys.stderr.write(f"not learnt from, because other pictures show it otherwise: {where}\n")
    if as_json:
        sys.stdout.write(json.dumps({"event": "left_out", "cells": list(fit.left_out)}) + "\n")
    boards, verdict = [photo.cells for photo in fit.photos], fit.verdict
    summarise(fit.profile, verdict, calibration.template, boards, out, as_json, accept=accept)
    try:
        verdict.accepted(fit.profile, accept=accept).save(out)
    except RefusedError:
        why = [in_words(*said) for said in verdict.objections]
        run.say(in_a_row([worded("No profile is written."), *why]))
        raise
    run.say(in_a_row([worded("The profile is written."), in_words(*verdict.expectation.said)]))
