"""The board and what is above it: instruction, hint, camera's picture, in a real Chromium."""

from __future__ import annotations

import itertools
import json
import re
import sys

import pytest
from playwright.sync_api import Page, expect

from daemon.bus import hints
from daemon.page.web import WebPage
from tests.browser.conftest import Look, Tables
from tests.browser.test_access import serious
from tests.daemon.test_web import state

SMALL = """() => [...document.querySelectorAll("main button, main .button, main select, main summary")]
    .filter((one) => one.checkVisibility()).map((one) => [one.textContent, one.getBoundingClientRect()])
    .filter(([, box]) => Math.min(box.height, box.width) < 44)
    .map(([text, box]) => `${text} ${box.width}x${box.height}`)"""
WIDTHS = [(390, 844), (820, 1180), (1366, 768)]


def point(page: Page, cell: str) -> None:
    page.locator(f'[data-cell="{cell}"] .spot').click(force=True, no_wait_after=True)


def answers(monkeypatch: pytest.MonkeyPatch, move: str) -> None:
    text = json.dumps({"move": move, "score": 12, "lead": 40})
    command = (sys.executable, "-c", f"print({text!r})")
    monkeypatch.setattr(hints.Coach.__init__, "__defaults__", (command, 20.0, 20.0))


def test_the_instruction_is_above_the_board_and_stays_in_view(table: Tables, look: Look) -> None:
    there = table("morris", agent="level-2")
    for width, height in WIDTHS:
        page = look(there.address, width, height)
        page.locator("#instruction", has_text="Your move.").wait_for()
        line, board = page.locator("#instruction").bounding_box(), page.locator("#board").bounding_box()
        assert line["y"] + line["height"] <= board["y"]
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        line = page.locator("#instruction").bounding_box()
        assert 0 <= line["y"] < height / 2
        page.close()


def test_a_hint_is_drawn_and_said_and_gone_with_the_next_move(
    table: Tables, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, "d2")
    page = look(table("morris").address)
    page.click("[data-command=coach]")
    page.wait_for_selector(".marks .hint", state="attached")
    expect(page.locator("#said")).to_have_text("Light is a little ahead. Try d2.")
    point(page, "f4")
    page.wait_for_selector('#moves[data-plies="1"]', state="attached")
    expect(page.locator(".marks .hint")).to_have_count(0)


def test_the_cameras_picture_is_small_and_opens_and_escape_closes_it(table: Tables, look: Look) -> None:
    page = look(table("morris", camera=True).address)
    small = page.locator("#camera img")
    small.wait_for()
    page.click("#camera")
    large = page.locator("#large img")
    large.wait_for()
    assert large.bounding_box()["width"] > 1000
    page.keyboard.press("Escape")
    small.wait_for()
    expect(page.locator("#large")).to_be_hidden()
    assert small.bounding_box()["width"] < 120


def test_on_a_small_board_a_first_tap_shows_a_ghost_and_a_second_lays_the_stone(table: Tables, look: Look) -> None:
    there = table("gomoku")
    page = look(there.address, 390, 844, has_touch=True)
    page.wait_for_selector(".cell.target")
    tap(page, "h8")
    page.locator("#answer", has_text="Tap it again to lay on h8.").wait_for()
    expect(page.locator('[data-cell="h8"] .ghost')).to_have_attribute("fill", "url(#man-dark)")
    tap(page, "c3")  # another cell: the ghost goes there
    page.wait_for_selector('[data-cell="c3"] .ghost')
    expect(page.locator(".ghost")).to_have_count(1)
    assert there.moves == []
    tap(page, "c3", beside=12)  # a finger's width is near enough
    page.wait_for_selector('#moves[data-plies="1"]', state="attached")
    expect(page.locator(".ghost")).to_have_count(0)
    assert there.moves == ["c3"]


