"""`kibitzer calibrate`: a table profile from labelled photos, or step by step with a camera."""

from __future__ import annotations

import json
import logging
import sys
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
from vision.calibrating.calibrate import CalibrationError
from vision.calibrating.guided import GuidedCalibration, Taken
from vision.calibrating.guided_fit import fit_guided
from vision.calibrating.verdict import ALL_THE_SAME, RefusedError
from vision.cli import (
    GAME,
    JSON,
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
from vision.reading.own_weights import WEIGHTS_HELP, descriptor_for
from vision.reading.weights import WeightsError
from vision.sources.opening import open_source

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

REFUSALS = (
    games.GameError,
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
    game: Annotated[str, GAME],
    out: Annotated[Path, typer.Option(help="Profile to write, such as table.npz.")],
    source: Annotated[
        str, typer.Option(help="Camera index or path, or http/rtsp address: be guided step by step.")
    ] = "",
    photos: Annotated[
        Path | None, typer.Option(help="Folder of the labelled photos; with --source, where to keep those taken.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help='JSON: {"images": {"PHOTO": {"corners_px": ..., "cells": "..."}}}; '
            "for dominoes also a folder of annotations such as 1_01.txt."
        ),
    ] = None,
    only: Annotated[
        str, typer.Option(help='Photos to use, separated by commas: names, or patterns such as "1_*.jpg"; else all.')
    ] = "",
    corners: Annotated[
        str, typer.Option(help='With --source: the board\'s corners, "x,y x,y x,y x,y", clockwise from the top left.')
    ] = "",
    silent: Annotated[bool, typer.Option("--silent", help="With --source: no voice.")] = False,
    give_up_s: Annotated[
        float, typer.Option(min=0, max=3600, help="With --source: seconds without a picture until the end; 0: never.")
    ] = 0.0,
    accept: Annotated[
        bool, typer.Option("--accept", help="Make the profile even where it is advised against; it is marked.")
    ] = False,
    weights: Annotated[str, typer.Option(help=WEIGHTS_HELP)] = "",
    config: Annotated[Path, typer.Option(help="With --source: settings of voice and camera.")] = DEFAULT,
    rule: Annotated[list[str], RULE] = [],  # noqa: B006
    as_json: Annotated[bool, JSON] = False,
) -> None:
    """Makes a table profile: the board's shape and how its men look. With a camera, or from labelled photos.

    **With --source** it says, aloud and here, what to lay: nothing first, then a few men on named points. It takes
    each picture by itself once the board shows what was asked and no hand is in the way, and says what is amiss. Ctrl-C
    stops it; nothing is written then unless you want what there is. Enter says "the board is right as it is".

    **With --photos and --labels** four photos are enough where they show men of both sides in several places.
    corners_px may be null: the board is then looked for. Where --labels is a folder of annotated dominoes moves
    (1_01.txt, 1_02.txt, ...), a photo shows the tiles of all moves of its game up to its own.

    Both tell how many boards of a hundred will be read wholly right, measured on pictures left out in turn, and
    **refuse** to make a profile where that is less than every second, or where the board is too small in the picture,
    seen too flat, too dark, blurred, burnt out, or its men too much alike: exit status 1, with what to do. With a
    camera this is said of the empty board already. --accept makes the profile all the same; `kibitzer run` says so.

    **--weights imagenet** fits to torchvision's published ResNet-18 instead of ours. `kibitzer train imagenet` fetches
    it, as this option does; every kind of man must then be in the photos.

    Example: kibitzer calibrate --game morris --source 0 --out table.npz

    Example: kibitzer calibrate --game morris --photos shots --labels shots/labels.json --out table.npz

    Example: kibitzer calibrate --game dominoes --photos shots --labels shots --only "1_*.jpg" --out table.npz
    """
    if source:
        if labels is not None or only:
            raise stop("calibrate", "--source takes its own pictures: leave --labels and --only away")
        _guided(game, source, out, photos, corners, silent, give_up_s, config, rule, as_json, accept, weights)
    elif photos is None or labels is None:
        raise stop("calibrate", "give --source CAMERA, or --photos FOLDER and --labels FILE")
    else:
        descriptor = _descriptor(weights)
        calibrate_photos(game, photos, labels, out, only, rule, descriptor=descriptor, as_json=as_json, accept=accept)


def _descriptor(weights: str) -> str | None:
    """The descriptor that the weights are for; they are made first where they are absent."""
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
        the_game = games.load(game, games.rules_from_words(rule))
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
    """Fits the profile, says how good it is, and writes it. Raises RefusedError where it is too bad."""
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
