// The overlay for broadcasts: drawn board, players, announcements. ?show=board or ?show=words shows only that part.
"use strict";

import { at, capital, fill, make, write } from "./elements.js";
import { listen } from "./live.js";
import { Clocks } from "./clocks.js";
import { translate } from "./words.js";

const wanted = (new URLSearchParams(location.search).get("show") || "board words").split(/[ ,+]+/);
at("board").hidden = !wanted.includes("board");
at("words").hidden = !wanted.includes("words");
const clocks = new Clocks((side) => document.querySelector(`#player-${side} .clock`));

function showPlayer(side, { state, line, view }) {
  const element = at(`player-${side}`);
  element.classList.toggle("on", !state.outcome && state.to_move === side);
  const name = `${capital((view.sides || state.sides)[side])}${state.players[side].agent ? ` · ${state.players[side].agent}` : ""}`;
  const score = line.scores ? String(line.scores[side]) : "";
  fill(element, JSON.stringify([name, score, Boolean(view.clock)]), () => [
    make("span", { text: name }),
    ...(score ? [make("span", { class: "score", text: score })] : []),
    ...(view.clock ? [make("span", { class: "clock" })] : []),
  ]);
}

function heard(message) {
  if (message.board) {
    const plain = message.board.replace(/<style>[^<]*<\/style>/, "");
    const drawn = new DOMParser().parseFromString(plain, "image/svg+xml").documentElement;
    drawn.setAttribute("role", "group");
    if (drawn.nodeName === "svg") at("board").replaceChildren(document.importNode(drawn, true));
  }
  if (!message.state || !message.view.title) return;
  write(at("said"), message.state.text);
  for (const side of [0, 1]) showPlayer(side, message);
  clocks.set(message.view.clock);
}

await translate();
listen({ heard, opened: () => {}, closed: () => {} });
