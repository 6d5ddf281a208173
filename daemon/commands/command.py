"""The commands that people may give the daemon, each declared once; how they are parsed, and the answer.

A further one is a class here, a `case` in `daemon/match/command_handlers.py` that carries it out, and a row in each of
`docs/protocol.md`, `docs/referee.md` and, if it is spoken, `docs/voice.md`; tests find it there.
"""

from __future__ import annotations

import dataclasses
import hashlib
import operator
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from typer import Argument, Option

from daemon.commands.declaration import DECLARED as DECLARED
from daemon.commands.declaration import (
    MAX_MOVES,
    MAX_NAME_LENGTH,
    MAX_PACE_S,
    MoveNumber,
    MoveText,
    Name,
    Plies,
    PositionText,
    Seconds,
    Tiles,
    Truth,
    Typed,
    command,
)
from daemon.commands.declaration import Command as Command
from daemon.commands.declaration import CommandError as CommandError
from wording import sentence

MAX_BYTES = 512
"""Bytes of the longest command; a longer one is refused unread."""
SIDE = Argument(help="A side's name, such as light.")


CELL = Argument(help="A cell, such as d2.")


class Question(Command):
    """Changes nothing, and is answered at any time, in words for people who cannot see the board."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AtPly(Command):
    """A command meant for the position that somebody sees."""

    ply: Plies = None
    """Number of plies of the game as seen; in another position the command is refused. None accepts any position."""
    mark: Name = ""
    """`mark_of` the position seen, which also tells it from others with as many plies; empty accepts any."""


@command(
    """Pass, or end the turn after a double; in gomoku's swap and swap2, choose without placing a stone.

    Example: kibitzer tell pass
    """,
    spoken={
        "en": "pass/i pass",
        "ro": "pas/trec",
        "pl": "pas/pasuję",
        "vi": "bỏ lượt/tôi bỏ lượt",
        "pt-br": "passo/eu passo/passar",
    },
    offered=lambda now: now.has_passes,
)
class Pass(AtPly):
    """The side to move passes, ends its turn, or makes another decision that places nothing."""

    choice: Annotated[Name, Typed(Argument(help="What you decide, if there is a choice, such as black."))] = ""
    """Which decision, if there are several, such as `black` in the opening swap2 of gomoku; empty for the only one."""


@command(
    """Take back the last move, or a pass or resignation told after it.

    The daemon says which pieces to put back, and judges nothing until that is done. Against an agent, your own last
    move is taken back too. You can also just put the pieces back: the camera notices.

    Example: kibitzer tell undo
    """,
    spoken={
        "en": "undo/take back/take it back/take that back/take my move back/undo the move/undo that",
        "ro": "înapoi/dă înapoi/ia înapoi/ia mutarea înapoi/anulează/anulează mutarea",
        "pl": "cofnij/cofnij ruch/cofnij to/cofam ruch",
        "vi": "đi lại/hoàn tác/lùi lại/rút lại nước đi",
        "pt-br": "desfazer/desfaça/desfaz/desfazer o lance/desfazer a jogada/voltar a jogada/volta a jogada",
    },
    asks=sentence("Did you say: take back?"),
    offered=lambda now: now.has_past,
)
class Undo(AtPly):
    """Takes back the last move, or the pass or resignation reported last; the pieces must then be put back."""


@command(
    """Correct who made a move, in games whose pieces belong to nobody; points are recomputed from there.

    Example: kibitzer tell mover green --move 7
    """,
    offered=lambda now: now.watched and now.has_doubtful_movers,
)
class Mover(AtPly):
    """A move was made by the side of that name."""

    side: Annotated[
        Name, Typed(Argument(help="The side that made the move, such as green."), default=..., read=str.lower)
    ] = ""
    """A name of `Game.sides`; empty for the side that is not believed to have made it."""
    move: Annotated[
        MoveNumber,
        Typed(
            Option("--move", min=0, max=MAX_MOVES, help="Number of the move, not counting passes; 0: the last."),
            kind=int,
            default=0,
            read=lambda number: number or None,
        ),
    ] = None
    """Counted from 1, without passes; None for the last one."""


@command(
    """Correct a cell that the camera misread; this holds until the cell changes.

    The correction must give a board that legal play leads to, or at least make the board less wrong.

    Example: kibitzer tell correct d2 light
    """,
    offered=lambda now: now.is_seen,
)
class Correct(AtPly):
    """That cell holds that piece, whatever was read."""

    cell: Annotated[Name, Typed(Argument(help="A cell, such as d2."))]
    """A name of `Game.cells`."""
    piece: Annotated[Name, Typed(Argument(help="What is on it: a side's name, pips in dominoes, or empty."))]
    """A side's name, a letter of `Game.classes`, or `empty`."""


