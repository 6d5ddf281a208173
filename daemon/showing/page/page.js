// Shows what /live tells. Every text goes in as text, never as HTML.
"use strict";

const MOST = 100;
const at = (id) => document.getElementById(id);
const colour = (name) => name.charAt(0).toUpperCase() + name.slice(1);

function item(text, attributes = {}) {
  const element = document.createElement("li");
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function turn(state) {
  if (state.outcome) {
    const won = state.outcome.winner === null ? "a draw" : `${state.sides[state.outcome.winner]} has won`;
    return `The game is over: ${won} (${state.outcome.reason.replaceAll("_", " ")}).`;
  }
  const side = colour(state.sides[state.to_move]);
  const agent = state.players[state.to_move].agent;
  switch (state.awaiting) {
    case "agent": return `${side}: ${agent} is thinking.`;
    case "carry_out": return `${side}: please play ${state.agent_move} on the board for ${agent || "the agent"}.`;
    case "move": return `${side} is to move.`;
    default: return "";
  }
}

function board(state) {
  const men = new Map();
  [...state.board].forEach((letter, index) => {
    if (letter !== ".") men.set(letter, [...(men.get(letter) || []), state.cells[index]]);
  });
  if (!men.size) return "The board is empty.";
  return [...men].map(([letter, cells]) => `${letter}: ${cells.join(", ")}.`).join(" ");
}

function showState(state) {
  const table = state.table === "table" ? "" : `, ${state.table}`;
  at("title").textContent = state.game.replaceAll("_", " ") + table;
  document.title = `Kibitzer: ${turn(state) || state.table}`;
  if (state.text && at("said").textContent !== state.text) at("said").textContent = state.text;
  at("turn").textContent = turn(state);
  at("board").textContent = board(state);
}

// Why a side is believed to have made a move, where the board does not show it.
const KNOWN = { "": "in turn", seat: "seen from whose side the hand came", said: "as somebody said", agent: "asked for by the agent" };

function showLine(line, sides) {
  const moves = at("moves");
  moves.replaceChildren(...line.plies.map((ply) => item(ply.move, {
    "data-ply": ply.number === null ? "" : ply.number,
    title: `${sides[ply.side]}, ${KNOWN[ply.known]}`,
    class: ply.side ? "second" : "",
  })));
  moves.scrollTop = moves.scrollHeight;
  at("scores").hidden = line.scores === null;
  if (line.scores) at("scores").textContent = sides.map((side, index) => `${colour(side)} ${line.scores[index]}`).join(", ");
}

function showCommands(offered, sides, needsToken) {
  at("tell").hidden = !offered;
  at("token-line").hidden = !needsToken;
  if (offered && at("tell-side").childElementCount === 0) {
    at("tell-side").replaceChildren(...sides.map((side) => new Option(`${side}'s`, side)));
  }
}

// From another computer a command needs the token; it is kept until the window is closed, and goes nowhere else.
function authorization() {
  const token = at("token").value.trim();
  if (token) sessionStorage.setItem("token", token);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

async function tell(command) {
  const answer = at("answer");
  answer.textContent = "One moment.";
  try {
    const response = await fetch("tell", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...authorization() },
      body: JSON.stringify(command),
    });
    answer.textContent = (await response.json()).text;
  } catch {
    answer.textContent = "The daemon does not answer. Nothing was changed.";
  }
}

at("token").value = sessionStorage.getItem("token") || "";
at("tell-pass").onclick = () => tell({ command: "pass" });
at("tell-undo").onclick = () => tell({ command: "undo" });
at("tell-mover").onclick = () => {
  const move = at("tell-move").valueAsNumber;
  tell({ command: "mover", side: at("tell-side").value, ...(Number.isNaN(move) ? {} : { move }) });
};

function showHealth(health) {
  const faults = Object.entries(health.parts).filter(([, part]) => !part.ok);
  const line = faults.map(([name, part]) => `${name}: ${part.text}`).join("; ") || "all is well";
  if (at("health").textContent !== line) at("health").textContent = line;
  at("health").className = `health ${faults.length ? "bad" : "good"}`;
  at("parts").replaceChildren(...Object.entries(health.parts).map(
    ([name, part]) => item(`${name}: ${part.text || (part.ok ? "well" : "not well")}`, { class: part.ok ? "" : "bad" })));
}

function showAnnouncement(spoken) {
  const element = item("");
  const time = document.createElement("time");
  time.dateTime = spoken.time;
  time.textContent = new Date(spoken.time).toLocaleTimeString();
  element.append(time, spoken.text);
  at("announcements").prepend(element);
  while (at("announcements").children.length > MOST) at("announcements").lastChild.remove();
}

function connect(wait, again) {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
  socket.onopen = () => {
    wait = 500;
    at("announcements").replaceChildren();
    if (again) at("picture").src = `video?${Date.now()}`; // the old stream has ended with the old connection
  };
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    message.announcements.forEach(showAnnouncement);
    if (message.state) {
      showState(message.state);
      showLine(message.line, message.state.sides);
      showCommands(message.commands, message.state.sides, message.token);
    }
    showHealth(message.health);
  };
  socket.onclose = () => {
    at("health").textContent = "no connection to the daemon; trying again";
    at("health").className = "health bad";
    setTimeout(() => connect(Math.min(wait * 2, 10000), true), wait);
  };
}

connect(500, false);
