// What people tell the daemon, by POST. From another computer the token comes along; it is kept until the window closes.
"use strict";

import { at } from "./elements.js";
import { t } from "./words.js";

const WAIT_MS = 12000;

function authorization() {
  const token = sessionStorage.getItem("token") || "";
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Asks for the token; resolves to whether one was given. */
function askToken() {
  const dialog = at("ask-token");
  if (!dialog || dialog.open) return Promise.resolve(false);
  return new Promise((resolve) => {
    at("token").value = sessionStorage.getItem("token") || "";
    at("ask-form").onsubmit = () => {
      sessionStorage.setItem("token", at("token").value.trim());
      resolve(true);
    };
    at("ask-cancel").onclick = () => dialog.close();
    dialog.onclose = () => resolve(false);
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

/** Sends a command and shows what became of it. */
export async function tell(command) {
  at("answer").textContent = t("One moment.");
  const { ok, text } = await post("tell", command);
  at("answer").textContent = text;
  at("answer").classList.toggle("bad", !ok);
  return ok;
}
