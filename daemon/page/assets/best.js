// The best moves of the position, for those who may see them: a list beside the board, where they are drawn.
"use strict";

import { at, fill, make, write } from "./elements.js";
import { tell } from "./tell.js";
import { t } from "./words.js";

const TWICE_MS = 4000;

function button({ name, ask, ...wish }) {
  const element = make("button", { type: "button", text: name });
  let armed = 0;
  element.addEventListener("click", () => {
    if (ask && !armed) {
      element.textContent = ask;
      element.classList.add("sure");
      armed = setTimeout(() => {
        armed = 0;
        element.textContent = name;
        element.classList.remove("sure");
      }, TWICE_MS);
      return;
    }
    clearTimeout(armed);
    tell({ command: "best", ...wish });
  });
  return element;
}

function row({ label, move, value, why }) {
  return make("li", {}, make("b", { text: label }), make("span", { text: move }), make("span", { class: "value", text: why ? `${value} · ${why}` : value }));
}

/** Shows the moves, and the buttons to have them shown or hidden if this page may send commands. */
export function showBest({ commands, view }) {
  const { shown = false, moves = [], looked = false, ways = [] } = view.best || {};
  const offered = commands ? ways : [];
  const place = at("best");
  place.hidden = !shown && !offered.length;
  if (shown && place.dataset.shown !== "yes") place.open = true; // opened once: whoever closes it keeps it closed
  place.dataset.shown = shown ? "yes" : "no";
  write(at("best-none"), !shown || moves.length ? "" : looked ? t("None stands out.") : t("Looking for them."));
  fill(at("best-moves"), JSON.stringify(moves), () => moves.map(row));
  const focused = at("best-ways").contains(document.activeElement);
  if (fill(at("best-ways"), JSON.stringify(offered), () => offered.map(button)) && focused) at("best-ways").querySelector("button")?.focus();
}
