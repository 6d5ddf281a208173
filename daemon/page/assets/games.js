// Browses the recorded games. Every text is inserted as text, never as HTML; drawn boards are pictures.

import { at, capital, make } from "./elements.js";
import { offerToGoOn } from "./going-on.js";
import { isReviewed, judge, reviewOf, reviewUnlessDone, reviewWith } from "./review.js";
import { post } from "./tell.js";
import { locale, t, tenths, translate } from "./words.js";

await translate();

function say(text) {
  at("message").textContent = text;
  at("message").hidden = !text;
}

class Refused extends Error {}

async function ask(path, command) {
  if (command !== undefined) {
    const { ok, text, told } = await post(path, command);
    if (!ok) throw Object.assign(new Refused(text), { code: told?.code });
    return told;
  }
  let answer;
  try {
    answer = await fetch(path);
  } catch {
    throw new Refused(t("The daemon does not answer. Nothing was changed."));
  }
  const told = await answer.json().catch(() => ({ text: t("What answers there is no Kibitzer.") }));
  if (!answer.ok) throw new Refused(told.text);
  return told;
}

const FORMATS = {
  sgf: t("SGF"),
  ggf: t("GGF"),
  pgn: t("PGN"),
  pdn: t("PDN"),
  transcript: t("transcript"),
  moves: t("numbered moves"),
  annotations: t("annotation files, zipped"),
  json: t("JSON, all that is known"),
  png: t("one picture of all boards"),
};
const COMMENTED = ["sgf", "ggf", "moves", "pgn", "pdn", "json"];
const day = (time) => new Date(time).toLocaleString(locale(), { dateStyle: "medium", timeStyle: "short" });
const countOf = (count) => (count === 1 ? t("1 move") : t("{count} moves", { count }));

function resultOf(game) {
  if (!game.outcome) return t("not finished");
  if (game.outcome.winner === null) return t("a draw");
  const said = t("{player} has won", { player: game.shown[game.outcome.winner] });
  return game.players[game.outcome.winner] === "person" ? capital(said) : said; // names stay as they are written
}

// Records call players without a name "person".
const named = (player, shown) => (player === "person" ? t("person") : shown);
const versus = (game) => t("{first} against {second}", { first: game.shown[0], second: game.shown[1] });

// --- The list

const list = { older: "", played: "", may: false, asked: 0 };

async function showList(more = false) {
  const asked = ++list.asked;
  const query = new URLSearchParams({ limit: 40, game: at("filter-game").value, player: at("filter-player").value.trim() });
  if (more) query.set("before", list.older);
  try {
    const told = await ask(`archive?${query}`);
    if (asked !== list.asked) return; // the filter has changed in the meantime
    Object.assign(list, { older: told.older, played: told.played, may: told.commands });
    at("importing").hidden = !list.may;
    if (!more) {
      at("list").replaceChildren();
      choose(at("filter-game"), told.kinds);
      choose(at("ranking-game"), told.kinds);
      at("names").replaceChildren(...told.names.map((value) => make("option", { value })));
    }
    at("list").append(...told.games.map(entry));
    at("empty").hidden = at("list").children.length > 0 || told.older !== "";
    at("older").hidden = told.older === "";
    markOpened();
    if (!more) say("");
  } catch (error) {
    tellError(error);
  }
}

function choose(select, kinds) {
  const chosen = select.value;
  select.replaceChildren(select.options[0], ...kinds.map((one) => new Option(t(one.title), one.name)));
  select.value = kinds.some((one) => one.name === chosen) ? chosen : "";
}

function entry(game) {
  const about = [capital(t(game.title)), day(game.started), countOf(game.plies), resultOf(game)].join(" · ");
  const on = { click: () => { location.hash = game.id; } };
  return make("li", {}, make("button", { type: "button", "data-id": game.id, on },
    make("strong", { text: capital(versus(game)) }), make("span", { text: about })));
}

function markOpened() {
  for (const button of at("list").querySelectorAll("button")) {
    button.setAttribute("aria-current", String(opened !== null && button.dataset.id === opened.id));
  }
}

