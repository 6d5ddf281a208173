"""The moves of move text with their comments, as programs and people write them, and the result."""

from __future__ import annotations

import dataclasses
import re

from daemon.record.formats.imported import (
    DASHES,
    MAX_COMMENT_LENGTH,
    ImportedPly,
    ImportFault,
    clock_seconds,
    seconds,
)
from daemon.record.formats.movetext import BRACES, Dialect
from wording.outside import clean, visible

RESULTS = {"1-0": 0, "2-0": 0, "0-1": 1, "0-2": 1, "1/2-1/2": -1, "1-1": -1}
"""Who won: 0 White, 1 Black, -1 nobody; the texts with two points are only read."""
SHORT = {"1/2": "1/2-1/2", "½-½": "1/2-1/2", "½": "1/2-1/2", "0.5-0.5": "1/2-1/2", "0,5-0,5": "1/2-1/2",
         "+/-": "1-0", "-/+": "0-1", "=/=": "1/2-1/2", "-/-": "1/2-1/2", "1:0": "1-0", "0:1": "0-1"}  # fmt: skip
"""Results as people write them; those with signs are of games that nobody played."""
PASSED_OVER = "the sign {} beside a move is passed over"
NULL = ("--", "Z0", "@@@@", "null")
"""What stands for a move that was not made."""
DASH = "[-\u2010-\u2015\u2212]"
ENDS = re.compile("|".join(re.escape(one).replace("\\-", DASH) for one in ["*", *RESULTS, *SHORT]))
WORD = re.compile(rf"\{{([^}}]*)\}}|({ENDS.pattern})(?=\s|$)|(\d{{1,5}})(\.+)|([^\s{{}}()]+)|(\S)")
"""A comment, a result, a number and its dots, a move, or what is none of them."""
SIGN = re.compile(r"\$.*|(?=-*[^\w-])\W+|e\.?p\.?|N|(?:dbl)?ch\.?|mate|\d\*")
"""What people write beside a move: a figure, `!`, `+-`, `±`, in passing, a novelty, check."""
FIGURE = re.compile(r"\$\d{1,3}")
"""The one of them that PGN and PDN know."""
LONGEST = 256
"""Characters of a move with its captures, at most; by 20 captures in draughts, as many as there are men, it has 62."""
CELL = re.compile(r"[A-Za-z]\d{1,2}")
TAKEN = re.compile(r"x[A-Za-z]\d{1,2}")
COMMAND = re.compile(r"\[%(clk|emt|eval)\s+([^\]\s]{1,20})\s*\]")
CAPTURED = re.compile(r"\A\s*(?:takes|turns)(?:\s+[a-z]\d{1,2})+(?!\S)")
"""What export says about captures where the move does not tell them."""


