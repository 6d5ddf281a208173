"""Files from people: labels, annotations, profiles, bundles, boards, and games written by other programs."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import zipfile
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Picture

import games
from agents import programs
from agents.programs import BoardFileError
from agents.protocols import ggf, sanmill
from calibration import annotations
from calibration.annotations import AnnotationError
from calibration.labels import LabelError, read_labels
from calibration.profile import ProfileError, TableProfile
from calibration.template import BoardTemplate, TemplateError, load_template
from daemon.bundles.bundle import BundleError
from daemon.bundles.bundle_file import BundleFile
from games.nine_mens_morris import NineMensMorris
from games.reversi import Reversi, transcript
from rules import GameError, MoveError
from tests.fuzz.bus_entries import scratch_file
from tests.fuzz.entry import Entry, IllegalState
from tests.fuzz.game_entries import check_position, text_of
from vision.cli import parse_corners
from vision.pose import pose_from_corners
from vision.sources.encoded import FORMATS, EncodedFrame, JpegSplitter, TooLargeError, decode, peek, picture_size_px

ANNOTATION = b"8H 6\r\n8I 3\r\n12"
MOVERS = b"1_01.jpg player1\r\n1_02.jpg player2"
FUZZED_MEGAPIXELS = 0.05
GGF = (
    b"(;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[0]TY[8]BO[8 " + b"-" * 27 + b"O*------*O" + b"-" * 27 + b" *]"
    b"B[F5//1.5]W[D6];)",
)
SANMILL = (b"startpos moves d6 d2 f4", b"fen ********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1 moves d6")


def entries() -> list[Entry]:
    labels = {"images": {"1.jpg": {"corners_px": [[0, 0], [9, 0], [9, 9], [0, 9]], "cells": "." * 24}}}
    empty = ["00000000"] * 3
    board = json.dumps([[int(mark) for mark in row] for row in (*empty, "00021000", "00012000", *empty)]).encode()
    profile = _profile()
    return [
        Entry("labels", "files", label_file, (json.dumps(labels).encode(),), (b'"cells"', b'"corners_px"', b"null")),
        Entry("annotation", "files", annotation_text, (ANNOTATION, b"1A 0\n2A 6\n0\n\n"), (b"15O", b"7", b"\r")),
        Entry("movers", "files", movers_file, (MOVERS,), (b"player1", b"1_03", b".png"), weight=0.5),
        Entry(
            "profile", "files", profile_bytes, (profile,), (b"PK\x03\x04", b"\x93NUMPY"), guided=False, longest=1 << 16
        ),
        Entry("profile_arrays", "files", profile_arrays, (_facts(),), guided=False, weight=0.3),
        Entry(
            "bundle",
            "files",
            bundle_file,
            (_bundle(), profile),
            (b"PK\x01\x02", b"manifest.json"),
            guided=False,
            longest=1 << 16,
            weight=0.5,
        ),
        Entry("board_file", "files", board_json, (board,), (b"[", b"2", b"9", b"1.5"), weight=0.5, guided=False),
        Entry(
            "transcript", "files", transcript_text, (b"f5d6c3d3c4", b"F5 d6 pass"), (b"f5", b"pa", b"--"), longest=256
        ),
        Entry("ggf", "files", ggf_text, GGF, (b"B[", b"W[PA]", b"]", b"BO[8 ", b"*", b"O", b"-")),
        Entry(
            "sanmill", "files", sanmill_text, SANMILL, (b"fen", b"moves", b" xd6", b"d6-d5", b"O", b"@", b" w", b" b r")
        ),
        Entry("photo", "files", photo_bytes, _photos(), (b"\xff\xd8", b"\xff\xc0\x00\x11\x08", b"IHDR"), guided=False),
        Entry("stream", "files", stream_bytes, _streams(), (b"\xff\xd8", b"\xff\xd9", b"\xff\xda"), guided=False),
        Entry("corners", "files", corners_text, (b"1,2 90,4 95,60 7,80",), (b"nan", b"-0", b"1e5", b"inf"), weight=0.5),
    ]


@functools.cache
def _template() -> BoardTemplate:
    return load_template("nine_mens_morris")


def label_file(data: bytes) -> bool:
    template = _template()
    try:
        found = read_labels(scratch_file(data, "labels.json"), template)
    except LabelError:
        return False
    for label in found:
        if len(label.cells) != len(template.cell_names) or "/" in label.name:
            raise IllegalState(f"{label} is taken")
    return True


def annotation_text(data: bytes) -> bool:
    """Reads an annotation of a dominoes photo; an accepted one must survive writing and reading."""
    try:
        found = annotations.parse_annotation(text_of(data), "it")
    except AnnotationError:
        return False
    if annotations.parse_annotation(annotations.format_annotation(found), "it") != found:
        raise IllegalState(f"{found} is read as another")
    if not all(0 <= pips <= 6 for pips in found.pips) or not 0 <= found.points <= 999:
        raise IllegalState(f"{found} is taken")
    return True


def movers_file(data: bytes) -> bool:
    try:
        found = annotations.read_movers(scratch_file(data, "1_mutari.txt"))
    except AnnotationError:
        return False
    if not set(found.values()) <= {0, 1}:
        raise IllegalState(f"players {set(found.values())}")
    return bool(found)


def profile_bytes(data: bytes) -> bool:
    """Reads a table profile; an accepted one must have a usable homography."""
    try:
        found = TableProfile.from_bytes(data)
    except ProfileError:
        return False
    if found.image_from_board.shape != (3, 3) or not np.isfinite(found.image_from_board).all():
        raise IllegalState("a profile without a homography")
    with contextlib.suppress(TemplateError, GameError):
        found.template()
    return True


def profile_arrays(data: bytes) -> bool:
    """Reads a well-formed profile archive whose facts are the data."""
    buffer = io.BytesIO()
    np.savez(buffer, facts=np.frombuffer(data, np.uint8), reference=np.zeros(3, np.uint8), image_from_board=np.eye(3))
    return profile_bytes(buffer.getvalue())


def bundle_file(data: bytes) -> bool:
    try:
        with BundleFile(Path(scratch_file(data, "bundle.zip"))) as bundle:
            bundle.profile()
            for number in range(min(3, len(bundle.manifest.frames))):
                bundle.jpeg(number)
    except BundleError:
        return False
    return True


def board_json(data: bytes) -> bool:
    try:
        black, white = programs.read_board(scratch_file(data, "board.json"))
    except BoardFileError:
        return False
    if black & white:
        raise IllegalState("a cell with two discs")
    return True


def transcript_text(data: bytes) -> bool:
    """Reads a reversi game written as one word."""
    game = _reversi()
    try:
        moves = transcript.read(game, text_of(data))
    except MoveError:
        return False
    if transcript.read(game, transcript.write(moves)) != moves:
        raise IllegalState("a transcript is read as another game")
    return bool(moves)


def ggf_text(data: bytes) -> bool:
    """Reads a reversi game as NBoard sends it."""
    game = _reversi()
    try:
        position = ggf.read(game, text_of(data))
    except GameError:
        return False
    check_position(game, position)
    return True


def sanmill_text(data: bytes) -> bool:
    game = games.load("morris")
    assert isinstance(game, NineMensMorris)
    try:
        standing = sanmill.read(game, text_of(data).split())
    except GameError:
        return False
    check_position(game, standing.position)
    if standing.journey is not None and not standing.removals(game):
        raise IllegalState("a turn that nobody can end")
    return True


def photo_bytes(data: bytes) -> bool:
    """Reads a photo: what is decoded must be of the size that its header claims, turned or not, or smaller."""
    try:
        image = decode(data, FUZZED_MEGAPIXELS)
    except TooLargeError:
        return False
    if image is not None and image.shape[0] * image.shape[1] > FUZZED_MEGAPIXELS * 1e6:
        raise IllegalState(f"a picture of {image.shape} was decoded, its header claims {picture_size_px(data)}")
    return image is not None


def stream_bytes(data: bytes) -> bool:
    """Reads a camera's stream in pieces: every picture that is passed on must be whole and small enough."""
    splitter, found = JpegSplitter(), 0
    for at in range(0, len(data), 997):
        for jpeg in splitter.feed(data[at : at + 997]):
            with contextlib.suppress(TooLargeError):
                picture = peek(jpeg, FUZZED_MEGAPIXELS)
                if picture is not None:
                    found += 1
                    if EncodedFrame(picture, 0.0, 0).image.size > 3e6 * FUZZED_MEGAPIXELS:
                        raise IllegalState(f"a picture larger than {picture_size_px(jpeg)}")
    return found > 0


