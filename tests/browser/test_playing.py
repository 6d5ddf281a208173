"""Whole games played on the page by clicks and keys, without a camera."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import games
from lab.bench.browsing import Table, point
from rules import AnyGame
from tests.browser.conftest import Look, Tables

pytestmark = pytest.mark.usefixtures("quick_hands")

WHOLE = {"nine_mens_morris": 46, "reversi": 124, "gomoku": 59, "co_ganh": 8, "double_double_dominoes": 0}
"""Seeds of short games."""


def good_moves(game: AnyGame, position: Any) -> list[Any]:
    moves = game.legal_moves(position)
    if game.name == "gomoku":
        return [move for move in moves if game.outcome(game.apply(position, move))] or moves
    if game.name == "double_double_dominoes":
        lays = [move for move in moves if game.steps(position, move)]
        side = game.to_move(position)
        return [max(lays, key=lambda move: game.gains(position, move)[side].total)] if lays else moves  # type: ignore[index]

    def taken(move: Any) -> tuple[int, int]:
        steps = game.steps(position, move)
        return sum(step.kind == "remove" for step in steps), len(steps)

    best = max(taken(move) for move in moves)
    eager = best[0] or game.name == "co_ganh" or (game.name == "reversi" and game.to_move(position) == 0)
    return [move for move in moves if taken(move) == best] if eager else list(moves)


def make(page: Page, game: AnyGame, position: Any, move: Any) -> None:
    steps = game.steps(position, move)
    if not steps:
        page.locator(f'#actions [data-move="{game.format_move(position, move)}"]').click()
        return
    page.wait_for_selector(".cell.target, .cell.source")  # the moves, and the hand with them, appear after the buttons
    if page.locator("#hand").is_visible():
        hold(page, [step.piece for step in steps])
    cells = []
    for step in steps:
        if step.kind == "flip":
            continue
        cells += [game.cells[cell] for cell in (step.origin, step.cell) if cell is not None]
    for cell in cells:
        if page.locator(".cell.target, .cell.source, .cell.prey").count() == 0:
            break  # the rest was forced
        point(page, cell)


def hold(page: Page, halves: list[str]) -> None:
    wanted = "-".join(halves)
    for tile_name in (wanted, wanted[::-1]):
        tile = page.locator(f'#hand button[data-tile="{tile_name}"]').first
        if tile.count():
            tile.click()
            break
    held = page.locator('#hand button[aria-pressed="true"]')
    if held.get_attribute("data-tile") != wanted:
        held.click()


def has_come(page: Page, table: Table, plies: int) -> None:
    page.wait_for_selector(f'#moves[data-plies="{plies}"]', state="attached")
    assert len(table.moves) >= plies


def test_moves_are_counted_up_to_the_limit_that_was_chosen(table: Tables, look: Look) -> None:
    there = table("ganh", game={"rules": {"limit": 100}})
    page = look(there.address)
    page.wait_for_selector(".cell.source")
    position = there.game.initial()
    make(page, there.game, position, there.game.legal_moves(position)[0])
    has_come(page, there, 1)
    expect(page.locator("#count")).to_have_text("1 of at most 100")


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_game_is_played_on_the_page(name: str, table: Tables, look: Look) -> None:
    there = table(name)
    page, game, chance = look(there.address), there.game, random.Random(WHOLE[name])
    assert there.session.match is not None
    position = there.session.match.referee.position
    plies = 0
    while game.outcome(position) is None:
        move = chance.choice(good_moves(game, position))
        make(page, game, position, move)
        plies += 1
        has_come(page, there, plies)
        position = there.session.match.referee.position
        plies = there.session.match.referee.ply  # a forced pass is made by itself
    outcome = game.outcome(position)
    assert outcome is not None and outcome.winner is not None
    page.wait_for_selector(f"#player-{outcome.winner}.won")
    page.locator("#instruction[data-kind=over]", has_text="wins").wait_for()
    expect(page.locator(".cell.target, .cell.source")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 664), (844, 390)])
def test_the_hand_is_in_view_and_what_a_pass_does_is_said_in_words(
    table: Tables, look: Look, width: int, height: int
) -> None:
    there = table("dominoes")
    page = look(there.address, width, height)
    page.locator("#hand button").first.wait_for()
    box = page.locator("#hand").bounding_box()
    assert box is not None and box["y"] + box["height"] <= height
    held = [label.lower() for label in labels(page.locator("#hand button"))]
    told = page.locator("#actions [data-move]").all_inner_texts()
    assert sorted(told) == sorted({f"Put {tile} away" for tile in held})
    expect(page.locator("#instruction")).to_have_text("Red's turn.")
    expect(page.locator("#said")).to_be_hidden()


def test_a_tile_turns_by_itself_where_it_fits_only_the_other_way_round(table: Tables, look: Look) -> None:
    there = table("dominoes")
    page, game = look(there.address), there.game
    assert there.session.match is not None
    referee, chance = there.session.match.referee, random.Random(0)
    for plies in range(40):
        moves = [(move, game.steps(referee.position, move)) for move in game.legal_moves(referee.position)]
        lays = [(move, steps) for move, steps in moves if steps]
        page.wait_for_selector(".cell.target" if lays else "#actions [data-move]")
        if lays:
            page.locator("#hand button").first.wait_for()
        shown = [one.get_attribute("data-tile") or "" for one in page.locator("#hand button").all()]
        for tile in shown:
            ways = [steps for _, steps in lays if sorted(step.piece for step in steps) == sorted(tile.split("-"))]
            as_shown = {steps[0].cell for steps in ways if "-".join(step.piece for step in steps) == tile}
            if turned := [steps for steps in ways if steps[0].cell not in as_shown]:
                page.locator(f'#hand button[data-tile="{tile}"]').first.click()
                for step in turned[0]:
                    point(page, game.cells[step.cell])
                has_come(page, there, plies + 1)
                return
        make(page, game, referee.position, chance.choice(lays or moves)[0])
        has_come(page, there, plies + 1)
    pytest.fail("no tile had to be turned")


def labels(found: Any) -> list[str]:
    return [one.get_attribute("aria-label") or "" for one in found.all()]


def test_moves_of_the_last_position_are_not_offered_until_those_of_the_next_are_known(
    table: Tables, look: Look
) -> None:
    there = table("dominoes")
    page = look(there.address)
    page.wait_for_selector(".cell.target")
    page.wait_for_selector("#hand button")
    page.route("**/legal", lambda route: route.abort())
    page.locator("#actions [data-move]").first.click()
    has_come(page, there, 1)
    expect(page.locator(".cell.target")).to_have_count(0)
    expect(page.locator("#hand")).to_be_hidden()
    page.unroute("**/legal")
    page.locator('[data-command="undo"]').click()
    page.wait_for_selector(".cell.target")
    expect(page.locator("#hand")).to_be_visible()
    assert there.moves == []


def test_a_mill_is_led_through_to_the_man_it_takes(table: Tables, look: Look) -> None:
    there = table("morris")
    page = look(there.address)
    for plies, cell in enumerate(("a7", "a1", "d7", "d1"), 1):
        page.wait_for_selector(".cell.target")
        point(page, cell)
        has_come(page, there, plies)
    page.wait_for_selector(".cell.target")
    point(page, "g7")
    page.wait_for_selector(".cell.prey")
    assert sorted(one.get_attribute("data-cell") for one in page.locator(".cell.prey").all()) == ["a1", "d1"]
    page.keyboard.press("Escape")  # no move was made yet
    expect(page.locator(".cell.prey")).to_have_count(0)
    assert len(there.moves) == 4
    point(page, "g7")
    point(page, "d1")
    has_come(page, there, 5)
    assert there.moves[-1] == "g7xd1"


def test_arrow_keys_and_enter_are_enough(table: Tables, look: Look) -> None:
    there = table("reversi")
    page = look(there.address)
    page.wait_for_selector('.cell.target[role="button"]')
    page.locator('[data-cell][tabindex="0"]').focus()
    for key in ["ArrowRight"] * 3 + ["ArrowDown"] * 2:
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.dataset.cell") == "d3"
    assert page.evaluate("document.activeElement.getAttribute('aria-description')") == "can be laid here"
    page.keyboard.press("Enter")
    has_come(page, there, 1)
    assert there.moves == ["d3"]
    assert page.evaluate("document.activeElement.dataset.cell") == "d3"  # the new board keeps the focus


def test_a_man_is_dragged_to_where_it_goes(table: Tables, look: Look) -> None:
    there = table("ganh")
    page = look(there.address)
    page.wait_for_selector(".cell.source")
    move = games.load("ganh").format_move
    position = there.session.match.referee.position  # type: ignore[union-attr]
    wanted = there.game.legal_moves(position)[0]
    step = there.game.steps(position, wanted)[0]
    assert step.origin is not None
    page.drag_and_drop(
        f'[data-cell="{there.game.cells[step.origin]}"] .body',
        f'[data-cell="{there.game.cells[step.cell]}"] .spot',
        force=True,
    )
    has_come(page, there, 1)
    assert there.moves == [move(position, wanted)]


def test_a_move_is_taken_back_by_a_button(table: Tables, look: Look) -> None:
    there = table("gomoku")
    page = look(there.address)
    page.wait_for_selector(".cell.target")
    point(page, "h8")
    has_come(page, there, 1)
    page.locator('[data-command="undo"]').click()
    page.wait_for_selector("#moves:empty", state="attached")
    assert there.moves == []
    expect(page.locator('[data-cell="h8"]')).to_have_attribute("aria-label", "h8: empty")


def test_giving_up_is_asked_twice(table: Tables, look: Look) -> None:
    there = table("gomoku")
    page = look(there.address)
    resign = page.locator('[data-command="resign"]')
    resign.click()
    expect(resign).to_have_text("Really resign?")
    assert there.session.match.referee.outcome is None  # type: ignore[union-attr]
    resign.click()
    page.wait_for_selector(".player.won")


def test_two_pages_that_act_at_once_end_with_one_board(table: Tables, look: Look) -> None:
    there = table("gomoku")
    first, second = look(there.address), look(there.address)
    for page in (first, second):
        page.wait_for_selector(".cell.target")
    # The second page sends its move before it has heard of the first one's.
    second.evaluate(
        "window.__late = fetch('tell', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        " body: JSON.stringify({command: 'move', move: 'a1', ply: 7})}).then((r) => r.status)"
    )
    point(first, "h8")
    has_come(first, there, 1)
    has_come(second, there, 1)
    assert second.evaluate("window.__late") == 409
    assert there.moves == ["h8"]
    expect(second.locator('[data-cell="h8"]')).to_have_attribute("aria-label", "h8: black stone")


def test_a_page_on_an_old_state_is_told_so_and_shows_what_stands(table: Tables, look: Look) -> None:
    there = table("gomoku")
    first, late = look(there.address), look("about:blank")
    held: list[str | bytes] = []
    holds = [False]

    def between(socket: Any) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda told: held.append(told) if holds[0] else socket.send(told))

    late.route_web_socket("**/live", between)
    late.goto(there.address)
    for page in (first, late):
        page.wait_for_selector(".cell.target")
    point(first, "h8")
    has_come(late, there, 1)
    late.wait_for_selector('[data-command="undo"]')
    late.wait_for_selector(".cell.target")
    holds[0] = True
    first.locator('[data-command="undo"]').click()
    first.wait_for_selector("#moves:empty", state="attached")
    first.wait_for_selector(".cell.target")
    point(first, "g7")  # another position after the same number of plies
    has_come(first, there, 1)
    point(late, "a1")
    late.locator("#answer.bad", has_text="The game has gone on: look again.").wait_for()
    late.locator('[data-command="undo"]').click()
    late.locator("#answer.bad", has_text="The game has gone on: look again.").wait_for()
    assert there.moves == ["g7"]
    holds[0] = False
    point(first, "i9")
    has_come(late, there, 2)
    expect(late.locator('[data-cell="g7"]')).to_have_attribute("aria-label", "g7: black stone")
    expect(late.locator('[data-cell="h8"]')).to_have_attribute("aria-label", "h8: empty")


def test_a_page_that_floods_its_connection_comes_back_and_plays_on(table: Tables, look: Look) -> None:
    there = table("gomoku")
    page = look("about:blank")
    page.add_init_script(
        "const Own = WebSocket;"
        "window.WebSocket = class extends Own { constructor(...all) { super(...all); window.live = this; } };"
    )
    page.goto(there.address)
    page.wait_for_selector(".cell.target")
    page.evaluate("live.send('{no json'); live.send('x'.repeat(1e6))")
    page.wait_for_selector("body.away")
    page.wait_for_selector("body:not(.away) .cell.target")
    point(page, "h8")
    has_come(page, there, 1)


def test_an_agent_answers_on_the_page(table: Tables, look: Look) -> None:
    there = table("reversi", agent="random")
    page = look(there.address)
    page.wait_for_selector(".cell.target")
    point(page, "d3")
    has_come(page, there, 2)
    expect(page.locator("#player-1 .name")).to_have_text("White random")


def field(place: Any, label: str) -> Any:
    return place.locator(f'label:has(> span:text-is("{label}")) :is(select, input)')


def test_everything_about_a_new_game_is_chosen_in_a_dialog(table: Tables, look: Look) -> None:
    there = table("morris", whole=True, camera=False)
    page = look(there.address)
    page.locator("#way-here").click()
    menu = page.locator("#menu")
    menu.get_by_role("radio", name="Reversi").check()
    menu.get_by_text("More: clock, rules, agents").click()
    field(menu, "Who begins").select_option("white")
    white = page.locator("#menu .player").nth(1)
    white.locator("option", has_text="Level 1").wait_for(state="attached", timeout=60_000)  # players arrive later
    field(white, "Who plays").select_option("level-1")
    field(menu, "Your name, if you like").fill("Ada")
    field(menu, "Thinking time").select_option("5 minutes a move")
    page.locator("#menu-begin").click()
    page.locator("#title", has_text="Reversi").wait_for()
    expect(page.locator("#player-0 .name")).to_have_text("Black Ada")
    has_come(page, there, 1)  # white, the agent, begins
    page.wait_for_selector(".cell.target")
    expect(page.locator("#player-0 .clock.runs")).to_have_text(re.compile("5:00|4:5."))
    page.locator("#new").click()
    expect(menu.get_by_role("radio", name="Reversi")).to_be_checked()  # preset to the present choice
    menu.get_by_text("More: clock, rules, agents").click()
    field(menu, "Thinking time").select_option("another clock")
    field(menu, "Minutes").fill("0")
    field(menu, "Minutes").blur()
    page.locator("#menu-form").evaluate("(form) => { form.noValidate = true; }")
    page.locator("#menu-begin").click()
    page.locator("#menu-answer.bad", has_text="clock.minutes").wait_for()


def test_a_game_of_go_is_counted_on_the_page_and_both_agree(table: Tables, look: Look) -> None:
    there = table("go")
    page, game, position = look(there.address), there.game, there.game.initial()
    for plies, text in enumerate(["E5", "A9", "B9", "J1", "A8", "pass", "pass"], 1):
        move = game.parse_move(position, text)
        make(page, game, position, move)
        has_come(page, there, plies)
        position = game.apply(position, move)
    assert there.session.match is not None
    referee, cell = there.session.match.referee, game.cells.index("J1")
    agree = page.locator('#actions [data-command="agree"]')
    agree.nth(1).wait_for()
    before = cell in game.dead(referee.position)
    point(page, "J1")
    page.locator("#announcements", has_text="J1 counts as alive" if before else "J1 counts as captured").wait_for()
    assert (cell in game.dead(referee.position)) != before
    expect(page.locator(".forbidden")).to_have_count(len(game.dead(referee.position)))
    agree.first.click()
    page.locator("#announcements", has_text="Does white, too?").wait_for()
    agree.first.click()
    page.locator("#announcements", has_text="The count is agreed.").wait_for()
    expect(agree).to_have_count(0)
    assert referee.agreed == {0, 1}


@pytest.mark.parametrize("taps", [("26", "19", "12"), ("26", "12")])
def test_a_man_that_jumps_on_is_led_over_its_squares_or_put_straight_on_the_last(
    taps: tuple[str, ...], table: Tables, look: Look
) -> None:
    there = table("draughts")
    page = look(there.address)
    moves = ("12-16", "24-20", "9-14", "28-24", "10-15", "23-18", "14-23")
    for plies, move in enumerate([*(move.split("-") for move in moves), taps], 1):
        page.wait_for_selector(".cell.source")
        for square in move:
            point(page, square)
        has_come(page, there, plies)
    assert there.moves[-1] == "26x12"