class Body:
    """The moves with their comments, the result, and the comment before the first move.

    Moves of a game with a standard of its own stand apart and are named by their numbers in the file. `told` grows by
    what departs from that standard.
    """

    def __init__(self, dialect: Dialect | None, told: list[str]) -> None:
        self._dialect, self._told = dialect, told
        self.plies: list[ImportedPly] = []
        self.result = self.comment = ""
        self._turn = 1
        self._cut = False

    def read(self, body: str) -> None:
        """Raises ImportFault."""
        depth = 0
        for comment, end, number, dots, move, other in (match.groups("") for match in WORD.finditer(body)):
            depth += (other == "(") - (other == ")")
            if depth < 0 or (other and other not in "()"):
                last = self.plies[-1].number if self.plies else ""
                raise ImportFault(f"after move {last or len(self.plies)}: {other!r} belongs to no move")
            if depth or other:
                continue
            if self.result and (move or end):
                raise ImportFault(f"{(move or end)[:40]!r} stands after the result")
            if end:
                self._end(end)
            elif number:
                self._turn = 2 * int(number) + (len(dots) > 1) - 1
            elif comment and self.plies:
                self.plies[-1] = _with_comment(self.plies[-1], comment, self._dialect)
            elif comment:
                self.comment = _longer(self.comment, comment)
            elif move:
                self._move(move)
        if depth:
            raise ImportFault("a parenthesis is not closed: the file was cut short")

    def _end(self, end: str) -> None:
        plain = end.translate(DASHES)
        if self.plies and plain in SHORT and "/" in plain and plain != "1/2":
            self._told.append(PASSED_OVER.format(end))  # one side stands better
        else:
            self.result = hyphened(end, self._told)

    def _move(self, word: str) -> None:
        if self._dialect is None:
            if TAKEN.fullmatch(word) and self.plies:
                self._go_on(self.plies[-1].text + word)
            elif not word.startswith("$"):
                self.plies += map(ImportedPly, _apart(word))
            return
        plain = word.translate(DASHES)
        if word.isdecimal() and len(word) < 4 and int(word) in ((self._turn + 1) // 2, self._turn // 2):
            self._told.append("move numbers have no dots")
        elif plain in NULL and self._cut:
            return
        elif plain in NULL:
            self._told.append(f"from move {self._named(1)} on the moves are left out: {plain} is none")
            self._cut = True
        elif not word.strip("."):
            self._turn += self._turn % 2  # `2. ...`, the same as `2...`
        elif SIGN.fullmatch(word):
            if not FIGURE.fullmatch(word):
                self._told.append(PASSED_OVER.format(word[:20]))
        else:
            bare = hyphened(word, self._told).rstrip("!?*")
            if "*" in word[len(bare) :]:
                self._told.append(PASSED_OVER.format("*"))
            self._ply(bare)

    def _ply(self, word: str) -> None:
        assert self._dialect is not None
        text, joined, why = self._dialect.mended(word, self.plies[-1].text if self.plies else "")
        if why:
            self._told.append(why)
        if joined:
            self._go_on(text)
            return
        self._turn += 1
        if not self._cut:
            self.plies.append(ImportedPly(text, number=self._named(0)))

    def _go_on(self, text: str) -> None:
        """The last move has more captures: this is its text. Raises ImportFault."""
        if len(text) > LONGEST:
            raise ImportFault(f"move {self.plies[-1].number or len(self.plies)}, {text[:40]}: no move takes so many")
        self.plies[-1] = dataclasses.replace(self.plies[-1], text=text)

    def _named(self, later: int) -> str:
        turn = self._turn + later
        return f"{turn // 2}{turn % 2 * '...'}"


def _apart(word: str) -> list[str]:
    """The moves of a word: several where cells follow each other without a space, `h8i9h9`."""
    cells = CELL.findall(word)
    return cells if len(cells) > 1 and "".join(cells) == word else [word.rstrip("!?")]


def hyphened(text: str, told: list[str]) -> str:
    plain = text.translate(DASHES)
    if plain != text:
        told.append("dashes are read as hyphens")
    return plain


def braced(found: re.Match[str]) -> str:
    """A comment after a semicolon in braces, as other comments; nothing for a line for other programs."""
    mark, rest = found[0][0], found[0][1:]
    return found[0] if mark == "{" else f"{{{rest.translate(BRACES)}}}" if mark == ";" else ""


def _with_comment(ply: ImportedPly, comment: str, dialect: Dialect | None) -> ImportedPly:
    """The move with the time left, time used and agent's evaluation from a comment, and its words."""
    score_of = getattr(dialect, "score_of", lambda text, _side: seconds(text, most=1e8))
    comment = visible(comment)  # a character that is not seen parts no command
    commands = {found[1]: found[2] for found in COMMAND.finditer(comment)}
    words = _longer(ply.comment, COMMAND.sub(" ", comment if dialect else CAPTURED.sub("", comment)))
    while COMMAND.search(words):  # what stood around another command
        words = clean(COMMAND.sub(" ", words), MAX_COMMENT_LENGTH)
    return dataclasses.replace(
        ply,
        spent_s=clock_seconds(commands["emt"]) if "emt" in commands else ply.spent_s,
        left_s=clock_seconds(commands["clk"]) if "clk" in commands else ply.left_s,
        score=score_of(commands["eval"], int(ply.number.endswith("."))) if "eval" in commands else ply.score,
        comment=words,
    )


def _longer(kept: str, words: str) -> str:
    """A comment with what follows; one that is full, but for a blank at its end, is returned unchanged."""
    return kept if len(kept) >= MAX_COMMENT_LENGTH - 1 else clean(f"{kept} {words}", MAX_COMMENT_LENGTH)
