"""What people may tell the referee that the board does not show: a pass, a mover, a choice, hidden tiles, a takeback.

Without a camera moves are told as well: they are judged by the same rules and believed at once.

Each function returns effects as `Referee.see` does, and raises Refusal if it is impossible; nothing has then changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from daemon.commands.strengths import known_as
from daemon.game.effects import Announcement, Effect, TakeBack
from daemon.game.line_of_play import LineOfPlay, Ply, played, shares_pieces, unseen_moves
from daemon.judging import phrases
from daemon.judging.play import Play
from daemon.judging.referee import Referee
from daemon.words.translation import called
from rules import AnyGame, Counts, GameError, HiddenHands, MoveError, Outcome, Side, Words
from rules.turns import alike
from wording import Given, Sentence, Sentences, Term, listing, plain, sentence, sentence_n


class Refusal(ValueError):
    """A statement or command that is impossible; `said` tells people why."""

    def __init__(self, *said: Sentence) -> None:
        super().__init__(plain(said))
        self.said: Sentences = said


class IllegalMove(Refusal):
    """A move that the rules forbid, or text that is no move."""

    def __init__(self, rule: str, said: Sentence) -> None:
        super().__init__(said)
        self.rule = rule
        """Stable code of the broken rule."""


def enter(referee: Referee, text: str) -> list[Effect]:
    """Makes the move of that text for the person to move. Raises Refusal; IllegalMove if a rule forbids the move."""
    game, position = referee.game, referee.position
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over."))
    if referee.paused:
        raise Refusal(sentence("The game is paused: resume it first."))
    if referee.agents[game.to_move(position)] is not None:
        raise Refusal(sentence("It is the computer's turn."))
    try:
        move = game.parse_move(position, text)
    except MoveError as error:
        said = sentence("{why:Nom}.", why=error.said)
        if error.rule != "not_a_move":
            said = sentence("{move} cannot be played: {why}.", move=text[:20], why=error.said)
        raise IllegalMove(error.rule, said) from None
    ply = played(game, position, move, "said")
    referee.believe()
    return [*referee.make(ply), *referee.pass_if_forced()]


def enter_answer(referee: Referee, effects: Sequence[Effect]) -> list[Effect]:
    """Effects of an agent's legal answer: its move is made instead of being asked of somebody."""
    move = referee.agent_move
    if move is None:  # a pass, which was made already, or no acceptable answer
        return list(effects)
    referee.forget_answer()
    referee.believe()
    kept = [one for one in effects if not (isinstance(one, Announcement) and one.code == "agent_move")]
    made = referee.make(played(referee.game, referee.position, move, "agent"))
    return [*kept, *made, *referee.pass_if_forced()]


def say_pass(referee: Referee, choice: str = "") -> list[Effect]:
    """Passes for the side to move, ends its turn, or makes the decision named `choice`, if there are several."""
    game, position = referee.game, referee.position
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over: nobody can pass."))
    if referee.paused:
        raise Refusal(sentence("The game is paused: resume it first."))
    side = game.to_move(position)
    if (agent := referee.agents[side]) is not None:
        raise Refusal(sentence("It is {agent}'s turn, and {agent} says itself when it passes.", agent=known_as(agent)))
    moves = unseen_moves(game, position)
    if not moves:
        raise Refusal(sentence("{side:Nom} has to move and may not pass.", side=phrases.named(game, side)))
    texts = [game.format_move(position, move) for move in moves]
    if choice and choice.lower() not in texts:
        who, choices = phrases.named(game, side), listing(texts, joint="or")
        raise Refusal(
            sentence("{side:Nom} may say {choices}, not {other}.", side=who, choices=choices, other=choice[:20])
        )
    if not choice and len(moves) > 1:
        raise Refusal(sentence("Say which: {choices}.", choices=listing(texts, joint="or")))
    move = moves[texts.index(choice.lower())] if choice else moves[0]
    return [*referee.make(played(game, position, move, "said")), *referee.pass_if_forced()]


