// On a phone: films for the table, and shows the board. On the table's computer: the code that a phone scans.
"use strict";

import { showActions } from "./actions.js";
import { askPiece, Board } from "./board.js";
import { at, fill, make, write } from "./elements.js";
import { Film } from "./film.js";
import { listen } from "./live.js";
import { post, tell } from "./tell.js";
import { t, translate } from "./words.js";

const LOOK_MS = 20000;

async function invite(method = "POST", query = "") {
  try {
    const response = await fetch(`phone${query}`, { method });
    const told = await response.json();
    at("qr").hidden = !response.ok;
    if (!response.ok) return void write(at("invited"), told.text);
    const shown = [...at("addresses").querySelectorAll("input")].findIndex((one) => one.checked);
    fill(at("addresses"), JSON.stringify(told.addresses), () => told.addresses.map((one, index) => {
      const choice = make("input", { type: "radio", name: "address", checked: index === Math.max(0, shown), on: { change: () => { at("qr").src = one.qr; } } });
      return make("label", {}, choice, one.address.split("/")[2]);
    }));
    const { qr } = told.addresses[Math.max(0, shown)] || told;
    if (at("qr").getAttribute("src") !== qr) at("qr").src = qr;
    at("forget").hidden = !told.phones;
    write(at("invited"), told.phones ? t("Phones that are paired: {count}", { count: told.phones }) : t("The code works once."));
  } catch {
    write(at("invited"), t("The daemon does not answer. Nothing was changed."));
  }
}

function showInvitation() {
  at("inviting").hidden = false;
  at("renew").onclick = () => invite("POST", "?new");
  at("forget").onclick = () => invite("DELETE");
  invite();
  setInterval(invite, LOOK_MS);
}

/** Exchanges the scanned code for this phone's own secret; returns why not, empty if it is paired. */
async function pair() {
  const code = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (code) return post("pair", { code }).then(({ ok, text }) => (ok ? "" : text));
  const response = await fetch("state").catch(() => null);
  if (!response) return t("The daemon does not answer. Nothing was changed.");
  return response.status === 401 ? (await response.json()).text : "";
}

const REASONS = {
  NotAllowedError: () => t("The camera is not allowed. Allow it for this page in the browser’s settings, then try again."),
  NotFoundError: () => t("This phone shows no camera to the browser."),
  NotReadableError: () => t("Another app uses the camera. Close it, then try again."),
};

function showPhone() {
  let message = null;
  let drawn;
  let wants = true; // whether this phone is to film
  let lock = null;
  const live = listen({ heard, opened: () => ask(false), closed });
  const film = new Film({
    video: at("video"),
    rate: at("rate"),
    send: (data) => live.send(data),
    lost: () => live.again(),
    ended: () => stop(t("The camera was taken away. Try again.")),
  });
  const board = new Board(at("board"), {
    chosen: () => {},
    pointed: (cell, element) => {
      const { pieces, mark } = message.view;
      askPiece(element, cell, pieces, (piece) => tell({ command: "correct", cell, piece, mark }));
    },
  });

  function show() {
    at("view").hidden = !film.track;
    at("film").hidden = wants;
    at("stop").hidden = !wants;
    at("torch").hidden = !film.track?.getCapabilities?.().torch;
    at("lens").hidden = !film.track || lenses.length < 2;
    if (!film.track) write(at("rate"), "");
  }

  let lenses = [];
  async function open(deviceId = "") {
    try {
      await film.open(deviceId);
      lenses = (await navigator.mediaDevices.enumerateDevices()).filter((one) => one.kind === "videoinput");
      at("torch").setAttribute("aria-pressed", "false");
      write(at("aim"), "");
    } catch (error) {
      wants = false;
      write(at("aim"), (REASONS[error.name] || (() => t("The camera does not open: {why}", { why: error.message })))());
    }
    show();
    return Boolean(film.track);
  }

  /** Asks the daemon to take this phone's pictures; `take` also if another phone films. */
  function ask(take) {
    at("help").hidden = true;
    document.body.classList.remove("away");
    if (film.track && wants) live.send(JSON.stringify({ film: true, take: Boolean(take), facing: film.facing }));
  }

  async function begin(take, deviceId = "") {
    wants = true;
    show();
    if (!await open(deviceId)) return;
    ask(take);
    keepAwake();
  }

  function stop(why = "") {
    wants = false;
    live.send(JSON.stringify({ film: false }));
    film.close();
    lock?.release();
    write(at("aim"), why);
    at("outline").setAttribute("points", "");
    show();
  }

  async function keepAwake() {
    lock = await navigator.wakeLock?.request("screen").catch(() => null);
  }

  function closed() {
    film.pause();
    document.body.classList.add("away");
    write(at("aim"), t("no connection to the daemon; trying again"));
    at("help").hidden = Boolean(message);
  }

  function answered({ state, text, ...asked }) {
    film.asked = asked;
    if (state === "yours") film.go();
    else stop(text);
  }

  function heard(told) {
    if (told.film) return answered(told.film);
    if (told.ack) {
      film.acknowledged(told.ack);
      write(at("aim"), told.ack.taken ? told.ack.aim : told.ack.text);
      return at("outline").setAttribute("points", (told.ack.corners || []).map((one) => one.join(",")).join(" "));
    }
    message = { ...told, board: told.board || message?.board };
    const { state, view } = told;
    if (!state || !view.title) return undefined;
    const { kind, text } = view.instruction;
    write(at("instruction"), text);
    at("instruction").dataset.kind = kind;
    write(at("said"), view.hint || (state.text === text ? "" : state.text));
    document.title = `${text} Kibitzer`;
    if (message.board !== drawn) board.show(drawn = message.board);
    board.listen(Boolean(told.commands && (view.offers || []).includes("correct")));
    return showActions(told);
  }

  at("film").onclick = () => begin(true);
  at("stop").onclick = () => stop();
  at("lens").onclick = () => {
    const used = film.track.getSettings().deviceId;
    const index = lenses.findIndex((one) => one.deviceId === used);
    begin(true, lenses[(index + 1) % lenses.length].deviceId);
  };
  at("torch").onclick = async () => {
    const torch = at("torch").getAttribute("aria-pressed") !== "true";
    await film.track.applyConstraints({ advanced: [{ torch }] }).catch(() => {});
    at("torch").setAttribute("aria-pressed", String(torch));
  };
  document.addEventListener("visibilitychange", async () => {
    if (document.visibilityState !== "visible" || !wants) return;
    keepAwake();
    if (!film.alive && await open()) ask(false);
  });
  begin(false);
}

await translate();
if (location.protocol !== "https:") {
  showInvitation();
} else {
  at("filming").hidden = false;
  const why = await pair();
  if (why) write(at("aim"), why);
  else if (!navigator.mediaDevices) write(at("aim"), t("This browser gives pages no camera. Try another one."));
  else showPhone();
}
