"""Real videos with known pauses: the pictures that the gate releases, and the sides from which arms came."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.cli.settle import MARGIN_SHARE, PATCHES, Settler, Window
from vision.cli import parse_corners
from vision.frame import Frame, FrameSource, SourceEnded
from vision.sources.opening import open_source
from vision.watching.arm import ArmWatch, Side
from vision.watching.cell_places import CellPlaces
from vision.watching.surroundings import surroundings_within
from vision.watching.watcher import Watcher

SETTLE_S = 0.4
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


CHESS, GO = "video/scholarsmate.avi", "go/hands_sequence"
SEQUENCES = (
    Sequence("empty board", "video/emptyBoard001.avi", ((1, 51),), ()),
    Sequence("chess, the board", CHESS, CHESS_FREE, CHESS_HANDS, CHESS_CORNERS),
    Sequence("chess, the whole picture", CHESS, ((108, 138), (264, 285), (305, 333)), CHESS_HANDS),
    Sequence("go", GO, GO_FREE, GO_HANDS, rate_hz=5.0),
)


def frames_of(source: FrameSource) -> Iterator[Frame]:
    try:
        while True:
            if (frame := source.read(1.0)) is not None:
                yield frame
    except SourceEnded:
        source.close()


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda sequence: sequence.name)
def test_every_still_pause_comes_out_and_no_hand_does(real_data: Path, sequence: Sequence) -> None:
    window = Window(parse_corners(sequence.corners) if sequence.corners else None)
    settler, moving, shown = Settler(SETTLE_S), 0, list[int]()
    source = open_source(str(real_data / sequence.path), hold_s=1 / sequence.rate_hz, rate_hz=sequence.rate_hz)
    for frame in frames_of(source):
        state, _ = settler.look(window.show(frame.image), frame.time_s)
        moving += state.phase == "moving"
        shown += [frame.index] * state.fresh
    free, hands = ([range(first, last + 1) for first, last in spans] for spans in (sequence.free, sequence.hands))
    pauses = [span for span in free if (len(span) - 1) / sequence.rate_hz >= SETTLE_S + 0.1]
    assert pauses and all(any(frame in span for frame in shown) for span in pauses)
    assert not any(frame in span for span in hands for frame in shown)
    assert all(any(frame in span for span in free) for frame in shown)
    if not hands:
        assert (moving, len(shown)) == (0, 1)  # a real still board never moves


def test_a_real_arm_is_told_by_its_side(real_data: Path) -> None:
    window = Window(parse_corners(CHESS_CORNERS))
    seen = {
        frame.index: (surroundings_within(window.show(frame.image), MARGIN_SHARE), frame.time_s)
        for frame in frames_of(open_source(str(real_data / CHESS)))
    }
    told = {}
    for name, free, (first, last), _ in CHESS_PLIES:
        watch, watcher = ArmWatch(), Watcher(CellPlaces.grid(PATCHES))
        watcher.know(seen[free][0])
        for index in range(first, last + 1):
            sight = watcher.update(*seen[index])
            watch.update(seen[index][0], sight)
        told[name] = watch.update(seen[last][0], dataclasses.replace(sight, phase="settled", fresh=True))
    assert told == {name: side for name, _, _, side in CHESS_PLIES}
