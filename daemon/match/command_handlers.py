"""Handlers for people's commands to a match; they return the resulting decisions of the referee."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import games
from daemon.belief.line import common
from daemon.commands import command as told
from daemon.commands.command import Answer, Command
from daemon.game.effects import Announcement, Effect
from daemon.judging import adopting, corrections, counting, phrases
from daemon.judging.adopting import SetUp
from daemon.judging.cell_overrides import CellOverrides, cell_of, letter_of
from daemon.judging.corrections import IllegalMove, Refusal
from daemon.judging.referee import Referee
from daemon.match import questions
from daemon.match.match import Match
from daemon.match.puzzle_play import question
from daemon.record.stored_game import rule_texts
from daemon.words.translation import in_words, worded
from rules import piece_noun
from vision.reading.board_reading import BoardReading
from wording import Term, sentence

MAKE = "kibitzer puzzles make"
NEEDS_BOARD = sentence("I do not see the board now: clear it of hands, and say it again.")
NEEDS_CAMERA = sentence("No camera watches this game.")


class WatchedBoard(Protocol):
    """Watches the board of a match."""

    @property
    def overrides(self) -> CellOverrides:
        """What people said about cells."""

    @property
    def reading_in_view(self) -> BoardReading | None:
        """The last reading, without what people said about cells; None if the board is not in sight."""

    def judged(self, reading: BoardReading) -> list[Effect]:
        """The referee's decisions on a final reading."""

    def judge_again(self) -> None:
        """Judges the last reading again because something else has changed."""

    def end_move(self) -> list[Effect]:
        """Handles a player's "move made": reads the board at once, or as soon as nothing moves over it."""


def obey(match: Match, command: Command, eyes: WatchedBoard | None) -> Answer:
    """Carries out a command and answers with the result; `eyes` is None if no camera watches.

    What is accepted is on the disk.
    """
    if isinstance(command, told.Question):
        return _answer(match, command, eyes)
    others = (match.best,) if eyes is None else (match.best, eyes.overrides)
    try:
        _check_ply(match, command)
        effects = match.decide(lambda: _effects(match, command, eyes), *others)
    except IllegalMove as illegal:
        return Answer(False, in_words(*illegal.said), illegal.rule)
    except Refusal as refusal:
        return Answer(False, in_words(*refusal.said))
    except OSError as error:
        return Answer(False, worded("I cannot write this down: {why}. Nothing has changed.", why=str(error)))
    sentences = [said for effect in effects if isinstance(effect, Announcement) for said in effect.said]
    if isinstance(command, told.Undo | told.Resume | told.Adopt | told.Mover) and eyes is not None:
        eyes.judge_again()
    return Answer(True, in_words(*sentences))


def _answer(match: Match, question: told.Question, eyes: WatchedBoard | None) -> Answer:
    reading = None if eyes is None else eyes.reading_in_view
    seen = None if eyes is None or reading is None else eyes.overrides.over(reading).board
    try:
        said = questions.answer(question, match.referee, seen, match.game_clock)
    except Refusal as refusal:
        return Answer(False, in_words(*refusal.said))
    match.answer(said)
    return Answer(True, in_words(*said))


def _effects(match: Match, command: Command, eyes: WatchedBoard | None) -> list[Effect]:
    referee = match.referee
    match command:
        case told.Move(text):
            return _make(match, text)
        case told.Hand(tiles, side):
            return _hold(match, tiles, side)
        case told.Pass(choice):
            return corrections.say_pass(referee, choice)
        case told.Mover(side, number):
            return _set_mover(match, side, number)
        case told.Undo():
            return corrections.undo(referee, on_board=match.watched)
        case told.Resign(side):
            return corrections.resign(referee, side)
        case told.Correct(cell, piece):
            return _correct(referee, _watching(eyes), cell, piece)
        case told.Adopt(side):
            return _adopt(match, _watching(eyes), side)
        case told.Pause() | told.Resume():
            return _pause(match, isinstance(command, told.Pause))
        case told.Pace(seconds):
            return _set_pace(match, seconds)
        case told.NewGame():
            return _new_game(match)
        case told.Position(text):
            return _set_up(match, text)
        case told.EndMove():
            return _watching(eyes).end_move()
        case told.Coach():
            return _coach(match)
        case told.Puzzle(puzzle):
            return _set_puzzle(match, puzzle)
        case told.Best(shown, side):
            return _show_best(match, shown, side)
        case told.Count(cell):
            return counting.mark(referee, cell_of(referee.game, cell))
        case told.Agree(side):
            return counting.agree(referee, side)
        case told.Repeat():
            return [referee.announce("repeat", *(match.spoken or (referee.whose_turn(),)), urgent=True)]
        case _:
            raise AssertionError(f"nobody carries out {command}")