def test_a_tap_on_a_large_board_lays_at_once_and_beside_a_cell_means_the_nearest(table: Tables, look: Look) -> None:
    there = table("morris")
    page = look(there.address, 820, 1180, has_touch=True)
    page.wait_for_selector(".cell.target")
    tap(page, "d2")
    page.wait_for_selector('#moves[data-plies="1"]', state="attached")
    small = look(there.address, 390, 844, has_touch=True)
    small.wait_for_selector(".cell.target")
    tap(small, "a7", beside=20)
    small.wait_for_selector('#moves[data-plies="2"]', state="attached")
    assert there.moves == ["d2", "a7"]


def tap(page: Page, cell: str, beside: float = 0.0) -> None:
    box = page.locator(f'[data-cell="{cell}"] .spot').bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] / 2 + beside, box["y"] + box["height"] / 2)


def test_legal_moves_are_dots_that_hide_nothing(table: Tables, look: Look) -> None:
    page = look(table("reversi").address)
    page.wait_for_selector(".cell.target")
    expect(page.locator(".cell.target .dot")).to_have_count(4)
    expect(page.locator(".cell.target")).to_have_count(4)
    dot, cell = (page.locator(f".cell.target {one}").first.bounding_box() for one in (".dot", ".spot"))
    assert dot["width"] < cell["width"] / 3
    point(page, page.locator(".cell.target").first.get_attribute("data-cell"))
    page.wait_for_selector('#moves[data-plies="1"]', state="attached")


def test_a_turned_board_stays_turned_and_keys_and_names_go_with_it(table: Tables, look: Look) -> None:
    page = look(table("morris").address)
    page.wait_for_selector(".cell.target")
    top, bottom = place(page, "a7"), place(page, "g1")
    assert place(page, "#player-1")[1] < top[1]
    page.click("#flip")
    assert place(page, "a7") == pytest.approx(bottom, abs=1) and place(page, "g1") == pytest.approx(top, abs=1)
    assert place(page, "#player-0")[1] < place(page, "#player-1")[1]
    page.locator('[data-cell="d1"]').focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.cell") == "a1"
    page.keyboard.press("Enter")
    page.wait_for_selector('#moves[data-plies="1"]', state="attached")
    man, spot = place(page, '[data-cell="a1"] .body'), place(page, "a1")
    assert man == pytest.approx(spot, abs=1)
    page.reload()
    page.wait_for_selector(".flipped")


def place(page: Page, what: str) -> tuple[float, float]:
    box = page.locator(what if what[0] in "#[" else f'[data-cell="{what}"] .spot').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_names_stand_on_the_sides_where_their_men_begin(table: Tables, look: Look) -> None:
    page = look(table("ganh").address)
    page.wait_for_selector(".cell.source")
    light = place(page, page.locator(".cell.source").first.get_attribute("data-cell"))[1]
    mover, other = place(page, "#player-0")[1], place(page, "#player-1")[1]
    expect(page.locator("#player-0.on")).to_have_count(1)
    assert mover < light < other


def test_a_game_that_is_over_offers_a_rematch_its_replay_and_its_file(table: Tables, look: Look) -> None:
    there = table("gomoku")
    page = look(there.address)
    for ply, cell in enumerate("a1 a2 b1 b2 c1 c2 d1 d2 e1".split(), 1):
        page.wait_for_selector(".cell.target")
        point(page, cell)
        page.wait_for_selector(f'#moves[data-plies="{ply}"]', state="attached")
    page.locator("#instruction[data-kind=over]", has_text="five in a row").wait_for()
    expect(page.locator(".marks .won")).to_have_count(5)
    with page.expect_download() as download:
        page.click("[data-link=export]")
    assert download.value.suggested_filename.endswith(".sgf")
    page.click("[data-link=review]")
    page.locator("#board img").wait_for()
    source = page.locator("#board img").get_attribute("src")
    drawn = page.evaluate("async (path) => (await fetch(path)).text()", source)
    assert drawn.count('class="won"') == 5
    page.go_back()
    page.locator("[data-command=new_game]", has_text="Rematch").click()
    page.wait_for_selector('#moves[data-plies="0"]', state="attached")
    page.wait_for_selector(".cell.target")


