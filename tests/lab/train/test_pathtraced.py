"""Path-traced scenes: bodies, truth, lights outside the picture, folders that are continued, and the renderer."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import games
from calibration.labels import read_labels
from calibration.template import load_template
from lab.simulated.random_style import random_style
from lab.simulated.scenes import random_scene
from lab.train import pathtraced, pathtraced_mesh, scenes
from lab.train.cli import app
from lab.train.pathtraced import TracedScene, random_figures, random_position, trace_scene
from lab.train.pathtraced_board import board_body, random_clutter
from lab.train.pathtraced_camera import (
    develop,
    film_pad,
    is_before,
    place_camera,
    random_lens,
    seen_px,
    straight_px,
    without_sparks,
)
from lab.train.pathtraced_chessmen import HEIGHTS
from lab.train.pathtraced_light import random_light
from lab.train.pathtraced_men import KINDS, MenLook, looking, one_man, profile, random_chess_men, random_men
from lab.train.pathtraced_mesh import Mesh, RendererError, block, joined, lathe, load_mitsuba, sheet
from lab.train.scenes import SceneFolderError, scene_chance, write_scenes
from rules import EMPTY, figures_of
from vision.finding.finder import find_drawn

COLOURS = {"W": (220.0, 225.0, 230.0), "B": (30.0, 32.0, 36.0)}


def renderer_is_missing() -> str:
    try:
        load_mitsuba()
    except RendererError as error:
        return str(error)
    return ""


rendered = pytest.mark.skipif(bool(renderer_is_missing()), reason=renderer_is_missing() or "there")


def faces_outwards(mesh: Mesh) -> float:
    """Share of the triangles that face the same way as their corners' normals."""
    a, b, c = (mesh.places[mesh.faces[:, corner]] for corner in range(3))
    flat = np.cross(b - a, c - a)
    solid = np.linalg.norm(flat, axis=1) > 1e-9
    lean = (flat * mesh.normals[mesh.faces].mean(axis=1)).sum(axis=1)[solid]
    return float((lean > 0).mean())


def look_of(kind: Any) -> MenLook:
    rng = np.random.default_rng(1)
    while (look := random_men(rng, 27.0, COLOURS, "nine_mens_morris", (150.0, 150.0, 150.0))).kind != kind:
        pass
    return look


@pytest.mark.parametrize("kind", KINDS)
def test_men_of_every_kind_stand_on_their_cell_and_look_outwards(kind: str) -> None:
    look = look_of(kind)
    mesh = one_man(look, "W", np.random.default_rng(0))
    assert faces_outwards(mesh) > 0.99
    assert mesh.places[:, 2].min() == pytest.approx(0, abs=1e-6)
    assert mesh.places[:, 2].max() == pytest.approx(look.height_mm, rel=0.15)
    assert np.linalg.norm(mesh.places[:, :2], axis=1).max() == pytest.approx(look.radius_mm, rel=5e-3)
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1)


def test_chess_men_of_every_cut_stand_look_outwards_and_differ_in_height() -> None:
    template = load_template("chess")
    for seed in range(12):
        rng = np.random.default_rng(seed)
        look = random_chess_men(rng, template.pitch_mm, COLOURS, template)
        meshes = {figure.name: one_man(look, letter, rng) for letter, figure in template.figures.items()}
        assert set(meshes) == set(HEIGHTS)
        for name, mesh in meshes.items():
            assert faces_outwards(mesh) > 0.93
            assert mesh.places[:, 2].min() == pytest.approx(0, abs=1e-6)
            low, high = (share * look.height_mm for share in HEIGHTS[name])
            assert 0.99 * low < mesh.places[:, 2].max() < 1.01 * high
            assert np.linalg.norm(mesh.places[:, :2], axis=1).max() < 1.25 * look.radius_mm


def test_figures_by_chance_are_the_game_s_and_knights_look_ahead_or_anyhow() -> None:
    game, template = games.load("chess"), load_template("chess")
    boards = [random_figures(game, template, np.random.default_rng(seed)) for seed in range(60)]
    assert set("".join(boards)) == {EMPTY, *template.figures}
    assert "." * 64 in boards
    assert template.written(figures_of(game, game.initial()))[:8] == "rnbqkbnr"
    men = [("♘", 0.0, 0.0, float(turn)) for turn in range(3)]
    spreads = [np.ptp([one[3] for one in looking(men, template, np.random.default_rng(seed))]) for seed in range(20)]
    assert sum(spread == 2.0 for spread in spreads) < 12
    assert min(spreads) < 0.5


def test_profiles_end_on_the_axis_but_for_rings() -> None:
    for kind in KINDS:
        radius = profile(look_of(kind))[-1, 0]
        assert radius == pytest.approx(0.42 * look_of(kind).radius_mm if kind == "ring" else 0, abs=1e-6)