def _check_ply(match: Match, command: Command) -> None:
    """Refuses a command meant for another position than the present one."""
    ply, mark = getattr(command, "ply", None), getattr(command, "mark", "")
    gone_on = ply is not None and ply != match.referee.ply
    if gone_on or (mark and mark != match.mark):
        raise Refusal(sentence("The game has gone on: look again."))


def _make(match: Match, text: str) -> list[Effect]:
    if match.watched:
        chosen = corrections.choose(match.referee, text)
        if chosen is None:
            raise Refusal(sentence("A camera watches the board: make the move there."))
        return chosen
    try:
        return corrections.enter(match.referee, text)
    except IllegalMove:
        if (chosen := corrections.choose(match.referee, text)) is None:
            raise
        return chosen


def _hold(match: Match, tiles: Sequence[str], side: str) -> list[Effect]:
    if not match.watched:
        raise Refusal(sentence("Without a camera I deal myself, and know every hand."))
    return corrections.hold(match.referee, tiles, side)


def _set_mover(match: Match, side: str, number: int | None) -> list[Effect]:
    if not match.watched:
        raise Refusal(sentence("Every move was told here, so I know whose it was."))
    return corrections.set_mover(match.referee, side, number)


def _watching(eyes: WatchedBoard | None) -> WatchedBoard:
    """Returns `eyes`. Raises Refusal if no camera watches."""
    if eyes is None:
        raise Refusal(NEEDS_CAMERA)
    return eyes


def _seen(eyes: WatchedBoard) -> BoardReading:
    """The last reading. Raises Refusal if the board is not in sight."""
    reading = eyes.reading_in_view
    if reading is None:
        raise Refusal(NEEDS_BOARD)
    return reading


def _correct(referee: Referee, eyes: WatchedBoard, name: str, piece: str) -> list[Effect]:
    """Accepts a person's word for what is on a cell, if legal play then explains the board, or at least more of it."""
    game = referee.game
    if referee.paused:
        raise Refusal(sentence("The game is paused: resume it first."))
    cell, letter = cell_of(game, name), letter_of(game, piece)
    reading = _seen(eyes)
    before = eyes.overrides.over(reading)
    eyes.overrides.say(cell, letter, reading)
    after = eyes.overrides.over(reading)
    if letter == game.classes[0]:
        what = sentence("I see: {cell} is empty.", cell=game.cells[cell])
    else:
        what = sentence("I see: {cell} holds a {piece:acc}.", cell=game.cells[cell], piece=piece_noun(game, letter))
    way = adopting.way_to(referee, after)
    if way is not None and common(referee.belief.told, way) < referee.ply:
        announced = [referee.announce("corrected", what, cells=(cell,))]
        return [*announced, *adopting.take(referee, way)]
    why = adopting.why_not(referee, after)
    if why and adopting.differing(referee, after.board) >= adopting.differing(referee, before.board):
        eyes.overrides.forget([cell])
        raise Refusal(sentence("That cannot be:"), *why)
    effects: list[Effect] = [referee.announce("corrected", what, cells=(cell,))]
    referee.say_again()
    return [*effects, *eyes.judged(reading)]


def _adopt(match: Match, eyes: WatchedBoard, side: str) -> list[Effect]:
    adopted = adopting.adopt(match.referee, eyes.overrides.over(_seen(eyes)), side)
    return _begin_with(match, adopted.position) if isinstance(adopted, SetUp) else adopted


