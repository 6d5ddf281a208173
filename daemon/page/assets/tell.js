// Sends people's commands by POST. On other computers with the token, which is kept until the window closes.
"use strict";

import { at, make } from "./elements.js";
import { t } from "./words.js";

const WAIT_MS = 12000;
let asking = false;

function authorization() {
  const token = sessionStorage.getItem("token") || "";
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Asks for the token; resolves to whether one was entered. */
export function askToken() {
  if (asking) return Promise.resolve(false);
  asking = true;
  const token = make("input", { type: "password", autocomplete: "off", required: true });
  token.value = sessionStorage.getItem("token") || "";
  const cancel = make("button", { type: "button", text: t("Cancel") });
  const form = make("form", { method: "dialog" },
    make("h2", { id: "ask-title", text: t("The token, please") }),
    make("p", { text: t("Commands from another computer need it. On the table's computer this prints it:") }),
    make("p", {}, make("code", { text: "kibitzer keys token" })),
    make("label", {}, make("span", { text: t("Token") }), " ", token),
    make("p", { class: "buttons" }, cancel, make("button", { class: "primary", type: "submit", value: "given", text: t("Go on") })));
  const dialog = make("dialog", { id: "ask-token", class: "dialog", "aria-labelledby": "ask-title" }, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    cancel.onclick = () => dialog.close();
    dialog.onclose = () => {
      const given = dialog.returnValue === "given";
      if (given) sessionStorage.setItem("token", token.value.trim());
      dialog.remove();
      asking = false;
      resolve(given);
    };
    dialog.showModal();
  });
}

/** Sends an object; resolves to `{ ok, text, told, picture }`, and never throws. */
export async function post(path, object) {
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...authorization() },
      body: JSON.stringify(object),
      signal: AbortSignal.timeout(WAIT_MS),
    });
    if (response.status === 401 && (await askToken())) return post(path, object);
    if (response.headers.get("Content-Type")?.startsWith("image/")) {
      return { ok: response.ok, text: "", told: null, picture: await response.blob() };
    }
    const told = await response.json();
    return { ok: response.ok, text: told.text || "", told, picture: null };
  } catch {
    return { ok: false, text: t("The daemon does not answer. Nothing was changed."), told: null, picture: null };
  }
}

/** Sends a command and shows the answer. */
export async function tell(command) {
  at("answer").textContent = t("One moment.");
  const { ok, text } = await post("tell", command);
  at("answer").textContent = ok && command.command === "move" ? "" : text; // a move is announced anyway
  at("answer").classList.toggle("bad", !ok);
  return ok;
}
