// The start card: what can be begun, shown while there is nothing else to see.
"use strict";

import { chooseCamera } from "./cameras.js";
import { at, write } from "./elements.js";
import { askMenu, gamePictures, newGame } from "./menu.js";
import { portOf } from "./demo.js";
import { invitation, showCode } from "./invitation.js";
import { post } from "./tell.js";
import { t } from "./words.js";

let game = "";
let awaited = false; // whether a demo was asked for here
let another = false; // whether something else than the phone that is awaited is being chosen
let invited = 0; // when the code was asked for last
const AGAIN_MS = 2000;

const begin = (source) => newGame({ game, source });

/** Lists the games. */
async function list() {
  const menu = await askMenu();
  if (!menu) return;
  game ||= menu.choice.game.name;
  at("start-games").replaceChildren(gamePictures(menu.games, game, (name) => { game = name; }, "start-game"));
}

async function watchDemo() {
  write(at("start-answer"), t("The demo begins soon: it first learns how its men look."));
  const { ok, text } = await post("demo", { game });
  write(at("start-answer"), text);
  awaited = ok;
}

/** Goes to the demo's page once there is one, with the way back. */
function showDemo(demo) {
  at("way-demo").hidden = !demo;
  at("way-demo").disabled = demo?.state === "starting";
  if (!awaited || !demo) return;
  if (demo.state === "failed") {
    awaited = false;
    write(at("start-answer"), t("The demo did not begin. The log says why."));
  } else if (demo.state === "on") {
    awaited = false;
    location.assign(portOf(demo.port, `?table=${location.port}`));
  }
}

/** Shows the code in place of the card while the phone that was chosen has not come. */
async function showPhone(shown) {
  if (!shown) another = false;
  const wanted = shown && !another;
  at("phone").hidden = !wanted;
  for (const place of ["start-games", "ways", "start-title"]) at(place).hidden = wanted;
  if (!wanted || Date.now() < invited + AGAIN_MS) return;
  invited = Date.now();
  const { addresses = [], text = "" } = await invitation();
  at("phone-code").hidden = !addresses.length;
  if (addresses.length) showCode(at("phone-code"), addresses[0]);
  write(at("start-answer"), addresses.length ? "" : text);
}

/** Shows or hides the card. */
export function showStart({ view, commands, health }) {
  const shown = Boolean(view.entrance && commands);
  at("main").hidden = shown;
  const camera = health.parts.camera;
  write(at("start-trouble"), shown && camera && !camera.ok ? camera.text : "");
  write(at("start-address"), view.address ? t("From another device: {address}", { address: view.address }) : "");
  showDemo(view.demo);
  showPhone(shown && Boolean(view.awaits_phone));
  if (at("start").hidden !== shown) return;
  at("start").hidden = !shown;
  if (shown) list();
}

/** Connects the card's buttons. */
export function offerStart() {
  at("way-here").addEventListener("click", () => begin("none"));
  at("way-phone").addEventListener("click", () => newGame({ game, source: "phone", begun: () => location.assign("phone") }));
  at("way-demo").addEventListener("click", watchDemo);
  at("another").addEventListener("click", () => { another = true; showPhone(true); });
  at("way-camera").addEventListener("click", () => chooseCamera(begin));
  if (location.hash === "#camera") chooseCamera(begin);
}
