"""Pages for printing: their contents, and that PDF, SVG and picture show the same."""

from __future__ import annotations

import collections
import xml.etree.ElementTree
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from typer.testing import CliRunner

import games
from calibration.sheet import SheetError, layout_of
from calibration.template import load_template
from rules.options import switched_on
from vision.sheet.cli import app
from vision.sheet.drawing import GREY, Sheet, draw_sheet
from vision.sheet.files import pdf_of, picture_of, svg_of
from vision.sheet.ink import PAPERS_MM
from vision.sheet.letters import words, words_width
from vision.sheet.men import draw_men, letters_of


@pytest.fixture(scope="module")
def ganh() -> Sheet:
    return draw_sheet(layout_of(load_template("co_ganh"), landscape=False))


@pytest.mark.parametrize(("game", "paper"), [("co_ganh", "a4"), ("gomoku", "letter"), ("double_double_dominoes", "a2")])
def test_the_pdf_shows_what_the_picture_shows(game: str, paper: str) -> None:
    page = draw_sheet(layout_of(load_template(game), landscape=True), paper).page
    document = pypdfium2.PdfDocument(pdf_of(page))
    assert len(document) == 1
    assert document[0].get_size() == pytest.approx([extent / 25.4 * 72 for extent in page.size_mm], abs=0.01)
    assert document.get_metadata_dict()["Title"] == page.title
    blocks = round(page.size_mm[0] / 2), round(page.size_mm[1] / 2)
    drawn = cv2.resize(picture_of(page, 840 / page.size_mm[0]), blocks, interpolation=cv2.INTER_AREA)
    shown = cv2.resize(
        document[0].render(scale=1200 / page.size_mm[0] * 25.4 / 72).to_numpy()[..., :3],
        blocks,
        interpolation=cv2.INTER_AREA,
    )
    assert np.abs(drawn.astype(float) - shown).max() < 45, "blocks of 2 mm are equally dark"


def test_the_svg_draws_every_area_in_millimetres(ganh: Sheet) -> None:
    root = xml.etree.ElementTree.fromstring(svg_of(ganh.page))
    assert root.attrib["width"] == "210.0mm"
    assert len(root.findall("{*}path")) == len(ganh.page.inks)
    title = root.find("{*}title")
    assert title is not None and title.text == "Cờ gánh"


def test_the_same_page_gives_the_same_bytes(ganh: Sheet) -> None:
    again = draw_sheet(layout_of(load_template("co_ganh"), landscape=False))
    assert pdf_of(again.page) == pdf_of(ganh.page)


@pytest.mark.parametrize("paper", ["a4", "letter", "a3"])
@pytest.mark.parametrize("landscape", [False, True])
def test_everything_keeps_off_the_papers_edge_and_the_ruler_is_ten_centimetres(paper: str, landscape: bool) -> None:
    sheet = draw_sheet(layout_of(load_template("gomoku"), landscape), paper)
    points = np.concatenate([ring for ink in sheet.page.inks for ring in ink.rings])
    assert points.min() > 9.9
    assert (np.array(sheet.page.size_mm) - points.max(axis=0)).min() > 9.9
    greys = [ring for ink in sheet.page.inks if ink.colour == GREY for ring in ink.rings if len(ring) == 4]
    ruler = max(greys, key=lambda ring: np.ptp(ring, axis=0).max())
    assert np.ptp(ruler, axis=0).max() == pytest.approx(100.25)


def test_a_plain_sheet_has_no_colour_and_a_tinted_one_has() -> None:
    layout = layout_of(load_template("reversi"), landscape=False)
    plain, tinted = ({ink.colour for ink in draw_sheet(layout, tinted=tint).page.inks} for tint in (False, True))
    assert tinted - plain == {(0xCF, 0xE5, 0xD3)}


def test_a_board_too_small_for_its_men_is_not_drawn_and_the_paper_for_it_is_named() -> None:
    layout = layout_of(load_template("double_double_dominoes"), landscape=True)
    with pytest.raises(SheetError, match=r"on a4 .* 8\.1 mm apart.*large enough: a2, a1"):
        draw_sheet(layout, "a4")
    assert set(PAPERS_MM) >= {"a4", "a3", "letter"}


