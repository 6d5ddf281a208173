// Hands of tiles. A person chooses the tile to lay from their own; an agent's hand, which no camera sees, is entered.
"use strict";

import { at, capital, fill, make, write } from "./elements.js";
import { post } from "./tell.js";
import { t } from "./words.js";

const PIPS = { 0: [], 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

function half(pips) {
  return make("span", { class: "half" }, ...Array.from({ length: 9 }, (_, place) => make("i", { class: PIPS[pips]?.includes(place) ? "on" : "" })));
}

const NAMES = ["blank", "one", "two", "three", "four", "five", "six"];

/** A tile as people name it. */
function named([first, second]) {
  const [one, other] = [first, second].map((end) => t(NAMES[end]));
  return one === other ? t("double {pips}", { pips: one }) : `${one}-${other}`;
}

const face = (tile, more) => make("button", {
  type: "button", class: "tile", "aria-label": capital(named(tile)), title: capital(named(tile)), "data-tile": tile.join("-"), ...more,
}, half(tile[0]), half(tile[1]));

export class Hand {
  /** Calls `held(tile)` with the two pieces of the tile to be laid, its first half first; null for none. */
  constructor(place, held) {
    this.place = place;
    this.held = held;
    this.chosen = -1;
    this.tiles = [];
  }

  /** Shows the tiles of a hand, each of two pieces. Without tiles it is hidden; `kept` then keeps its space. `fits`: whether one can be laid. */
  show(tiles, kept = false, fits = true) {
    this.fits = fits;
    const none = !tiles || !tiles.length;
    this.place.classList.toggle("away", none && kept);
    if (none && kept) return this.held(null);
    this.place.hidden = none;
    this.tiles = (tiles || []).map((tile) => (typeof tile === "string" ? tile.split("-") : tile.map(String)));
    this.chosen = -1;
    this.held(null);
    this.#draw();
  }

  #choose(index) {
    if (this.chosen === index) this.tiles[index].reverse();
    this.chosen = index;
    this.held(this.tiles[index]);
    this.#draw();
    this.place.querySelectorAll("button")[index].focus();
  }

  #draw() {
    fill(this.place, JSON.stringify([this.tiles, this.chosen, this.fits]), () => [
      make("p", { class: "label", text: !this.fits ? t("No tile fits.") : this.chosen < 0 ? t("Choose a tile") : t("Choose its first cell; choose the tile again to turn it") }),
      ...this.tiles.map((tile, index) => face(tile, { "aria-pressed": String(index === this.chosen), on: { click: () => this.#choose(index) } })),
    ]);
  }
}

/** Asks which tiles a side holds, and sends them; takes the view's `hand` and the `ply` of the position it is for. */
export function askHand({ side, holds, ends }, ply) {
  const dialog = at("ask-hand");
  const names = [...ends];
  const tiles = names.flatMap((first, index) => names.slice(index).map((second) => [first, second]));
  const held = [];
  write(at("hand-title"), t("Which tiles does {side} hold?", { side: capital(t(side)) }));
  write(at("hand-answer"), "");
  const draw = (focus) => {
    write(at("hand-count"), t("{count} of {holds} tiles; choose one of them again to put it back.", { count: held.length, holds }));
    at("hand-held").replaceChildren(...held.map((tile, index) => face(tile, { on: { click: () => { held.splice(index, 1); draw(); } } })));
    at("hand-tiles").replaceChildren(...tiles.map((tile, index) => face(tile, {
      disabled: held.length >= holds, on: { click: () => { held.push(tile); draw(index); } },
    })));
    at("hand-tell").disabled = held.length !== holds;
    if (focus !== undefined) (held.length < holds ? at("hand-tiles").children[focus] : at("hand-tell")).focus();
  };
  draw();
  at("hand-cancel").onclick = () => dialog.close();
  at("hand-form").onsubmit = async (event) => {
    event.preventDefault();
    at("hand-tell").disabled = true;
    const { ok, text } = await post("tell", { command: "hand", side, tiles: held.map((tile) => tile.join("-")), ply });
    at("hand-tell").disabled = false;
    write(at("hand-answer"), text);
    at("hand-answer").classList.toggle("bad", !ok);
    if (!ok) return;
    dialog.close();
    write(at("answer"), text);
    at("answer").classList.remove("bad");
  };
  dialog.showModal();
}
