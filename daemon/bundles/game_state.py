"""Saves and restores a referee's belief about the game."""

from __future__ import annotations

from daemon.bundles.bundle import MAX_MOVES, BundleError, Declared, GameState
from daemon.judging.referee import Referee
from daemon.match.match import Match
from daemon.perception.board_tracker import BoardTracker
from rules import AnyGame, GameError, Outcome
from rules.turns import line_of_play


def state_of(referee: Referee) -> GameState:
    """The referee's present state; for a game too long for a bundle, only its last position, as the start."""
    plies, first, end = referee.line.plies, referee.history[0], referee.declared
    if len(plies) > MAX_MOVES:
        plies, first = [], referee.position
    return GameState.model_construct(
        start=referee.game.format_position(first),
        moves=tuple(ply.text for ply in plies),
        known=tuple(ply.known for ply in plies),
        agent_move=referee.agent_move_text or "",
        verdict=referee.verdict,
        declared=None if end is None else Declared.model_construct(winner=end.winner, reason=end.reason),
        paused=referee.paused,
    )


def is_plain(eyes: BoardTracker) -> bool:
    """Whether a game state holds everything needed to judge the next pictures.

    It does not while pieces have still to be put back, or after somebody said what is on a cell.
    """
    return not eyes.match.referee.to_put_back and not eyes.overrides.cells


def referee_of(game: AnyGame, agents: tuple[str | None, str | None], state: GameState) -> Referee:
    """Builds a referee with this state. Raises BundleError if the game cannot have been played that way."""
    try:
        start = next((one for one in game.starts if game.format_position(one) == state.start), None)
        start = game.parse_position(state.start) if start is None else start
        history = line_of_play(game, state.moves, start)
        known = state.known if len(state.known) == len(state.moves) else ()
        referee = Referee(game, agents, history, state.moves, known)  # type: ignore[arg-type]
    except GameError as error:
        raise BundleError(f"its game cannot be replayed: {error}") from error
    referee.recall(state.agent_move)
    referee.verdict = state.verdict  # type: ignore[assignment]  # an unknown code is never met again
    if state.declared is not None:
        referee.declare(Outcome(state.declared.winner, state.declared.reason))
    if state.paused:
        referee.pause()
    return referee


def bring_about(match: Match, state: GameState) -> None:
    """Makes a match continue from that state, whoever caused it. Raises BundleError."""
    referee, now = match.referee, state_of(match.referee)
    if now.model_copy(update={"agent_move": state.agent_move}) == state:
        # At most the agent's answer differs: keep everything else the referee knows.
        if now.agent_move != state.agent_move:
            referee.forget_answer()
            referee.recall(state.agent_move)
        return
    match.begin_again(referee_of(referee.game, referee.agents, state))
