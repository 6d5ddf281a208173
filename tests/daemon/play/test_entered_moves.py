"""Moves given as commands: same rules, recorded before they are announced, undone at once; hands stay hidden."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from typing import Any

import pytest

import games
from agents.messages import LimitsPart
from daemon.commands.command import (
    Command,
    Correct,
    EndMove,
    Hand,
    Move,
    Mover,
    Pass,
    Pause,
    Resign,
    Resume,
    Undo,
    mark_of,
)
from daemon.config.seats import Seat
from daemon.game.effects import Announcement
from daemon.game.hands import shown_hands
from daemon.judging.referee import Referee
from daemon.match.command_handlers import obey
from daemon.match.legal_moves import legal_moves_of
from daemon.match.match import Match
from rules import AnyGame
from rules.turns import line_of_play
from tests.daemon.match_bench import Notebook, Post

NAMES = ("morris", "reversi", "gomoku", "ganh", "dominoes")


@dataclasses.dataclass
class Table:
    """A match without a camera."""

    game: AnyGame
    match: Match
    notebook: Notebook
    post: Post
    heard: list[Announcement]

    def tell(self, command: Command) -> str:
        """Gives a command, which must be accepted; returns the answer."""
        answer = obey(self.match, command, None)
        assert answer.accepted, answer.text
        return answer.text

    def refuse(self, command: Command) -> str:
        """Gives a command, which must be refused and change nothing; returns the answer."""
        before = list(self.match.referee.moves), list(self.notebook.written)
        answer = obey(self.match, command, None)
        assert not answer.accepted
        assert (list(self.match.referee.moves), list(self.notebook.written)) == before
        return answer.text

    def answer(self, move: str) -> None:
        """The agent answers with this move."""
        self.post.answer(move)
        self.match.poll()


def seated(
    name: str, agents: tuple[str | None, str | None] = (None, None), moves: Sequence[str] = (), **rules: Any
) -> Table:
    """A match with these agents and moves played so far; hands are dealt from a fixed seed."""
    game = games.load(name, rules)
    notebook, post, heard = Notebook(), Post(), list[Announcement]()
    match = Match(
        Referee(game, agents, line_of_play(game, moves, game.initial(7)), moves),
        seats=(Seat(agents[0], {}, LimitsPart(time_s=1.0)), Seat(agents[1], {}, LimitsPart(time_s=1.0))),
        recorder=notebook,
        publisher=post,
        listeners=[lambda announcement: heard.append(announcement)],
    )
    match.start()
    return Table(game, match, notebook, post, heard)


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_game_is_played_by_word_and_the_record_has_every_move(name: str) -> None:
    table, chance = seated(name), random.Random(3)
    referee = table.match.referee
    for _ in range(60):
        if referee.outcome is not None:
            break
        move = chance.choice(list(table.game.legal_moves(referee.position)))
        table.tell(Move(table.game.format_move(referee.position, move), ply=referee.ply))
    assert referee.ply >= 30
    assert [one for one in table.notebook.written if one in referee.moves] == referee.moves
    assert {one.code for one in table.heard} <= {"move", "pass", "game_over"}


def test_an_illegal_move_is_refused_with_its_rule_and_changes_nothing() -> None:
    table = seated("morris", moves=["d2"])
    answer = obey(table.match, Move("d2"), None)
    assert (answer.accepted, answer.rule) == (False, "occupied")
    assert answer.text == "d2 cannot be played: d2 is occupied."
    assert obey(table.match, Move("bogus"), None).rule == "not_a_move"
    assert (table.match.referee.moves, table.heard) == (["d2"], [])


def test_a_move_from_an_old_page_is_refused_and_so_is_an_undo() -> None:
    table = seated("morris", moves=["d2", "f4"])
    assert table.refuse(Move("a1", ply=1)) == "The game has gone on: look again."
    assert table.refuse(Undo(ply=1)) == "The game has gone on: look again."
    table.tell(Move("a1", ply=2))


def test_an_agents_answer_is_a_move_at_once_with_what_it_thought() -> None:
    table = seated("morris", (None, "alphabeta"))
    table.tell(Move("d2"))
    assert table.post.states[-1].awaiting == "agent"
    assert table.refuse(Move("a1")) == "It is the computer's turn."
    table.answer("f4")
    assert table.post.states[-1].moves == ["d2", "f4"]
    assert table.post.states[-1].awaiting == "move"
    assert [one.text for one in table.heard] == ["Light: d2.", "Dark: f4."]
    assert table.notebook.written == ["d2", "f4"]
    assert table.match.requests.last_thought is not None


def test_two_agents_play_on_by_themselves() -> None:
    table = seated("morris", ("alphabeta", "alphabeta"))
    for move in ("d2", "f4", "a1"):
        table.answer(move)
    assert table.match.referee.moves == ["d2", "f4", "a1"]


def test_an_illegal_answer_of_an_agent_is_counted_and_never_made() -> None:
    table = seated("morris", (None, "alphabeta"))
    table.tell(Move("d2"))
    table.answer("d2")
    assert (table.match.requests.refused, table.match.referee.moves) == (1, ["d2"])


def test_undo_takes_back_at_once_and_asks_nobody_to_put_men_back() -> None:
    table = seated("morris", moves=["d2", "f4"])
    assert table.tell(Undo()) == "Dark's f4 is taken back. Dark's turn."
    assert (table.match.referee.moves, table.post.states[-1].awaiting) == (["d2"], "move")
    table.tell(Move("f4"))


def test_against_an_agent_undo_goes_back_to_the_persons_own_turn() -> None:
    table = seated("morris", (None, "alphabeta"), ["d2", "f4"])
    assert table.tell(Undo()) == "d2 and f4 are taken back. Your move."
    assert (table.match.referee.ply, table.post.states[-1].awaiting) == (0, "move")


def test_nothing_is_moved_in_a_pause_or_after_the_end() -> None:
    table = seated("morris")
    table.tell(Pause())
    assert table.refuse(Move("d2")) == "The game is paused: resume it first."
    table.tell(Resume())
    table.tell(Resign("light"))
    assert table.refuse(Move("d2")) == "The game is over."
    table.tell(Undo())
    table.tell(Move("d2"))


def test_what_a_camera_is_needed_for_is_refused_without_one() -> None:
    table = seated("morris", moves=["d2"])
    assert table.refuse(EndMove()) == "No camera watches this game."
    assert table.refuse(Correct("d2", "empty")) == "No camera watches this game."
    dominoes = seated("dominoes")
    assert dominoes.refuse(Mover("red")) == "Every move was told here, so I know whose it was."
    assert dominoes.refuse(Hand(("1-2",))) == "Without a camera I deal myself, and know every hand."


def test_a_pass_that_the_rules_force_is_made_without_asking() -> None:
    table, chance = seated("reversi"), random.Random(2)
    referee = table.match.referee
    while "pass" not in referee.moves:
        assert referee.outcome is None
        move = chance.choice(list(table.game.legal_moves(referee.position)))
        table.tell(Move(table.game.format_move(referee.position, move)))
    assert table.heard[-1].code in ("pass", "game_over")


# Hidden hands.


def hands_of(referee: Referee) -> list[list[str] | None]:
    return shown_hands(referee.game, referee.position, referee.agents)


def test_a_dealt_hand_decides_what_may_be_laid() -> None:
    table = seated("dominoes")
    referee = table.match.referee
    hand = hands_of(referee)[0]
    assert hand is not None and len(hand) == 4 and hands_of(referee)[1] is None
    laid = {tuple(sorted(text[-1] for text in one["move"].split("-"))) for one in moves_of(table)}
    assert laid <= {tuple(sorted(tile.split("-"))) for tile in hand} and laid
    other = next(f"{a}-{b}" for a in range(7) for b in range(a, 7) if f"{a}-{b}" not in hand)
    answer = obey(table.match, Move(f"8H{other[0]}-8I{other[2]}"), None)
    assert (answer.accepted, answer.rule) == (False, "not_in_hand")


def moves_of(table: Table) -> list[dict[str, Any]]:
    """The laying moves, as a page gets them."""
    listed: Any = legal_moves_of(table.match.referee, "game")["moves"]
    return [one for one in listed if one["steps"]]


def test_an_agent_gets_its_own_hand_and_no_other_and_nobody_gets_the_bag() -> None:
    table = seated("dominoes", (None, "greedy"))
    state = table.post.states[-1]
    assert "hand_" not in state.position and "bag_order" not in state.position
    table.tell(Move(moves_of(table)[0]["move"]))
    while table.post.states[-1].awaiting == "move":
        table.tell(Pass())
    state = table.post.states[-1]
    assert "hand_green" in state.position and "hand_red" not in state.position
    assert "bag_order" not in state.position
    assert hands_of(table.match.referee)[1] is None


def test_what_somebody_put_away_unseen_is_told_to_nobody() -> None:
    table = seated("dominoes")
    hand = hands_of(table.match.referee)[0]
    assert hand is not None
    assert table.tell(Move(f"pass:{hand[0]}")) == "Red passes. Red 0, green 0. Green's turn."
    assert table.match.referee.moves == [f"pass:{hand[0]}"]
    assert table.post.states[-1].moves == ["pass"]


def test_between_two_people_the_hand_of_who_is_to_move_is_shown_and_of_agents_both() -> None:
    table = seated("dominoes")
    hand = hands_of(table.match.referee)[0]
    assert hand is not None
    table.tell(Move(f"pass:{hand[0]}"))
    assert [one is not None for one in hands_of(table.match.referee)] == [False, True]
    assert all(hands_of(seated("dominoes", ("greedy", "greedy")).match.referee))
    assert hands_of(seated("morris").match.referee) == [None, None]


def test_the_legal_moves_name_the_cells_that_a_hand_goes_through() -> None:
    table = seated("morris", moves=["a7", "b6", "d7", "b4"])
    listed: Any = legal_moves_of(table.match.referee, "g1")
    taking = next(one for one in listed["moves"] if one["move"] == "g7xb6")
    assert taking["steps"] == [
        {"kind": "place", "cell": "g7", "piece": "W"},
        {"kind": "remove", "cell": "b6", "piece": "."},
    ]
    assert (listed["ply"], listed["side"], listed["hand"], listed["game_id"]) == (4, "light", None, "g1")
    walk: Any = legal_moves_of(seated("ganh").match.referee, "g1")
    assert walk["moves"][0]["steps"][0]["kind"] == "move" and walk["moves"][0]["steps"][0]["origin"]


def test_another_position_after_as_many_plies_is_another_position() -> None:
    table = seated("gomoku")
    table.tell(Move("h8"))
    seen = str(legal_moves_of(table.match.referee, table.match.game_id)["mark"])
    assert seen == mark_of(table.match.game_id, ["h8"])
    table.tell(Undo(mark=seen))
    table.tell(Move("g7"))
    for command in (Undo(mark=seen), Move("h9", mark=seen), Resign(mark=seen)):
        assert table.refuse(command) == "The game has gone on: look again."
    table.tell(Undo())
    table.tell(Move("h8"))
    table.tell(Undo(mark=seen))  # the marked position is on the board again


def test_no_moves_are_offered_while_an_agent_is_to_move() -> None:
    table = seated("morris", ("alphabeta", None))
    assert legal_moves_of(table.match.referee, "g1")["moves"] == []
