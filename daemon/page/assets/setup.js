// Table set-up: shows the camera's picture, takes corners, guides through a calibration, prints boards.
"use strict";

import { at, capital, fill, make, write } from "./elements.js";
import { listen } from "./live.js";
import { post } from "./tell.js";
import { t, translate } from "./words.js";

const LOOK_MS = 700;
const NUDGE = 0.004;
const SVG = at("points").namespaceURI;
const CORNERS = () => [t("top left"), t("top right"), t("bottom right"), t("bottom left")];

let corners = [];
let clicking = false;
let watched = false;
let may = false;

async function wish(object) {
  write(at("answer"), t("One moment."));
  const { ok, text } = await post("wish", object);
  write(at("answer"), text);
  at("answer").classList.toggle("bad", !ok);
  return ok;
}

// Refreshes the camera's picture while the page is visible.
async function look() {
  if (watched && document.visibilityState === "visible") {
    try {
      const response = await fetch("frame.jpg");
      if (response.ok) {
        const old = at("frame").src;
        at("frame").src = URL.createObjectURL(await response.blob());
        if (old) URL.revokeObjectURL(old);
      }
    } catch { /* try again at the next look */ }
  }
  setTimeout(look, LOOK_MS);
}

function drawCorners() {
  const children = [];
  if (corners.length > 1) {
    const outline = document.createElementNS(SVG, "polygon");
    outline.setAttribute("points", corners.map(([x, y]) => `${x},${y}`).join(" "));
    children.push(outline);
  }
  const box = at("points").getBoundingClientRect();
  corners.forEach(([x, y], index) => {
    const dot = document.createElementNS(SVG, "ellipse");
    for (const [name, value] of Object.entries({
      class: "corner", cx: x, cy: y, rx: 9 / box.width, ry: 9 / box.height, tabindex: 0, role: "button",
      "aria-label": t("Corner {name}: move it by the arrow keys", { name: CORNERS()[index] }), "data-index": index,
    })) dot.setAttribute(name, value);
    children.push(dot);
  });
  const focused = document.activeElement?.dataset?.index;
  at("points").replaceChildren(...children);
  if (focused !== undefined) at("points").querySelector(`[data-index="${focused}"]`)?.focus();
  at("view").classList.toggle("clicking", clicking);
  at("again").hidden = !clicking;
  at("corners").hidden = clicking;
  at("lock").hidden = corners.length < 4;
  if (clicking) {
    write(at("seen"), corners.length < 4
      ? t("Click the board’s corner: {name}, as it is printed.", { name: CORNERS()[corners.length] })
      : t("Drag the corners until they fit."));
  }
}

function place(event) {
  const box = at("points").getBoundingClientRect();
  return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
}

at("points").addEventListener("pointerdown", (event) => {
  const index = event.target.dataset?.index;
  if (index === undefined) {
    if (corners.length < 4) corners.push(place(event));
    drawCorners();
    return;
  }
  const drag = (now) => {
    corners[index] = place(now);
    drawCorners();
  };
  const drop = () => {
    removeEventListener("pointermove", drag);
    removeEventListener("pointerup", drop);
  };
  addEventListener("pointermove", drag);
  addEventListener("pointerup", drop);
});

at("points").addEventListener("keydown", (event) => {
  const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const index = event.target.dataset?.index;
  if (!by || index === undefined) return;
  event.preventDefault();
  corners[index] = corners[index].map((part, axis) => part + by[axis] * NUDGE * (event.shiftKey ? 5 : 1));
  drawCorners();
});

function begin(from) {
  corners = from;
  clicking = true;
  drawCorners();
}

function rest() {
  corners = [];
  clicking = false;
  drawCorners();
  write(at("seen"), "");
}

at("corners").addEventListener("click", () => begin([]));
at("again").addEventListener("click", () => begin([]));
at("lock").addEventListener("click", async () => {
  if (await wish({ action: "corners", corners })) rest();
});
at("calibrate").addEventListener("click", async () => {
  if (await wish({ action: "calibrate", ...(corners.length === 4 ? { corners } : {}) })) rest();
});
at("right").addEventListener("click", () => wish({ action: "right" }));
at("stop").addEventListener("click", () => wish({ action: "stop" }));

function showLesson(setup, camera) {
  const active = Boolean(setup && setup.active);
  at("lesson").hidden = !active;
  at("learn-hint").hidden = active || !watched;
  at("learn-blind").hidden = active || watched;
  at("calibrate").hidden = active || !watched || !may;
  at("right").hidden = at("stop").hidden = !active || setup.fitting;
  at("ended").hidden = active || !setup || !setup.ended;
  if (setup && setup.ended) write(at("ended"), setup.ended);
  if (!active) return;
  write(at("step"), t("Board {lesson} of {lessons}, {taken} taken", setup));
  at("progress").max = setup.lessons;
  at("progress").value = setup.taken;
  const blind = camera && !camera.ok && !setup.fitting;
  const wanted = setup.fitting ? t("All pictures are taken. I learn from them; one moment.") : setup.wanted;
  write(at("wanted"), blind ? t("No picture comes from the camera. What was taken is kept: I go on when it is back.") : wanted);
  fill(at("told"), JSON.stringify(setup.said), () => [...setup.said].reverse().map((text) => make("li", { text })));
  const board = at("lesson-board");
  if (board.dataset.svg === setup.board) return;
  board.dataset.svg = setup.board;
  const drawn = new DOMParser().parseFromString(setup.board.replace(/<style>[^<]*<\/style>/, ""), "image/svg+xml").documentElement;
  if (drawn.nodeName !== "svg") return;
  drawn.setAttribute("role", "group");
  drawn.setAttribute("aria-label", t("The board as it is to be laid"));
  board.replaceChildren(document.importNode(drawn, true));
}

function heard({ state, view, health, commands }) {
  watched = Boolean(view && view.watched);
  may = commands;
  at("choose").hidden = !may;
  at("view").hidden = !watched;
  at("none").hidden = watched || !state;
  at("corners").hidden = !watched || !may || clicking;
  const fault = ["camera", "board"].map((name) => health.parts[name]).find((part) => part && !part.ok);
  write(at("health"), fault ? fault.text : t("all is well"));
  at("health").className = `health ${fault ? "bad" : "good"}`;
  showLesson(view && view.setup, health.parts.camera);
}

async function listAll() {
  const [response, state] = await Promise.all([
    fetch("cameras"),
    fetch("state").then((answer) => (answer.ok ? answer.json() : null)).catch(() => null),
  ]);
  if (!response.ok) return;
  const told = await response.json();
  const playing = state && state.game;
  at("game").replaceChildren(...told.games.map(({ name, title }) => new Option(capital(t(title)), name, false, name === playing)));
  at("paper").replaceChildren(...told.papers.map((name) => new Option(name.toUpperCase(), name)));
  aim();
}

function aim() {
  const query = new URLSearchParams({ game: at("game").value, paper: at("paper").value, ...(at("plain").checked ? { plain: 1 } : {}) });
  at("save").href = `sheet.pdf?${query}`;
}

await translate();
at("frame").alt = t("What the camera sees, with the board outlined");
at("print").addEventListener("change", aim);
at("print").addEventListener("submit", (event) => event.preventDefault());
listAll();
look();
listen({
  heard,
  opened: () => {},
  closed: () => {
    write(at("health"), t("no connection to the daemon; trying again"));
    at("health").className = "health bad";
  },
});