@command(
    """Accept the board in view as the position, with SIDE to move next; by default the side whose turn it is.

    If legal play leads to that board, the moves are recorded. Otherwise a new game begins from it, if the game allows
    that.

    Example: kibitzer tell adopt dark
    """,
    spoken={
        "en": "adopt the board/take the board as it is/adopt",
        "ro": "ia tabla așa cum este/ia tabla așa cum e/acceptă tabla",
        "pl": "przyjmij planszę/przyjmij planszę taką jaka jest/przyjmij tę planszę",
        "vi": "lấy bàn cờ như đang thấy/lấy bàn cờ/nhận bàn cờ này",
        "pt-br": "aceitar o tabuleiro/aceite o tabuleiro/aceita o tabuleiro",
    },
    asks=sentence("Did you say: adopt the board?"),
    offered=lambda now: now.is_seen,
)
class Adopt(AtPly):
    """The board in view becomes the position, and play continues from it."""

    side: Annotated[Name, Typed(SIDE)] = ""
    """Name of the side that moves next; empty for the side to move as the game is."""


@command(
    """Pause the game: until you resume, nothing on the board counts, clocks stop and agents are not asked.

    Example: kibitzer tell pause
    """,
    spoken={
        "en": "pause/pause the game",
        "ro": "pauză/o pauză",
        "pl": "pauza/wstrzymaj grę",
        "vi": "tạm dừng/tạm nghỉ",
        "pt-br": "pausa/pausar",
    },
    offered=lambda now: now.is_played and (now.watched or not now.has_person),
)
class Pause(Command):
    """Nothing on the board counts until `Resume`."""


@command(
    """Go on with the paused game.

    Example: kibitzer tell resume
    """,
    spoken={
        "en": "go on/continue/resume",
        "ro": "continuă/mai departe/continuăm",
        "pl": "dalej/gramy dalej/graj dalej/wznów grę",
        "vi": "tiếp tục/chơi tiếp",
        "pt-br": "continuar/continua/continue",
    },
    offered=lambda now: now.paused,
)
class Resume(Command):
    """The game continues."""


@command(
    """Let two agents that play without camera and clock wait SECONDS before each move.

    Example: kibitzer tell pace 2
    """,
)
class Pace(Command):
    """Two agents that play without a camera wait this long before each move."""

    seconds: Annotated[
        Seconds, Typed(Argument(min=0, max=MAX_PACE_S, help="0 is as fast as they think."), default=...)
    ] = 0.0
    """0 to MAX_PACE_S; 0 is as fast as they think."""


@command(
    """Resign for SIDE; by default for the only person, or for the side to move if two people play. Undo reverts it.

    Example: kibitzer tell resign light
    """,
    spoken={
        "en": "i resign/resign",
        "ro": "cedez/mă predau/abandonez/renunț",
        "pl": "poddaję się/poddaję partię/rezygnuję",
        "vi": "tôi xin thua/xin thua/tôi đầu hàng/đầu hàng",
        "pt-br": "desisto/eu desisto/abandono",
    },
    asks=sentence("Did you say: I resign?"),
    offered=lambda now: now.is_played and now.has_person,
)
class Resign(AtPly):
    """A side resigns."""

    side: Annotated[Name, Typed(SIDE)] = ""
    """Its name; empty for the only person or, where two people play, for the side to move."""


