// Plays on from a position of a recorded game: a new game at the table that begins there.
"use strict";

import { at, capital } from "./elements.js";
import { askMenu, USUAL } from "./menu.js";
import { post } from "./tell.js";
import { t } from "./words.js";

let game = null;
let position = "";
let side = 0; // to move, as far as the record tells

/** Shows the button where a game can begin from that position. */
export function offerToGoOn(opened, ply, may) {
  game = opened;
  const before = ply ? opened.plies[ply - 1] : null;
  position = before ? before.position : opened.start; // none where hands are hidden
  side = opened.plies[ply]?.side ?? (before ? 1 - before.side : 0);
  const over = opened.outcome && ply === opened.plies.length;
  at("from-here").hidden = !may || !position || Boolean(opened.fault) || Boolean(over);
}

async function ask() {
  const menu = await askMenu();
  const found = menu?.games.find(({ name }) => name === game.game);
  if (!found) return;
  at("going-on-as").replaceChildren(...game.sides.map((name, index) => new Option(capital(t(name)), String(index), index === side, index === side)), new Option(t("Two people"), "people"));
  at("going-on-level").replaceChildren(...found.strengths.map(({ agent, title }) => new Option(title, agent, agent === USUAL, agent === USUAL)));
  at("going-on").returnValue = "no";
  at("going-on").showModal();
}

async function begin() {
  if (at("going-on").returnValue !== "yes") return;
  const as = at("going-on-as").value;
  const seated = (index) => ({ agent: as === "people" || as === String(index) ? "" : at("going-on-level").value });
  const { ok, text } = await post("menu", {
    game: { name: game.game, rules: game.rules },
    players: { first: seated(0), second: seated(1) },
    start: { position },
  });
  if (ok) return location.assign("./");
  at("message").textContent = text;
  at("message").hidden = false;
}

at("from-here").onclick = ask;
at("going-on").onclose = begin;
at("going-on-as").onchange = () => { at("going-on-level").disabled = at("going-on-as").value === "people"; };
