"""`kibitzer calibrate`: makes a table profile, guided with a camera or from labelled photos."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import json
import logging
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

import games
from calibration.annotations import read_annotated
from calibration.guide import lessons
from calibration.labels import read_labels
from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate
from daemon.config.settings import DEFAULT, load_config
from daemon.setup.guided_run import GuidedRun, keep_pictures
from daemon.supervision.camera import open_by_settings
from daemon.voice.speech import Speaker
from daemon.words.translation import in_a_row, in_words, speak, worded
from rules.options import rules_from_words
from vision.calibrating.calibrate import CalibrationError, LabelledPhoto
from vision.calibrating.calibrate import calibrate as fit_table
from vision.calibrating.guided import GuidedCalibration
from vision.calibrating.lesson_check import Taken, fit_guided
from vision.calibrating.verdict import ALL_THE_SAME, RefusedError, Verdict
from vision.cli import GAME, JSON, MEGAPIXELS, RULE, load_photo, parse_corners, progress_bar, stop, template_of
from vision.reading.descriptors import WEIGHTS_HELP, descriptor_for
from vision.reading.heads import check_labels
from vision.sources.cameras import Camera, cameras
from vision.sources.encoded import MAX_MEGAPIXELS

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

FAULTS = (ValueError, OSError)


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
    `kibitzer train imagenet` does. The photos must then show every kind of piece. Chess men are told by their shapes,
    as on any board: for chess nothing is fitted, and this changes nothing.

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
    if source and (labels is not None or only):
        raise stop("calibrate", "--source takes its own pictures: leave --labels and --only away")
    end = Ending(out, accept, as_json)
    try:
        descriptor = descriptor_for(weights)
        if source:
            _guided(game, source, photos, corners, silent, give_up_s, config, rule, descriptor, end)
        else:
            assert photos is not None and labels is not None
            _from_photos(template_of(game, rule), photos, labels, only, max_megapixels, descriptor, end)
    except RefusedError as error:
        sys.stderr.write(f"kibitzer calibrate: {error}\n")
        raise typer.Exit(1) from None
    except FAULTS as error:
        raise stop("calibrate", error) from None


def what_to_type(game: str, out: Path | None, found: Sequence[Camera]) -> str:
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
    return ", ".join(games.load(name).about.short_name for name in games.names())


@dataclasses.dataclass(frozen=True)
class Ending:
    out: Path
    accept: bool
    """Whether one is written even where it would be refused."""
    as_json: bool

    def write(self, profile: TableProfile, verdict: Verdict, template: BoardTemplate, boards: Sequence[str]) -> None:
        """Prints what was learnt, how good it is, and what is missing or doubtful; then writes the profile.

        Raises RefusedError if it is too bad, ProfileError.
        """
        counts = collections.Counter("".join(boards))
        if self.as_json:
            summary = {
                "profile": str(self.out) if self.accept or not verdict.doubts else None,
                "game": profile.game,
                "photos": len(boards),
                "cells": {letter: counts[letter] for letter in template.letters},
                "shape": {name: round(value, 4) for name, value in profile.shape.items()},
            } | verdict.as_json(template.cell_names, accept=self.accept)
            sys.stdout.write(json.dumps(summary, ensure_ascii=False) + "\n")
        shown = ", ".join(f"{counts[letter]} {name}" for letter, name in template.classes.items())
        shape = ", ".join(f"{name} {value:.3f}" for name, value in profile.shape.items())
        told = [f"{len(boards)} photos; cells: {shown}", *([f"shape: {shape}"] if shape else [])]
        told += [verdict.expectation.text, *verdict.remarks, *(verdict.doubts if self.accept else ())]
        told += [
            f"no {name} was labelled: it is told by what is known of boards in general"
            for letter, name in template.classes.items()
            if not counts[letter]
        ]
        sys.stderr.write("".join(f"{line}\n" for line in told))
        verdict.accepted(profile, accept=self.accept).save(self.out)


def _from_photos(
    template: BoardTemplate,
    photos: Path,
    labels: Path,
    only: str,
    max_megapixels: float,
    descriptor: str | None,
    end: Ending,
) -> None:
    words = [word.strip() for word in only.split(",") if word.strip()]
    if labels.is_dir():
        chosen = read_annotated(labels, photos, template, words)
    else:
        chosen = read_labels(labels, template, words)
    examples = []
    for label in chosen:
        image = load_photo(photos / label.name, max_megapixels)
        if image is None:
            raise CalibrationError(f"{photos / label.name} is no picture that can be read")
        examples.append(LabelledPhoto(label.name, image, label.cells, label.corners_px))
    boards = [label.cells for label in chosen]
    check_labels(descriptor, boards, template)
    with _fitting(len(examples)) as progress:
        made = fit_table(examples, template, descriptor, progress)
    end.write(made.profile, Verdict(made.expectation, made.conditions), template, boards)
    sys.stderr.write(f"profile written: {end.out}\n")


@contextlib.contextmanager
def _fitting(total: int) -> Iterator[Callable[[int, int], None]]:
    with progress_bar() as progress:
        task = progress.add_task("fitting", total=total)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _guided(
    game: str,
    source: str,
    keep: Path | None,
    corners: str,
    silent: bool,
    give_up_s: float,
    config: Path,
    rule: list[str],
    descriptor: str | None,
    end: Ending,
) -> None:
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    settings = load_config(config)
    the_game = games.load(game, rules_from_words(rule))
    template = template_of(game, rule)
    plan = lessons(the_game, template)
    if not end.out.absolute().parent.is_dir():
        raise ProfileError(f"{end.out}: there is no folder {end.out.absolute().parent}")
    calibration = GuidedCalibration(template, plan, parse_corners(corners) if corners else None, accept=end.accept)
    speech = settings.speech
    speak(speech.language)
    frames = open_by_settings(source, settings.camera.model_copy(update={"give_up_s": give_up_s}))
    aloud = {"enabled": speech.enabled and not silent, "command": [], "voice": ""}
    speaker = Speaker(speech.model_copy(update=aloud))
    try:
        run = GuidedRun(calibration, frames, speaker, as_json=end.as_json)
        if run.go():
            _write(run, calibration, keep, descriptor, end)
            speaker.wait_until_silent(10.0)
        elif calibration.refused:
            raise RefusedError(f"refused: {calibration.refused} {ALL_THE_SAME}")
        else:
            raise typer.Exit(130)
    finally:
        speaker.close()


def _write(
    run: GuidedRun, calibration: GuidedCalibration, keep: Path | None, descriptor: str | None, end: Ending
) -> None:
    """Fits the profile, says how good it is, and writes it. Raises RefusedError if it is too bad."""
    taken: list[Taken] = [calibration.taken[number] for number in sorted(calibration.taken)]
    if keep is not None:
        keep_pictures(taken, calibration, keep)
    with _fitting(len(taken)) as progress:
        fit = fit_guided(taken, calibration.template, progress, descriptor)
    for where in fit.left_out:
        sys.stderr.write(f"not learnt from, because other pictures show it otherwise: {where}\n")
    if end.as_json:
        sys.stdout.write(json.dumps({"event": "left_out", "cells": list(fit.left_out)}) + "\n")
    try:
        end.write(fit.profile, fit.verdict, calibration.template, [photo.cells for photo in fit.photos])
    except RefusedError:
        why = [in_words(*said) for said in fit.verdict.objections]
        run.say(in_a_row([worded("No profile is written."), *why]))
        raise
    run.say(in_a_row([worded("The profile is written."), in_words(*fit.verdict.expectation.said)]))