@command(
    """Begin a new game; the present one stays in the record as it is.

    Example: kibitzer tell new-game
    """,
    spoken={
        "en": "new game/a new game/start a new game",
        "ro": "joc nou/un joc nou/partidă nouă/o partidă nouă",
        "pl": "nowa gra/nowa partia/zacznij nową grę",
        "vi": "ván mới/chơi ván mới/bắt đầu ván mới",
        "pt-br": "novo jogo/jogo novo/nova partida/um novo jogo",
    },
    asks=sentence("Did you say: a new game?"),
    offered=lambda _: True,
)
class NewGame(Command):
    """Leaves the present game as it is and begins a new one."""


@command(
    """Begin a new game from a position; the present one stays in the record as it is.

    Set the board up as it is drawn. `kibitzer games show --json` tells the positions of recorded games.

    Example: kibitzer tell position "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
    """,
)
class Position(Command):
    """Leaves the present game as it is and begins a new one from this position."""

    position: Annotated[
        PositionText,
        Typed(
            Argument(help="The position as the game writes it, such as a FEN."),
            name="text",
            kind=list[str],
            read=" ".join,
        ),
    ]
    """In the game's notation of positions, such as a FEN."""


@command(
    """Say that the move is made: the board is read and judged at once, as with the space key.

    Example: kibitzer tell end-move
    """,
    offered=lambda now: now.is_seen and not now.over,
)
class EndMove(Command):
    """The move is made: read and judge the board at once."""


@command(
    """Ask who is better and what the best move is; the answer is said at the table after a few seconds.

    Example: kibitzer tell coach
    """,
    spoken={
        "en": "hint/give me a hint/a hint/help me",
        "ro": "sfat/un sfat/dă-mi un sfat/un indiciu/indiciu/ce să mut",
        "pl": "podpowiedź/podpowiedz/podpowiedz mi/wskazówka/daj wskazówkę",
        "vi": "gợi ý/cho tôi gợi ý/mách nước",
        "pt-br": "dica/uma dica/me dê uma dica/me dá uma dica",
    },
    offered=lambda now: now.is_played and now.awaits_person,
)
class Coach(Command):
    """Asks who stands better, and for the best move."""


@command(
    """Show the best moves on the board, with their values, or hide them.

    Two people see them once both want to. A game against an agent becomes practice, and does not count in the ranking.

    Example: kibitzer tell best light
    """,
)
class Best(Command):
    """Shows the best moves on the board, or hides them."""

    shown: Annotated[
        Truth, Typed(Option("--hide", help="Hide them."), name="hide", kind=bool, default=False, read=operator.not_)
    ]
    side: Annotated[Name, Typed(Argument(help="The side that wants to see them, where two people play."))] = ""
    """Name of the side that wants to see them, where two people play; either may hide them."""


@command(
    """Set a puzzle of the game at the table; without an id, the next unsolved one.

    Set the board up as it is drawn, then make the winning move.

    Example: kibitzer tell puzzle
    """,
)
class Puzzle(Command):
    """Leaves the present game as it is and sets a puzzle of the same game."""

    id: Annotated[Name, Typed(Argument(metavar="[ID]", help="Its id, or the beginning of it."))] = ""
    """Whole, or the beginning of it; empty for the next one that is not solved."""


@command(
    """After the end of go: the stones around that point count as captured as they stand, or no longer.

    Kibitzer proposes which stones are dead. Mark what it sees wrongly, then agree.

    Example: kibitzer tell count C3
    """,
    offered=lambda now: now.is_counted,
)
class Count(AtPly):
    """The pieces around a cell count as captured in a game that is over, or no longer."""

    cell: Annotated[Name, Typed(Argument(help="A cell with one of the pieces, such as C3."))]
    """A name of `Game.cells`."""


