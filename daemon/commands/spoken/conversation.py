"""Spoken commands begin with the wake word; those that lose something, or may be misheard, are asked back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from daemon.commands.command import DECLARED, Adopt, Command, Move
from daemon.commands.spoken.grammar import (
    CELL,
    NOTHING,
    PASS,
    Asked,
    Said,
    asked,
    called,
    spelled,
    understand,
    understand_words,
)
from daemon.commands.spoken.words import ANSWERS
from daemon.words.translation import in_words, worded
from wording import Sentence, sentence

ANSWER_S = 15.0
"""Seconds in which a question can be answered: it takes five to be spoken, and five to think."""
QUESTIONS = {name: known.asks for name, known in DECLARED.items() if known.asks is not None}
"""What is asked before a command is carried out that loses something, or settles it."""


@dataclasses.dataclass(frozen=True)
class Table:
    language: str
    mark: str
    """Identifies game and position."""
    moves: Sequence[str] = ()
    """The legal moves, where they are told and not seen."""
    words: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Texts of moves by the words for them, as `spelled` writes them."""
    sides: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Names of sides by the words for them, where it was asked whose move it is."""
    named: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=lambda: {"cell": {}, "piece": {}})
    """What may be asked about: names of cells and of pieces by the words for them, as `spelled` writes them."""
    by_sound: bool = False
    """Whether the recogniser must take one of the letters that it knows, many of which rhyme."""


@dataclasses.dataclass(frozen=True)
class Reply:
    command: Command | None = None
    words: str = ""


@dataclasses.dataclass(frozen=True)
class _Asked:
    command: Command
    mark: str
    until_s: float


class Conversation:
    """One table's. Used by one thread."""

    def __init__(self) -> None:
        self._asked: _Asked | None = None

    def hear(self, text: str, table: Table, wake: str, now_s: float) -> Reply | None:
        """What follows from a text; None if it does not begin with the call `wake`, or is not understood."""
        rest = called(text, table.language, wake)
        if rest is None:
            return None
        if (side := understand_words(rest, table.language, table.sides)).moves:
            doubt = None if side.sure else sentence("Did you say: {move}?", move=rest)
            return self._questioned(Adopt(side.moves[0], mark=table.mark), doubt, table, wake, now_s)
        if (question := asked(rest, table.language, table.named, by_sound=table.by_sound)) is not None:
            return self._about(question, table, wake, now_s)
        said = understand_words(rest, table.language, table.words)
        if said == NOTHING:
            said = understand(rest, table.language, table.moves)
        if said.verb in ANSWERS:
            return self._answered(said.verb == "yes", table.mark, now_s)
        return self._asked_for(said, table, wake, now_s)

    def _about(self, question: Asked, table: Table, wake: str, now_s: float) -> Reply:
        """The question, unless what it names is in doubt or does not exist: then what was heard."""
        kind, heard, way = DECLARED[question.way.verb].kind, question.heard, question.way
        if question.name or not table.named[way.kind]:
            whole = way.written.replace(f"{{{way.kind}}}", question.name)
            doubt = None if question.sure else sentence("Did you say: {move}?", move=whole)
            return self._questioned(kind(question.name or heard), doubt, table, wake, now_s)
        self._asked = None
        if way.kind == "piece":
            return Reply(words=worded("I know no such piece: {text}.", text=heard))
        if CELL.fullmatch(spelled(heard, table.language)):
            return Reply(words=worded("There is no {cell} on this board.", cell=heard))
        return Reply(words=worded("I did not understand which cell: {text}. Say it again.", text=heard))

    def _answered(self, yes: bool, mark: str, now_s: float) -> Reply | None:
        """What follows from an answer; None if nothing was asked, or in another position, or too long ago."""
        asked, self._asked = self._asked, None
        if asked is None or asked.mark != mark or now_s > asked.until_s:
            return None
        return Reply(asked.command) if yes else Reply(words=worded("Then I leave it as it is."))

    def _asked_for(self, said: Said, table: Table, wake: str, now_s: float) -> Reply | None:
        command = _command(said, table)
        question: Sentence | None = QUESTIONS.get(said.verb or "")
        if said.near and question is None:
            question = sentence("Did you say: {move}?", move=said.near)
        if len(said.moves) > 1:
            return Reply(words=worded("Say the whole move, with what it takes."))
        if said.moves and not said.sure:
            question = sentence("Did you say: {move}?", move=said.moves[0])
        return None if command is None else self._questioned(command, question, table, wake, now_s)

    def _questioned(self, command: Command, question: Sentence | None, table: Table, wake: str, now_s: float) -> Reply:
        """The command, or the question on whose answer it waits."""
        self._asked = None
        if question is None:
            return Reply(command)
        self._asked = _Asked(command, table.mark, now_s + ANSWER_S)
        return Reply(words=in_words(question, sentence("Say: {name}, yes.", name=wake)))


def _command(said: Said, table: Table) -> Command | None:
    """The command that is meant, for the present position alone; None if there is none."""
    if said.moves:
        return Move(said.moves[0], mark=table.mark)
    if said.verb == "pass" and PASS in table.moves:
        return Move(PASS, mark=table.mark)
    return None if said.verb is None else DECLARED[said.verb].at(table.mark)
