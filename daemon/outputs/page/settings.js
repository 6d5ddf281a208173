// Language, colours, voice and clock, also in the middle of a game.
"use strict";

import { at, make } from "./elements.js";
import { askMenu, clockFields, sentClock } from "./menu.js";
import { post } from "./tell.js";
import { t } from "./words.js";

let menu = null;
let language = null; // of the daemon's words on this page
let commands = false;

function drawClock() {
  const { activeElement } = document;
  at("clock-fields").replaceChildren(...clockFields(menu, menu.choice, drawClock));
  if (activeElement?.name === "clock") at("clock-fields").querySelector("select").focus();
}

async function change(section, keys) {
  const { ok, text } = await post("settings", { [section]: keys });
  at("settings-answer").textContent = text;
  at("settings-answer").classList.toggle("bad", !ok);
}

async function open() {
  menu = commands ? await askMenu() : null;
  const languages = menu ? menu.languages : [];
  at("language").replaceChildren(...languages.map(({ code, name }) => make("option", { value: code, text: name, lang: code, selected: code === menu.choice.speech.language })));
  for (const id of ["language", "speaks"]) at(id).closest("label").hidden = !menu;
  at("clock-settings").hidden = !menu;
  if (menu) drawClock();
  at("settings-answer").textContent = "";
  at("settings-dialog").showModal();
}

/** Follows the daemon; once it speaks another language the page is loaded anew, which loses nothing of the game. */
export function showSettings({ view, commands: may }) {
  commands = may;
  at("speaks").checked = view.speaks;
  language ??= view.language;
  if (view.language !== language) location.reload();
}

/** Connects the button and the dialog. */
export function offerSettings() {
  at("theme").value = localStorage.getItem("theme") || "";
  at("settings").addEventListener("click", open);
  at("language").addEventListener("change", (event) => change("speech", { language: event.target.value }));
  at("speaks").addEventListener("change", (event) => change("speech", { enabled: event.target.checked }));
  at("clock-set").addEventListener("click", () => change("clock", sentClock(menu.choice.clock)));
  at("theme").addEventListener("change", (event) => {
    localStorage.setItem("theme", event.target.value);
    setTheme(event.target.value);
  });
}
