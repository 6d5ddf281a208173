"""The menu: all choices are data; a choice is validated like the settings, and kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import games
from daemon.commands.command import Answer, CommandError
from daemon.commands.game_choice import ChoiceError, chosen, parse_choice, restored, save
from daemon.config.player_names import player_name
from daemon.config.settings import Config
from daemon.run import game_chooser
from daemon.setup.catalogue import Catalogue
from daemon.setup.menu import menu_of
from rules.turns import line_of_play
from system.weights import WeightsError
from tests.conftest import ASK_PROGRAM
from tests.daemon.play.test_no_camera import Table

ALONE = {"first": {"agent": ""}, "second": {"agent": ""}}


@pytest.fixture(scope="module")
def catalogue() -> dict[str, Any]:
    """As the program tells it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Catalogue, "_ask", ASK_PROGRAM)
        return Catalogue().wait(60)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path, "morris")
    yield table
    table.close()


def test_every_game_is_in_the_menu_with_its_rules_levels_and_agents(catalogue: dict[str, Any]) -> None:
    menu = menu_of(Config(), "0", catalogue)
    assert [game["name"] for game in menu["games"]] == list(games.names())
    assert menu["ready"] and all(len(game["levels"]) == 8 for game in menu["games"])
    ganh = next(game for game in menu["games"] if game["name"] == "co_ganh")
    assert next(rule for rule in ganh["rules"] if rule["name"] == "limit")["maximum"] == 1000
    agents = {game["name"]: [agent["name"] for agent in game["agents"]] for game in menu["games"]}
    assert {"static", "stable", "adaptive"} <= set(agents["reversi"]) and "static" not in agents["gomoku"]
    assert {"greedy", "expectimax"} <= set(agents["double_double_dominoes"])
    assert len(json.dumps(menu)) < 100_000


def test_options_of_agents_have_the_heuristics_of_the_game_and_an_opening_only_where_there_is_one(
    catalogue: dict[str, Any],
) -> None:
    options = {
        game["name"]: {option["name"]: option for option in game["agents"][names(game).index("alphabeta")]["options"]}
        for game in menu_of(Config(), "0", catalogue)["games"]
    }
    assert "closed_mills" in options["nine_mens_morris"]["heuristic"]["choices"]
    assert "opening_depth" in options["nine_mens_morris"] and "opening_depth" not in options["reversi"]


def names(game: dict[str, Any]) -> list[str]:
    return [agent["name"] for agent in game["agents"]]


def test_a_choice_that_is_in_the_menu_is_taken_whole(catalogue: dict[str, Any]) -> None:
    choice = parse_choice(
        {
            "game": {"name": "ganh", "rules": {"limit": 100, "first": "down"}},
            "players": {"first": {"agent": "level-3"}, "second": {"agent": "mcts", "options": {"simulations": 100}}},
            "clock": {"control": "move", "minutes": 15},
            "speech": {"enabled": False, "language": "vi"},
            "camera": {"source": "none"},
        }
    )
    config = chosen(Config(), choice, catalogue)
    assert (config.game.name, config.game.rules["limit"]) == ("ganh", 100)
    assert (config.players.first.agent, config.players.second.options) == ("level-3", {"simulations": 100})
    assert (config.clock.minutes, config.speech.language, config.camera.source) == (15.0, "vi", "none")
    assert config.speech.rate_wpm == Config().speech.rate_wpm


