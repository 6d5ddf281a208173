// The bar above a demo: what it is, and what can be done once it has ended.
"use strict";

import { at, write } from "./elements.js";
import { newGame, USUAL } from "./menu.js";
import { post } from "./tell.js";

/** The address of a page at another port of the same computer. */
export function portOf(port, search = "") {
  const there = new URL("./", location.href);
  Object.assign(there, { protocol: "http:", port, search });
  return there;
}

/** The port of the table that this demo was started from; empty if there is none. */
const table = () => new URLSearchParams(location.search).get("table")?.match(/^\d{1,5}$/)?.[0];

/** Shows the bar on a demo's page. */
export function showDemo({ view: { demo }, commands }) {
  const over = demo?.state === "over";
  at("demo").hidden = !over && demo?.state !== "plays";
  at("demo-play").hidden = !commands && !table();
  at("demo-again").hidden = !commands || !over;
  at("demo-end").hidden = !commands;
}

async function ask(path, object) {
  const { ok, text } = await post(path, object);
  write(at("demo-answer"), text);
  return ok;
}

/** Connects the bar's buttons; `ended()` is called where the demo was ended, and no table is there to go back to. */
export function offerDemo(ended) {
  at("demo-play").addEventListener("click", () => {
    if (table()) location.assign(portOf(table()));
    else newGame({ source: "none", agent: USUAL });
  });
  at("demo-again").addEventListener("click", () => ask("tell", { command: "new_game" }));
  at("demo-end").addEventListener("click", async () => {
    const ok = await ask("demo", { end: true });
    if (table()) location.assign(portOf(table()));
    else if (ok) ended();
  });
}
