// The two players: whose turn it is, men and points, and clocks that run on between the daemon's messages.
"use strict";

import { at, capital, fill, make, write } from "./elements.js";
import { t } from "./words.js";

const TICK_MS = 200;
let clock = null;
let heard = 0;

/** A time as a clock shows it: whole seconds, rounded up while any is left. */
function shown(seconds) {
  const whole = Math.ceil(seconds);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(Math.abs(whole) / 3600), Math.floor(Math.abs(whole) / 60) % 60, Math.abs(whole) % 60];
  return `${whole < 0 ? "-" : ""}${hours ? `${hours}:${two(minutes)}` : minutes}:${two(rest)}`;
}

function tick() {
  if (!clock) return;
  for (const side of [0, 1]) {
    const element = document.querySelector(`#player-${side} .clock`);
    if (!element) continue;
    const runs = clock.running === side;
    const left = clock.left_s[side] - (runs ? (performance.now() - heard) / 1000 : 0);
    write(element, shown(left));
    element.classList.toggle("runs", runs);
    element.classList.toggle("short", left < 30);
  }
}
setInterval(tick, TICK_MS);

function counts(men) {
  if (!men) return "";
  return [
    t("{count} on the board", { count: men.board }),
    men.to_lay ? t("{count} to lay", { count: men.to_lay }) : "",
    men.taken ? t("{count} taken", { count: men.taken }) : "",
  ].filter(Boolean).join(" · ");
}

/** Shows who plays, whose turn it is, and what each has. */
export function showPlayers(state, line, view) {
  clock = view.clock && view.clock.left_s ? view.clock : null;
  heard = performance.now();
  for (const side of [0, 1]) {
    const player = state.players[side];
    const moves = !state.outcome && state.to_move === side;
    const won = state.outcome && state.outcome.winner === side;
    const told = {
      name: player.agent || t("person"), moves, won, score: line.scores ? line.scores[side] : null,
      men: view.men ? counts(view.men[side]) : "", clock: clock !== null, thinks: moves && state.awaiting === "agent",
    };
    const element = at(`player-${side}`);
    element.classList.toggle("on", moves);
    element.classList.toggle("won", Boolean(won));
    fill(element, JSON.stringify([told, state.sides]), () => [
      make("span", { class: `swatch side-${state.sides[side]}`, "aria-hidden": "true" }),
      make("span", { class: "name" }, make("b", { text: capital(view.sides ? view.sides[side] : state.sides[side]) }), ` ${told.name}`),
      make("span", { class: "men", text: won ? t("has won") : told.thinks ? t("is thinking") : told.men }),
      ...(told.score === null ? [] : [make("span", { class: "score", text: String(told.score), "aria-label": t("{count} points", { count: told.score }), role: "img" })]),
      ...(told.clock ? [make("span", { class: "clock", role: "timer" })] : []),
    ]);
  }
  tick();
}