def set_mover(referee: Referee, name: str = "", number: int | None = None) -> list[Effect]:
    """Sets the side of that name as the maker of move `number`, counted from 1 without passes (None: the last).

    Without a name the maker is the other side than the one believed.
    """
    line, game = referee.line, referee.game
    count = len(line.seen)
    if not shares_pieces(game):
        raise Refusal(sentence("In {game} every piece shows whose it is.", game=Term("game", game.title)))
    if not count:
        raise Refusal(sentence("No move has been made yet."))
    number = count if number is None else number
    if not 1 <= number <= count:
        raise Refusal(
            sentence_n(
                "There is no move {number}: {count} is made.",
                "There is no move {number}: {count} are made.",
                count,
                number=number,
            )
        )
    ply = line.plies[line.seen[number - 1]]
    side = side_of(game, name) if name else 1 - ply.side
    if referee.agents != (None, None) and ply.side != side:
        raise Refusal(sentence("An agent plays here, so I know whose move it was."))
    try:
        rewrite = referee.rewritten(line.with_mover(number, side, "said"))
    except MoveError as error:
        what: dict[str, Given] = {"number": number, "side": phrases.named(game, side), "why": error.said}
        raise Refusal(sentence("Move {number} cannot have been {side:gen}'s: {why}.", **what)) from None
    said = sentence("Move {number} was {side:gen}'s.", number=number, side=phrases.named(game, side))
    sentences = [said, *phrases.totals(game, referee.position), *referee.next_turn()]
    if line.beyond:
        sentences.append(
            sentence_n(
                "The move after the end of the game no longer counts.",
                "The {count} moves after the end of the game no longer count.",
                len(line.beyond),
            )
        )
    effects: list[Effect] = [rewrite] if rewrite.records else []
    effects.append(referee.announce("mover", *sentences, side=side))
    if referee.outcome is not None:
        effects.append(referee.announce_end(referee.outcome))
    return effects


def resign(referee: Referee, name: str = "") -> list[Effect]:
    """Resigns for the side of that name; without one for the only person or, of two people, for the side to move."""
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over already."))
    people = [side for side, agent in enumerate(referee.agents) if agent is None]
    usual = people[0] if len(people) == 1 else referee.game.to_move(referee.position)
    side = side_of(referee.game, name) if name else usual
    if (agent := referee.agents[side]) is not None:
        who = phrases.named(referee.game, side)
        raise Refusal(sentence("{side:Nom} is {agent}, who does not resign.", side=who, agent=known_as(agent)))
    return referee.declare(Outcome(1 - side, "resigned", Counts.of(referee.game).scores(referee.position)))


def side_of(game: AnyGame, name: str) -> Side:
    """The side of that name. Raises Refusal, naming both."""
    terms = [Term("side", side) for side in game.sides]
    for side, term in enumerate(terms):
        if name.strip().casefold() in called(term):
            return side
    raise Refusal(sentence("The sides are {sides}; there is no {name}.", sides=listing(terms), name=name[:20]))


def undo(referee: Referee, *, on_board: bool = True) -> list[Effect]:
    """Takes back the last move, or a pass or resignation reported after it.

    Against an agent the person's own last move goes too: otherwise the agent would only play the same again. Unless no
    board is in view (`on_board` False), pieces are to be put back, and until then nothing on it is a move.
    """
    if referee.paused:
        raise Refusal(sentence("The game is paused: resume it first."))
    if referee.declared is not None:
        effects = referee.revoke()
        return [*effects, referee.announce("undo", sentence("The game goes on."), referee.whose_turn())]
    ply = _undone_to(referee)
    plies = referee.line.plies[ply:]
    told, prompt, board, cells = _taken_back(referee, plies), referee.withdraw(ply), "", tuple[int, ...]()
    if not on_board:
        prompt = None
        referee.believe()
    then = referee.next_turn()
    if prompt is not None:
        then, board, cells = prompt.said, prompt.board, prompt.cells
    side, urgent = plies[0].side, prompt is not None
    return [TakeBack(ply), referee.announce("undo", told, *then, board=board, side=side, cells=cells, urgent=urgent)]


