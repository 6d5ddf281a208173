// Choice of the camera: each must be previewed before a game begins with it.
"use strict";

import { at, make, write } from "./elements.js";
import { askMenu } from "./menu.js";
import { post } from "./tell.js";
import { t } from "./words.js";

const NONE = "none";
const BY_ADDRESS = "";
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

/** Lists the cameras that can be chosen; changes nothing if there is no menu. */
async function list() {
  const menu = await askMenu();
  say("");
  if (!menu) return;
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

/** Opens the dialog; `taken` gets the camera that is chosen. */
export function chooseCamera(taken) {
  at("choose").onsubmit = (event) => {
    event.preventDefault();
    if (at("camera-begin").hidden) return void (at("camera-look").hidden || look());
    at("camera-dialog").close();
    taken(chosen());
  };
  at("choose").oninput = offer;
  at("camera-look").onclick = look;
  at("camera-cancel").onclick = () => at("camera-dialog").close();
  at("camera-list").onclick = list;
  list();
  at("camera-dialog").showModal();
}