def test_boxes_and_sheets_look_outwards_and_carry_their_texture_upright() -> None:
    for mesh in (block((40, 20), 8.0, 3.0, 1.0), sheet((0, 0), (10, 20), lambda p: 0.1 * np.sin(p[:, 0]), 6)):
        assert faces_outwards(mesh) == 1
        top_left = np.argmin(mesh.places[:, 0] - mesh.places[:, 1])
        assert (mesh.texels[top_left] < 0.1).all()


def test_joined_meshes_keep_their_triangles() -> None:
    one = lathe(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), 8)
    both = joined([one, one.placed((5, 0, 0), turn=1.0)])
    assert len(both.faces) == 2 * len(one.faces)
    assert faces_outwards(both) == 1
    assert both.places[both.faces[len(one.faces) :]][..., 0].min() > 3


def test_men_differ_in_lightness_unless_they_are_metal() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        look = random_men(rng, 27.0, COLOURS, "reversi", (200.0, 210.0, 220.0))
        light, dark = (np.mean(one_man(look, letter, rng).colours[-20:]) for letter in "WB")
        assert light > dark or look.metal or look.kind == "button"


def test_no_lamp_hangs_before_the_camera_and_the_board_is_not_hidden() -> None:
    template = load_template("nine_mens_morris")
    for seed in range(10):
        rng = np.random.default_rng(seed)
        style = random_style(template, rng)
        body = board_body(template, style, rng)
        camera = place_camera(body.outline_mm, (640, 480), style.camera)
        for glow in random_light(rng, style, body.centre_mm, camera).glows:
            seen = seen_px(camera, glow.at_mm[None])[0]
            assert not is_before(camera, glow.at_mm[None])[0] or not ((seen > 0) & (seen < (640, 480))).all()
        frame = np.array([[0, 0, 0], [280, 0, 0], [280, -280, 0], [0, -280, 0]], dtype=np.float64)
        clutter = random_clutter(rng, camera, body.low_mm, body.high_mm, body.table_z, frame, [])
        if clutter is not None:
            inside = (clutter.places[:, :2] > body.low_mm) & (clutter.places[:, :2] < body.high_mm)
            assert not inside.all(axis=1).any()


def test_a_game_played_at_random_is_what_stands_on_the_board() -> None:
    for name in games.names():
        game = games.load(name)
        template = load_template(name)
        boards = [random_position(game, template, np.random.default_rng(seed)) for seed in range(6)]
        assert {len(board) for board in boards} == {len(template.cell_names)}
        assert set("".join(boards)) <= set(template.letters)
        assert len(set(boards)) > 1


def test_shape_by_chance_leaves_the_simulated_tables_as_they_were() -> None:
    scene = random_scene(load_template("nine_mens_morris"), np.random.default_rng(5), (320, 240), hands=0)
    again = random_scene(load_template("nine_mens_morris"), np.random.default_rng(5), (320, 240), hands=0)
    assert np.array_equal(scene.image, again.image)


def test_development_spreads_no_spark_and_no_hole() -> None:
    template = load_template("reversi")
    rng = np.random.default_rng(0)
    style = random_style(template, rng)
    camera = place_camera(board_body(template, style, rng).outline_mm, (200, 160), style.camera)
    straight = straight_px(camera)
    pad = film_pad(straight, (200, 160))
    film = np.full((160 + 2 * pad, 200 + 2 * pad, 3), 0.3, dtype=np.float32)
    film[50, 60], film[90, 90] = 1e4, np.nan
    assert float(without_sparks(film).max()) == pytest.approx(0.3, rel=0.01)
    image = develop(film, straight, random_lens(rng, dim=False), rng)
    assert image.shape == (160, 200, 3)
    assert image[60:100, 60:130].min() > 40


def fake_scene(*_: Any) -> TracedScene:
    corners = np.array([[10.0, 10], [90, 12], [88, 90], [12, 88]])
    return TracedScene(np.zeros((100, 100, 3), dtype=np.uint8), corners, "." * 24, None, 80, {"men": "disc"})


def test_a_scene_that_chance_leaves_black_is_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    films = [np.zeros((480, 640, 3), np.float32), np.full((480, 640, 3), 0.3, np.float32)]
    seen = np.stack(np.meshgrid(np.arange(640.0), np.arange(480.0)), axis=2).astype(np.float32)
    monkeypatch.setattr(pathtraced, "load_mitsuba", lambda: None)
    monkeypatch.setattr(pathtraced, "_contents", lambda *given: {})
    monkeypatch.setattr(pathtraced, "straight_px", lambda camera: seen)
    monkeypatch.setattr(pathtraced, "rendered", lambda *given, **named: films.pop(0))
    game, template = games.load("morris"), load_template("nine_mens_morris")
    assert trace_scene(template, game, np.random.default_rng(3), (640, 480)).image.mean() > 20
    assert not films
    films += [np.zeros((480, 640, 3), np.float32)] * pathtraced.TRIES
    with pytest.raises(RendererError, match="black"):
        trace_scene(template, game, np.random.default_rng(3), (640, 480))


