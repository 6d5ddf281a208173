"""`kibitzer schema`: JSON Schemas of the settings, the bus messages, and the page's requests and answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer
from pydantic import TypeAdapter

from agents.messages import DaemonMessage, WorkerMessage
from daemon.commands.command import commands_schema
from daemon.config.settings import Config
from daemon.page.page_state import Events, Health, Live, Ready

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Which = Literal["config", "bus", "page"]

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command("schema")
def schema(
    of: Annotated[Which, typer.Argument(help="The settings, the bus messages, or the page's requests and answers.")],
) -> None:
    """Prints the JSON Schema of the settings, the bus or the page, for editors and other programs.

    The bus schema covers every message, from and to workers. The page schema is an object with `tell` (requests
    posted there) and `live`, `events`, `healthz` and `readyz` (answers).

    Example: kibitzer schema config > kibitzer.schema.json
    """
    sys.stdout.write(json.dumps({"$schema": DIALECT, **SCHEMAS[of]()}, indent=2) + "\n")


def of_config() -> dict[str, Any]:
    return Config.model_json_schema()


def of_bus() -> dict[str, Any]:
    return TypeAdapter[Any](WorkerMessage | DaemonMessage).json_schema() | {"title": "Message on the bus"}


def of_page() -> dict[str, Any]:
    answers = {"live": Live, "events": Events, "healthz": Health, "readyz": Ready}
    inputs = [(name, "serialization", TypeAdapter[Any](kind)) for name, kind in answers.items()]
    found, shared = TypeAdapter.json_schemas(inputs)  # type: ignore[arg-type]
    properties = {"tell": commands_schema()} | {name: found[name, "serialization"] for name in answers}
    return shared | {"title": "Page", "type": "object", "properties": properties}


SCHEMAS: dict[Which, Callable[[], dict[str, Any]]] = {"config": of_config, "bus": of_bus, "page": of_page}
