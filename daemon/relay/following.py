"""What a relay has to send: the games of a record from one on, each as it stands now."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from calibration.atomic_file import write_private
from daemon.record.formats.formats import live
from daemon.record.formats.played import ExportError
from daemon.record.journal import Journal, JournalError
from daemon.record.stored_game import EVENT, StoredGame, StoredNote
from daemon.relay.places import Place, Sheet

SUFFIX = ".relays"
KEPT = 64
"""Games remembered: as many as a study has chapters."""


@dataclasses.dataclass(frozen=True)
class Sent:
    """What became of a game."""

    game_id: str
    number: int
    """Counts the games sent to an address."""
    digest: str = ""
    """Of the text sent last."""
    mark: str = ""
    over: bool = False
    """Whether that text had the end of the game."""


class Memory:
    """What was sent to one address, in a small file beside the record, so that a relay that was stopped goes on."""

    def __init__(self, journal: Path, address: str) -> None:
        name = hashlib.sha256(address.encode()).hexdigest()[:16]
        self._path = journal.with_name(journal.name + SUFFIX) / f"{name}.json"
        self.games: dict[str, Sent] = {}
        try:
            found: list[Sent] = TypeAdapter(list[Sent]).validate_json(self._path.read_bytes(), strict=True)
        except (OSError, ValidationError):
            return  # nothing was sent yet; at worst what was sent is sent again
        self.games = {one.game_id: one for one in found}

    def of(self, game_id: str) -> Sent:
        """What became of the game; it has the next number if nothing has."""
        number = max((one.number for one in self.games.values()), default=0) + 1
        return self.games.get(game_id, Sent(game_id, number))

    def keep(self, sent: Sent) -> None:
        """Raises OSError."""
        self.games[sent.game_id] = sent
        for one in list(self.games)[:-KEPT]:
            del self.games[one]
        kept: list[dict[str, Any]] = [dataclasses.asdict(one) for one in self.games.values()]
        write_private(self._path, json.dumps(kept).encode())


class Following:
    """Reads the record while a daemon writes it. Used by one thread.

    Followed are the game that runs now, all that begin later, and those whose end was not sent before a stop. Others
    that were played meanwhile are nobody's business here.
    """

    def __init__(self, journal: Journal, place: Place, memory: Memory) -> None:
        """Raises JournalError."""
        self._journal, self._place, self._memory = journal, place, memory
        self._version: object = None
        self.refused: dict[str, str] = {}
        """Digests of texts that the place does not take, by game."""
        self.untold: dict[str, str] = {}
        """Why games cannot be shown at present, by game."""
        self._left = [one.game_id for one in memory.games.values() if not one.over]
        running = journal.unfinished()
        beginning = "(SELECT rowid FROM games WHERE game_id = ?)", "(SELECT MAX(rowid) + 1 FROM games)", "1"
        rows = journal.rows(f"SELECT COALESCE({', '.join(beginning)})", [running and running.game_id])
        self._begun = rows[0][0]

    def changed(self) -> bool:
        """Whether the record was written since the last call. Raises JournalError."""
        before = self._version
        self._version = self._journal.rows("PRAGMA data_version")[0][0]
        return before != self._version

    def due(self) -> tuple[Sheet, Sent] | None:
        """The first game of which the place does not have all, and what it has; None if there is none.

        Raises JournalError.
        """
        ids = self._ids()
        for game_id in ids:
            sent = self._memory.of(game_id)
            if sent.over and game_id != ids[-1]:
                continue  # after the next one has begun, nothing is taken back
            try:
                sheet = self._sheet(self._journal.game(game_id), sent.number)
            except ExportError as error:
                self.untold[game_id] = str(error)
                continue
            except JournalError as error:
                if error.code not in ("unknown_game", "unreadable"):
                    raise
                self.untold[game_id] = str(error)
                continue
            if digest_of(sheet) not in (sent.digest, self.refused.get(game_id)):
                return sheet, sent
        return None

    def _ids(self) -> list[str]:
        """Ids of the games followed, without those that were imported."""
        left = ", ".join("?" * len(self._left))
        query = f"SELECT game_id FROM games WHERE source = '' AND (rowid >= ? OR game_id IN ({left})) ORDER BY rowid"
        return [row["game_id"] for row in self._journal.rows(query, [self._begun, *self._left])]

    def _sheet(self, stored: StoredGame, number: int) -> Sheet:
        if self._place.numbered and number > 1:
            stored = _of_round(stored, number)
        file = live(stored, self._place.suffix, else_usual=True)
        over = stored.finished is not None
        return Sheet(stored.game_id, stored.game, file.content.decode(), file.kind, len(stored.plies), over)


def digest_of(sheet: Sheet) -> str:
    return hashlib.sha256(sheet.text.encode()).hexdigest()


def _of_round(stored: StoredGame, number: int) -> StoredGame:
    """The game as the n-th of its round: servers take two games of the same players and round for one."""
    event = stored.event
    told = event | {"round": f"{event['round']}.{number}" if event.get("round") else str(number)}
    others = [note for note in stored.notes if note.kind != EVENT]
    return dataclasses.replace(stored, notes=(StoredNote(EVENT, "", told, 0, stored.started), *others))
