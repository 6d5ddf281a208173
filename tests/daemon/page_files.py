"""What an address of the page loads."""

from __future__ import annotations

import re

from daemon.drawing.board_style import STYLE
from daemon.outputs.web import PAGE


def loaded_by(document: str) -> set[str]:
    """The names of the page's files that a document loads, with those that these load, and itself."""
    loaded, waiting = set[str](), {document}
    while waiting:
        loaded.add(name := waiting.pop())
        text = (PAGE / name).read_text() if name.endswith((".html", ".js")) else ""
        named = set(re.findall(r'["/]([a-z]+\.(?:js|css|svg|webmanifest))"', text))
        waiting |= {one for one in named - loaded if (PAGE / one).exists()}
    return loaded


def weight_of(document: str) -> int:
    """Bytes that a document and all that it loads have, with the board's style."""
    return sum((PAGE / name).stat().st_size for name in loaded_by(document)) + len(STYLE)