@pytest.mark.parametrize(
    ("choice", "named"),
    [
        ({"game": {"name": "ludo"}}, "game.name: there is no game 'ludo'"),
        ({"game": {"name": "morris", "rules": {"wings": True}}}, "game.rules: nine_mens_morris has no rule option"),
        ({"game": {"name": "ganh", "rules": {"limit": 0}}}, "limit is between 1 and 1000, not 0"),
        ({"players": {"first": {"agent": "static"}}}, "players.first.agent = 'static': plays no nine_mens_morris"),
        ({"players": {"first": {"time_s": 0}}}, "players.first.time_s = 0"),
        (
            {"players": {"second": {"agent": "alphabeta", "options": {"depth": 101}}}},
            "players.second.options.depth = 101: must be a whole number from 0 to 100",
        ),
        (
            {"players": {"second": {"agent": "alphabeta", "options": {"heuristic": "luck"}}}},
            "players.second.options.heuristic = 'luck': must be one of best",
        ),
        (
            {"players": {"second": {"agent": "mcts", "options": {"plies": 3}}}},
            "players.second.options.plies: mcts has no such option",
        ),
        ({"clock": {"control": "chess"}}, "clock.control = 'chess'"),
        ({"speech": {"language": "fr"}}, "speech.language = 'fr'"),
    ],
)
def test_a_wrong_choice_is_refused_with_key_and_value(
    choice: dict[str, Any], named: str, catalogue: dict[str, Any]
) -> None:
    with pytest.raises(ChoiceError) as refused:
        chosen(Config(), parse_choice(choice), catalogue)
    assert named in str(refused.value)


@pytest.mark.parametrize(
    "words", [None, [], {}, {"page": {"port": 1}}, {"clock": 5}, {"speech": {"device": "x"}}, {"bus": {}}, {"game": []}]
)
def test_what_may_not_be_chosen_is_no_choice(words: object) -> None:
    with pytest.raises(CommandError):
        parse_choice(words)


def test_names_and_options_from_the_page_drive_no_terminal_and_hide_nothing() -> None:
    first = {"agent": "", "name": " Ana\x1b[2J\u202e \n Pop\x07"}
    second = {"agent": "alphabeta", "options": {"depth\x07": "3\u202e"}}
    players = chosen(Config(), {"players": {"first": first, "second": second}}, {}).players
    assert (players.first.name, players.second.agent, players.second.options) == (
        "Ana[2J Pop",
        "alphabeta",
        {"depth": "3"},
    )
    assert player_name(players.first) == "Ana[2J Pop"
    with pytest.raises(ChoiceError, match=r"players\.first\.name"):
        chosen(Config(), {"players": {"first": {"name": "\ud800"}}}, {})
    with pytest.raises(ChoiceError, match=r"players\.second\.agent"):
        chosen(Config(), {"players": {"second": {"agent": "alphabeta\x1b"}}}, {})


def test_a_camera_that_only_a_number_names_is_called_one() -> None:
    titles = {one["source"]: one["title"] for one in menu_of(Config(), "0", {})["cameras"]}
    assert (titles["0"], titles["none"]) == ("Camera 0", "no camera")


def test_a_choice_is_kept_until_the_settings_change(tmp_path: Path) -> None:
    path, configured = tmp_path / "not yet there" / "table.choice.json", Config()
    assert restored(path, configured) is configured
    save(path, configured, {"game": {"name": "reversi"}, "players": ALONE})
    assert restored(path, configured).game.name == "reversi"
    changed = Config.model_validate({"game": {"name": "gomoku"}})
    assert restored(path, changed) is changed
    path.write_text('{"over": 1', "utf-8")
    assert restored(path, configured) is configured
    save(path, configured, {"game": {"name": "no such game"}})
    assert restored(path, configured) is configured


def test_another_camera_changes_neither_the_chosen_game_nor_its_language(tmp_path: Path) -> None:
    path, configured = tmp_path / "table.choice.json", Config()
    save(path, configured, {"game": {"name": "chess"}, "players": ALONE, "speech": {"language": "pl"}})
    again = restored(path, Config.model_validate({"camera": {"source": "phone"}}))
    assert (again.game.name, again.players.second.agent, again.speech.language) == ("chess", "", "pl")
    assert again.camera.source == "phone"
    other = restored(path, Config.model_validate({"clock": {"control": "game"}}))
    assert (other.game.name, other.speech.language) == (configured.game.name, "pl")


def test_another_game_begins_in_the_same_process_at_the_same_page(table: Table) -> None:
    table.tell(command="move", move="d2")
    begun = table.get("state")["game_id"]
    status, answer = table.tell("menu", game={"name": "reversi"}, players=ALONE)
    assert (status, answer["text"]) == (200, "A new game.")
    table.wait(lambda: table.get("state")["game"] == "reversi")
    table.wait(lambda: len(table.get("legal")["moves"]) == 4)
    assert table.tell(command="move", move="d3")[0] == 200
    assert table.get("menu")["choice"]["game"]["name"] == "reversi"
    assert table.get("state")["game_id"] != begun