def test_words_are_outlines_of_the_width_that_is_told() -> None:
    ink = words("Cờ gánh", (50.0, 20.0), 10.0, GREY)
    points = np.concatenate(ink.rings)
    assert np.ptp(points[:, 0]) == pytest.approx(words_width("Cờ gánh", 10.0), abs=1.5)
    assert points[:, 0].mean() == pytest.approx(50.0, abs=2.0)
    assert len(words("ờ", (0, 0), 1.0, GREY).rings) > len(words("o", (0, 0), 1.0, GREY).rings)


def test_the_command_writes_the_file_that_its_name_says(tmp_path: Path) -> None:
    for name, start in (("board.pdf", b"%PDF-1.4"), ("board.svg", b"<svg")):
        result = CliRunner().invoke(app, ["reversi", "--out", str(tmp_path / name), "--json"])
        assert result.exit_code == 0
        assert (tmp_path / name).read_bytes().startswith(start)
        assert '"cell_mm": 21.13' in result.stdout


@pytest.mark.parametrize(
    ("game", "rules", "paper", "men"),
    [
        ("draughts", {}, "a4", {"W": 12, "B": 12, "K": 12, "Q": 12}),
        ("draughts", {"set": "international"}, "letter", {"W": 20, "B": 20, "K": 20, "Q": 20}),
        ("chess", {}, "a4", {"\u2654": 1, "\u2656": 2, "\u2659": 8, "\u265f": 8, "\u265b": 1}),
        ("co_ganh", {}, "letter", {"W": 8, "B": 8}),
    ],
)
def test_a_page_of_men_has_those_of_the_start_and_as_many_kings(
    game: str, rules: dict[str, object], paper: str, men: dict[str, int]
) -> None:
    the_game = games.load(game, rules)
    sheet = draw_sheet(layout_of(load_template(game, switched_on(the_game)), landscape=True), paper)
    laid = collections.Counter(letters_of(sheet, the_game))
    assert {letter: laid[letter] for letter in men} == men
    page = draw_men(sheet, the_game)
    rims = [ink for ink in page.inks if np.allclose(np.ptp(ink.rings[0], axis=0), sheet.man_mm)]
    assert len(rims) == sum(laid.values())
    middles = np.array([ink.rings[0].mean(axis=0) for ink in rims])
    apart = np.linalg.norm(middles[:, None] - middles, axis=2) + 1e9 * np.eye(len(middles))
    assert apart.min() > sheet.man_mm + 1
    for ink in page.inks:
        points = np.concatenate(ink.rings)
        assert points.min() > 9 and (np.array(page.size_mm) - points).min() > 9


@pytest.mark.parametrize("game", ["reversi", "nine_mens_morris", "gomoku"])
def test_where_men_are_laid_the_page_is_full_of_both(game: str) -> None:
    sheet = draw_sheet(layout_of(load_template(game), landscape=True))
    laid = letters_of(sheet, games.load(game))
    assert laid.count("W") == laid.count("B") > 18 and set(laid) == {"W", "B"}


def test_men_are_written_instead_of_the_board_and_there_are_none_of_dominoes(tmp_path: Path) -> None:
    out = tmp_path / "men.pdf"
    assert CliRunner().invoke(app, ["draughts", "--men", "--out", str(out)]).exit_code == 0
    assert pypdfium2.PdfDocument(out.read_bytes()).get_metadata_dict()["Title"] == "Draughts: men"
    refused = CliRunner().invoke(app, ["dominoes", "--men", "--paper", "a2", "--out", str(out)])
    assert refused.exit_code == 2 and "not played with men" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "words_of_it"),
    [
        (["reversi", "--out", "board.png"], "--out ends in .pdf or .svg, not 'board.png'"),
        (["reversi", "--out", "x.pdf", "--paper", "a9"], "--paper is one of a4, letter, a3, a2, a1, not 'a9'"),
        (["reversi", "--out", "x.pdf", "--landscape", "maybe"], "--landscape is one of auto, yes, no, not 'maybe'"),
        (["ludo", "--out", "x.pdf"], "there is no game 'ludo'"),
        (["reversi", "--out", "/nowhere/x.pdf"], "--out /nowhere/x.pdf: No such file"),
    ],
)
def test_a_wrong_option_is_named_in_one_line(arguments: list[str], words_of_it: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert words_of_it in result.stderr and result.stderr.count("\n") == 1
