// The start card: what can be begun, shown while there is nothing else to see.
"use strict";

import { letChoose, offerCameras } from "./cameras.js";
import { at, make, write } from "./elements.js";
import { askMenu, gamePictures, newGame } from "./menu.js";
import { post } from "./tell.js";
import { t } from "./words.js";

const WAYS = { phone: "way-phone", demo: "way-demo" };
let game = "";

function begin(source) {
  at("camera-dialog").close();
  newGame({ game, source });
}

/** Lists the games, and shows only ways that this daemon has. */
async function list() {
  const menu = await askMenu();
  if (!menu) return;
  game ||= menu.choice.game.name;
  at("start-games").replaceChildren(gamePictures(menu.games, game, (name) => { game = name; }, "start-game"));
  for (const [path, id] of Object.entries(WAYS)) {
    const answer = await fetch(path).catch(() => null);
    await answer?.text();
    at(id).hidden = !answer || [404, 503].includes(answer.status);
  }
}

async function usePhone() {
  const { ok, text, told } = await post("phone", {});
  write(at("start-answer"), text);
  if (!ok) return;
  if (matchMedia("(pointer: coarse)").matches) {
    location.assign(told.address);
    return;
  }
  at("phone-code").src = `data:image/svg+xml,${encodeURIComponent(told.svg)}`;
  at("phone-address").href = told.address;
  write(at("phone-address"), told.address);
  at("phone-dialog").showModal();
}

async function watchDemo() {
  at("way-demo").disabled = true;
  write(at("start-answer"), t("The demo begins: a moment."));
  const { ok, text, told } = await post("demo", { game, language: document.documentElement.lang });
  at("way-demo").disabled = false;
  write(at("start-answer"), text);
  if (!ok) return;
  const there = new URL("./", location.href);
  Object.assign(there, { protocol: "http:", port: told.port, search: `?table=${location.port}` });
  location.assign(there);
}

/** Shows or hides the card. */
export function showStart({ view, commands, health }) {
  const shown = Boolean(view.entrance && commands);
  at("main").hidden = shown;
  const camera = health.parts.camera;
  write(at("start-trouble"), shown && camera && !camera.ok ? camera.text : "");
  write(at("start-address"), view.address ? t("From another device: {address}", { address: view.address }) : "");
  if (at("start").hidden !== shown) return;
  at("start").hidden = !shown;
  if (shown) list();
}

/** Connects the card's buttons. */
export function offerStart() {
  at("way-here").addEventListener("click", () => begin("none"));
  at("way-phone").addEventListener("click", usePhone);
  at("way-demo").addEventListener("click", watchDemo);
  at("way-camera").addEventListener("click", () => at("camera-dialog").showModal());
  at("camera-cancel").addEventListener("click", () => at("camera-dialog").close());
  offerCameras(begin);
  letChoose(true);
}