async function importGame() {
  const [file] = at("import").files;
  if (!file) return;
  try {
    const told = await ask("archive", { text: await textOf(file), name: file.name, game: at("filter-game").value });
    await showList();
    location.hash = told.id;
    if (told.text) say(told.text);
  } catch (error) {
    tellError(error);
  }
  at("import").value = ""; // the same file may be chosen again
}

/** A file's text: UTF-8, UTF-16 with its mark, the encoding that an SGF record names, or Windows-1252. */
async function textOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const marks = { "255,254": "utf-16le", "254,255": "utf-16be" };
  const named = /\bCA\s*\[\s*([\w.:-]+)\s*\]/.exec(new TextDecoder("latin1").decode(bytes.subarray(0, 4000)));
  for (const encoding of [marks[bytes.subarray(0, 2).join()] ?? "utf-8", named?.[1]]) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch { /* the next one */ }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

function tellError(error) {
  if (!(error instanceof Refused)) throw error;
  say(error.message);
}

// --- One game

let opened = null;
let ply = 0;
let timer = null;

async function open(id) {
  stop();
  if (!id) return close();
  try {
    const game = await ask(`archive/${encodeURIComponent(id)}`);
    if (location.hash.slice(1) !== id) return;
    opened = game;
    say(game.fault ? t("This game cannot be played through: {why}", { why: game.fault }) : "");
    showGame(game);
    reviewOf(game, list.may);
    show(game.plies.length, true);
    markOpened();
    at("title").focus();
  } catch (error) {
    close();
    tellError(error);
  }
}

function close() {
  stop();
  opened = null;
  reviewOf(null, false);
  at("replay").hidden = true;
  document.querySelector(".sides").classList.remove("both");
  markOpened();
}

function showGame(game) {
  at("replay").hidden = false;
  document.querySelector(".sides").classList.add("both");
  at("title").textContent = `${capital(t(game.title))}: ${versus(game)}`;
  const more = [day(game.started), countOf(game.plies.length), game.result || resultOf(game)];
  if (game.source) more.push(t("read from {file}", { file: game.source }));
  if (game.undone) more.push(t("{count} taken back", { count: game.undone }));
  if (game.left_out) more.push(t("{count} more moves are not shown; save the game to have all", { count: game.left_out }));
  at("result").textContent = more.join(" · ");
  at("slider").max = game.plies.length;
  at("moves").replaceChildren(moveButton(t("start"), 0), ...game.plies.map((one) => moveButton(one.move, one.ply, one)));
  at("format").replaceChildren(...game.formats.map((one) => new Option(FORMATS[one] || one, one)));
  aimSave();
  game.sides.forEach((side, index) => { at(index ? "name-second-label" : "name-first-label").textContent = t(side); });
  [at("name-first").value, at("name-second").value] = game.players.map((player, side) => named(player, game.shown[side]));
  at("names-form").hidden = !list.may;
  at("delete").hidden = !list.may || game.id === list.played;
}

const lent = {
  ask,
  changed: () => opened && aimSave(),
  fail: tellError,
  show: (number) => { stop(); show(number); },
  draw: (src, caption) => { stop(); at("caption").textContent = caption; swap("board", src, caption); },
};

function moveButton(text, number, told = {}) {
  const on = { click: () => { stop(); show(number); } };
  const button = make("button", { type: "button", "data-ply": number, class: told.side ? "second" : null, on });
  if (told.number) button.append(make("small", { text: `${told.number} ` }));
  button.append(text);
  return make("li", {}, button);
}

function aimSave() {
  const format = at("format").value;
  at("with-review").hidden = !isReviewed() || !COMMENTED.includes(format);
  const comments = !at("with-review").hidden && at("comments").checked ? "?comments=1" : "";
  at("save").href = `archive/${opened.id}/export/${format}${comments}`;
}

// Replaces a picture once the new one is loaded, so that nothing flickers; the latest request wins.
const wanted = {};
async function swap(id, src, alt) {
  const image = make("img", { alt, src });
  wanted[id] = image;
  try {
    await image.decode();
  } catch {
    if (wanted[id] === image && id === "board") ask(src).catch(tellError);
    return;
  }
  if (wanted[id] === image) at(id).replaceChildren(image);
}


