// The dialog for a new game, built from the choices in /menu; no code here is specific to a game or agent.
"use strict";

import { at, capital, make } from "./elements.js";
import { post } from "./tell.js";
import { t } from "./words.js";

const AGAIN_MS = 1000;
let menu = null;
let choice = null;

const option = (value, text, chosen) => make("option", { value, text, selected: value === chosen });

/** A label with a select; calls `changed(value)` with the chosen value. */
function select(label, options, value, changed) {
  const field = make("select", { on: { change: (event) => changed(event.target.value) } }, ...options.map(([one, text]) => option(one, text, value)));
  return make("label", {}, make("span", { text: label }), field);
}

function tick(label, value, changed, title = "") {
  const box = make("input", { type: "checkbox", on: { change: (event) => changed(event.target.checked) } });
  box.checked = value;
  return make("label", { class: "tick", title }, box, make("span", { text: label }));
}

function number(label, { minimum, maximum, step = "any" }, value, changed, title = "") {
  const field = make("input", {
    type: "number", min: minimum, max: maximum, step, value: String(value), inputmode: "decimal",
    on: { change: (event) => { if (!Number.isNaN(event.target.valueAsNumber)) changed(event.target.valueAsNumber); } },
  });
  return make("label", { title }, make("span", { text: label }), field);
}

function text(label, value, changed, title = "") {
  const field = make("input", { type: "text", maxlength: 64, autocomplete: "off", on: { change: (event) => changed(event.target.value) } });
  field.value = value;
  return make("label", { title }, make("span", { text: label }), field);
}

/** A field for a rule or an agent's option, built from its description; default values are left out of the choice. */
function field(described, values) {
  const { name, kind, choices, doc } = described;
  const title = capital(described.title);
  const value = values[name] ?? described.default;
  const changed = (given) => {
    if (given === described.default) delete values[name];
    else values[name] = given;
  };
  if (kind === "bool") return tick(title, value === true || value === "true", changed, doc);
  if (choices && choices.length) {
    const named = (one) => (one === "" ? t("as usual") : one === "auto" ? t("whoever moves first") : described.titles[one] === one ? one : capital(described.titles[one]));
    const label = select(title, choices.map((one) => [one, named(one)]), value, changed);
    label.title = doc;
    return label;
  }
  if (kind === "int") return number(title, { ...described, step: 1 }, value, changed, doc);
  return text(title, value, changed, doc);
}

function playerFields(key, side, game) {
  const player = choice.players[key];
  const level = (name) => t("Level {number}", { number: name.split("-")[1] });
  const agents = [
    ["", t("a person")],
    ...game.levels.map(({ name }) => [name, level(name)]),
    ...game.agents.map(({ name }) => [name, name]),
  ];
  if (!agents.some(([name]) => name === player.agent)) {
    if (menu.ready) player.agent = "";
    else agents.push([player.agent, player.agent]); // the list of agents is not complete yet
  }
  const agent = game.agents.find(({ name }) => name === player.agent);
  const known = agent ? agent.options.map(({ name }) => name) : [];
  if (menu.ready) player.options = Object.fromEntries(Object.entries(player.options || {}).filter(([name]) => known.includes(name)));
  const own = (name, title) => number(title, menu.player[name], player[name] ?? menu.player[name].default, (value) => { player[name] = value; });
  return make("fieldset", {},
    make("legend", {}, make("h3", {}, make("span", { class: `swatch side-${side}`, "aria-hidden": "true" }), ` ${capital(t(side))}`)),
    make("div", { class: "fields" },
      select(t("Who plays"), agents, player.agent, (value) => { player.agent = value; draw(); }),
      !player.agent ? text(t("Name"), player.name || "", (value) => { player.name = value; }) : own("time_s", t("Seconds a move"))),
    ...(agent ? [make("details", {},
      make("summary", { text: t("More of this player") }),
      make("div", { class: "fields" }, own("depth", t("Depth, 0 is no limit")), own("nodes", t("Positions, 0 is no limit")),
        ...agent.options.filter(({ name }) => name !== "depth").map((described) => field(described, player.options))))] : []));
}

