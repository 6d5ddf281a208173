"""A phone that films: Chromium shows a film of a simulated table as its camera, and a table without one follows it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import pytest
from cryptography import x509
from playwright.sync_api import Browser, BrowserContext, Page, expect

import games
from calibration.template import load_template
from lab.bench.browsing import CHROMIUM, Table
from lab.bench.phone import scanned
from lab.simulated.style import default_style
from lab.simulated.table import SimulatedTable
from tests.browser.conftest import TIMEOUT_MS, Tables
from tests.browser.test_access import door, serious
from tests.browser.test_watching import has_come

GAME = "nine_mens_morris"
MOVES = ("d6", "f4", "b4")
CAMERA_HZ, FILM_HZ = 30, 10
"""Pictures a second that Chromium takes from an MJPEG file, and that are drawn."""
FIRST_S, EACH_S = 12.0, 5.0
SLOW_MS = 180_000


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game of three plies on a simulated table; Chromium shows it again and again."""
    game, template = games.load(GAME), load_template(GAME)
    position, boards = game.initial(), [game.board(game.initial())]
    for move in MOVES:
        position = game.apply(position, game.parse_move(position, move))
        boards.append(game.board(position))
    path = tmp_path_factory.mktemp("camera") / "film.mjpeg"
    table = SimulatedTable(template, boards[0], default_style(), seed=5, size_px=(640, 360))
    with path.open("wb") as file:
        for number, board in enumerate(boards):
            table = table.with_board(board, seed=number)
            for _ in range(round((FIRST_S if number == 0 else EACH_S) * FILM_HZ)):
                table.advance(1 / FILM_HZ)
                file.write(bytes(cv2.imencode(".jpg", table.render())[1]) * (CAMERA_HZ // FILM_HZ))
    return path


@pytest.fixture
def phones(browser: Browser, film: Path) -> Iterator[Callable[[], BrowserContext]]:
    started = browser.browser_type.launch(
        executable_path=CHROMIUM,
        args=[
            "--no-sandbox",
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-video-capture={film}",
        ],
    )

    faults: list[str] = []

    def phone() -> BrowserContext:
        context = started.new_context(
            viewport={"width": 390, "height": 844},
            ignore_https_errors=True,
            permissions=["camera"],
            bypass_csp=True,  # for axe
        )
        context.set_default_timeout(TIMEOUT_MS)
        context.on("weberror", lambda error: faults.append(str(error.error)))
        return context

    yield phone
    started.close()
    assert faults == []


@pytest.fixture
def place(table: Tables, tmp_path: Path) -> Table:
    """A table without a camera, whose loop is the daemon's own."""
    return table("morris", whole=True, phone=door(tmp_path))


def invited(look: Callable[..., Page], place: Table) -> str:
    """The address in the QR code on the page of the table's computer."""
    address = scanned(look(f"{place.address}phone"))
    assert address.startswith("https://127.0.0.1:")
    return address


def test_a_phone_that_scans_the_code_is_the_camera_of_a_table_without_one(
    place: Table, look: Callable[..., Page], phones: Callable[[], BrowserContext]
) -> None:
    address = invited(look, place)
    page = phones().new_page()
    page.goto(address.partition("#")[0] + "#wrong")
    page.locator("#aim", has_text="This code was used already, or is old.").wait_for()
    page.goto("about:blank")
    page.goto(address)
    page.locator("#rate", has_text="pictures a second").wait_for()
    assert "#" not in page.url  # nobody who looks at the phone, or its history, reads the code
    page.locator("#said", has_text="I see the board").wait_for(timeout=SLOW_MS)
    assert page.locator("#outline").get_attribute("points").count(",") == 4  # type: ignore[union-attr]
    watcher = look(place.address)
    has_come(watcher, len(MOVES))
    assert place.moves[: len(MOVES)] == list(MOVES)
    page.locator('[data-cell="b4"][aria-label="b4: light man"]').wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(page) == []
    # The door opens for this phone alone.
    other = phones().new_page()
    other.goto(address)
    other.locator("#aim", has_text="This code was used already, or is old.").wait_for()
    # What was cut off is taken up again by the page itself.
    began = place.session.services.phone_feed.begun
    assert place.session.services.page is not None and place.session.services.page._door is not None
    asyncio.run_coroutine_threadsafe(
        place.session.services.page._door.filming.close(), place.session.services.page._loop
    ).result(10)
    until_s = time.monotonic() + 20
    while place.session.services.phone_feed.begun == began and time.monotonic() < until_s:
        time.sleep(0.1)
    page.locator("#rate", has_text="pictures a second").wait_for()
    assert place.session.services.phone_feed.films


def test_of_two_phones_the_one_whose_button_is_pressed_films(
    place: Table, look: Callable[..., Page], phones: Callable[[], BrowserContext]
) -> None:
    first, second = phones().new_page(), phones().new_page()
    first.goto(invited(look, place))
    first.locator("#rate", has_text="pictures a second").wait_for()
    second.goto(invited(look, place))
    second.locator("#aim", has_text="Another phone films.").wait_for()
    second.locator("#film").click()
    second.locator("#rate", has_text="pictures a second").wait_for()
    first.locator("#aim", has_text="Another phone films now.").wait_for()
    expect(first.locator("#film")).to_be_visible()
    expect(first.locator("#view")).to_be_hidden()
    second.locator("#stop").click()
    first.locator("#film").click()
    first.locator("#rate", has_text="pictures a second").wait_for()


def test_a_browser_that_lets_only_pages_through_is_led_to_the_certificate(
    place: Table, look: Callable[..., Page], phones: Callable[[], BrowserContext]
) -> None:
    page = phones().new_page()
    page.route_web_socket("**/live", lambda socket: socket.close())
    page.goto(invited(look, place))
    page.locator("#aim", has_text="The browser refuses the connection.").wait_for()
    with page.expect_download() as fetched:
        page.locator("#help").click()
    x509.load_der_x509_certificate(fetched.value.path().read_bytes())
