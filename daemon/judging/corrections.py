"""What people may tell the referee that the board does not show: a pass, who made a move, a resignation.

Each function returns effects as `Referee.see` does, and raises Refusal if it is impossible; nothing has then changed.
"""

from __future__ import annotations

from daemon.game.effects import Effect
from daemon.game.line_of_play import shares_pieces, unseen_moves
from daemon.i18n.translation import called
from daemon.judging import phrases
from daemon.judging.referee import Referee
from rules import AnyGame, MoveError, Outcome, Side
from wording import Given, Sentence, Sentences, Term, listing, plain, sentence, sentence_n


class Refusal(ValueError):
    """A statement or command that is impossible; `said` tells people why."""

    def __init__(self, *said: Sentence) -> None:
        super().__init__(plain(said))
        self.said: Sentences = said


def say_pass(referee: Referee, choice: str = "") -> list[Effect]:
    """Passes for the side to move, ends its turn, or makes the decision named `choice` that the board does not show.

    Without `choice` there must be exactly one such move.
    """
    game, position = referee.game, referee.position
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over: nobody can pass."))
    if referee.paused:
        raise Refusal(sentence("The game is paused: resume it first."))
    side = game.to_move(position)
    if (agent := referee.agents[side]) is not None:
        raise Refusal(sentence("It is {agent}'s turn, and {agent} says itself when it passes.", agent=agent))
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
    return [*referee.make(move, game.apply(position, move), "said"), *referee.pass_if_forced()]


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
        same = line.correct(number, side)
    except MoveError as error:
        what: dict[str, Given] = {"number": number, "side": phrases.named(game, side), "why": error.said}
        raise Refusal(sentence("Move {number} cannot have been {side:gen}'s: {why}.", **what)) from None
    said = sentence("Move {number} was {side:gen}'s.", number=number, side=phrases.named(game, side))
    return _rewritten(referee, same, said, side)


def resign(referee: Referee, name: str = "") -> list[Effect]:
    """Resigns for the side of that name; without one for the only person or, of two people, for the side to move."""
    if referee.outcome is not None:
        raise Refusal(sentence("The game is over already."))
    people = [side for side, agent in enumerate(referee.agents) if agent is None]
    if name:
        side = side_of(referee.game, name)
    else:
        side = people[0] if len(people) == 1 else referee.game.to_move(referee.position)
    if (agent := referee.agents[side]) is not None:
        who = phrases.named(referee.game, side)
        raise Refusal(sentence("{side:Nom} is {agent}, who does not resign.", side=who, agent=agent))
    return referee.declare(Outcome(1 - side, "resigned", referee.game.scores(referee.position)))


def side_of(game: AnyGame, name: str) -> Side:
    """The side of that name. Raises Refusal, naming both."""
    terms = [Term("side", side) for side in game.sides]
    for side, term in enumerate(terms):
        if name.strip().casefold() in called(term):
            return side
    raise Refusal(sentence("The sides are {sides}; there is no {name}.", sides=listing(terms), name=name[:20]))


def _rewritten(referee: Referee, same: int, said: Sentence, side: Side) -> list[Effect]:
    """The record entry for a line that differs from ply `same` on, and its announcement."""
    line, outcome = referee.line, referee.outcome
    rewrite = line.rewrite(same, outcome)
    effects: list[Effect] = [rewrite] if rewrite.records else []
    sentences = [said, *phrases.totals(referee.game, referee.position), *referee.next_turn()]
    if line.beyond:
        sentences.append(
            sentence_n(
                "The move after the end of the game no longer counts.",
                "The {count} moves after the end of the game no longer count.",
                len(line.beyond),
            )
        )
    effects.append(referee.announce("mover", *sentences, side=side))
    if outcome is not None:
        effects.append(referee.announce_end(outcome))
    return effects
