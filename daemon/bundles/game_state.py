"""What a referee believes, written down and taken up again."""

from __future__ import annotations

import games
from daemon.bundles.bundle import MOST_MOVES, BundleError, GameState
from daemon.judging.referee import Referee
from games import AnyGame


def state_of(referee: Referee) -> GameState:
    """The state of a referee now; of a game longer than a bundle takes, its last position as the start."""
    plies, first = referee.line.plies, referee.history[0]
    if len(plies) > MOST_MOVES:
        plies, first = [], referee.position
    return GameState.model_construct(
        start=referee.game.format_position(first),
        moves=tuple(ply.text for ply in plies),
        known=tuple(ply.known for ply in plies),
        agent_move=referee.agent_move_text or "",
        verdict=referee.verdict,
    )


def referee_of(game: AnyGame, agents: tuple[str | None, str | None], state: GameState) -> Referee:
    """A referee that believes the same. Raises BundleError where the game cannot have gone so."""
    try:
        start = next((one for one in game.starts if game.format_position(one) == state.start), None)
        start = game.parse_position(state.start) if start is None else start
        history = games.line_of_play(game, state.moves, start)
        known = state.known if len(state.known) == len(state.moves) else ()
        referee = Referee(game, agents, history, state.moves, known)  # type: ignore[arg-type]
    except games.GameError as error:
        raise BundleError(f"its game cannot be replayed: {error}") from error
    referee.recall(state.agent_move)
    referee.verdict = state.verdict  # type: ignore[assignment]  # an unknown code is never met again
    return referee
