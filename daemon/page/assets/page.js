// The table's page: shows the daemon's messages and sends people's commands.
"use strict";

import { offerSpace, showActions } from "./actions.js";
import { showBest } from "./best.js";
import { askPiece, Board, parse } from "./board.js";
import { at, capital, fill, make, write } from "./elements.js";
import { offerDemo, showDemo } from "./demo.js";
import { fitBoard } from "./fit.js";
import { Hand } from "./hand.js";
import { offerListening } from "./listening.js";
import { listen } from "./live.js";
import { offerMenu } from "./menu.js";
import { showPlayers } from "./players.js";
import { offerSettings, showSettings } from "./settings.js";
import { offerStart, showStart } from "./start.js";
import { offerSpeech } from "./speaking.js";
import { tell } from "./tell.js";
import { locale, t, tenths, translate } from "./words.js";

const MOST = 100;
const BEGINNING = ["new_game", "left", "start"]; // kinds of announcements with which a game begins
const LONG = 40; // characters; longer instructions get smaller letters
// How the mover is known if the board does not show it.
const known = (how) => ({ seat: t("seen from whose side the hand came"), said: t("as somebody said"), agent: t("asked for by the agent") }[how] || t("in turn"));

const microphone = offerListening(at("listen"));
const speech = offerSpeech(at("speak"));

let message = null;
let drawn;
let asked = "";
let offered = ""; // mark of the position whose moves are offered

const board = new Board(at("board"), {
  chosen: (move) => tell({ command: "move", move, mark: offered }).then((ok) => { if (!ok) askLegal(true); }),
  pointed: (cell, element) => {
    const { pieces, mark, counting } = message.view;
    if (counting) return void tell({ command: "count", cell, mark });
    askPiece(element, cell, pieces, (piece) => tell({ command: "correct", cell, piece, mark }));
  },
});
const hand = new Hand(at("hand"), (tile) => board.hold(tile));

function inWords(state) {
  const men = new Map();
  [...state.board].forEach((letter, index) => {
    if (letter !== ".") men.set(letter, [...(men.get(letter) || []), state.cells[index]]);
  });
  const names = new Map((message.view.pieces || []).map(({ piece, name }) => [piece, name]));
  if (!men.size) return t("The board is empty.");
  return [...men].map(([letter, cells]) => `${names.get(letter) || letter}: ${cells.join(", ")}.`).join(" ");
}

function showMoves(line, state) {
  const rows = [];
  for (const ply of line.plies) {
    const row = rows.at(-1);
    const place = Number(ply.side !== message.view.begins); // whoever begins by the rules stands first
    if (!row || row[place] || (place === 0 && row[1])) rows.push([null, null]);
    rows.at(-1)[place] = ply;
  }
  const last = line.plies.at(-1);
  const cell = (ply) => (ply ? make("span", {
    class: ply === last ? "ply last" : "ply", text: ply.move, title: `${capital((message.view.sides || state.sides)[ply.side])}, ${known(ply.known)}`,
  }) : make("span", { class: "ply", text: "…", "aria-hidden": "true" }));
  const moves = at("moves");
  if (fill(moves, JSON.stringify(line.plies), () => rows.map((row, index) => make("li", {}, make("span", { class: "number", text: `${index + 1}` }), ...row.map(cell))))) {
    moves.scrollTop = moves.scrollHeight;
  }
  moves.dataset.plies = line.plies.length;
  write(at("count"), line.plies.length ? limited(line.plies.length, message.view.limit) : "");
}

const limited = (count, limit) => (limit ? t("{count} of at most {limit}", { count, limit }) : String(count));

const FORCED = 900000; // scores beyond this are 1000000 minus the plies to a forced end

function valued(score) {
  if (score > FORCED) return t("sees a win");
  if (score < -FORCED) return t("sees a loss");
  return score > 0 ? t("thinks it is ahead") : score < 0 ? t("thinks it is behind") : t("thinks the game is even");
}

