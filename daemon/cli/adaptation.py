"""`kibitzer adaptation`: shows or deletes what Kibitzer learnt of a table during play."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from calibration.profile import ProfileError, TableProfile
from daemon.cli.wrong_call import stop
from daemon.perception.learning.generations import (
    Adapted,
    AdaptedError,
    adapted_path,
    digest_of,
    load_adapted,
    save_adapted,
)
from daemon.perception.learning.trial import score_text
from vision.reading.heads import Head, head_from_arrays

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="markdown")

PROFILE = typer.Argument(metavar="PROFILE", help="Table profile made by `kibitzer calibrate`, such as table.npz.")


@app.callback()
def adaptation() -> None:
    """Shows or deletes what Kibitzer learnt of a table during play.

    With `[vision] adapt = true` in config.toml, Kibitzer fits its classifiers ("heads") to boards that play has
    confirmed. It stores them beside the profile, as TABLE.adapted.npz beside TABLE.npz, and never changes the profile.
    """


@app.command("show")
def show(
    profile: Annotated[Path, PROFILE],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to standard output instead of words.")] = False,
) -> None:
    """Shows each adapted head (generation) of a table, and the scores that it was accepted for.

    --json prints one object: file, examples (cells that the next head will be fitted to), generations (number, created,
    boards, examples, before and after with loss, right and cells, set_aside).

    Example: kibitzer adaptation show table.npz
    """
    path, _, kept = _open("show", profile)
    examples = 0 if kept.examples is None else len(kept.examples.letters)
    facts = [
        {name: getattr(one, name) for name in ("number", "created", "boards", "examples", "set_aside")}
        | {name: vars(getattr(one, name)) for name in ("before", "after")}
        for one in kept.generations
    ]
    if as_json:
        found = {"file": str(path), "examples": examples, "generations": facts}
        sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
        return
    if not kept.generations:
        sys.stderr.write(f"{profile} has not been adapted\n")
    for one in kept.generations:
        aside = "; set aside, since another read better" if one.set_aside else ""
        sys.stderr.write(
            f"generation {one.number}, {one.created}: {one.examples} cells of {one.boards} boards; "
            f"before {score_text(one.before)}; since {score_text(one.after)}{aside}\n"
        )


@app.command("revert")
def revert(
    profile: Annotated[Path, PROFILE],
    to: Annotated[int, typer.Option(min=0, help="Newest generation to keep; 0 goes back to the calibration.")] = 0,
) -> None:
    """Deletes what was learnt of a table during play.

    --to 0 deletes the whole file beside the profile, including the examples. A running daemon that uses the profile
    goes back to the calibration at the next confirmed move, and learns nothing more until it is restarted.

    Example: kibitzer adaptation revert table.npz
    """
    path, first, kept = _open("revert", profile)
    left = tuple(one for one in kept.generations if one.number <= to)
    if to and to not in {one.number for one in kept.generations}:
        numbers = ", ".join(str(one.number) for one in kept.generations) or "none"
        raise stop("adaptation revert", f"--to {to}: there is no generation {to}; there is {numbers}")
    try:
        if left:
            save_adapted(path, digest_of(first), Adapted(left))
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise stop("adaptation revert", f"{path}: {error.strerror or error}") from None
    gone = len(kept.generations) - len(left)
    now = f"adapted up to generation {to}" if left else "as it was made"
    sys.stderr.write(f"{gone} generations forgotten; {profile} is {now}\n")


def _open(command: str, profile: Path) -> tuple[Path, Head, Adapted]:
    """Returns the path, the profile's own head and the adapted heads. Reports an error and raises typer.Exit."""
    path = adapted_path(profile)
    try:
        first = head_from_arrays(TableProfile.load(profile).head)
        return path, first, load_adapted(path, digest_of(first))
    except AdaptedError as error:
        if command == "revert":
            return path, first, Adapted()  # what cannot be read can be deleted all the same
        raise stop(f"adaptation {command}", error) from None
    except (ProfileError, ValueError) as error:
        raise stop(f"adaptation {command}", error) from None