async function show(number, jump = false) {
  const game = opened;
  ply = Math.max(0, Math.min(number, game.plies.length));
  const told = ply ? game.plies[ply - 1] : null;
  const caption = told
    ? t("Move {number}: {side}, {move}", { number: told.number || ply, side: t(game.sides[told.side]), move: told.move })
    : t("The start");
  at("slider").value = ply;
  at("slider").setAttribute("aria-valuetext", caption);
  at("caption").textContent = caption;
  const comments = game.notes.filter((one) => one.ply === ply && one.kind === "comment").map((one) => one.text);
  at("about").textContent = [...(told ? aboutPly(game, told) : []), ...comments].join(" · ");
  at("find").hidden = !ply || Boolean(game.fault);
  at("found").replaceChildren();
  judge(ply);
  offerToGoOn(game, ply, list.may);
  at("back").disabled = at("first").disabled = ply === 0;
  at("next").disabled = at("last").disabled = ply === game.plies.length;
  for (const button of at("moves").querySelectorAll("button")) {
    const here = Number(button.dataset.ply) === ply;
    if (here) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
    if (here) at("moves").scrollTop = button.offsetTop - at("moves").clientHeight / 2;
  }
  at("picture-figure").hidden = !(told && told.picture);
  const path = `archive/${game.id}`;
  const pictures = [swap("board", `${path}/board/${ply}.svg`, caption)];
  if (told && told.picture) {
    pictures.push(swap("picture", `${path}/picture/${ply}.jpg`, t("The board as the camera saw it after this move")));
  }
  if (!jump) await Promise.all(pictures);
}