function showThought({ thought }) {
  const element = at("thought");
  element.hidden = !thought;
  if (!thought) return;
  const figures = [
    thought.depth ? t("depth {depth}", { depth: thought.depth }) : "",
    thought.nodes > 1 ? t("{count} positions", { count: thought.nodes.toLocaleString(locale()) }) : "",
    thought.masked ? t("illegal choices passed over: {count}", { count: thought.masked }) : "",
    thought.seconds >= 0.05 ? t("{seconds} s", { seconds: tenths(thought.seconds) }) : "",
  ];
  element.hidden = thought.score === null && !figures.some(Boolean);
  write(at("opinion"), `${t("The agent")}: ${thought.score === null ? t("has thought") : valued(thought.score)}`);
  write(at("figures"), figures.filter(Boolean).map((part) => part.replaceAll(" ", "\u00a0")).join(" · "));
}

function showPuzzle({ puzzle }) {
  const element = at("puzzle");
  element.hidden = !puzzle;
  if (!puzzle) return;
  element.dataset.verdict = puzzle.verdict;
  const done = puzzle.tried ? t("solved {solved} of {tried} times", puzzle) : "";
  const told = [puzzle.text, puzzle.source ? t("Missed in a game of yours.") : "", done].filter(Boolean).join(" · ");
  fill(element, JSON.stringify([told, puzzle.why]), () => [told, ...(puzzle.why ? [make("span", { class: "why", text: puzzle.why })] : [])]);
}

function showSeen({ seen }) {
  at("seen").hidden = !seen;
  fill(at("seen"), seen ? seen.board : "", () => (seen ? [parse(seen.board, "seen-")] : []));
}

function showHealth(health) {
  const faults = Object.entries(health.parts).filter(([, part]) => !part.ok);
  write(at("health"), faults.map(([name, part]) => `${t(name)}: ${part.text.replace(/\.$/, "")}`).join("; ") || t("all is well"));
  at("health").className = `health ${faults.length ? "bad" : "good"}`;
  fill(at("parts"), JSON.stringify(health.parts), () => Object.entries(health.parts).map(([name, part]) => make("li", {
    class: part.ok ? "" : "bad", text: `${t(name)}: ${part.text || (part.ok ? t("well") : t("not well"))}`,
  })));
}

let group = null; // the heading above what was said in the newest game
let kindBefore = "";

function showAnnouncement(spoken) {
  const list = at("announcements");
  const time = new Date(spoken.time).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" });
  if (!group?.isConnected) group = null;
  if (BEGINNING.includes(spoken.kind) && !BEGINNING.includes(kindBefore)) {
    list.prepend(group = make("li", { class: "of-game" }, make("h3", { text: t("Game begun at {time}", { time }) })));
  }
  kindBefore = spoken.kind;
  const said = make("li", {}, make("time", { datetime: spoken.time, text: time }), spoken.text);
  if (group) group.after(said); else list.prepend(said);
  while (list.children.length > MOST) list.lastChild.remove();
}

function showPicture(watched) {
  const main = at("main");
  if (main.dataset.watched === (watched ? "yes" : "no")) return;
  main.dataset.watched = watched ? "yes" : "no";
  at("camera").hidden = !watched;
  if (!watched) at("large").close();
  if (watched) at("picture").src = `video?${Date.now()}`;
  else at("picture").removeAttribute("src");
}