@command(
    """Agree to how the game that is over is counted; without a side, all people at the table agree.

    Example: kibitzer tell agree
    """,
    spoken={
        "en": "i agree/agree/agreed/we agree/we both agree",
        "ro": "de acord/sunt de acord/suntem de acord",
        "pl": "zgadzam się/zgoda/zgadzamy się",
        "vi": "tôi đồng ý/đồng ý/chúng tôi đồng ý",
        "pt-br": "concordo/eu concordo/concordamos/de acordo",
    },
    asks=sentence("Did you say: I agree?"),
)
class Agree(AtPly):
    """A side agrees to how the game that is over is counted."""

    side: Annotated[Name, Typed(SIDE, read=str.lower)] = ""
    """Its name; empty for all people at the table."""


@command(
    """Repeat what was said last.

    Example: kibitzer tell repeat
    """,
    spoken={
        "en": "repeat/repeat that/say it again/say that again",
        "ro": "repetă/mai spune o dată/spune din nou",
        "pl": "powtórz/powiedz jeszcze raz/jeszcze raz",
        "vi": "nhắc lại/nói lại/lặp lại",
        "pt-br": "repetir/repita/repete/diga de novo/fala de novo",
    },
    offered=lambda _: True,
)
class Repeat(Command):
    """Repeats the last announcement."""


@command(
    """Make a move for the side to move, when no camera watches the board.

    An illegal move is refused, and the answer names the broken rule.

    Example: kibitzer tell move d2xf4
    """,
)
class Move(AtPly):
    """The side to move makes this move; only without a camera."""

    move: Annotated[MoveText, Typed(Argument(help="The move as the game writes it, such as d2-d3."), name="text")]
    """In the game's move notation."""


@command(
    """Tell an agent which tiles it holds, because no camera can see them.

    Do this before each of its turns; until then it plays as if it could hold any tiles.

    Example: kibitzer tell hand 0-3 5-5 1-4 6-6 --side green
    """,
    offered=lambda now: now.has_unseen_hand,
)
class Hand(AtPly):
    """A side holds these tiles, which no camera sees."""

    tiles: Annotated[Tiles, Typed(Argument(help="The tiles, such as 0-3 5-5 1-4."), kind=list[str], read=tuple)]
    side: Annotated[
        Name, Typed(Option(help="Whose tiles they are: a side's name. Default: the only agent."), read=str.lower)
    ] = ""
    """Its name; empty for the only agent's side, or the side to move."""


@command(
    """Ask what stands on a cell; in dominoes where a tile may be joined.

    Example: kibitzer tell what-is-on d2
    """,
    spoken={
        "en": "what is on {cell}/what's on {cell}/what stands on {cell}/what piece is on {cell}/"
        "which ends are open/what are the ends",
        "ro": "ce este pe {cell}/ce e pe {cell}/ce stă pe {cell}/ce piesă este pe {cell}/ce piesă e pe {cell}/"
        "ce este la capete/ce e la capete/capetele",
        "pl": "co stoi na {cell}/co jest na {cell}/co leży na {cell}/jaka figura stoi na {cell}/"
        "co jest na końcach/co leży na końcach/otwarte końce",
        "vi": "có gì ở {cell}/có gì trên {cell}/{cell} có gì/ở {cell} có gì/trên {cell} có gì/{cell} có quân gì/"
        "ở {cell} có quân gì/quân gì ở {cell}/hai đầu là gì/các đầu là gì/đầu nào còn mở",
        "pt-br": "o que está em {cell}/o que tem em {cell}/o que há em {cell}/o que há na {cell}/o que há no {cell}/"
        "que peça está em {cell}/o que há nas pontas/o que tem nas pontas/as pontas",
    },
)
class WhatIsOn(Question):
    """Asks what stands on a cell of the position as judged."""

    cell: Annotated[Name, Typed(CELL)] = ""
    """A name of `Game.cells`; needless in dominoes, which answers with its open ends."""


