// Language, colours, voice and clock, also in the middle of a game.
"use strict";

import { at } from "./elements.js";
import { askMenu, clockFields, select, sentClock, tick } from "./menu.js";
import { post } from "./tell.js";
import { t } from "./words.js";

let told = null; // what the daemon told last
let menu = null;
let language = null; // of the daemon's words on this page

async function change(section, keys) {
  const { ok, text } = await post("settings", { [section]: keys });
  at("settings-answer").textContent = text;
  at("settings-answer").classList.toggle("bad", !ok);
}

function draw() {
  const name = document.activeElement?.name;
  at("settings-fields").replaceChildren(
    ...(menu ? [
      select(t("Language"), menu.languages.map((one) => [one.code, one.name]), menu.choice.speech.language, (code) => change("speech", { language: code }), "language"),
    ] : []),
    select(t("Colours"), [["", t("as this device has them")], ["light", t("always light")], ["dark", t("always dark")]], localStorage.getItem("theme") || "", (theme) => {
      localStorage.setItem("theme", theme);
      setTheme(theme);
    }, "theme"),
    ...(menu ? [
      tick(t("The table speaks"), told.view.speaks, (enabled) => change("speech", { enabled })),
      ...clockFields(menu, menu.choice, draw),
    ] : []));
  if (name) at("settings-fields").querySelector(`[name="${name}"]`)?.focus();
}

/** Follows the daemon; once it speaks another language the page is loaded anew, which loses nothing of the game. */
export function showSettings(now) {
  told = now;
  language ??= now.view.language;
  if (now.view.language !== language) location.reload();
}

/** Connects the button and the dialog. */
export function offerSettings() {
  at("settings").addEventListener("click", async () => {
    menu = told?.commands ? await askMenu() : null;
    at("clock-set").hidden = !menu;
    at("settings-answer").textContent = "";
    draw();
    at("settings-dialog").showModal();
  });
  at("clock-set").addEventListener("click", () => change("clock", sentClock(menu.choice.clock)));
}