function clockFields() {
  const usual = menu.clocks.findIndex(({ clock }) => Object.entries(clock).every(([name, value]) => choice.clock[name] === value)
    && (clock.control === "none" || !choice.clock.increment_s));
  const options = [...menu.clocks.map(({ title }, index) => [String(index), title]), ["own", t("another clock")]];
  const chosen = usual < 0 || choice.clock.own ? "own" : String(usual);
  const fields = [select(t("Thinking time"), options, chosen, (value) => {
    choice.clock = value === "own" ? { ...choice.clock, control: "game", own: true } : { ...menu.clocks[Number(value)].clock, lose: choice.clock.lose };
    draw();
  })];
  if (chosen === "own") {
    fields.push(
      select(t("Time is for"), [["move", t("each move")], ["game", t("the whole game")]], choice.clock.control, (value) => { choice.clock.control = value; }),
      number(t("Minutes"), menu.clock.minutes, choice.clock.minutes ?? menu.clock.minutes.default, (value) => { choice.clock.minutes = value; }),
      number(t("Seconds added a move"), menu.clock.increment_s, choice.clock.increment_s ?? 0, (value) => { choice.clock.increment_s = value; }),
    );
  }
  if (choice.clock.control !== "none") fields.push(tick(t("Who runs out of time loses"), Boolean(choice.clock.lose), (value) => { choice.clock.lose = value; }));
  return fields;
}

function draw() {
  const game = menu.games.find(({ name }) => name === choice.game.name) || menu.games[0];
  choice.game.name = game.name;
  const [first, others] = [game.rules.filter(({ name }) => name === "first"), game.rules.filter(({ name }) => name !== "first")];
  const open = [...at("menu-fields").querySelectorAll("details")].map((one) => one.open);
  at("menu-fields").replaceChildren(
    make("div", { class: "fields" },
      select(t("Game"), menu.games.map(({ name, title }) => [name, capital(title)]), game.name, (value) => { choice.game = { name: value, rules: {} }; draw(); }),
      ...first.map((described) => {
        const label = field(described, choice.game.rules);
        label.firstChild.textContent = t("Who begins");
        return label;
      }),
      select(t("Where"), menu.cameras.map(({ source, title }) => [source, source === "none" ? t("on this page, without a camera") : t("on a board, camera {title}", { title })]),
        choice.camera.source, (value) => { choice.camera.source = value; })),
    playerFields("first", game.sides[0], game),
    playerFields("second", game.sides[1], game),
    make("h3", { text: t("Time") }),
    make("div", { class: "fields" }, ...clockFields()),
    make("h3", { text: t("Voice") }),
    make("div", { class: "fields" },
      select(t("Language"), menu.languages.map(({ code, name }) => [code, name]), choice.speech.language, (value) => { choice.speech.language = value; }),
      tick(t("Say it aloud"), choice.speech.enabled, (value) => { choice.speech.enabled = value; })),
    ...(others.length ? [make("details", {}, make("summary", { text: t("Rules") }),
      make("div", { class: "fields" }, ...others.map((described) => field(described, choice.game.rules))))] : []),
  );
  at("menu-fields").querySelectorAll("details").forEach((one, index) => { one.open = open[index] || false; });
}

/** The choice as it is sent, without the fields that only this dialog uses. */
function sent() {
  const { own, warn_s: warnings, ...clock } = choice.clock;
  return { ...choice, game: { name: choice.game.name, rules: choice.game.rules }, clock };
}

async function begin(event) {
  event.preventDefault();
  at("menu-begin").disabled = true;
  const spoken = menu && menu.choice.speech.language;
  const { ok, text: told } = menu ? await post("menu", sent()) : await post("tell", { command: "new_game" });
  at("menu-begin").disabled = false;
  at("menu-answer").textContent = told;
  at("menu-answer").classList.toggle("bad", !ok);
  if (!ok) return;
  at("menu").close();
  if (menu && choice.speech.language !== spoken) location.reload();
}

async function ask() {
  try {
    const response = await fetch("menu");
    menu = response.ok ? await response.json() : null;
  } catch {
    menu = null;
  }
  if (menu && !menu.ready) setTimeout(again, AGAIN_MS);
}

/** Asks again: the daemon knows its agents only a few seconds after its start. */
async function again() {
  if (!at("menu").open) return;
  await ask();
  if (menu && menu.ready) draw();
}

async function open() {
  await ask();
  at("menu-answer").textContent = "";
  if (menu) {
    choice = structuredClone(menu.choice);
    at("menu-fields").replaceChildren();
    draw();
  } else {
    at("menu-fields").replaceChildren(make("p", { text: t("The game before stays in the record as it stands.") }));
  }
  at("menu").showModal();
}

/** Lets a button open the dialog. */
export function offerMenu(button) {
  button.addEventListener("click", open);
  at("menu-cancel").addEventListener("click", () => at("menu").close());
  at("menu-form").addEventListener("submit", begin);
}
