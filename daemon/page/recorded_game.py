"""A recorded game as the page shows it: details of its plies, and the drawn board after each."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import games
from daemon.commands.strengths import shown_player
from daemon.config.player_names import PERSON
from daemon.drawing.board_svg import Marks, board_svg
from daemon.judging import phrases
from daemon.page.view import drawn_board, names_of, template_of
from daemon.record.formats.document import outcome_object
from daemon.record.formats.formats import suiting
from daemon.record.formats.played import ExportError, Played, play_again
from daemon.record.pictures import Pictures
from daemon.record.stored_game import GameSummary, StoredGame, StoredPly
from daemon.record.stored_line import Row, rows_of
from daemon.words.translation import as_words, in_words, worded
from rules import AnyGame, DeadPieces, HiddenHands, MarkedCells, Step, UnknownGame
from wording import Term

MAX_PLIES = 4096
"""Most plies sent, as many as in a state message."""
MAX_NOTES = 400
PLY_FIELDS = tuple("ply side move verdict known time spent_s left_s score depth nodes thought_s".split())


@dataclasses.dataclass(frozen=True)
class RecordedGame:
    """One recorded game, replayed if possible."""

    stored: StoredGame
    played: Played | None
    fault: str
    """Why it cannot be replayed; empty if it can."""

    @classmethod
    def of(cls, stored: StoredGame) -> RecordedGame:
        try:
            return cls(stored, play_again(stored), "")
        except ExportError as error:
            return cls(stored, None, str(error))

    def as_object(self, pictures: Pictures) -> dict[str, object]:
        stored, played = self.stored, self.played
        rows = [] if played is None else rows_of(played.line)
        kept = pictures.names(stored.game_id)
        numbers = {} if played is None else {index: number for number, index in enumerate(played.line.seen, 1)}
        game = None if played is None else played.game
        hides = game is None or isinstance(game, HiddenHands)  # a position would tell the hands
        plies = []
        for index, ply in enumerate(stored.plies[:MAX_PLIES]):
            fields = _ply(ply, rows[index] if index < len(rows) else None)
            if index in numbers:
                fields["number"] = numbers[index]
            if kept and pictures.path(stored.game_id, ply.ply, ply.board).name in kept:
                fields["picture"] = True
            plies.append(fields if hides else fields | {"position": ply.position})
        return {
            "id": stored.game_id,
            "game": stored.game,
            "title": title_of(stored.game),
            "start": "" if played is None or hides else played.game.format_position(played.positions[0]),
            "sides": ["first", "second"] if game is None else list(game.sides),
            "rules": dict(stored.rules),
            "players": list(stored.players),
            "shown": shown_in(stored.players, game),
            "started": stored.started,
            "finished": stored.finished,
            "outcome": outcome_object(stored.outcome),
            "result": "" if game is None or stored.outcome is None else in_words(*phrases.result(game, stored.outcome)),
            "clock": dict(stored.clock) or None,
            "source": stored.source,
            "fault": self.fault,
            "plies": plies,
            "left_out": max(0, len(stored.plies) - MAX_PLIES),
            "notes": [
                {"ply": note.ply, "kind": note.kind, "text": note.text, "time": note.time}
                for note in stored.notes[:MAX_NOTES]
            ],
            "undone": len(stored.undone),
            "formats": suiting(stored.game),
        }

    def board(self, ply: int) -> str:
        """The board after that ply as SVG, 0 being the start. Raises ExportError if it cannot be drawn."""
        stored, played = self.stored, self.played
        try:
            game = games.load(stored.game, stored.rules)
            if played is None:
                template = template_of(game)
                letters = stored.plies[ply - 1].board if ply else game.board(game.initial())
                return board_svg(template, letters, title=_title(stored, ply), names=names_of(game, template))
            position = played.positions[ply]
            won = () if game.outcome(position) is None else MarkedCells.of(game).won_by(position)
            last, dead = played.line.steps(ply - 1) if ply else (), DeadPieces.of(game).dead(position)
            marks = Marks(last=last, won=won, dead=dead)
            return drawn_board(game, position, marks, _title(stored, ply))
        except ValueError as error:  # rules, template or letters are no longer known
            raise ExportError(f"the board cannot be drawn: {error}") from error

    def better_board(self, ply: int, line: Sequence[str], made: int) -> str:
        """The board before that ply, after the first `made` moves of another line, the next one drawn as a hint.

        Raises ExportError if it cannot be drawn.
        """
        if self.played is None or not 0 < ply <= len(self.stored.plies):
            raise ExportError(self.fault or worded("The game has no move {ply} any more.", ply=ply))
        game, position = self.played.game, self.played.positions[ply - 1]
        last: Sequence[Step] = self.played.line.steps(ply - 2) if ply > 1 else ()
        hint: Sequence[Step] = ()
        try:
            for text in line[:made]:
                move = game.parse_move(position, text)
                last, position = game.steps(position, move), game.apply(position, move)
            if made < len(line):
                hint = game.steps(position, game.parse_move(position, line[made]))
            won = () if game.outcome(position) is None else MarkedCells.of(game).won_by(position)
            marks = Marks(last=tuple(last), hint=tuple(hint), won=won, dead=DeadPieces.of(game).dead(position))
            return drawn_board(game, position, marks, " ".join(line[: made + 1]))
        except ValueError as error:
            raise ExportError(f"the board cannot be drawn: {error}") from error


def key_of(stored: StoredGame) -> tuple[str, int, int, str | None]:
    """Identifies one state of a recorded game: the notes grow with each change."""
    return stored.game_id, len(stored.plies), len(stored.notes) + len(stored.undone), stored.finished


def shown_in(players: Sequence[str], game: AnyGame | None) -> list[str]:
    """The players' names for people; whoever gave none is called by the side."""
    sides = [None, None] if game is None else [as_words(Term("side", name)) for name in game.sides]
    return [side if side and one == PERSON else shown_player(one) for one, side in zip(players, sides, strict=True)]


def titles_of(summary: GameSummary) -> dict[str, object]:
    """What a list of games shows of one for people: the game's title and the players' names."""
    game = games.load(summary.game) if summary.game in games.names() else None
    return {"title": title_of(summary.game), "shown": shown_in(summary.players, game)}


def title_of(name: str) -> str:
    """The display name of a game; for an unknown game, the recorded name."""
    try:
        return games.find(name).title
    except UnknownGame:
        return name.replace("_", " ")


def _title(stored: StoredGame, ply: int) -> str:
    return stored.plies[ply - 1].move if ply else worded("start")


def _ply(ply: StoredPly, row: Row | None) -> dict[str, object]:
    """The fields of one ply for the page; unknown ones are left out."""
    fields: dict[str, object] = {name: getattr(ply, name) for name in PLY_FIELDS}
    if row is not None:
        fields |= {"gains": [gain.total for gain in row.gains], "scores": row.scores}
    return {name: value for name, value in fields.items() if value is not None and value != ""}
