"""The overlay shows everything in the right place, whatever the camera does."""

import dataclasses
import itertools
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from calibration.template import BoardTemplate, load_template
from daemon.drawing import lettering
from daemon.drawing.board_style import LAST, UNKNOWN, WANTED, WRONG, bgr
from daemon.drawing.lettering import Colour
from daemon.page import overlay
from daemon.page.overlay import Scene, draw_overlay
from rules import Step
from vision.frame import Frame, Image
from vision.pose import BoardPose, FloatArray, pose_from_corners, project

TEMPLATE = load_template("nine_mens_morris")
HEIGHT = 720


def picture(pose: BoardPose, template: BoardTemplate = TEMPLATE) -> Image:
    """A camera picture of a plain board in this pose."""
    image = np.full((600, 800, 3), (60, 90, 60), np.uint8)
    corners = pose.corners_px(template)
    cv2.fillConvexPoly(image, np.round(corners).astype(np.int32), (150, 180, 200))
    for start, end in project(pose.image_from_board, template.lines_mm.reshape(-1, 2)).reshape(-1, 2, 2):
        cv2.line(image, np.round(start).astype(int).tolist(), np.round(end).astype(int).tolist(), (30, 30, 30), 3)
    return image


def scene(corners: tuple[tuple[float, float], ...] | None = None, **changes: object) -> Scene:
    """A scene without marks; the board is seen from above unless its corners are given."""
    pose = pose_from_corners(np.array(corners or ((200, 100), (600, 100), (600, 500), (200, 500))), TEMPLATE)
    return Scene(frame=Frame(picture(pose), 0.0, 0), template=TEMPLATE, pose=pose, board="." * 24, **changes)  # type: ignore[arg-type]


def cell(name: str) -> int:
    return TEMPLATE.cell_names.index(name)


def centre(name: str) -> tuple[int, int]:
    """Overlay pixel (x, y) of a cell; the board and its margin fill the square."""
    scale = HEIGHT / (TEMPLATE.size_mm[0] + 2 * TEMPLATE.margin_mm)
    x, y = (TEMPLATE.cells_mm[cell(name)] + TEMPLATE.margin_mm) * scale
    return round(float(x)), round(float(y))


def amount(image: Image, colour: Colour, name: str, radius_px: int = 48) -> int:
    """Number of pixels around a cell that have exactly that colour."""
    x, y = centre(name)
    patch = image[max(0, y - radius_px) : y + radius_px, max(0, x - radius_px) : x + radius_px]
    return int((patch == np.array(colour)).all(axis=2).sum())


def test_the_overlay_is_a_new_picture_of_sixteen_to_nine() -> None:
    shown = scene()
    before = shown.frame.image.copy()
    for height, width in ((720, 1280), (480, 853), (1080, 1920), (120, 213)):
        assert draw_overlay(shown, height).shape == (height, width, 3)
    assert (shown.frame.image == before).all()


def test_the_board_stays_where_it_is_while_the_camera_moves() -> None:
    poses = [
        ((200, 100), (600, 100), (600, 500), (200, 500)),
        ((260, 140), (540, 150), (640, 520), (150, 500)),
        ((600, 100), (600, 500), (200, 500), (200, 100)),  # the camera turned by 90 degrees
    ]
    views = [draw_overlay(scene(corners))[:, :HEIGHT].astype(int) for corners in poses]  # type: ignore[arg-type]
    inside = slice(centre("a7")[1] + 5, centre("a1")[1] - 5)
    for one, other in itertools.combinations(views, 2):
        assert np.abs(one[inside, inside] - other[inside, inside]).mean() < 6


def test_an_agents_move_is_a_ring_an_arrow_and_a_cross() -> None:
    plain = draw_overlay(scene())
    steps = (Step("move", cell("d7"), cell("a7"), "B"), Step("remove", cell("g4")))
    marked = draw_overlay(scene(agent_steps=steps))
    assert amount(plain, bgr(WANTED), "d7") == 0
    assert amount(marked, bgr(WANTED), "d7") > 500
    assert amount(marked, bgr(WANTED), "g4") > 200
    (x, y), (end_x, _) = centre("a7"), centre("d7")
    shaft = marked[y, (x + end_x) // 2]
    assert tuple(int(value) for value in shaft) == bgr(WANTED)
    for untouched in ("g1", "a1", "d3"):
        assert amount(marked, bgr(WANTED), untouched) == 0


def test_a_ring_leaves_the_man_inside_it_to_be_seen() -> None:
    shown = scene(agent_steps=(Step("place", cell("d7"), None, "B"),))
    x, y = centre("d7")
    difference = np.abs(draw_overlay(shown).astype(int) - draw_overlay(scene()).astype(int)).sum(axis=2)
    assert difference[y - 18 : y + 18, x - 18 : x + 18].max() == 0
    assert difference[y - 48 : y + 48, x - 48 : x + 48].max() > 100


def test_the_last_move_and_the_faults_are_marked_in_colours_of_their_own() -> None:
    marked = draw_overlay(scene(last_move=(Step("place", cell("a1"), None, "W"),), fault_cells=(cell("g1"),)))
    assert amount(marked, bgr(LAST), "a1") > 300 and amount(marked, bgr(WRONG), "a1") == 0
    assert amount(marked, bgr(WRONG), "g1") > 300 and amount(marked, bgr(LAST), "g1") == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda shown: {"title": "cờ gánh"},
        lambda shown: {"verdict": "It is not light's turn."},
        lambda shown: {"said": "I play d6."},
        lambda shown: {"to_move": "dark to move"},
        lambda shown: {"moves": ("d6", "f4")},
        lambda shown: {"board": "W" + "." * 23},
        lambda shown: {"frame": dataclasses.replace(shown.frame, image=255 - shown.frame.image)},
    ],
)
def test_everything_there_is_to_know_shows_in_the_panel(change: Callable[[Scene], dict[str, object]]) -> None:
    shown = scene()
    other = dataclasses.replace(shown, **change(shown))  # type: ignore[arg-type]
    assert (draw_overlay(shown)[:, HEIGHT:] != draw_overlay(other)[:, HEIGHT:]).any()