// Gets the legal moves: without a camera, people move on this page.
async function askLegal(again = false) {
  const { state, view, commands } = message;
  const mine = commands && !view.watched && state && state.awaiting === "move" && !view.paused;
  const wanted = mine ? `${state.session}/${view.mark}` : "";
  if (wanted === asked && !again) return;
  asked = wanted;
  // While an agent thinks the hand keeps its space, so that nothing on the page jumps.
  hand.show(null, Boolean(state && state.awaiting === "agent" && !view.watched));
  board.offer([]); // the moves of the last position no longer apply
  if (!mine) return;
  try {
    const response = await fetch("legal");
    const told = await response.json();
    if (wanted !== asked || !response.ok || told.mark !== message.view.mark) return;
    offered = told.mark;
    board.offer(told.moves || []);
    hand.show(told.hand || null, false, told.moves.some((move) => move.steps.length));
  } catch { /* the connection is lost: the next state asks again */ }
}

// Each name stands on the side where its men begin.
function showSides() {
  at("table").classList.toggle("turned", (message?.view.top === 0) !== board.flipped);
}

function heard(told) {
  message = { ...told, board: told.board || message?.board };
  told.announcements.forEach(showAnnouncement);
  microphone.show(told);
  speech.hear(told.announcements);
  showHealth(told.health);
  const { state, view } = told;
  showDemo(told);
  if (!state || !view.title) return;
  write(at("title"), [view.title, view.opening && t("Opening: {name}", { name: view.opening }), state.table === "table" ? "" : state.table].filter(Boolean).join(", "));
  const { kind = "", text: now = "" } = view.instruction || {};
  write(at("instruction"), now);
  at("instruction").dataset.kind = kind;
  at("instruction").classList.toggle("long", now.length > LONG);
  const said = view.hint || (state.text === now ? "" : state.text);
  write(at("said"), said);
  if (at("answer").textContent === state.text) write(at("answer"), "");
  document.title = `${now} Kibitzer`.trim();
  write(at("words"), inWords(state));
  showPicture(view.watched);
  showPlayers(state, told.line, view);
  showMoves(told.line, state);
  showThought(view);
  at("rules").hidden = !view.in_short?.length;
  fill(at("in-short"), JSON.stringify(view.in_short), () => (view.in_short || []).map((text, index) => make("li", { text },
    ...(view.examples?.[index] ? [make("img", { src: view.examples[index], alt: "", loading: "lazy" })] : []))));
  if (message.board && message.board !== drawn) board.show(drawn = message.board); // it may have come before the first state
  showSides();
  board.listen(Boolean(told.commands && ["correct", "count"].some((name) => (view.offers || []).includes(name))));
  showActions(told);
  showBest(told);
  showPuzzle(view);
  showSeen(view);
  at("film").hidden = !(told.commands && view.awaits_phone);
  at("new").hidden = !told.commands || Boolean(view.entrance) || ["plays", "over"].includes(view.demo?.state);
  showStart(told);
  showSettings(told);
  askLegal();
}

await translate();
at("picture").alt = t("The board as the camera sees it. The drawn board beside it says the same.");
// One stream only: the small picture itself moves into the dialog, and back.
at("camera").onclick = () => { at("large").append(at("picture")); at("large").showModal(); };
at("flip").onclick = () => { board.flip(); showSides(); };
at("close").onclick = at("picture").onclick = () => at("large").close();
at("large").onclose = () => at("camera").append(at("picture"));
fitBoard();
offerMenu(at("new"));
offerStart();
offerDemo(() => {
  connection.end();
  document.body.replaceChildren(at("ended"));
  at("ended").hidden = false;
  document.title = "Kibitzer";
});
offerSettings();
offerSpace();
const connection = listen({
  heard,
  opened: () => {
    at("announcements").replaceChildren();
    kindBefore = "";
    speech.reopened();
    document.body.classList.remove("away");
    if (!at("camera").hidden) at("picture").src = `video?${Date.now()}`; // the old stream ended with the old connection
    asked = "";
  },
  closed: () => {
    document.body.classList.add("away");
    write(at("health"), t("no connection to the daemon; trying again"));
    write(at("instruction"), t("Kibitzer does not answer. This page keeps trying."));
    at("instruction").dataset.kind = "trouble";
    at("health").className = "health bad";
    board.offer([]);
  },
});
