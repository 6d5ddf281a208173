// Choice of the camera: each must be previewed before a game begins with it.
"use strict";

import { at, make, write } from "./elements.js";
import { post } from "./tell.js";
import { t } from "./words.js";

const NONE = "none";
const BY_ADDRESS = "";
const AGAIN_MS = 300;
const TRIES = 20;
let take = null;
let used = NONE;
let seen = null;

const chosen = () => {
  const source = at("choose").elements.camera?.value ?? used;
  return source === BY_ADDRESS ? at("address").value.trim() : source;
};

function say(text, bad = false) {
  write(at("camera-answer"), text);
  at("camera-answer").classList.toggle("bad", bad);
}

/** Allows beginning only with a previewed camera, or with none. */
function offer() {
  const source = chosen();
  at("address").hidden = at("choose").elements.camera?.value !== BY_ADDRESS;
  at("camera-look").hidden = source === NONE;
  at("camera-look").disabled = !source;
  at("camera-begin").hidden = source === used || (source !== NONE && source !== seen);
  at("preview").hidden = source !== seen;
}

async function look() {
  const source = chosen();
  at("camera-look").disabled = true;
  say(t("I look through the camera. One moment."));
  const { ok, text, picture } = await post("preview", { source });
  at("camera-look").disabled = false;
  if (ok && picture) {
    if (at("preview").src) URL.revokeObjectURL(at("preview").src);
    at("preview").src = URL.createObjectURL(picture);
    at("preview").alt = t("What this camera sees");
    await at("preview").decode().catch(() => {}); // so that the text appears with the picture
    seen = source;
  }
  say(ok ? t("This is what the camera sees.") : text, !ok);
  offer();
}

async function begin(event) {
  event.preventDefault();
  if (at("camera-begin").hidden) return;
  if (take) {
    take(chosen());
    return;
  }
  at("camera-begin").disabled = true;
  const { ok, text } = await post("menu", { camera: { source: chosen() } });
  at("camera-begin").disabled = false;
  say(text, !ok);
  // The answer comes before the game begins.
  const before = used;
  for (let tries = 0; ok && used === before && tries < TRIES; tries += 1) {
    await new Promise((resolve) => { setTimeout(resolve, AGAIN_MS); });
    await list();
  }
}

/** Lists the cameras that can be chosen; changes nothing if there is no menu. */
async function list() {
  // An answer must be read to its end, or its connection stays open.
  const menu = await fetch("menu").then((answer) => answer.json()).catch(() => ({}));
  if (!menu.choice) return;
  used = menu.choice.camera.source;
  const kept = at("address").value;
  const choices = [
    ...menu.cameras.map(({ source, title }) => [source, source === NONE ? t("No camera: moves are made on the page") : title]),
    [BY_ADDRESS, t("A phone or a camera in the network, by the address that it shows")],
  ];
  at("cameras").replaceChildren(...choices.map(([source, title]) => {
    const radio = make("input", { type: "radio", name: "camera", value: source });
    radio.checked = source === used;
    return make("label", { class: "tick" }, radio, make("span", { text: source === used ? t("{camera} (in use)", { camera: title }) : title }));
  }));
  at("address").value = kept;
  offer();
}

/** Connects the camera form, and lists the cameras; `taken` gets the chosen one, else a game begins with it. */
export async function offerCameras(taken = null) {
  take = taken;
  at("choose").addEventListener("submit", begin);
  at("choose").addEventListener("input", offer);
  at("camera-look").addEventListener("click", look);
  at("camera-list").addEventListener("click", async () => {
    await list();
    say("");
  });
  await list();
}

/** Shows or hides the buttons; `may` is whether this page may choose. */
export function letChoose(may) {
  at("camera-buttons").hidden = !may;
}
