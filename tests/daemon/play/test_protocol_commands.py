"""docs/protocol.md is right about commands: its objects parse, and its example choice can be chosen."""

from __future__ import annotations

import json
import re
from pathlib import Path

from daemon.commands.command import NAMES, parse_command
from daemon.commands.game_choice import MAX_BYTES, SECTIONS, chosen, parse_choice
from daemon.config.settings import Config
from daemon.match.command_handlers import obey
from daemon.match.legal_moves import MAX_MOVES
from daemon.setup.catalogue import Catalogue
from daemon.setup.menu import menu_of
from tests.daemon.test_command_handlers import at

TEXT = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")


def test_every_command_in_the_document_is_carried_out_or_refused_and_none_is_missing() -> None:
    told = [json.loads(words) for words in re.findall(r"`(\{\"command\": [^`]*\})`", TEXT)]
    for words in told:
        if words != {"command": "move"}:  # mentioned in the text, without its move
            assert obey(at().match, parse_command(words), None).text
    assert {words["command"] for words in told} == set(NAMES)


def test_the_choice_in_the_document_can_be_chosen_and_names_every_section() -> None:
    found = re.search(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert found is not None
    choice = json.loads(found[1])
    assert set(choice) == set(SECTIONS)
    config = chosen(Config(), parse_choice(choice), Catalogue().wait(60))
    assert config.players.second.options["opening_depth"] == 3 and config.clock.lose


def test_every_field_of_the_menu_is_in_the_document() -> None:
    section = TEXT[TEXT.index("### The menu") : TEXT.index("### From another computer")]
    for field in menu_of(Config(), "0", {}):
        assert f"`{field}`" in section


def test_the_numbers_are_the_programs() -> None:
    assert f"at most {MAX_BYTES} bytes" in TEXT and f"at most {MAX_MOVES}, each `move`" in TEXT
