// The buttons: each is shown only while it applies; those that lose something must be pressed twice.
"use strict";

import { at, capital, fill, make } from "./elements.js";
import { askHand } from "./hand.js";
import { tell } from "./tell.js";
import { t } from "./words.js";

const TWICE_MS = 4000;
// Commands meant for the position shown: the daemon refuses them from a page that shows an old one.
const BOUND = ["pass", "choose", "undo", "mover", "adopt", "resign", "agree"];

/** Lists of command, button text, text before the second press, and further fields of the command. */
function buttons(message) {
  const { view } = message;
  // Without a camera, a pass is a move like any other.
  const passes = (view.passes || []).map(({ move, name }) => ["pass", name, "", view.watched ? { choice: move } : { command: "move", move }]);
  const choices = (view.choices || []).map(({ move, name }) => ["choose", t("It was: {name}", { name }), "", { command: "move", move }]);
  const hand = view.hand && [["hand", t("Tell {side}’s tiles", { side: capital(t(view.hand.side)) }), "", view.hand]];
  return [
    ...(message.state.outcome && !view.demo?.state?.match(/^(plays|over)$/) ? [["new_game", t("Rematch")]] : []), // a demo's bar has its own
    ...(view.seen?.sides || []).map(({ side, name }) => ["adopt", name, "", { side }]),
    ...(view.counting || []).map(({ side, name }) => ["agree", name, "", { side }]),
    ["puzzle", view.puzzle ? t("Next puzzle") : t("Puzzle")],
    ...(hand || []),
    ["end_move", t("My move is made")],
    ...passes,
    ...choices,
    ["undo", t("Take back")],
    ["coach", t("Hint")],
    ["repeat", t("Say it again")],
    ["pause", t("Pause")],
    ["resume", t("Go on")],
    ["mover", t("That move was the other’s")],
    ["adopt", t("Take the board as it is"), t("Really take the board as it is?")],
    ["resign", t("Resign"), t("Really resign?")],
  ].filter(([name]) => (view.offers || []).includes(name === "agree" ? "count" : name));
}

function button([name, says, twice, more], ply, mark) {
  const element = make("button", { type: "button", text: says, "data-command": name, "data-move": more?.move });
  let armed = 0;
  const calm = () => {
    clearTimeout(armed);
    armed = 0;
    element.textContent = says;
    element.classList.remove("sure");
  };
  if (name === "end_move") element.title = t("The space bar does the same.");
  element.classList.toggle("primary", name === "new_game" || (name === "adopt" && more !== undefined));
  if (name === "hand") {
    element.classList.toggle("primary", more.asked);
    element.addEventListener("click", () => askHand(more, ply));
    return element;
  }
  element.addEventListener("click", () => {
    if (twice && !armed) {
      element.textContent = twice;
      element.classList.add("sure");
      armed = setTimeout(calm, TWICE_MS);
      return;
    }
    calm();
    tell({ command: name, ...more, ...(BOUND.includes(name) ? { mark } : {}) });
  });
  return element;
}

/** What there is to do with a game that is over: links to its replay and its file. */
function links({ state, view }) {
  if (!state?.outcome || !view.export) return [];
  return [["review", t("Review"), `games?review#${state.game_id}`], ["export", t("Export"), `archive/${state.game_id}/export/${view.export}`]];
}

const link = ([name, text, href]) => make("a", { class: "button", href, text, "data-link": name, download: name === "export" });

let pacing = false;

/** The pace of two agents: the nearest of the choices. */
function showPace({ commands, state, view }) {
  if (!at("pace")) return; // the page of a phone that films has none
  at("pace").hidden = !commands || view.pace === null || view.pace === undefined || Boolean(state?.outcome);
  const field = at("seconds");
  if (!pacing) field.onchange = () => tell({ command: "pace", seconds: Number(field.value) });
  pacing = true;
  if (document.activeElement === field || at("pace").hidden) return;
  const off = (option) => Math.abs(option.value - view.pace);
  field.value = [...field.options].sort((one, other) => off(one) - off(other))[0].value;
}

/** The space bar ends a move made by hand, where nothing else has the focus. */
export function offerSpace() {
  document.addEventListener("keydown", (event) => {
    const ends = document.querySelector('#actions [data-command="end_move"]');
    if (event.key !== " " || event.repeat || !ends || document.activeElement !== document.body || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    ends.click();
  });
}

/** Shows the commands available now; none if this page may not send commands. */
export function showActions(message) {
  const place = at("actions");
  showPace(message);
  const after = links(message);
  if (!message.commands || !message.state) return void fill(place, JSON.stringify(after), () => after.map(link));
  const all = buttons(message);
  const focused = document.activeElement?.dataset?.command;
  const { state: { ply }, view: { mark } } = message;
  if (fill(place, JSON.stringify([all, after, mark]), () => [...all.map((one) => button(one, ply, mark)), ...after.map(link)]) && focused && place.contains(document.activeElement) === false) {
    place.querySelector(`[data-command="${CSS.escape(focused)}"]`)?.focus();
  }
}