def corners_text(data: bytes) -> bool:
    """Reads corners as typed: those that are taken must place a board."""
    try:
        corners = parse_corners(text_of(data))
    except ValueError:
        return False
    if not np.isfinite(pose_from_corners(corners, _template()).image_from_board).all():
        raise IllegalState(f"{corners.tolist()} place no board")
    return True


@functools.cache
def _photos() -> tuple[bytes, ...]:
    """The same small picture in every format that is read."""
    found = []
    for name in FORMATS:
        buffer = io.BytesIO()
        Picture.new("RGB", (24, 16), (200, 80, 30)).save(buffer, name)
        found.append(buffer.getvalue())
    return tuple(found)


@functools.cache
def _streams() -> tuple[bytes, ...]:
    jpeg, *_ = _photos()
    part = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg) + jpeg
    return part * 3, jpeg * 2


@functools.cache
def _reversi() -> Reversi:
    game = games.load("reversi")
    assert isinstance(game, Reversi)
    return game


@functools.cache
def _profile() -> bytes:
    _, jpeg = cv2.imencode(".jpg", np.zeros((16, 16, 3), np.uint8))
    return TableProfile(
        game="nine_mens_morris",
        options=frozenset(),
        shape={},
        reference_jpeg=jpeg.tobytes(),
        image_from_board=np.eye(3),
        descriptor="none",
        weights_sha256="",
        head={"weights": np.zeros((2, 3), np.float32)},
        accuracy=1.0,
    ).to_bytes()


@functools.cache
def _facts() -> bytes:
    with np.load(io.BytesIO(_profile())) as arrays:
        return bytes(arrays["facts"].tobytes())


@functools.cache
def _bundle() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"format": "kibitzer-bundle", "version": 1, "frames": []}))
        archive.writestr("profile.npz", _profile())
    return buffer.getvalue()