def _undone_to(referee: Referee) -> int:
    """The ply before the last move of a person, if one plays; unannounced passes go with the move before them."""
    people = [side for side, agent in enumerate(referee.agents) if agent is None]
    ply = referee.ply
    while True:
        if not ply:
            raise Refusal(sentence("There is no move to take back."))
        said = (one.seen or one.known in ("said", "agent") for one in reversed(referee.line.plies[:ply]))
        ply = next((ply - back for back, moved in enumerate(said, 1) if moved), 0)
        if not people or not ply or referee.game.to_move(referee.history[ply]) in people:
            return ply


def _taken_back(referee: Referee, plies: list[Ply]) -> Sentence:
    """The sentence that names the moves taken back."""
    made = [one for one in plies if one.seen or one.known == "said"] or plies
    if len(made) > 1:
        return sentence("{moves} are taken back.", moves=phrases.listed([one.text for one in made]))
    who = phrases.named(referee.game, made[0].side)
    if made[0].text.startswith("pass"):
        return sentence("{side:Gen}'s pass is taken back.", side=who)
    return sentence("{side:Gen}'s {move} is taken back.", side=who, move=made[0].text)


def hold(referee: Referee, tiles: Sequence[str], name: str = "") -> list[Effect]:
    """Sets a side's tiles, as told by a person.

    Without a name it is the only agent's side, or the side to move. Raises Refusal.
    """
    game, position = referee.game, referee.position
    if not isinstance(game, HiddenHands):
        raise Refusal(sentence("Nobody holds anything in this game."))
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over."))
    agents = [side for side, agent in enumerate(referee.agents) if agent is not None]
    side = side_of(game, name) if name else agents[0] if len(agents) == 1 else game.to_move(position)
    who = phrases.named(game, side)
    if len(tiles) != (held := game.holds(position, side)):
        raise Refusal(sentence("{side:Nom} holds {held} tiles, not {told}.", side=who, held=held, told=len(tiles)))
    try:
        known = game.with_hand(position, side, tiles)
    except GameError as error:
        raise Refusal(sentence("That cannot be the hand: {why}.", why=error.said)) from None
    referee.line.know(known)
    referee.forget_answer()
    return [referee.announce("hand", sentence("I know {side:gen}'s tiles now.", side=who))]


def choose(play: Play, text: str) -> list[Effect] | None:
    """Corrects the last move that the text may mean, its own or its choice's name, "knight"; None if none is meant."""
    for index, move in _others(play.line):
        before, ply = play.line.before(index), play.line.plies[index]
        if ply.known == "agent" or not _means(play.game, before, move, text):
            continue
        again = play.line.until(index)
        again.add(played(play.game, before, move, "said"))
        if (other := play.line.replayed(again)) is None:
            continue
        ended, rewrite = play.outcome, play.rewritten(other)
        play.believe()
        words = phrases.spoken_move(play.game, before, move)
        said = sentence("{side:Nom}: {move}.", side=phrases.named(play.game, ply.side), move=words)
        effects: list[Effect] = [rewrite, play.announce("corrected", said, *play.next_turn())]
        if play.outcome is not None and play.outcome != ended:
            effects.append(play.announce_end(play.outcome))
        return effects
    return None


def _means(game: AnyGame, before: Any, move: Any, text: str) -> bool:
    term = Words.of(game).choice(before, move)
    if term is not None and text.strip().casefold() in called(term):
        return True
    try:
        return bool(game.parse_move(before, text) == move)
    except MoveError:
        return False


def _others(line: LineOfPlay) -> Iterator[tuple[int, Any]]:
    """The plies that may have been another move to the same board, the last first, each with such a move."""
    for index in range(len(line.plies) - 1, -1, -1):
        if line.plies[index].move is not None:
            for move in alike(line.game, line.before(index), line.plies[index].move):
                yield index, move