const minutes = (seconds) => {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

function aboutPly(game, told) {
  const parts = [];
  if (told.verdict === "corrected") parts.push(t("corrected afterwards"));
  if (told.scores) parts.push(t("points {first} : {second}", { first: told.scores[0], second: told.scores[1] }));
  if (told.gains) parts.push(`+${told.gains[0]} +${told.gains[1]}`);
  if (told.spent_s !== undefined) parts.push(t("took {seconds} s", { seconds: tenths(told.spent_s) }));
  if (told.left_s) parts.push(t("left {first} and {second}", { first: minutes(told.left_s[0]), second: minutes(told.left_s[1]) }));
  if (told.score !== undefined) parts.push(t("the agent says {score}", { score: told.score }));
  if (told.depth) parts.push(t("depth {depth}", { depth: told.depth }));
  if (told.nodes) parts.push(t("{count} positions", { count: told.nodes }));
  for (const note of game.notes.filter((one) => one.ply === told.ply - 1 && one.kind === "illegal").slice(0, 3)) parts.push(note.text);
  return parts;
}

async function find() {
  const [game, number] = [opened, ply];
  try {
    const told = await ask(`archive/${encodeURIComponent(game.id)}/find/${number}`);
    if (opened !== game || ply !== number) return;
    const line = (one) => make("li", {}, make("a", { href: `#${one.game_id}`, text: capital(versus(one)) }),
      ` · ${day(one.started)} · ${one.next ? t("move {number}: {move}", { number: one.ply + 1, move: one.next }) : t("its last position")}`);
    const words = told.count ? t("Other games with this position, however the board is turned: {count}", { count: told.count }) : t("No other game went through this position.");
    at("found").replaceChildren(make("p", { text: words }), make("ul", { class: "accuracy" }, ...told.games.map(line)));
  } catch (error) {
    tellError(error);
  }
}

// --- Automatic replay

function stop() {
  clearTimeout(timer);
  timer = null;
  at("play").setAttribute("aria-pressed", "false");
  at("play").textContent = t("Play");
}

function play() {
  if (timer !== null) return stop();
  if (ply === opened.plies.length) show(0);
  at("play").setAttribute("aria-pressed", "true");
  at("play").textContent = t("Pause");
  const turn = async () => {
    const game = opened;
    await show(ply + 1); // waits until this ply is shown
    if (timer === null || opened !== game) return;
    if (ply === opened.plies.length) stop(); else timer = setTimeout(turn, Number(at("pace").value));
  };
  timer = setTimeout(turn, Number(at("pace").value));
}

const STEPS = {
  ArrowLeft: () => ply - 1,
  ArrowRight: () => ply + 1,
  Home: () => 0,
  End: () => opened.plies.length,
};

document.addEventListener("keydown", (event) => {
  const taken = event.target.closest("input, select, textarea, dialog, [role=tab]");
  if (!opened || taken || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key in STEPS) {
    stop();
    show(STEPS[event.key]());
  } else if (event.key === " " && !event.target.closest("button, a")) {
    play();
  } else {
    return;
  }
  event.preventDefault();
});

// --- Renaming and deleting

async function rename(event) {
  event.preventDefault();
  const kept = (name, side) => (name === named(opened.players[side], opened.shown[side]) ? opened.players[side] : name);
  const players = [at("name-first").value.trim(), at("name-second").value.trim()].map(kept);
  try {
    await ask(`archive/${opened.id}/players`, { players });
    const { shown } = await ask(`archive/${opened.id}`);
    Object.assign(opened, { players, shown });
    showGame(opened);
    show(ply);
    await showList();
    say(t("The names are changed."));
  } catch (error) {
    tellError(error);
  }
}

function askToDelete() {
  at("sure-text").textContent = t("Delete the game {players}, {day}? Nothing brings it back.", {
    players: versus(opened), day: day(opened.started),
  });
  at("sure").returnValue = "no";
  at("sure").showModal();
}

async function remove() {
  if (at("sure").returnValue !== "yes" || !opened) return;
  try {
    const told = await ask(`archive/${opened.id}/delete`, { confirm: opened.id });
    history.replaceState(null, "", "#");
    close();
    await showList();
    say(told.text);
  } catch (error) {
    if (error.code === "unknown_game") await showList(); // another page has deleted it
    tellError(error);
  }
}

// --- Ranking

async function showRanking() {
  try {
    const told = await ask(`ranking?${new URLSearchParams({ game: at("ranking-game").value })}`);
    at("ranking-caption").textContent = t("Elo from {games} finished games; all begin at {start}, a game moves at most {k} points.",
      { games: told.games, start: told.start, k: told.k });
    at("standings").replaceChildren(...told.players.map((one) => {
      const cells = [one.place, named(one.player, one.shown), one.elo, one.games, one.wins, one.draws, one.losses];
      return make("tr", {}, ...cells.map((value) => make("td", { text: String(value) })));
    }));
    say("");
  } catch (error) {
    tellError(error);
  }
}

function turnTo(name) {
  for (const one of ["games", "ranking"]) {
    const here = one === name;
    at(one).hidden = !here;
    at(`tab-${one}`).setAttribute("aria-selected", String(here));
    at(`tab-${one}`).tabIndex = here ? 0 : -1;
  }
  at("replay").hidden = name !== "games" || !opened;
  document.querySelector(".sides").classList.toggle("both", !at("replay").hidden);
  if (name === "ranking") { stop(); showRanking(); }
}

for (const [one, other] of [["games", "ranking"], ["ranking", "games"]]) {
  at(`tab-${one}`).onclick = () => turnTo(one);
  at(`tab-${one}`).onkeydown = (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    turnTo(other);
    at(`tab-${other}`).focus();
  };
}

let typing = null;
at("filter").onsubmit = (event) => event.preventDefault();
at("filter").oninput = () => { clearTimeout(typing); typing = setTimeout(showList, 250); };
at("older").onclick = () => showList(true);
at("ranking-game").onchange = showRanking;
at("first").onclick = () => { stop(); show(0); };
at("back").onclick = () => { stop(); show(ply - 1); };
at("next").onclick = () => { stop(); show(ply + 1); };
at("last").onclick = () => { stop(); show(opened.plies.length); };
at("play").onclick = play;
at("slider").oninput = () => { stop(); show(Number(at("slider").value)); };
at("format").onchange = at("comments").onchange = aimSave;
at("names-form").onsubmit = rename;
at("import").onchange = importGame;
at("find").onclick = find;
at("delete").onclick = askToDelete;
at("sure").onclose = remove;
window.onhashchange = () => { turnTo("games"); open(location.hash.slice(1)); };
reviewWith(lent);
await showList();
await open(location.hash.slice(1));
if (opened && new URLSearchParams(location.search).has("review")) {
  history.replaceState(null, "", `games${location.hash}`); // once: a reload shows the review that there is
  reviewUnlessDone();
}
