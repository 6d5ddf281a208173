// The review of a recorded game: its curve, what each move gave away, and better moves drawn on the board.
"use strict";

import { at, capital, make } from "./elements.js";
import { t } from "./words.js";

const AGAIN_MS = 1000;
const SIGNS = { slip: "?!", mistake: "?", blunder: "??" };
const HIGH = 100; // height of the curve's drawing; a position is ten wide
const WIDE = 10;

const marked = (mark) => ({ slip: t("slip"), mistake: t("mistake"), blunder: t("blunder") })[mark];

let replay = null; // what the replay lends: ask, fail, show, draw
let game = null;
let told = null;
let timer = null;
let ply = 0;
let looking = null; // the first look at the open game's review

function drawn(tag, attributes, ...children) {
  const element = document.createElementNS(at("curve-drawing").namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const path = (rest = "") => `archive/${encodeURIComponent(game.id)}/review${rest}`;

/** Lends the review the replay's own functions, and makes its buttons work. */
export function reviewWith(lent) {
  replay = lent;
  at("review-begin").onclick = () => order("begin");
  at("review-stop").onclick = () => order("stop");
  at("review-next").onclick = () => {
    const bad = told.plies.filter((one) => one.mark);
    replay.show((bad.find((one) => one.ply > ply) || bad[0]).ply);
  };
}

async function order(action) {
  const asked = game;
  try {
    await replay.ask(path(), { action });
  } catch (error) {
    replay.fail(error);
  }
  if (game === asked) look();
}

/** Begins the review of the open game, unless it has one or runs. */
export async function reviewUnlessDone() {
  const asked = game;
  await looking;
  if (game === asked && !told && !at("review-begin").hidden) await order("begin");
}

/** Whether the open game has a review that can be saved with it. */
export const isReviewed = () => Boolean(told?.plies.length) && told.state !== "running";

/** Shows the review of another game; null where none is open. */
export function reviewOf(opened, may) {
  clearTimeout(timer);
  game = opened;
  told = null;
  at("review-begin").hidden = !may;
  at("review-stop").hidden = true;
  draw();
  if (game) looking = look();
}

async function look() {
  clearTimeout(timer);
  const asked = game;
  let answer;
  try {
    answer = await replay.ask(path());
  } catch (error) {
    if (game === asked) replay.fail(error);
    return;
  }
  if (game !== asked) return;
  told = answer.state === "none" ? null : answer;
  draw();
  if (told?.state === "running") timer = setTimeout(look, AGAIN_MS);
}

function draw() {
  const runs = told?.state === "running";
  at("review").hidden = !game;
  at("review-progress").hidden = !runs;
  at("review-stop").hidden = !runs;
  if (runs) {
    at("review-bar").max = told.total;
    at("review-bar").value = told.done;
    at("review-done").textContent = told.done
      ? t("{done} of {total} positions, from the last one on", { done: told.done, total: told.total })
      : t("The player gets ready. After an update this takes a minute.");
  }
  at("review-begin").textContent = told ? t("Review again") : t("Review this game");
  at("review-begin").classList.toggle("primary", !told);
  at("review-begin").disabled = runs;
  const notes = [];
  if (told?.trouble) notes.push(t("The review stopped: {why}", { why: told.trouble }));
  if (told?.state === "part") notes.push(t("Only the last {count} moves are reviewed.", { count: told.plies.length }));
  if (told?.fault) notes.push(t("The game is reviewed as far as it can be read: {why}", { why: told.fault }));
  at("review-note").textContent = notes.join(" ");
  at("review-note").hidden = !notes.length;
  at("review-next").hidden = !told?.plies.some((one) => one.mark);
  at("replay").classList.toggle("reviewed", Boolean(told));
  at("curve").hidden = !told;
  at("accuracy").hidden = !told;
  at("shares").hidden = !told?.shares;
  if (told) {
    drawCurve();
    at("accuracy").replaceChildren(...game.sides.map(summary));
  }
  signMoves();
  judge(ply);
  replay.changed();
}

function summary(side, index) {
  const { slip, mistake, blunder } = told.marks[index];
  const accuracy = told.accuracy[index];
  const values = { side: capital(t(side)), accuracy: Math.round(accuracy ?? 0), slips: slip, mistakes: mistake, blunders: blunder };
  return make("li", { text: accuracy === null
    ? t("{side}: no move can be judged", values)
    : t("{side}: accuracy {accuracy}; slips {slips}, mistakes {mistakes}, blunders {blunders}", values) });
}

function drawCurve() {
  const known = told.curve.filter(([, height]) => height !== null);
  const width = Math.max(1, (told.curve.length - 1) * WIDE);
  const place = ([number, height]) => `${number * WIDE},${((1 - height) * HIGH).toFixed(1)}`;
  const side = { side: capital(t(game.sides[0])) };
  const words = told.leads ? t("The lead in points: above the middle {side} leads", side) : t("How the game stood: above the middle {side} is better", side);
  const svg = at("curve-drawing");
  svg.setAttribute("viewBox", `0 -4 ${width} ${HIGH + 8}`);
  svg.setAttribute("aria-label", words);
  svg.replaceChildren(drawn("line", { class: "middle", x1: 0, x2: width, y1: HIGH / 2, y2: HIGH / 2 }));
  if (known.length) {
    const [first, last] = [known[0][0] * WIDE, known.at(-1)[0] * WIDE];
    svg.append(drawn("polygon", { class: "area", points: `${first},${HIGH / 2} ${known.map(place).join(" ")} ${last},${HIGH / 2}` }));
    svg.append(drawn("polyline", { class: "line", points: known.map(place).join(" ") }));
  }
  for (const { ply: number, mark } of told.plies.filter((one) => one.mark)) {
    const [, height] = told.curve[number] || [];
    // A line of no length with round ends is a dot, however the drawing is stretched.
    if (height !== null && height !== undefined) svg.append(drawn("path", { class: `mark ${mark}`, d: `M${place([number, height])}h0` }));
  }
  svg.append(drawn("line", { id: "curve-now", x1: ply * WIDE, x2: ply * WIDE, y1: -4, y2: HIGH + 4 }));
  svg.onclick = (event) => {
    const box = svg.getBoundingClientRect();
    replay.show(Math.round(((event.clientX - box.left) / box.width) * (told.curve.length - 1)));
  };
  at("curve-words").textContent = words;
}

/** Adds the signs of marked moves to the list of moves. */
function signMoves() {
  if (!game) return;
  for (const one of at("moves").querySelectorAll(".sign")) one.remove();
  for (const { ply: number, mark } of told?.plies.filter((one) => one.mark) || []) {
    at("moves").querySelector(`[data-ply="${number}"]`)?.append(make("abbr", { class: `sign ${mark}`, title: marked(mark), text: ` ${SIGNS[mark]}` }));
  }
}

/** Shows what is to be said about a move. */
export function judge(number) {
  ply = number;
  const now = document.getElementById("curve-now");
  for (const end of ["x1", "x2"]) now?.setAttribute(end, ply * WIDE);
  const one = told?.plies.find((other) => other.ply === ply);
  if (!one) return at("judged").replaceChildren();
  const value = one.exact ? t("{value}, proven", { value: one.value }) : one.value;
  const parts = [make("strong", { text: `${game.plies[ply - 1].move}: ${value}` })];
  if (!one.fair) parts.push(` · ${t("from a hand that nobody saw")}`);
  if (one.mark) parts.push(" · ", make("span", { class: `called ${one.mark}`, text: capital(marked(one.mark)) }));
  if (one.loss) parts.push(` · ${one.loss}`);
  const lines = [make("p", {}, ...parts)];
  if (one.better) {
    const buttons = one.better.line.map((move, index) => make("button", { type: "button", text: move, "aria-pressed": "false", on: { click: (event) => better(event.target, index, one) } }));
    lines.push(make("p", { class: "line-of-play" }, make("span", { text: t("Better ({value}):", { value: one.better.value }) }), ...buttons));
  }
  at("judged").replaceChildren(...lines);
}

function better(button, index, one) {
  const on = button.getAttribute("aria-pressed") === "true";
  for (const other of at("judged").querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button && !on));
  if (on) return replay.show(ply);
  const line = one.better.line.slice(0, index + 1).join(" ");
  replay.draw(`archive/${encodeURIComponent(game.id)}/board/${ply}.svg?better=${index}`, t("Better instead of move {number}: {line}", { number: ply, line }));
}
