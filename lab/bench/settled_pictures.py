"""Watches real videos whose pauses are known: counts the pauses found and the hands read by mistake.

    kibitzer bench settled-pictures
    kibitzer bench settled-pictures --out DIR

One JSON object per sequence: pauses (known still pauses without a hand, long enough to settle), found (of these, how
many came out), settled (pictures that came out), with_hand (of these, pictures taken while a hand was over the board),
elsewhere (neither in a known pause nor with a hand), motion (frames that counted as moving). Then, for each ply of the
chess game, the side from which the arm is reported to have come, and the truth. Exit status 1 if a pause was missed, a
hand was read, a still board moved, or an arm was taken for another's.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import cv2
import typer

from daemon.cli.settle import MARGIN_SHARE, PATCHES, Settler, Window
from vision.cli import parse_corners
from vision.frame import Frame, FrameSource, SourceEnded
from vision.sources.opening import open_source
from vision.watching.arm import ArmWatch, Side
from vision.watching.cell_places import CellPlaces
from vision.watching.surroundings import surroundings_within
from vision.watching.watcher import Watcher

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
CHESS_CORNERS = "140.6,8.6 508,10 509,379 137,376.5"
"""The outer corners of the sixty-four squares in scholarsmate.avi, measured by eye at frame 120."""

Span = tuple[int, int]
"""First and last frame."""


@dataclasses.dataclass(frozen=True)
class Sequence:
    """Frames with known pauses, found by looking at every frame."""

    name: str
    path: str
    free: tuple[Span, ...]
    """Spans in which the board is still and nobody is over it; a hand over the table beside it does not count."""
    hands: tuple[Span, ...]
    """Spans in which a hand or arm is over the board or its margin, at least in part."""
    corners: str = ""
    rate_hz: float = 20.0
    """Frames a second."""
    still: bool = False
    """Whether nothing moves at all."""


CHESS_FREE = ((1, 5), (60, 60), (85, 86), (108, 142), (184, 191), (208, 214), (264, 285), (305, 333))
CHESS_HANDS = ((28, 59), (61, 84), (87, 107), (143, 183), (192, 207), (215, 263))
CHESS_PLIES: tuple[tuple[str, int, Span, Side], ...] = (
    ("e4", 4, (28, 43), "right"),
    ("e5", 4, (44, 59), "left"),
    ("Qh5", 60, (61, 84), "right"),
    ("Nc6", 86, (87, 107), "left"),
    ("Bc4", 141, (143, 183), "right"),
    ("Nf6", 189, (190, 207), "left"),
    ("Qxf7", 214, (215, 263), "right"),
)
"""Each ply with the last frame in which the board was free, those in which the hand is seen, and its side. Black's hand
comes while white's is still leaving after e4."""
GO_FREE = ((1, 2), (6, 17), (20, 25), (29, 64), (69, 87), (92, 105), (111, 120), (123, 136))
GO_HANDS = ((3, 5), (18, 19), (26, 28), (65, 65), (67, 67), (89, 91), (106, 110), (121, 121))


def sequences() -> list[Sequence]:
    """The sequences to measure. The time between the photos of the go board is not known: several are tried."""
    chess, go = "video/scholarsmate.avi", "go/hands_sequence"
    return [
        Sequence("empty board", "video/emptyBoard001.avi", ((1, 51),), (), still=True),
        Sequence("chess, the board", chess, CHESS_FREE, CHESS_HANDS, CHESS_CORNERS),
        Sequence("chess, the whole picture", chess, ((108, 138), (264, 285), (305, 333)), CHESS_HANDS),
        *(Sequence(f"go, {step} s", go, GO_FREE, GO_HANDS, rate_hz=1 / step) for step in (0.2, 0.5, 2.0)),
    ]


@dataclasses.dataclass
class Count:
    name: str
    settle_s: float
    pauses: int
    found: int
    settled: int
    with_hand: int
    elsewhere: int
    motion: int
    frames: tuple[int, ...]


def measure(sequence: Sequence, data: Path, settle_s: float = 0.4, out: Path | None = None) -> Count:
    window = Window(parse_corners(sequence.corners) if sequence.corners else None)
    settler, motion, shown = Settler(settle_s), 0, list[int]()
    for frame in frames_of(
        open_source(str(data / sequence.path), hold_s=1 / sequence.rate_hz, rate_hz=sequence.rate_hz)
    ):
        picture = window.show(frame.image)
        state, _ = settler.look(picture, frame.time_s)
        motion += state.phase == "moving"
        if state.fresh:
            shown.append(frame.index)
            if out is not None:
                name = f"{sequence.name.replace(' ', '-')}-{settle_s}-{frame.index:04d}.png"
                cv2.imwrite(str(out / name), picture)
    free, hands = ([range(first, last + 1) for first, last in spans] for spans in (sequence.free, sequence.hands))
    long_enough = [span for span in free if (len(span) - 1) / sequence.rate_hz >= settle_s + 0.1]
    return Count(
        sequence.name,
        settle_s,
        pauses=len(long_enough),
        found=sum(any(frame in span for frame in shown) for span in long_enough),
        settled=len(shown),
        with_hand=sum(any(frame in span for span in hands) for frame in shown),
        elsewhere=sum(not any(frame in span for span in hands + free) for frame in shown),
        motion=motion,
        frames=tuple(shown),
    )


def arms(data: Path) -> dict[str, Side | None]:
    """The side that `ArmWatch` reports for each ply of the chess game."""
    window, told = Window(parse_corners(CHESS_CORNERS)), {}
    pictures = frames_of(open_source(str(data / "video/scholarsmate.avi")))
    seen = {
        frame.index: (surroundings_within(window.show(frame.image), MARGIN_SHARE), frame.time_s) for frame in pictures
    }
    for name, free, (first, last), _ in CHESS_PLIES:
        watch, watcher = ArmWatch(), Watcher(CellPlaces.grid(PATCHES))
        watcher.know(seen[free][0])
        for index in range(first, last + 1):
            sight = watcher.update(*seen[index])
            watch.update(seen[index][0], sight)
        told[name] = watch.update(seen[last][0], dataclasses.replace(sight, phase="settled", fresh=True))
    return told


def frames_of(source: FrameSource) -> Iterator[Frame]:
    try:
        while True:
            if (frame := source.read(1.0)) is not None:
                yield frame
    except SourceEnded:
        source.close()


def main(
    data: Path = DATA,
    out: Annotated[Path | None, typer.Option(help="Folder that keeps the settled pictures for inspection.")] = None,
) -> int:
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    good = True
    for sequence in sequences():
        for settle_s in (0.4, 0.2):
            count = measure(sequence, data, settle_s, out)
            good &= count.found == count.pauses and not count.with_hand and not (sequence.still and count.motion)
            print(json.dumps(dataclasses.asdict(count)), flush=True)
    told = arms(data)
    for name, _, _, side in CHESS_PLIES:
        good &= told[name] == side
        print(json.dumps({"ply": name, "arm": told[name], "truth": side}))
    return 0 if good else 1
