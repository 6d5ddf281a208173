"""Collects the texts to translate and compiles the translations: `python -m daemon.words.catalogues`.

Reads every `worded`, `worded_n`, `sentence`, `sentence_n`, `noun` and `Term` with a literal text in `wording/`,
`games/`, `calibration/`, `vision/`, `daemon/` and `lab/`, the names of boards' classes, the rules of games and the
options of agents, and the page's `t(...)` and `data-t`. Adds new texts to `languages/*.po`, keeps existing
translations, compiles each file to `.mo`, and names the texts that have no translation yet.
Texts of installed packages are looked up in the packages' own catalogues, and missing ones are counted with the rest.
With `--check` nothing is written, and the status is 1 if a file would change. Needs Babel (the extra `test`).
"""

from __future__ import annotations

import ast
import datetime
import gettext
import importlib.util
import io
import json
import re
import sys
import tomllib
from collections.abc import Collection, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

import games
from agents import agent
from daemon.words.translation import FOLDER, LANGUAGES, MESSAGES, OPTION, compiled, titled
from rules import EMPTY
from wording import plural

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("wording", "rules", "games", "calibration", "vision", "daemon", "lab")
CHOOSING = ("games", "agents")
PAGES = ROOT / "daemon" / "page" / "assets"
KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "worded": None,
    "sentence": None,
    "worded_n": (1, 2),
    "sentence_n": (1, 2),
    "noun": ((1, "c"), 2),
    "Term": ((1, "c"), 2),
}
"""Functions whose arguments are collected; `c` marks the context."""
TRANSLATED_ATTRIBUTES = ("title", "aria-label", "placeholder", "alt")
IN_SCRIPT = re.compile(r"""(?<![\w.])t\(\s*("(?:[^"\\]|\\.)*")""")
"""A text of the page; it may be within a template literal, which Babel does not search."""
LOCALES = {"ro": "ro", "pl": "pl", "vi": "vi", "pt-br": "pt_BR"}
"""Locale of every language that has a catalogue, for the file headers."""
DATED = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
"""Date in every header: a constant, so that unchanged catalogues stay identical byte for byte."""

Message = tuple[str | None, str | tuple[str, ...], str]
"""Context, text (or singular and plural), and source file."""


def main(arguments: Sequence[str] = ()) -> int:
    files = fresh()
    stale = [path for path, content in files.items() if not path.exists() or path.read_bytes() != content]
    if "--check" not in arguments:
        for path in stale:
            path.write_bytes(files[path])
    for path in stale:
        sys.stdout.write(f"{'stale' if '--check' in arguments else 'written'}: {path.relative_to(ROOT)}\n")
    brought = brought_by_packages()
    for language in LOCALES:
        lacking = [*untranslated(catalogue_of(language)), *untranslated_of(brought, language)]
        for text in lacking:
            sys.stdout.write(f"{language} lacks: {text}\n")
        if lacking:
            sys.stdout.write(f"{language}: {len(lacking)} texts are said in English\n")
    return int("--check" in arguments and bool(stale))


def fresh() -> dict[Path, bytes]:
    messages = collected()
    files = {FOLDER / MESSAGES: _listed(messages)}
    for language in LOCALES:
        catalogue = _updated(language, messages)
        source, compiled = io.BytesIO(), io.BytesIO()
        write_po(source, catalogue, width=118, include_lineno=False)
        write_mo(compiled, catalogue)
        files[FOLDER / f"{language}.po"] = source.getvalue()
        files[FOLDER / f"{language}.mo"] = compiled.getvalue()
    return files


def catalogue_of(language: str) -> Catalog:
    path = FOLDER / f"{language}.po"
    if not path.exists():
        return Catalog(locale=LOCALES[language])
    with path.open("rb") as file:
        return read_po(file, locale=LOCALES[language])


def untranslated(catalogue: Catalog) -> list[str]:
    lacking = []
    for message in catalogue:
        parts = message.string if isinstance(message.string, tuple | list) else (message.string,)
        if message.id and not all(parts):
            lacking.append(message.id[0] if isinstance(message.id, tuple | list) else message.id)
    return lacking


def untranslated_of(messages: Sequence[Message], language: str) -> list[str]:
    """The texts that no catalogue of a language translates, ours or a package's."""
    catalogue = compiled(language)
    catalogue.add_fallback(_Nothing())
    lacking = []
    for context, text, _ in messages:
        one = text if isinstance(text, str) else text[0]
        if not (catalogue.gettext(one) if context is None else catalogue.pgettext(context, one)):
            lacking.append(one)
    return list(dict.fromkeys(lacking))