def test_a_game_begins_from_the_position_that_is_chosen_and_the_next_one_as_usual(table: Table, tmp_path: Path) -> None:
    game = games.load("reversi")
    position = line_of_play(game, ["f5", "d6", "c3"])[-1]
    start = {"position": game.format_position(position)}
    assert table.tell("menu", game={"name": "reversi"}, players=ALONE, start=start)[0] == 200
    table.wait(lambda: table.get("state")["game"] == "reversi")
    assert table.get("state")["board"] == game.board(position)
    table.wait(lambda: table.tell(command="move", move="d3")[0] == 200)
    assert "start" not in json.loads((tmp_path / "journal.choice.json").read_text())["choice"]
    assert table.tell("menu", game={"name": "reversi"}, players=ALONE)[0] == 200
    table.wait(lambda: table.get("state")["board"] == game.board(game.initial()))


@pytest.mark.parametrize(
    ("game", "position", "why"),
    [
        ("reversi", "nonsense", "start.position: "),
        ("reversi", "X" * 64 + " O", "the game is over there"),
        ("dominoes", games.load("dominoes").format_position(games.load("dominoes").initial()), "hides what"),
    ],
)
def test_a_position_that_no_game_can_begin_from_is_refused(table: Table, game: str, position: str, why: str) -> None:
    before = table.get("state")["game_id"]
    status, answer = table.tell("menu", game={"name": game}, players=ALONE, start={"position": position})
    assert status == 409 and why in answer["text"]
    assert table.tell("menu", start={"ply": 3})[0] == 400
    assert table.tell("settings", start={"position": position})[0] == 400
    assert table.get("state")["game_id"] == before


def test_a_wrong_choice_at_the_page_changes_nothing_and_names_what_is_wrong(table: Table) -> None:
    table.tell(command="move", move="d2")
    assert table.tell("menu", game={"name": "ludo"})[0] == 409
    assert table.tell("menu", page={"port": 1})[0] == 400
    status, answer = table.tell("menu", camera={"source": "/etc/passwd"})
    assert (status, answer["code"]) == (409, "refused") and "camera.source = '/etc/passwd'" in answer["text"]
    table.wait(lambda: table.get("state")["moves"] == ["d2"])


def test_two_people_and_an_agent_can_be_chosen_for_the_same_game_and_a_clock(table: Table) -> None:
    clock = {"control": "move", "minutes": 5}
    table.tell("menu", players={"first": {"agent": "random"}, "second": {"agent": "random"}}, clock=clock)
    table.wait(lambda: table.get("state")["ply"] > 3)
    assert "light 5:00" in table.get("healthz")["parts"]["clock"]["text"].lower().replace("4:59", "5:00")


def test_what_was_chosen_counts_after_a_restart(tmp_path: Path) -> None:
    table = Table(tmp_path, "morris")
    table.tell("menu", game={"name": "gomoku"}, players=ALONE)
    table.wait(lambda: table.get("state")["game"] == "gomoku")
    table.close()
    config = Config.model_validate(table.configured)
    again = restored(tmp_path / "journal.choice.json", config)
    assert again.game.name == "gomoku" and again.players.second.agent == ""


def test_a_game_whose_learnt_files_are_damaged_is_refused_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(_template: object) -> None:
        raise WeightsError("halves.onnx: its sha256 is wrong")

    monkeypatch.setattr(game_chooser, "Reader", damaged)
    heard = list[Answer]()
    asked = SimpleNamespace(command={"game": {"name": "dominoes"}, "players": ALONE}, answer=heard.append)
    page = SimpleNamespace(choices=SimpleNamespace(take=lambda: [asked]))
    services = SimpleNamespace(config=Config(), page=page)
    session: Any = SimpleNamespace(services=services, setting_up=SimpleNamespace(active=False))
    assert game_chooser.GameChooser(session, Config(), Config().camera.source).poll() is None
    assert [(answer.accepted, answer.text) for answer in heard] == [(False, "game: halves.onnx: its sha256 is wrong")]
