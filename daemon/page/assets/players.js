// The two players: whose turn it is, men, points, and clocks that keep running between the daemon's messages.
"use strict";

import { Clocks } from "./clocks.js";
import { at, capital, fill, make } from "./elements.js";
import { t } from "./words.js";

const clocks = new Clocks((side) => document.querySelector(`#player-${side} .clock`));

function counts(men) {
  if (!men) return "";
  return [
    t("{count} on the board", { count: men.board }),
    men.to_lay ? t("{count} to lay", { count: men.to_lay }) : "",
    men.taken ? t("{count} taken", { count: men.taken }) : "",
    men.prisoners ? t("prisoners: {count}", { count: men.prisoners }) : "",
  ].filter(Boolean).join(" · ");
}

/** Shows the players, whose turn it is, and each one's men, points and clock. */
export function showPlayers(state, line, view) {
  const timed = Boolean(view.clock && view.clock.left_s);
  for (const side of [0, 1]) {
    const player = state.players[side];
    const moves = !state.outcome && state.to_move === side;
    const won = state.outcome && state.outcome.winner === side;
    const told = {
      name: view.names?.[side] || player.agent || t("person"), moves, won, score: line.scores ? line.scores[side] : null,
      men: view.men ? counts(view.men[side]) : "", clock: timed, thinks: moves && state.awaiting === "agent",
    };
    const element = at(`player-${side}`);
    element.classList.toggle("on", moves);
    element.classList.toggle("won", Boolean(won));
    fill(element, JSON.stringify([told, state.sides]), () => [
      make("span", { class: `swatch side-${state.sides[side]}`, "aria-hidden": "true" }),
      make("span", { class: "name" }, make("b", { text: capital((view.sides || state.sides)[side]) }), ` ${told.name}`),
      make("span", { class: "men", text: won ? t("has won") : told.thinks ? t("is thinking") : told.men }),
      ...(told.score === null ? [] : [make("span", { class: "score", text: String(told.score), "aria-label": t("{count} points", { count: told.score }), role: "img" })]),
      ...(told.clock ? [make("span", { class: "clock", role: "timer" })] : []),
    ]);
  }
  clocks.set(view.clock);
}
