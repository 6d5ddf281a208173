"""From a text to what it means in the present position: a verb, a legal move, or nothing. Nothing is guessed."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence

from daemon.commands.spoken.words import ALPHABET, ANSWERS, Asking, Words, plain, words_of

MOST_WORDS = 15
"""Words of the longest command: three cells of at most four words, and what stands between them."""
CELLS = re.compile(r"[a-t]\d{1,2}(?:[-x][a-t]\d{1,2})*", re.IGNORECASE)
"""Moves that people say cell by cell."""
CELL = re.compile(r"[a-t] \d{1,2}|\d{1,2}")
"""A cell's name as `spelled` writes it."""
SPELLING = frozenset(name for names in ALPHABET.split() for name in names.split("/"))
RHYMING = frozenset(map(str, (*range(13, 21), 30, 40, 50)))
"""Numbers that sound alike, and were taken for each other: 18 and 19, 14 and 40, 19 and 20."""
PASS = "pass"
MOST_COUNT = 3
"""Words of the longest number."""
MOST_CALL = 4
"""Words that a recogniser may make of a name."""


@dataclasses.dataclass(frozen=True)
class Said:
    verb: str | None = None
    near: str = ""
    """The words for the verb to which these are nearest, if they are not just these."""
    moves: tuple[str, ...] = ()
    """The legal moves that it may mean: one, or those that begin like it."""
    sure: bool = False
    """Whether it names the only move whole, and no word misheard would make another legal move of it."""


NOTHING = Said()


def phrases_of(moves: Sequence[str], language: str) -> list[str]:
    """Everything that is understood after a call, for a recogniser that must know beforehand; letters stay letters."""
    words = words_of(language)
    between = min(words.between)
    said = [_cells(move) for move in moves if CELLS.fullmatch(move)]
    return [
        *words.verbs,
        *(one for cells in said for one in dict.fromkeys((" ".join(cells), f" {between} ".join(cells)))),
    ]


@dataclasses.dataclass(frozen=True)
class Asked:
    way: Asking
    name: str
    """As the game has it; empty if it has no such thing."""
    heard: str
    """The name as it was heard, cells as they are written."""
    sure: bool = True
    """False for a cell whose letter may be another: it was written as a word, `be` for b, or guessed by its sound."""


def asked(text: str, language: str, named: Mapping[str, Mapping[str, str]], *, by_sound: bool = False) -> Asked | None:
    """What is asked about something with a name, of the `named` by `cell` and `piece`; None if nothing is.

    The names are looked up as `spelled` writes them. `by_sound` is true of a recogniser that must take one of the
    names in its grammar, many of which rhyme: then only the spelling alphabet and numbers apart from RHYMING are sure.
    """
    words = words_of(language)
    told = _polite_left_out(plain(text, language), words).split()
    found = None
    for one in words.asking:
        first, last = len(one.before), len(told) - len(one.after)
        if first >= last or (*told[:first], *told[last:]) != one.before + one.after:
            continue
        middle = _field_left_out(" ".join(told[first:last]), words) if one.kind == "cell" else told[first:last]
        name = spelled(" ".join(middle), language)
        if name in named[one.kind]:
            return Asked(one, named[one.kind][name], name.replace(" ", ""), _is_sure(name, middle[0], by_sound))
        heard = name.replace(" ", "") if CELL.fullmatch(name) else " ".join(middle)
        found = found or Asked(one, "", heard)
    return found


def _field_left_out(told: str, words: Words) -> list[str]:
    start = max((one for one in words.fields if told.startswith(f"{one} ")), key=len, default="")
    return told.removeprefix(start).split()


def _is_sure(name: str, first: str, by_sound: bool) -> bool:
    """Whether a name has no letter of a column, or that letter was told in the spelling alphabet, or surely written."""
    if not CELL.fullmatch(name):
        return True
    letter, number = name.rpartition(" ")[::2]
    told = not letter or first in SPELLING
    return told and number not in RHYMING if by_sound else told or first == letter