def test_a_folder_is_taken_up_again_and_read_as_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenes, "trace_scene", fake_scene)
    game, told = games.load("morris"), list[int]()
    assert write_scenes(tmp_path, game, count=2, seed=3, progress=told.append) == 2
    assert write_scenes(tmp_path, game, count=5, seed=3, progress=told.append) == 3
    assert told == [1, 2, 1, 2, 3, 4, 5]
    (tmp_path / "morris_3_0001.jpg").unlink()
    assert write_scenes(tmp_path, game, count=5, seed=3) == 1
    labels = read_labels(tmp_path / "labels.json", load_template("nine_mens_morris"))
    assert [label.name for label in labels] == [f"morris_3_{number:04d}.jpg" for number in range(5)]
    assert not list(tmp_path.glob("*.part"))


def test_a_folder_of_other_scenes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenes, "trace_scene", fake_scene)
    write_scenes(tmp_path, games.load("morris"), count=1, seed=3)
    with pytest.raises(SceneFolderError, match="other scenes"):
        write_scenes(tmp_path, games.load("morris"), count=1, seed=4)
    with pytest.raises(SceneFolderError, match="other scenes"):
        write_scenes(tmp_path, games.load("morris"), count=1, seed=3, flat=True)
    (tmp_path / "labels.json").write_text("nothing")
    with pytest.raises(SceneFolderError, match="--out"):
        write_scenes(tmp_path, games.load("morris"), count=1, seed=3)


def test_without_mitsuba_the_command_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def absent(name: str) -> ModuleType:
        raise ModuleNotFoundError(f"no {name}", name=name)

    load_mitsuba.cache_clear()
    monkeypatch.setattr(pathtraced_mesh.importlib, "import_module", absent)
    with pytest.raises(RendererError, match=r"mitsuba is not installed; ./kibitzer train"):
        load_mitsuba()
    monkeypatch.undo()
    load_mitsuba.cache_clear()


def test_without_llvm_the_debian_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoLlvm:
        def set_variant(self, name: str) -> None:
            raise ImportError(f"{name}: the LLVM shared library could not be found")

    load_mitsuba.cache_clear()
    monkeypatch.setattr(pathtraced_mesh.importlib, "import_module", lambda name: NoLlvm())
    with pytest.raises(RendererError, match="apt-get install libllvm19"):
        load_mitsuba()
    monkeypatch.undo()
    load_mitsuba.cache_clear()


def test_an_llvm_that_may_abort_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class OldLlvm(SimpleNamespace):
        Float = np.array
        detail = SimpleNamespace(llvm_version=lambda: (15, 0, 6))

        def __getattr__(self, name: str) -> Any:
            return lambda *words: None

    load_mitsuba.cache_clear()
    monkeypatch.setattr(pathtraced_mesh.importlib, "import_module", lambda name: OldLlvm())
    with pytest.raises(RendererError, match=r"LLVM 15 is too old .* 17 or newer.*libllvm19"):
        load_mitsuba()
    monkeypatch.undo()
    load_mitsuba.cache_clear()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--game", "ludo"], "ludo"),
        (["--game", "morris", "--size", "big"], "--size"),
        (["--game", "morris", "--rule", "colour=red"], "colour"),
    ],
)
def test_wrong_options_are_named(words: list[str], named: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["scenes", "--out", str(tmp_path), *words])
    assert result.exit_code == 2
    assert named in result.stderr


@rendered
def test_the_same_number_is_the_same_scene_and_its_corners_are_in_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pathtraced, "SAMPLES", 4)
    game = games.load("morris")
    template = load_template(game.name)
    one, other = (trace_scene(template, game, scene_chance(game, 1, 2), (240, 200)) for _ in range(2))
    assert np.array_equal(one.image, other.image)
    assert one.cells == other.cells
    assert ((one.corners_px > 0) & (one.corners_px < (240, 200))).all()
    assert json.dumps(one.about)
    assert scene_chance(game, 1, 2).random() != scene_chance(games.load("reversi"), 1, 2).random()


@rendered
def test_a_printed_board_is_seen_where_the_truth_says_and_the_right_way_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pathtraced, "SAMPLES", 4)
    game = games.load("dominoes")
    template = load_template(game.name)
    scene = trace_scene(template, game, scene_chance(game, 5, 1), (800, 600))
    found = find_drawn(scene.image, template)
    assert found is not None
    assert np.abs(found.pose.corners_px(template) - scene.corners_px).max() < 6


@rendered
def test_a_scene_of_chess_men_says_which_stands_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pathtraced, "SAMPLES", 4)
    game, template = games.load("chess"), load_template("chess")
    scene = trace_scene(template, game, scene_chance(game, 1, 0), (240, 200))
    assert scene.figures is not None
    assert template.seen(scene.figures) == scene.cells
    assert set(scene.figures) - {EMPTY} <= set(template.figures)
    assert scene.about["men"] == "chess"