def _begin_with(match: Match, position: Any) -> list[Effect]:
    match.set_up, game = position, match.referee.game
    mover = phrases.named(game, game.to_move(position))
    said = sentence("A new game begins with this board. It is {side:gen}'s turn.", side=mover)
    return [match.referee.announce("adopted", said)]


def _set_up(match: Match, text: str) -> list[Effect]:
    """Begins the next game from a position. Raises Refusal."""
    match.asked_anew = True
    return _begin_with(match, adopting.position_of(match.referee.game, text))


def _pause(match: Match, begins: bool) -> list[Effect]:
    referee = match.referee
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over."))
    if referee.paused == begins:
        raise Refusal(sentence("The game is paused already.") if begins else sentence("The game is not paused."))
    if begins:
        referee.pause()
        said = sentence("The game is paused.")
        if match.watched:
            said = sentence("The game is paused. Nothing on the board counts until you resume.")
        return [referee.announce("paused", said)]
    referee.go_on()
    return [referee.announce("continued", sentence("The game goes on."), referee.whose_turn())]


def _set_pace(match: Match, seconds: float) -> list[Effect]:
    if match.pace_s is None:
        raise Refusal(sentence("A pace is for two agents that play without camera and clock."))
    match.pace_s = seconds
    said = sentence("One move in {seconds} s, at most.", seconds=f"{seconds:g}")
    if not seconds:
        said = sentence("The agents play as fast as they think.")
    return [match.referee.announce("pace", said)]


def _new_game(match: Match) -> list[Effect]:
    match.new_game_wanted = match.asked_anew = True
    return [match.referee.announce("new_game", sentence("A new game."))]


def _coach(match: Match) -> list[Effect]:
    referee = match.referee
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over: there is no move to advise."))
    if referee.awaiting != "move":
        raise Refusal(sentence("I advise people, when it is their turn."))
    if not match.ask_coach():
        raise Refusal(sentence("I am thinking already."))
    return [referee.announce("coach", sentence("Let me think."))]


def _set_puzzle(match: Match, puzzle_id: str) -> list[Effect]:
    """Begins a puzzle instead of the next game. Raises Refusal, OSError."""
    game = match.referee.game
    if match.puzzles is None:
        raise Refusal(sentence("There are no puzzles here."))
    shown = match.puzzle
    if puzzle_id:
        found = match.puzzles.get(puzzle_id)
        if found is not None and (found.game != game.name or dict(found.rules) != rule_texts(game)):
            title = Term("game", games.find(found.game).title)
            raise Refusal(sentence("This is a puzzle of {game}: begin a game of it first.", game=title))
    else:
        found = match.puzzles.next(game, "" if shown is None else shown.puzzle.puzzle_id)
    if found is None:
        raise Refusal(sentence("There is no such puzzle. This makes some: {command}.", command=MAKE))
    match.puzzle_due, match.new_game_wanted, match.asked_anew = found, True, True
    side = game.to_move(game.parse_position(found.position))
    return [match.referee.announce("puzzle", question(found, game, side))]


def _show_best(match: Match, shown: bool, name: str) -> list[Effect]:
    """Takes the wish to see the best moves, or not to: two people see them only if both want to."""
    referee, best = match.referee, match.best
    if not shown:
        best.wishes = frozenset()
        return [referee.announce("best", sentence("The best moves are hidden."))]
    if best.forbidden:
        raise Refusal(sentence("This is a puzzle: find the move."))
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over: there is no move to advise."))
    if referee.agents != (None, None):
        return best.show(referee)
    side = corrections.side_of(referee.game, name)
    best.wishes |= {side}
    if best.are_shown(referee):
        return [referee.announce("best", sentence("The best moves are shown to both."))]
    one, other = phrases.named(referee.game, side), phrases.named(referee.game, 1 - side)
    said = sentence(
        "{one:Nom} wants to see the best moves. They are shown if {other} wants it, too.", one=one, other=other
    )
    return [referee.announce("best", said)]
