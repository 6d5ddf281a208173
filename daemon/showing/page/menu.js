// The dialog for a new game, made of what /menu tells can be chosen.
"use strict";

import { at } from "./elements.js";
import { tell } from "./tell.js";

/** Opens the dialog from a button; where the daemon has no menu, begins a game as before. */
export function offerMenu(button) {
  button.addEventListener("click", () => tell({ command: "new_game" }));
  at("menu-cancel").addEventListener("click", () => at("menu").close());
}
