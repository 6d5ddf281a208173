// On a phone: films for the table, and shows the board. On the table's computer: the code that a phone scans.
"use strict";

import { showActions } from "./actions.js";
import { askPiece, Board } from "./board.js";
import { at, fill, make, write } from "./elements.js";
import { Film } from "./film.js";
import { invitation, showCode } from "./invitation.js";
import { offerListening } from "./listening.js";
import { listen } from "./live.js";
import { offerSpeech } from "./speaking.js";
import { post, tell } from "./tell.js";
import { t, translate } from "./words.js";

const AGAIN_MS = 2000; // between two attempts to connect at most: what is played meanwhile is not seen

let chosen = 0; // number of the address that is shown
let filmed = null; // whether a phone filmed already

async function invite(method = "POST", query = "") {
  const told = await invitation(method, query);
  const { addresses = [], phones, films } = told;
  filmed ??= films;
  if (films && !filmed) location.assign("./");
  at("qr").hidden = !addresses.length;
  if (!addresses.length) return void write(at("invited"), told.text || t("The daemon does not answer. Nothing was changed."));
  const show = (index) => {
    chosen = index;
    showCode(at("qr"), addresses[index]);
  };
  fill(at("addresses"), JSON.stringify(addresses), () => addresses.map(({ address }, index) => make("label", {},
    make("input", { type: "radio", name: "address", checked: index === chosen, on: { change: () => show(index) } }), address.split("/")[2])));
  at("forget").hidden = !phones;
  write(at("invited"), phones ? t("Phones that are paired: {count}", { count: phones }) : t("The code works once."));
  return show(Math.min(chosen, addresses.length - 1));
}

function showInvitation() {
  at("inviting").hidden = false;
  at("renew").onclick = () => invite("POST", "?new");
  at("forget").onclick = () => invite("DELETE");
  invite();
  setInterval(() => document.hidden || invite(), AGAIN_MS);
}

/** Exchanges the scanned code for this phone's own secret; returns why not, empty if it is paired. */
async function pair() {
  const code = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  const { ok, text } = await post("pair", { code });
  return ok ? "" : text;
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
  let lenses = [];
  const speech = offerSpeech(at("speak"));
  const microphone = offerListening(at("listen"));
  const live = listen({ heard, opened, closed, longest: AGAIN_MS });
  const film = new Film({
    video: at("video"),
    rate: at("rate"),
    send: live.send,
    lost: live.again,
    ended: () => stop(t("The camera was taken away. Try again.")),
  });
  const board = new Board(at("board"), {
    chosen: () => {},
    pointed: (cell, element) => {
      const { pieces, mark, counting } = message.view;
      if (counting) return void tell({ command: "count", cell, mark });
      askPiece(element, cell, pieces, (piece) => tell({ command: "correct", cell, piece, mark }));
    },
  });

  function show() {
    const shown = { view: film.track, film: !wants, stop: wants, torch: film.track?.getCapabilities?.().torch, lens: film.track && lenses.length > 1 };
    for (const [id, is] of Object.entries(shown)) at(id).hidden = !is;
  }

  async function open(deviceId) {
    write(at("aim"), "");
    try {
      await film.open(deviceId);
      lenses = (await navigator.mediaDevices.enumerateDevices()).filter((one) => one.kind === "videoinput");
      at("torch").ariaPressed = "false";
    } catch (error) {
      if (!wants) return; // stopped meanwhile
      wants = false;
      write(at("aim"), (REASONS[error.name] || (() => t("The camera does not open: {why}", { why: error.message })))());
    }
    show();
  }

  /** Asks the daemon to take this phone's pictures; `take` also if another phone films. */
  function ask(take) {
    if (wants && film.track) live.send(JSON.stringify({ film: true, take, facing: film.track.getSettings().facingMode }));
  }

  async function begin(take, deviceId) {
    wants = true;
    await open(deviceId);
    ask(take);
    if (wants) lock = await navigator.wakeLock?.request("screen").catch(() => null);
  }

  function stop(why = "") {
    wants = false;
    live.send(JSON.stringify({ film: false }));
    film.close();
    lock?.release();
    write(at("aim"), why);
    show();
  }

  function opened() {
    at("help").hidden = true;
    document.body.classList.remove("away");
    speech.reopened();
    ask(false);
  }

  function closed() {
    film.pause();
    document.body.classList.add("away");
    // Some browsers let pages through whose certificate they do not know, but no connection such as this one.
    write(at("aim"), message ? t("no connection to the daemon; trying again") : t("The browser refuses the connection. Install the certificate on this phone, trust it, and open this page again."));
    at("help").hidden = Boolean(message);
  }

  function heard(told) {
    if (told.film) {
      film.asked = told.film;
      return told.film.state === "yours" ? film.go() : stop(told.film.text);
    }
    if (told.ack) {
      const { taken, aim, text, corners = [] } = told.ack;
      film.acknowledged(told.ack);
      if (wants) write(at("aim"), taken ? aim : text);
      document.body.classList.toggle("aimed", corners.length > 0 && !aim);
      return at("outline").setAttribute("points", corners.join(" "));
    }
    message = told;
    speech.hear(told.announcements);
    microphone.show(told);
    const { state, view } = told;
    if (!state || !view.title) return undefined;
    const { kind, text } = view.instruction;
    write(at("instruction"), text);
    at("instruction").dataset.kind = kind;
    write(at("said"), view.hint || (state.text === text ? "" : state.text));
    document.title = `${text} Kibitzer`;
    if (message.board && message.board !== drawn) board.show(drawn = message.board);
    board.listen(Boolean(told.commands && (view.offers || []).includes("correct")));
    return showActions({ ...told, view: { ...view, hand: null } }); // tiles are told on the table's page
  }

  at("away").onclick = (event) => {
    if (wants && !confirm(t("The phone films only while this page is open. Leave it?"))) event.preventDefault();
  };
  at("film").onclick = () => begin(true);
  at("stop").onclick = () => stop();
  at("lens").onclick = () => {
    const used = film.track.getSettings().deviceId;
    begin(true, lenses[(lenses.findIndex((one) => one.deviceId === used) + 1) % lenses.length].deviceId);
  };
  at("torch").onclick = () => {
    const torch = at("torch").ariaPressed !== "true";
    film.track.applyConstraints({ advanced: [{ torch }] }).then(() => { at("torch").ariaPressed = torch; }, () => {});
  };
  document.addEventListener("visibilitychange", () => {
    // The system may have taken the camera while the page was hidden.
    if (!document.hidden && wants && (!film.track || film.track.muted)) begin(false);
  });
  begin(false);
}

await translate();
if (location.protocol !== "https:") {
  showInvitation();
} else {
  at("filming").hidden = false;
  const why = await pair() || (navigator.mediaDevices ? "" : t("This browser gives pages no camera. Try another one."));
  if (why) write(at("aim"), why);
  else showPhone();
}