@command(
    """Ask for the last move, and what it took.

    Example: kibitzer tell last-move
    """,
    spoken={
        "en": "last move/what was the last move/what was played/what was played last",
        "ro": "ultima mutare/care a fost ultima mutare/ce s-a mutat/ce s-a jucat",
        "pl": "ostatni ruch/jaki był ostatni ruch/co zagrano/co było ostatnie",
        "vi": "nước cuối/nước đi cuối/nước vừa rồi/nước đi vừa rồi là gì/nước cuối là gì",
        "pt-br": "última jogada/a última jogada/qual foi a última jogada/o que foi jogado/último lance",
    },
)
class LastMove(Question):
    """Asks for the last move."""


@command(
    """Ask how many pieces both sides have, on the board and beside it.

    Example: kibitzer tell how-many
    """,
    spoken={
        "en": "how many men/how many pieces/how many stones/how many discs/how many tiles/count/count the pieces/"
        "count the men/what is the count",
        "ro": "câte piese/câte piese sunt/câte piese mai sunt/câte pietre/câte discuri/numără piesele/numărătoarea",
        "pl": "ile bierek/ile figur/ile pionków/ile kamieni/ile krążków/ile zostało/policz/policz bierki",
        "vi": "bao nhiêu quân/còn bao nhiêu quân/có bao nhiêu quân/đếm quân",
        "pt-br": "quantas peças/quantas peças há/quantas pedras/quantos discos/conte as peças/contagem",
    },
)
class HowMany(Question):
    """Asks how many pieces both sides have."""


@command(
    """Ask whose turn it is.

    Example: kibitzer tell whose-turn
    """,
    spoken={
        "en": "whose turn is it/whose turn/whose move is it/whose move/who is to move",
        "ro": "cine e la mutare/cine este la mutare/al cui e rândul/a cui e mutarea/cine mută",
        "pl": "czyj ruch/czyj to ruch/kto jest na ruchu/kto się rusza/czyja kolej",
        "vi": "đến lượt ai/lượt của ai/lượt ai/ai đi",
        "pt-br": "de quem é a vez/quem joga/quem joga agora/vez de quem",
    },
)
class WhoseTurn(Question):
    """Asks whose turn it is, or how the game ended."""


@command(
    """Ask where the pieces of a kind stand.

    Example: kibitzer tell where-are "white knight"
    """,
    spoken={
        "en": "where are the {piece}/where is the {piece}/where are {piece}/where stands the {piece}",
        "ro": "unde sunt {piece}/unde este {piece}/unde e {piece}/unde stă {piece}",
        "pl": "gdzie są {piece}/gdzie jest {piece}/gdzie stoi {piece}/gdzie stoją {piece}",
        "vi": "{piece} ở đâu/các {piece} ở đâu/{piece} đứng ở đâu",
        "pt-br": "onde está {piece}/onde estão {piece}/cadê {piece}/onde fica {piece}",
    },
)
class WhereAre(Question):
    """Asks where the pieces of a kind stand."""

    piece: Annotated[
        Name, Typed(Argument(help="A kind of piece, such as white knight."), kind=list[str], default=..., read=" ".join)
    ]
    """What it is called, in English or in the language that is spoken; one or several of them."""


@command(
    """Have the board read out row by row; in go, and in dominoes, what counts and what was last.

    Example: kibitzer tell read-board
    """,
    spoken={
        "en": "read the board/read out the board/describe the board/what is on the board",
        "ro": "citește tabla/descrie tabla/spune tabla/ce este pe tablă/ce e pe tablă",
        "pl": "przeczytaj planszę/odczytaj planszę/opisz planszę/co jest na planszy",
        "vi": "đọc bàn cờ/mô tả bàn cờ/trên bàn có gì/bàn cờ có gì",
        "pt-br": "leia o tabuleiro/ler o tabuleiro/descreva o tabuleiro/o que há no tabuleiro",
    },
)
class ReadBoard(Question):
    """Asks for the whole position."""


