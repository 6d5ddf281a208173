"""The options of a game's rules: their declaration, and their values from texts."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from rules import AnyGame, RuleError, RuleSet
from wording import Term

T = TypeVar("T")


def rule(
    default: Any,
    doc: str,
    *,
    choices: Sequence[str] | None = None,
    minimum: int | None = None,
    maximum: int | None = None,
    drawn: bool = False,
) -> Any:
    """A field of a game's `Rules`; `doc` is shown in `--help` and error messages.

    `drawn` marks an option that is not a mere switch and whose value changes what is drawn on the board.
    """
    return dataclasses.field(
        default=default,
        metadata={"doc": doc, "choices": choices, "minimum": minimum, "maximum": maximum, "drawn": drawn},
    )


def described(kind: Any) -> list[dict[str, Any]]:
    """A dataclass's `rule` fields as data: name, doc, kind, default, choices, minimum and maximum."""
    types = typing.get_type_hints(kind)
    return [
        {"name": field.name, "kind": types[field.name].__name__, "default": field.default}
        | {key: field.metadata[key] for key in ("doc", "choices", "minimum", "maximum")}
        for field in dataclasses.fields(kind)
    ]


RULE_SET = "set"
"""What chooses a rule set, among the rule options; options beside it override those of the set."""


def parse_rules(game: type[AnyGame], rules: Mapping[str, object]) -> Any:
    """A game's `Rules` from names and values. Raises RuleError naming the option, the value and the allowed values."""
    kind: Any = getattr(game, "Rules")  # noqa: B009 - the protocol declares the instance's attribute only
    given = {name: value for name, value in rules.items() if name != RULE_SET}
    if RULE_SET in rules:
        name = str(rules[RULE_SET]).strip().lower()
        if name not in game.about.rule_sets:
            raise RuleError(f"{game.name} has no rule set {name!r}; it has {', '.join(game.about.rule_sets) or 'none'}")
        given = {**game.about.rule_sets[name].options, **given}
    return parse_options(kind, given, game.name, "rule option")


def rule_set_of(game: AnyGame) -> RuleSet | None:
    """The rule set that the game is played by, whoever begins; None for any other mixture of options."""
    values = vars(game.rules)
    for found in game.about.rule_sets.values():
        wanted = vars(parse_rules(type(game), found.options))
        if all(value == wanted[name] for name, value in values.items() if name != "first"):
            return found
    return None


def named(game: AnyGame) -> Term:
    """What people call the game: its rule set, if it has one that differs from the defaults, else its title."""
    by = rule_set_of(game)
    return Term("game", game.title) if by is None or not by.options else Term("rules", by.title)


def parse_options(kind: type[T], options: Mapping[str, object], owner: str, noun: str) -> T:
    """A dataclass of `rule` fields from names and values; `owner` and `noun` begin the error messages.

    Raises RuleError naming the option, the value and the allowed values.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    types = typing.get_type_hints(kind)
    values: dict[str, object] = {}
    for name, value in options.items():
        if name not in fields:
            raise RuleError(f"{owner} has no {noun} {name!r}; it has {', '.join(fields) or 'none'}")
        values[name] = _option_value(f"{owner}: {noun} {name}", fields[name], types[name], value)
    return kind(**values)


def _option_value(option: str, field: dataclasses.Field[Any], kind: type, value: object) -> object:
    text = str(value).strip().lower()
    if kind is bool:
        if text not in ("true", "false", "yes", "no", "on", "off", "1", "0"):
            raise RuleError(f"{option} is true or false, not {value!r}")
        return text in ("true", "yes", "on", "1")
    if kind is int:
        low, high = field.metadata["minimum"], field.metadata["maximum"]
        try:
            number = int(text)
        except ValueError:
            raise RuleError(f"{option} is a whole number, not {value!r}") from None
        if (low is not None and number < low) or (high is not None and number > high):
            raise RuleError(f"{option} is between {low} and {high}, not {number}")
        return number
    if not field.metadata["choices"]:
        return str(value).strip()
    if text not in field.metadata["choices"]:
        raise RuleError(f"{option} is one of {', '.join(field.metadata['choices'])}, not {value!r}")
    return text


def rules_from_words(words: Sequence[str]) -> dict[str, object]:
    """Rule options from `name=value` command-line words; one without `=` is a rule set. Raises RuleError."""
    rules: dict[str, object] = {}
    for word in words:
        name, _, value = word.partition("=") if "=" in word else (RULE_SET, "=", word)
        if not name.strip() or not value.strip():
            raise RuleError(f"a rule option is name=value, such as flying=true, or a rule set, not {word!r}")
        rules[name.strip()] = value.strip()
    return rules


def switched_on(game: AnyGame) -> frozenset[str]:
    """Names of options that are on, plus `size=19` for changed `drawn` ones: some change what is drawn on the board."""
    fields, values = dataclasses.fields(game.rules), dataclasses.asdict(game.rules)
    drawn = {field.name for field in fields if field.metadata.get("drawn") and values[field.name] != field.default}
    return frozenset(
        {name for name, value in values.items() if value is True} | {f"{name}={values[name]}" for name in drawn}
    )
