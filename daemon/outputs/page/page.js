// The table's page: shows the daemon's messages and sends people's commands.
"use strict";

import { showActions } from "./actions.js";
import { askPiece, Board } from "./board.js";
import { at, capital, fill, make, write } from "./elements.js";
import { Hand } from "./hand.js";
import { offerListening } from "./listening.js";
import { listen } from "./live.js";
import { offerMenu } from "./menu.js";
import { showPlayers } from "./players.js";
import { offerSpeech } from "./speaking.js";
import { tell } from "./tell.js";
import { locale, t, translate } from "./words.js";

const MOST = 100;
const LONG = 40; // characters; longer announcements get smaller letters
// How the mover is known if the board does not show it.
const known = (how) => ({ seat: t("seen from whose side the hand came"), said: t("as somebody said"), agent: t("asked for by the agent") }[how] || t("in turn"));

const microphone = offerListening(at("listen"));
const speech = offerSpeech(at("speak"));

let message = null;
let asked = "";
let offered = ""; // mark of the position whose moves are offered

const board = new Board(at("board"), {
  chosen: (move) => tell({ command: "move", move, mark: offered }).then((ok) => { if (!ok) askLegal(true); }),
  pointed: (cell, element) => {
    const { pieces, mark } = message.view;
    askPiece(element, cell, pieces, (piece) => tell({ command: "correct", cell, piece, mark }));
  },
});
const hand = new Hand(at("hand"), (tile) => board.hold(tile));

function turn(state) {
  if (state.outcome) return message.view.result;
  const side = capital((message.view.sides || state.sides)[state.to_move]);
  const agent = state.players[state.to_move].agent;
  switch (state.awaiting) {
    case "agent": return t("{side}: {agent} is thinking.", { side, agent });
    case "carry_out": return t("{side}: please play {move} on the board for {agent}.", { side, move: state.agent_move, agent: agent || t("the agent") });
    case "move": return t("{side} is to move.", { side });
    default: return "";
  }
}

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
    if (!row || row[ply.side] || (ply.side === 0 && row[1])) rows.push([null, null]);
    rows.at(-1)[ply.side] = ply;
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
  return t("evaluation {score}", { score: Number(score.toFixed(2)).toLocaleString(locale()) });
}

function showThought({ thought }) {
  const element = at("thought");
  element.hidden = !thought;
  if (!thought) return;
  const parts = [
    thought.score === null ? "" : valued(thought.score),
    thought.depth ? t("depth {depth}", { depth: thought.depth }) : "",
    thought.nodes > 1 ? t("{count} positions", { count: thought.nodes.toLocaleString(locale()) }) : "",
    thought.masked ? t("illegal choices passed over: {count}", { count: thought.masked }) : "",
    thought.seconds >= 0.05 ? t("{seconds} s", { seconds: thought.seconds.toFixed(1) }) : "",
  ];
  write(element, `${t("The agent")}: ${parts.filter(Boolean).map((part) => part.replaceAll(" ", "\u00a0")).join(" · ")}`);
}

function showHealth(health) {
  const faults = Object.entries(health.parts).filter(([, part]) => !part.ok);
  write(at("health"), faults.map(([name, part]) => `${t(name)}: ${part.text}`).join("; ") || t("all is well"));
  at("health").className = `health ${faults.length ? "bad" : "good"}`;
  fill(at("parts"), JSON.stringify(health.parts), () => Object.entries(health.parts).map(([name, part]) => make("li", {
    class: part.ok ? "" : "bad", text: `${t(name)}: ${part.text || (part.ok ? t("well") : t("not well"))}`,
  })));
}

function showAnnouncement(spoken) {
  const list = at("announcements");
  list.prepend(make("li", {}, make("time", { datetime: spoken.time, text: new Date(spoken.time).toLocaleTimeString(locale(), { hour: "2-digit", minute: "2-digit" }) }), spoken.text));
  while (list.children.length > MOST) list.lastChild.remove();
}

function showPicture(watched) {
  const main = at("main");
  if (main.dataset.watched === (watched ? "yes" : "no")) return;
  main.dataset.watched = watched ? "yes" : "no";
  at("camera").hidden = !watched;
  if (watched) at("picture").src = `video?${Date.now()}`;
  else at("picture").removeAttribute("src");
}

// Gets the legal moves: without a camera, people move on this page.
async function askLegal(again = false) {
  const { state, view, commands } = message;
  const mine = commands && !view.watched && state && state.awaiting === "move" && !view.paused;
  const wanted = mine ? `${state.session}/${state.game_id}/${state.sequence}` : "";
  if (wanted === asked && !again) return;
  asked = wanted;
  // While an agent thinks the hand keeps its space, so that nothing on the page jumps.
  hand.show(null, Boolean(state && state.awaiting === "agent" && !view.watched));
  board.offer([]); // the moves of the last position no longer apply
  if (!mine) return;
  try {
    const response = await fetch("legal");
    const told = await response.json();
    if (wanted !== asked || !response.ok || told.ply !== message.state.ply) return;
    offered = told.mark;
    board.offer(told.moves || []);
    hand.show(told.hand || null, told.moves || []);
  } catch { /* the connection is lost: the next state asks again */ }
}

function heard(told) {
  message = { ...told, board: told.board || message?.board };
  told.announcements.forEach(showAnnouncement);
  microphone.show(told);
  speech.hear(told.announcements);
  showHealth(told.health);
  const { state, view } = told;
  if (!state || !view.title) return;
  write(at("title"), view.title + (state.table === "table" ? "" : `, ${state.table}`));
  const now = turn(state);
  const said = state.text || now;
  write(at("said"), said);
  at("said").classList.toggle("long", said.length > LONG);
  if (at("answer").textContent === said) write(at("answer"), "");
  write(at("turn"), state.text && state.text !== now ? now : "");
  document.title = `${now} Kibitzer`;
  write(at("words"), inWords(state));
  showPicture(view.watched);
  showPlayers(state, told.line, view);
  showMoves(told.line, state);
  showThought(view);
  if (told.board) board.show(told.board);
  board.listen(Boolean(told.commands && (view.offers || []).includes("correct")));
  showActions(told);
  at("new").hidden = !told.commands;
  askLegal();
}

await translate();
at("picture").alt = t("The board as the camera sees it. The drawn board beside it says the same.");
offerMenu(at("new"));
listen({
  heard,
  opened: () => {
    at("announcements").replaceChildren();
    speech.reopened();
    document.body.classList.remove("away");
    if (!at("camera").hidden) at("picture").src = `video?${Date.now()}`; // the old stream ended with the old connection
    asked = "";
  },
  closed: () => {
    document.body.classList.add("away");
    write(at("health"), t("no connection to the daemon; trying again"));
    at("health").className = "health bad";
    board.offer([]);
  },
});
