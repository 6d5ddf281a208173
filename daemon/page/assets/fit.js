// The board is as large as fits in the window below all that stands above it, with both players in view.
"use strict";

import { at } from "./elements.js";

const ABOVE = ["header", "#demo", ".lead", "#player-0", "#player-1"];

function fit() {
  const [table, board] = [at("table"), at("board")];
  if (!table) return; // the page has ended
  const above = table.getBoundingClientRect().top + scrollY;
  table.style.setProperty("--taken", `${Math.ceil(above + table.offsetHeight - board.offsetHeight)}px`);
}

/** Fits the board whenever what stands around it grows or shrinks. */
export function fitBoard() {
  const sizes = new ResizeObserver(fit);
  for (const one of ABOVE) sizes.observe(document.querySelector(one));
}