def asking_phrases(language: str, named: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The questions of `asked` as parts of a grammar: one for each way of asking, however many cells a board has.

    Any letter of a column may be followed by the number of any row, so that cells which the board lacks are heard, too.
    """
    words = words_of(language)
    cells = [name.split() for name in named["cell"]]
    columns = [list(dict.fromkeys(column)) for column in zip(*cells, strict=True)]
    field = f"[ {words.fields[0]} ]"
    groups = {
        "cell": " ".join([field, *(f"( {' | '.join(column)} )" for column in columns)]) if cells else "",
        "piece": f"( {' | '.join(named['piece'])} )" if named["piece"] else "",
    }
    return [" ".join([*one.before, groups[one.kind], *one.after]) for one in words.asking if groups[one.kind]]


def _cells(move: str) -> list[str]:
    return [f"{letter} {number}" for letter, number in zip(*[iter(symbols_of(move))] * 2, strict=True)]


def understand(text: str, language: str, moves: Sequence[str]) -> Said:
    """The meaning of a text without a call, among the legal `moves`; `NOTHING` if it has none."""
    words = words_of(language)
    told = _polite_left_out(plain(text, language), words)
    verb = words.verbs.get(told)
    if verb is not None:
        return Said(verb)
    symbols = _symbols(told.split(), words)
    if not symbols:
        return _nearest(told, words)
    known = {move: symbols_of(move) for move in moves if CELLS.fullmatch(move)}
    exact = [move for move, own in known.items() if own == symbols]
    if exact:
        return Said(moves=(exact[0],), sure=not any(_differ_by_one(own, symbols) for own in known.values()))
    return Said(moves=tuple(move for move, own in known.items() if own[: len(symbols)] == symbols))


def understand_words(text: str, language: str, words: Mapping[str, str]) -> Said:
    """The move that a text names in the words of its game, "knight to f3", among those of `words`; else `NOTHING`."""
    known = words_of(language)
    said = _bare(spelled(_polite_left_out(plain(text, language), known), language), known)
    for start in (_bare(spelled(one, language), known) for one in known.choosing):
        if said[: len(start)] == start and " ".join(said[len(start) :]) in words:
            said = said[len(start) :]  # a choice is as sure by its name alone
    meant = {move for phrase, move in words.items() if _bare(phrase, known) == said}
    if not said or len(meant) != 1:
        return NOTHING
    (move,) = meant
    others = [_bare(phrase, known) for phrase, other in words.items() if other != move]
    return Said(moves=(move,), sure=len(said) == 1 or not any(_differ_by_one(other, said) for other in others))


def _bare(phrase: str, words: Words) -> list[str]:
    return [word for word in phrase.split() if word not in words.between]


def spelled(text: str, language: str) -> str:
    """The words of a text as phrases are compared: cells as a letter and a number, `f 3`, or a number, `22`."""
    words, told, found, place = words_of(language), plain(text, language).split(), list[str](), 0
    while place < len(told):
        letter = next((name for name in _beginnings(told, place) if name in words.letters), "")
        after = place + len(letter.split())
        number = next((name for name in _beginnings(told, after) if name in words.numbers), "") if letter else ""
        if number:
            found += [words.letters[letter], words.numbers[number]]
            place = after + len(number.split())
        elif count := next((name for name in _beginnings(told, place, MOST_COUNT) if name in words.counts), ""):
            found.append(words.counts[count])
            place += len(count.split())
        else:
            found.append(told[place])
            place += 1
    return " ".join(found)


def _nearest(told: str, words: Words) -> Said:
    """The verb of the words that differ least from these, in one letter of five at most; `NOTHING` if it is not clear.

    No answer is taken for one that is only like it.
    """
    far = {phrase: _distance(told, phrase) for phrase, verb in words.verbs.items() if verb not in ANSWERS}
    phrase = min(far, key=lambda one: far[one])
    verb = words.verbs[phrase]
    if far[phrase] > len(phrase) // 5 or any(far[other] <= far[phrase] for other in far if words.verbs[other] != verb):
        return NOTHING
    return Said(verb, words.written[phrase])


def called(text: str, language: str, wake: str) -> str | None:
    """The text after the call that it begins with, such as "Kibitzer, undo"; None if it does not begin with it.

    Recognisers seldom know the name: one letter in four may differ, and blanks do not count.
    """
    name = plain(wake, language).replace(" ", "")
    words = plain(text, language).split()
    heard = [_distance("".join(words[:count]), name) for count in range(min(MOST_CALL, len(words)) + 1)]
    nearest = heard.index(min(heard))
    return " ".join(words[nearest:]) if heard[nearest] <= len(name) // 4 else None


@functools.lru_cache(1000)
def symbols_of(move: str) -> tuple[str, ...]:
    """Letters and numbers of a move, in the order in which they are said."""
    return tuple(re.findall(r"[a-t]|\d+", move.lower()))


def _polite_left_out(told: str, words: Words) -> str:
    for one in words.polite:
        told = told.removeprefix(f"{one} ").removesuffix(f" {one}")
    return told


def _symbols(told: Sequence[str], words: Words) -> tuple[str, ...]:
    """The cells named, as letters and numbers in turn; empty if there is anything else."""
    if len(told) > MOST_WORDS:
        return ()
    found: list[str] = []
    place = 0
    while place < len(told):
        meant = words.numbers if len(found) % 2 else words.letters
        name = next((name for name in _beginnings(told, place) if name in meant), None)
        if name is not None:
            found.append(meant[name])
            place += len(name.split())
        elif found and not len(found) % 2 and told[place] in words.between:
            place += 1
        else:
            return ()
    return tuple(found) if not len(found) % 2 and told[-1:] and told[-1] not in words.between else ()


def _beginnings(told: Sequence[str], place: int, most: int = 2) -> list[str]:
    """The next `most` words, one less, and so on to the next one."""
    return [" ".join(told[place : place + count]) for count in range(most, 0, -1)]


def _differ_by_one(one: Sequence[str], other: Sequence[str]) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _distance(one: str, other: str) -> int:
    """Letters to change, add or leave out to make one word of the other."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        before, row[0] = row[0], number
        for place, wanted in enumerate(other, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != wanted))
    return row[-1]