def test_what_was_said_is_not_written_twice_where_it_is_the_verdict() -> None:
    once = draw_overlay(scene(verdict="Your move."))
    assert (draw_overlay(scene(verdict="Your move.", said="Your move.")) == once).all()


@pytest.mark.parametrize(
    ("halves", "first", "told"),
    [
        (None, 1, "2. b   3. c   4. d"),
        (0, 0, "1. a b   2. c d"),
        (0, 1, "1... b   2. c d"),
        (1, 0, "1... a   2. b c   3. d"),
        (1, 2, "2... c   3. d"),
    ],
)
def test_moves_are_numbered_by_plies_or_where_the_game_is_written_so_in_pairs(
    halves: int | None, first: int, told: str
) -> None:
    assert overlay.numbered_from(scene(moves=("a", "b", "c", "d"), halves=halves), first) == told


def test_a_lost_board_shows_the_camera_and_says_so() -> None:
    shown = dataclasses.replace(scene(agent_steps=(Step("place", 0, None, "B"),)), pose=None, status="board lost")
    image = draw_overlay(shown)
    assert (image[:80, :200] == np.array((38, 30, 160))).all(axis=2).sum() > 1000
    assert not (image[:, :HEIGHT] == np.array(overlay.SAID)).all(axis=2).any()
    assert image[HEIGHT // 2, HEIGHT // 2].sum() > 0


def test_texts_of_any_length_and_script_stay_inside_the_panel() -> None:
    long = "Đây là một câu rất dài, ünïcödé 日本語 \U0001f600 " * 40
    shown = scene(verdict=long, said=long[::-1], title=long, to_move=long, status=long, moves=("d6xg4",) * 500)
    image = draw_overlay(shown, 240)
    plain = draw_overlay(scene(), 240)
    right = image.shape[1] - 8
    assert (image[:, right:] == plain[:, right:]).all()


@pytest.mark.parametrize(
    "matrix",
    [
        np.array([[1e-6, 0, 0], [0, 1e-6, 0], [0, 0, 1.0]]),
        np.array([[1, 0, 1e7], [0, 1, 1e7], [0, 0, 1.0]]),
        np.array([[1, 0.2, 50], [0.1, 1, 50], [0.01, 0.01, 1.0]]),
    ],
)
def test_a_wild_pose_draws_something_and_does_not_fail(matrix: FloatArray) -> None:
    shown = dataclasses.replace(scene(agent_steps=(Step("move", 3, 5, "W"),)), pose=BoardPose(matrix, 0.0, 0.1))
    assert draw_overlay(shown, 360).shape == (360, 640, 3)


def test_men_of_a_class_without_a_colour_are_letters() -> None:
    shown = scene()
    plain = draw_overlay(shown)
    assert (draw_overlay(dataclasses.replace(shown, board="Q" + "." * 23)) != plain).any()


def test_text_is_wrapped_between_words_and_shortened_at_the_end() -> None:
    lines = lettering.wrap("one two three four five six seven eight nine ten", 20, 120, 3)
    assert len(lines) == 3
    assert all(lettering.width_px(line, 20) <= 120 for line in lines)
    assert lines[0] == "one two" and lines[-1].endswith(lettering.ELLIPSIS)
    assert lettering.wrap("", 20, 120, 3) == ()
    assert lettering.wrap("w" * 500, 20, 120, 3) == (lettering.shorten("w" * 500, 20, 120),)


def test_letters_beyond_ascii_are_drawn_and_cut_at_the_edge() -> None:
    shapes = []
    for text in ("ờ", "o", "đ", "d"):
        image = np.zeros((60, 60, 3), np.uint8)
        lettering.write(image, text, (5, 5), 40, (255, 255, 255))
        shapes.append(image.tobytes())
    assert len(set(shapes)) == 4
    edge = np.zeros((20, 20, 3), np.uint8)
    for origin in ((-10, -10), (15, 15), (100, 100), (-100, 0)):
        lettering.write(edge, "WWW", origin, 40, (255, 255, 255))
    assert edge.any()


def test_a_cell_that_nothing_known_is_seen_on_is_marked() -> None:
    plain, marked = draw_overlay(scene()), draw_overlay(scene(unknown_cells=(cell("d6"),)))
    assert amount(marked, bgr(UNKNOWN), "d6") > amount(plain, bgr(UNKNOWN), "d6")
    assert amount(marked, bgr(UNKNOWN), "d2") == amount(plain, bgr(UNKNOWN), "d2")
