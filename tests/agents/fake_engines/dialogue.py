"""An engine that holds one dialogue and no other: `dialogue.py FILE [ENCODING]`.

Lines of FILE: `> PATTERN` must be what comes next, or the engine ends with status 9; `< TEXT` is said; `~ SECONDS` is
a pause, and `! SECONDS` one in which nothing may come, or it ends with status 8; `+ NAME` lets the next start hold the
dialogue of the file NAME beside this one. At the end of FILE it waits for more and says nothing.
"""

from __future__ import annotations

import re
import select
import sys
import time
from pathlib import Path

encoding = sys.argv[2] if sys.argv[2:] else "ascii"
for step in Path(sys.argv[1]).read_text().splitlines():
    kind, _, text = step.partition(" ")
    if kind == ">" and not re.fullmatch(text, sys.stdin.readline().strip()):
        sys.exit(9)
    if kind == "<":
        sys.stdout.buffer.write(f"{text}\r\n".encode(encoding))
        sys.stdout.buffer.flush()
    if kind == "!" and select.select([sys.stdin], [], [], float(text))[0]:
        sys.exit(8)
    if kind == "+":
        Path(sys.argv[1]).with_name(text).replace(sys.argv[1])
    if kind == "~":
        time.sleep(float(text))
sys.stdin.read()