class _Nothing(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return ""

    def pgettext(self, context: str, message: str) -> str:
        return ""


def brought_by_packages() -> list[Message]:
    folders = set()
    for group in (games.ENTRY_POINTS, agent.ENTRY_POINTS):
        for module in games.installed(group).values():
            spec = importlib.util.find_spec(module.__name__.partition(".")[0])
            folders |= {Path(path) for path in (spec and spec.submodule_search_locations) or ()}
    found: list[Message] = []
    for folder in sorted(folders):
        sources = sorted(folder.rglob("*.py"))
        found += _all_of(sources, sources, sorted(folder.glob("**/boards/*.toml")))
    return found


def collected() -> list[Message]:
    found = _all_of(_sources(PACKAGES), _sources(CHOOSING), sorted((ROOT / "games").glob("*/boards/*.toml")))
    for path in sorted(PAGES.glob("*.js")):
        found += [("page", json.loads(text), _place(path)) for text in IN_SCRIPT.findall(_text(path))]
    for path in sorted(PAGES.glob("*.html")):
        reader = _PageReader()
        reader.feed(_text(path))
        found += [("page", text, _place(path)) for text in reader.texts]
    return found


def _sources(packages: Sequence[str]) -> list[Path]:
    return [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]


def _all_of(sources: Sequence[Path], choosing: Sequence[Path], boards: Sequence[Path]) -> list[Message]:
    found = [one for path in sources for one in _of_python(path)]
    sides = {text for context, text, _ in found if context == "side" and isinstance(text, str)}
    found += [one for path in choosing for one in _of_options(path, sides)]
    return found + [one for path in boards for one in _of_board(path)]


def _updated(language: str, messages: Sequence[Message]) -> Catalog:
    old = catalogue_of(language)
    new = Catalog(
        locale=LOCALES[language],
        project="Kibitzer",
        version="0",
        header_comment=old.header_comment if len(old) else f"# What Kibitzer says, in {LANGUAGES[language]}.\n#",
        fuzzy=False,
        charset="utf-8",
        msgid_bugs_address="",
        creation_date=DATED,
        revision_date=DATED,
        last_translator="",
        language_team=LANGUAGES[language],
    )
    for context, text, where in messages:
        before = old.get(text, context) if isinstance(text, str) else old.get(text[0], context)
        string = None if before is None else before.string
        if string is not None and isinstance(string, str) != isinstance(text, str):
            string = None
        new.add(text, string, locations=[(where, 0)], context=context)
    return new


def _listed(messages: Sequence[Message]) -> bytes:
    found = {}
    for context, text, _ in messages:
        one, many = (text, "") if isinstance(text, str) else (text[0], text[1])
        entry = {"text": one, "many": many, "context": context or ""}
        found[one, context] = {name: value for name, value in entry.items() if value}
    return (json.dumps(list(found.values()), ensure_ascii=False, indent=0) + "\n").encode()


def _of_python(path: Path) -> Iterator[Message]:
    with path.open("rb") as file:
        for _line, text, _comments, context in extract("python", file, KEYWORDS, strip_comment_tags=True):
            yield context, text if isinstance(text, str) else tuple(text), _place(path)


def _of_board(path: Path) -> Iterator[Message]:
    for letter, name in tomllib.loads(_text(path))["classes"].items():
        if letter != EMPTY:
            yield "kind", name, _place(path)
            yield "kind", plural(name), _place(path)


def _of_options(path: Path, sides: Collection[str]) -> Iterator[Message]:
    """Menu texts of each field made by `rules.options.rule`: its name, description, and choices that are not sides."""
    for node in ast.walk(ast.parse(_text(path))):
        if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)):
            continue
        field = node.value
        if not (isinstance(field, ast.Call) and isinstance(field.func, ast.Name) and field.func.id == "rule"):
            continue
        chosen = [one.value for one in field.keywords if one.arg == "choices"]
        parts = [one for tuple_ in chosen if isinstance(tuple_, ast.Tuple) for one in tuple_.elts]
        choices = [one.value for one in parts if isinstance(one, ast.Constant) and one.value not in sides]
        doc = ast.literal_eval(field.args[1])
        for text in (titled(node.target.id), doc, *choices):
            if re.search("[a-z]", text):
                yield OPTION, text, _place(path)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.as_posix()


class _PageReader(HTMLParser):
    """Collects the texts of elements with `data-t`, and the values of attributes such as `data-t-title`."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        marked = [name for name in TRANSLATED_ATTRIBUTES if f"data-t-{name}" in given]
        self.texts += [value for name in marked if (value := given[f"data-t-{name}"] or given.get(name))]
        if given.get("data-t"):
            self.texts.append(str(given["data-t"]))
        elif "data-t" in given:
            self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open += data

    def handle_endtag(self, tag: str) -> None:
        if self._open is not None and self._open.strip():
            self.texts.append(" ".join(self._open.split()))
        self._open = None


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