def test_two_agents_are_paused_and_their_pace_is_set(table: Tables, look: Look) -> None:
    there = table("gomoku", agent="level-2", players={"first": {"agent": "level-2"}})
    page = look(there.address)
    page.locator("#pace").wait_for()
    page.select_option("#seconds", "3")
    page.locator("#said", has_text="One move in 3 s").wait_for()
    page.locator("[data-command=pause]").click()
    page.locator("#instruction", has_text="The game is paused.").wait_for()
    page.wait_for_timeout(300)
    before = there.moves
    page.wait_for_timeout(1000)
    assert there.moves == before
    page.select_option("#seconds", "0")
    page.locator("[data-command=resume]").click()
    page.wait_for_function(
        "count => Number(document.querySelector('#moves').dataset.plies) > count", arg=len(before) + 2
    )


def test_dominoes_shows_what_diamonds_bring_and_names_tiles_as_people_do(table: Tables, look: Look) -> None:
    page = look(table("dominoes").address)
    page.locator("#hand button").first.wait_for()
    expect(page.locator('[data-cell="1A"] .worth')).to_have_text("5")
    expect(page.locator('[data-cell="1A"]')).to_have_attribute("aria-label", re.compile("5 points$"))
    page.click("#rules summary")
    expect(page.locator("#in-short li")).to_have_count(6)
    names = {one.get_attribute("aria-label") for one in page.locator("#hand button").all()}
    told = page.locator("#actions [data-move]").all_inner_texts()
    assert {f"Put {name.lower()} away" for name in names} == set(told)


def test_an_agent_that_reports_nothing_has_no_line(look: Look) -> None:
    served = WebPage(port=0)
    empty = {"score": None, "depth": 0, "nodes": 0, "seconds": 0.0, "masked": 0}
    served.publish(view={"title": "Reversi", "thought": empty})
    served.publish(state=state(1))
    page = look(served.address)
    page.locator("#title", has_text="Reversi").wait_for()
    expect(page.locator("#thought")).to_be_hidden()
    served.publish(view={"title": "Reversi", "thought": empty | {"score": 664.0}})
    page.locator("#thought", has_text="thinks it is ahead").wait_for()
    served.publish(view={"title": "Reversi", "thought": empty | {"score": 664.0, "depth": 12, "nodes": 1_172_597}})
    expect(page.locator("#figures", has_text="1,172,597")).to_be_hidden()  # only who asks for it sees it
    page.click("#opinion")
    expect(page.locator("#figures")).to_be_visible()
    served.close()


def test_every_control_is_large_enough_for_a_finger_and_axe_is_content(table: Tables, look: Look) -> None:
    there = table("gomoku", agent="level-2", players={"first": {"agent": "level-2"}})
    for (width, height), scheme in itertools.product(WIDTHS, ("light", "dark")):
        page = look(there.address, width, height, color_scheme=scheme, bypass_csp=True)
        page.locator("[data-link=review]").wait_for()
        assert serious(page) == []
        assert page.evaluate(SMALL) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()


@pytest.mark.parametrize("name", ["morris", "gomoku", "ganh", "reversi"])
def test_a_laptop_shows_instruction_board_and_both_names_at_once(name: str, table: Tables, look: Look) -> None:
    page = look(table(name).address, 1366, 768)
    page.wait_for_selector(".cell.target, .cell.source")
    for ply in range(3):  # also beside a list of moves
        point(page, page.locator(".cell.target, .cell.source").first.get_attribute("data-cell"))
        page.wait_for_timeout(100 * ply)
    boxes = [page.locator(one).bounding_box() for one in ("#instruction", "#player-0", "#player-1", "#board")]
    assert all(box["y"] >= 0 and box["y"] + box["height"] <= 768 for box in boxes)
