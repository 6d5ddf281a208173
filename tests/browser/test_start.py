"""The start card, the dialog for a new game, and the settings on the page itself."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from playwright.sync_api import expect

import games
from calibration.template import load_template
from lab.bench.browsing import point
from lab.simulated.mjpeg_server import MjpegServer
from lab.simulated.source import SimulatedSource
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from tests.browser.conftest import Look, Tables
from tests.browser.test_access import serious
from tests.browser.test_playing import has_come

SIZES = {"phone": (390, 844), "tablet": (820, 1180), "laptop": (1366, 768)}


def loaded(page: Any, within: str) -> None:
    page.wait_for_function(
        "([within, count]) => { const all = [...document.querySelectorAll(`${within} .games img`)];"
        " return all.length === count && all.every((one) => one.naturalWidth); }",
        arg=[within, len(games.names())],
    )


def test_a_game_is_begun_from_the_start_card_and_the_card_is_gone_on_every_page(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page, other = look(there.address), look(there.address)
    loaded(page, "#start")
    expect(page.locator("#main")).to_be_hidden()
    expect(page.locator("#new")).to_be_hidden()
    page.get_by_role("radio", name="Gomoku").check()
    page.locator("#way-here").click()
    expect(page.locator("#menu").get_by_role("radio", name="Gomoku")).to_be_checked()
    page.locator("#menu-begin").click()
    for one in (page, other):
        one.wait_for_selector("#main .cell.target")
        expect(one.locator("#start")).to_be_hidden()
        expect(one.locator("#title")).to_have_text("Gomoku")
    point(page, "h8")
    has_come(page, there, 1)


def test_a_game_with_a_move_in_it_is_shown_at_once(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page = look(there.address)
    loaded(page, "#start")
    told = page.request.post(there.address + "tell", data={"command": "move", "move": "d6"})
    assert told.ok
    has_come(page, there, 1)
    expect(page.locator("#start")).to_be_hidden()
    expect(page.locator("#main")).to_be_visible()


def test_a_camera_that_is_missing_leads_to_the_start_card_which_says_so(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page = look(there.address)
    loaded(page, "#start")
    answer = page.request.post(there.address + "menu", data={"camera": {"source": "http://127.0.0.1:9/none"}})
    assert answer.ok
    page.locator("#start-trouble", has_text="No picture comes from the camera").wait_for()
    expect(page.locator("#camera")).to_be_hidden()  # no grey picture
    page.locator("#way-here").click()
    page.locator("#menu-begin").click()
    page.wait_for_selector("#main .cell.target")


def test_begin_is_in_view_and_axe_finds_nothing_serious(table: Tables, look: Look) -> None:
    there = table("morris", agent="random", whole=True)
    for (width, height), scheme in itertools.product(SIZES.values(), ("light", "dark")):
        page = look(there.address, width, height, color_scheme=scheme, bypass_csp=True)
        is_seen_whole(page, width, height)
        page.close()


def begin_is_in_view(page: Any, height: int) -> None:
    box = page.locator("#menu-begin").bounding_box()
    assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= height


def is_seen_whole(page: Any, width: int, height: int) -> None:
    loaded(page, "#start")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#way-here").click()
    loaded(page, "#menu")
    begin_is_in_view(page, height)
    page.locator("#menu .more summary").click()
    begin_is_in_view(page, height)
    assert serious(page) == []  # of the whole dialog: what was there before is still there
    page.keyboard.press("Escape")
    page.locator("#settings").click()
    page.locator("#clock-set").wait_for()
    assert serious(page) == []


def test_language_sound_and_clock_change_in_the_middle_of_a_game(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page, other = look(there.address), look(there.address)
    loaded(page, "#start")
    page.locator("#way-here").click()
    page.locator("#menu-begin").click()
    page.wait_for_selector("#main .cell.target")
    point(page, "d6")
    has_come(page, there, 1)
    page.locator("#settings").click()
    page.locator("#settings-dialog [name=clock]").select_option(label="10 minutes a game")
    page.locator("#clock-set").click()
    page.locator("#player-0 .clock:text('10:00')").wait_for()
    page.get_by_label("The table speaks").check()
    page.wait_for_function("() => document.querySelector('#settings-answer').textContent === 'Done.'")
    assert there.session.services.config.speech.enabled
    page.locator("[name=language]").select_option("vi")
    for one in (page, other):
        one.wait_for_selector('html[lang="vi"]')
        has_come(one, there, 1)
    expect(page.locator('[data-cell="d6"]')).to_have_attribute("aria-label", "d6: quân trắng")
    assert there.moves == ["d6"]
    page.wait_for_selector("#main .cell.target")
    point(page, "f4")
    has_come(page, there, 2)


def test_a_name_goes_when_an_agent_sits_down_and_is_asked_again_afterwards(table: Tables, look: Look) -> None:
    there = table("reversi", whole=True)
    page = look(there.address)
    loaded(page, "#start")
    page.locator("#way-here").click()
    menu = page.locator("#menu")
    menu.get_by_role("radio", name="Two people").check()
    menu.get_by_label("Name: Black").fill("Ada")
    menu.get_by_label("Name: White").fill("Bo")
    page.locator("#menu-begin").click()
    page.locator("#player-0 .name:text('Ada')").wait_for()
    expect(page.locator("#player-1 .name")).to_have_text("White Bo")
    page.locator("#new").click()
    menu.get_by_role("radio", name="White", exact=True).check()
    menu.get_by_role("radio", name="Beginner").check()
    assert menu.get_by_label("Your name").input_value() == "Bo"
    menu.get_by_role("radio", name="Two people").check()
    assert menu.get_by_label("Name: Black").input_value() == ""
    menu.get_by_role("radio", name="White", exact=True).check()
    page.locator("#menu-begin").click()
    page.locator("#player-0 .name:text('Beginner')").wait_for()
    expect(page.locator("#player-1 .name")).to_have_text("White Bo")
    assert [
        one.name for one in (there.session.services.config.players.first, there.session.services.config.players.second)
    ] == ["", "Bo"]


def test_a_theme_is_kept_on_this_device_and_chosen_before_the_page_is_drawn(table: Tables, look: Look) -> None:
    there = table("morris")
    page = look(there.address, color_scheme="light")
    page.wait_for_selector(".cell.target")  # its buttons work from then on
    page.locator("#settings").click()
    page.locator("[name=theme]").select_option("dark")
    ground = "getComputedStyle(document.documentElement).getPropertyValue('--ground').trim()"
    page.wait_for_function(f"() => {ground} === '#171614'")
    for path in ("setup", "games", ""):
        page.goto(there.address + path)
        page.wait_for_function(f"() => {ground} === '#171614'")
    page.wait_for_selector(".cell.target")
    page.locator("#settings").click()
    page.locator("[name=theme]").select_option("")
    page.wait_for_function(f"() => {ground} === '#f6f3ee'")


def test_the_page_can_be_installed(table: Tables, look: Look) -> None:
    there = table("morris")
    page = look(there.address)
    told = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert told["errors"] == [] and "Kibitzer" in told["data"]
    loads = (
        "async () => { const one = new Image(); one.src = 'icon.svg'; await one.decode(); return one.naturalWidth; }"
    )
    assert page.evaluate(loads) > 0


def test_a_camera_is_looked_through_on_the_start_card(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    seen = SimulatedTable(load_template("nine_mens_morris"), "." * 24, default_style(), seed=5)
    server = MjpegServer(SimulatedSource(seen, 10, real_time=True), 0)
    page = look(there.address)
    loaded(page, "#start")
    page.locator("#way-camera").click()
    page.get_by_label("by the address").check()
    page.locator("#address").fill(server.url)
    page.locator("#camera-look").click()
    page.locator("#camera-answer", has_text="what the camera sees").wait_for()
    page.locator("#camera-begin").click()
    loaded(page, "#menu")
    page.locator("#menu-begin").click()
    page.wait_for_selector('#main[data-watched="yes"]', timeout=60_000)
    expect(page.locator("#start")).to_be_hidden()
    expect(page.locator("#camera-dialog")).to_be_hidden()
    server.stop()


def test_a_phone_is_invited_with_the_game_that_was_chosen(table: Tables, look: Look) -> None:
    there = table("morris", whole=True)
    page = look(there.address)
    loaded(page, "#start")
    page.get_by_role("radio", name="Reversi").check()
    page.locator("#way-phone").click()
    loaded(page, "#menu")
    page.locator("#menu-begin").click()
    page.wait_for_url("**/phone")
    page.wait_for_function("() => document.querySelector('#qr').naturalWidth > 0")
    page.goto(there.address)
    page.wait_for_function("() => document.querySelector('#phone-code').naturalWidth > 0")
    expect(page.locator("#main, #start-games, #ways, #start-title")).to_have_count(4)
    for one in ("#main", "#start-games", "#ways", "#start-title"):
        expect(page.locator(one)).to_be_hidden()  # what was chosen is not asked again
    assert there.session.services.config.game.name == "reversi"
    assert serious(page) == []
    page.locator("#another").click()  # a change of mind
    expect(page.locator("#phone")).to_be_hidden()
    page.locator("#way-here").click()
    page.locator("#menu-begin").click()
    page.wait_for_selector("#main .cell.target")
    expect(page.locator("#phone")).to_be_hidden()


@pytest.mark.parametrize("begun", [False, True])
def test_every_page_has_a_heading_and_a_main_part(table: Tables, look: Look, begun: bool) -> None:
    there = table("morris", whole=True)
    page = look(there.address)
    loaded(page, "#start")
    if begun:
        page.request.post(there.address + "tell", data={"command": "move", "move": "d6"})
        has_come(page, there, 1)
    seen = "(all) => all.filter((one) => one.checkVisibility()).length"
    assert page.eval_on_selector_all("main, [role=main]", seen) == 1
    assert page.eval_on_selector_all("h1:not(:empty)", seen) == 1