@command(
    """Ask where the piece on a cell can go, or whether one can be laid there.

    Example: kibitzer tell moves-from d2
    """,
    spoken={
        "en": "what can i do on {cell}/what can i do with {cell}/legal moves from {cell}/where can {cell} go",
        "ro": "ce pot face pe {cell}/mutări de pe {cell}/mutările de pe {cell}/unde poate merge {cell}",
        "pl": "co mogę zrobić na {cell}/ruchy z {cell}/możliwe ruchy z {cell}/dokąd może iść {cell}",
        "vi": "nước đi từ {cell}/các nước đi từ {cell}/{cell} đi được đâu/{cell} có thể đi đâu",
        "pt-br": "o que posso fazer em {cell}/jogadas de {cell}/lances de {cell}/para onde vai {cell}",
    },
)
class MovesFrom(Question):
    """Asks for the legal moves from a cell."""

    cell: Annotated[Name, Typed(CELL)]
    """A name of `Game.cells`."""


@command(
    """Ask how much time both sides have left.

    Example: kibitzer tell clocks
    """,
    spoken={
        "en": "time/what does the clock say/how much time is left/how much time do i have",
        "ro": "timpul/ceasul/cât timp mai am/cât timp a rămas",
        "pl": "czas/zegar/ile czasu zostało/ile mam czasu",
        "vi": "thời gian/đồng hồ/còn bao nhiêu thời gian/tôi còn bao nhiêu thời gian",
        "pt-br": "tempo/relógio/quanto tempo resta/quanto tempo eu tenho",
    },
)
class Clocks(Question):
    """Asks how much time both sides have left."""


NAMES = tuple(DECLARED)


@dataclasses.dataclass(frozen=True)
class Answer:
    accepted: bool
    text: str
    """What happened, or why not; the same as is said at the table."""
    rule: str = ""
    """Code of the rule that forbids it, if one does."""


def commands_schema() -> dict[str, Any]:
    """JSON Schema of the objects that `parse_command` reads."""
    return {
        "oneOf": [
            {
                "type": "object",
                "description": (known.kind.__doc__ or "").strip(),
                "properties": {"command": {"const": name}}
                | {field: one.adapter.json_schema() for field, one in known.arguments.items()},
                "required": ["command", *(field for field, one in known.arguments.items() if one.is_required)],
                "additionalProperties": False,
            }
            for name, known in DECLARED.items()
        ]
    }


def mark_of(game_id: str, moves: Iterable[str]) -> str:
    """Identifies a position among all others, of this game and of any, by the moves that led to it."""
    return hashlib.blake2s(" ".join([game_id, *moves]).encode(), digest_size=8).hexdigest()


def parse_command(words: object) -> Command:
    """Parses an object such as {"command": "mover", "side": "green", "move": 7}. Raises CommandError."""
    if not isinstance(words, Mapping):
        raise CommandError('a command is an object such as {"command": "pass"}')
    name = words.get("command")
    known = DECLARED.get(name) if isinstance(name, str) else None
    if known is None:
        raise CommandError(f"the commands are {', '.join(NAMES[:-1])} and {NAMES[-1]}")
    strange = sorted(str(field)[:MAX_NAME_LENGTH] for field in words if field not in ("command", *known.arguments))
    if strange:
        raise CommandError(f"{name} takes no {strange[0]}")
    values = {field: known.arguments[field].read(words[field]) for field in words if field != "command"}
    for field, one in known.arguments.items():
        if one.is_required and values.get(field) in (None, "", ()):
            raise CommandError(f"{name} needs a {field}")
    return known.kind(**values)


def as_object(told: Command) -> dict[str, object]:
    """The object that `parse_command` reads as this command."""
    name, known = next((name, known) for name, known in DECLARED.items() if known.kind is type(told))
    values = {field: getattr(told, field) for field in known.arguments}
    return {"command": name} | {
        field: list(value) if isinstance(value, tuple) else value
        for field, value in values.items()
        if value not in (None, "")
    }
