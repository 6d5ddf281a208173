// A hand of tiles: one is chosen to be laid, and turned by choosing it again.
"use strict";

import { fill, make } from "./elements.js";
import { t } from "./words.js";

const PIPS = { 0: [], 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

function half(pips) {
  return make("span", { class: "half" }, ...Array.from({ length: 9 }, (_, place) => make("i", { class: PIPS[pips]?.includes(place) ? "on" : "" })));
}

export class Hand {
  /** `held(tile)` is called with the two pieces of the tile that is to be laid, its first half first; null is none. */
  constructor(place, held) {
    this.place = place;
    this.held = held;
    this.chosen = -1;
    this.tiles = [];
  }

  /** Shows the tiles of a hand, each two pieces; none hides it. */
  show(tiles) {
    this.place.hidden = !tiles || !tiles.length;
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
    fill(this.place, JSON.stringify([this.tiles, this.chosen]), () => [
      make("p", { class: "label", text: this.chosen < 0 ? t("Choose a tile") : t("Choose its first cell; choose the tile again to turn it") }),
      ...this.tiles.map((tile, index) => make("button", {
        type: "button", class: "tile", "aria-pressed": String(index === this.chosen), "aria-label": t("Tile {first} and {second}", { first: tile[0], second: tile[1] }),
        on: { click: () => this.#choose(index) },
      }, half(tile[0]), half(tile[1]))),
    ]);
  }
}
