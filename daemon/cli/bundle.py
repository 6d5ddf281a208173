"""`kibitzer bundle`: asks the running daemon to pack its last seconds into one file."""

from __future__ import annotations

import json as json_format
import sys
from pathlib import Path
from typing import Annotated

import typer

from daemon.bundles.bundle import BundleError
from daemon.bundles.bundle_requests import BundleRequest, ask
from daemon.cli.wrong_call import stop
from daemon.config.settings import DEFAULT, ConfigError, load_config
from system import paths

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("bundle")
def bundle(
    last: Annotated[
        float, typer.Option(min=0, max=3600, help="Seconds to pack; 0: all that the daemon keeps in memory.")
    ] = 0.0,
    note: Annotated[str, typer.Option(help="What went wrong, in your own words; stored in the file.")] = "",
    config: Annotated[Path, typer.Option(help="The daemon's settings; they say where bundles go.")] = DEFAULT,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object: path, frames, seconds, bytes.")] = False,
) -> None:
    """Packs the last seconds at a running daemon's table into one file, to look at a fault again or report it.

    The daemon keeps pictures only if the section `bundles` of its settings has enabled = true. The file holds the
    pictures with their exact times, the game so far, what was said, the table profile, versions and digests, and the
    settings without addresses, paths, keys and engines.

    PRIVACY: the pictures show the table, hands and everything else the camera sees. The file stays on this computer,
    readable by you alone; nothing is sent anywhere. It is a zip file with JPEGs: look at them before you pass it on.

    `kibitzer replay FILE` plays the file. Exit status: 0 packed, 2 not packed.

    Example: kibitzer bundle --last 10 --note "said illegal, was legal"
    """
    try:
        settings = load_config(config)
        request = BundleRequest(table=settings.bus.table, last_s=last or None, note=note)
        answer = ask(paths.resolved(settings.bundles.folder), request)
        if answer.why:
            raise BundleError(answer.why)
    except (ConfigError, BundleError) as error:
        raise stop("bundle", error) from None
    except ValueError:
        raise stop("bundle", "--note has at most 1024 characters") from None
    if json:
        fields = {"path": answer.path, "frames": answer.frames, "seconds": answer.seconds, "bytes": answer.bytes}
        sys.stdout.write(json_format.dumps(fields) + "\n")
        return
    sys.stdout.write(f"{answer.path}\n")
    sys.stderr.write(
        f"{answer.frames} pictures of {answer.seconds:g} s, {answer.bytes / 1e6:.1f} MB. "
        "They show the table and the hands: look at them before you hand the file on.\n"
    )
