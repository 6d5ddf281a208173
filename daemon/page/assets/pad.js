// The score pad. Every text is inserted as text, never as HTML.
"use strict";

import { at, make, write } from "./elements.js";
import { post } from "./tell.js";
import { t, translate } from "./words.js";

const LOOK_MS = 3000;
let shown = "";

function stateOf(pad) {
  if (!pad.players) return t("No score pad yet.");
  if (pad.winners.length > 1) return t("{players} are level.", { players: pad.winners.join(", ") });
  if (pad.winners.length) return t("{player} has won.", { player: pad.winners[0] });
  if (!pad.target) return "";
  const { target } = pad;
  return pad.lowest ? t("Played to {target}. The lowest total wins.", { target }) : t("Played to {target}. The highest total wins.", { target });
}

function show(pad) {
  const key = JSON.stringify(pad);
  if (key === shown) return;
  shown = key;
  write(at("state"), stateOf(pad));
  at("round").hidden = !pad.players;
  if (!pad.players) {
    at("new").open = true;
    return;
  }
  const cells = (head, values, tag = "td") => [make("th", { scope: "row", text: head }), ...values.map((value) => make(tag, { text: String(value) }))];
  at("names").replaceChildren(make("td"), ...pad.players.map((name) => make("th", { scope: "col", text: name, class: pad.winners.includes(name) ? "won" : null })));
  at("rounds").replaceChildren(...pad.rounds.map((points, index) => make("tr", {}, ...cells(String(index + 1), points))));
  at("totals").replaceChildren(...cells(t("Total"), pad.totals));
  const over = pad.winners.length > 0;
  at("points").hidden = at("add").hidden = over;
  at("points").replaceChildren(make("td"), ...pad.players.map((name) => make("td", {}, make("input", {
    type: "number", step: "1", min: "-9999", max: "9999", inputmode: "numeric", required: !over, "aria-label": t("Points of {player}", { player: name }),
  }))));
  at("undo").disabled = !pad.rounds.length;
}

async function send(command) {
  const { ok, text, told } = await post("score", command);
  write(at("message"), ok ? "" : text);
  if (ok) show(told);
  return ok;
}

async function look() {
  try {
    const response = await fetch("score");
    const told = await response.json();
    if (!response.ok) throw new Error(told.text);
    // Half a round that somebody is typing stays as it is.
    if (![...at("points").querySelectorAll("input")].some((input) => input.value)) show(told);
  } catch (error) {
    write(at("message"), error instanceof TypeError ? t("The daemon does not answer. Nothing was changed.") : error.message);
  }
}

await translate();
at("round").onsubmit = async (event) => {
  event.preventDefault();
  const points = [...at("points").querySelectorAll("input")].map((input) => input.valueAsNumber);
  if (await send({ action: "add", points })) at("points").querySelector("input")?.focus();
};
at("undo").onclick = () => send({ action: "undo" });
at("begin").onsubmit = async (event) => {
  event.preventDefault();
  const players = at("players").value.split("\n").map((name) => name.trim()).filter(Boolean);
  if (await send({ action: "begin", players, target: at("target").valueAsNumber, lowest: at("lowest").checked })) at("new").open = false;
};
await look();
setInterval(look, LOOK_MS);
