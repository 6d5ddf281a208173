// The dialog for a new game, built from the choices in /menu; no code here is specific to a game or agent.
"use strict";

import { Arranging } from "./arranging.js";
import { at, capital, make } from "./elements.js";
import { post } from "./tell.js";
import { t } from "./words.js";

const AGAIN_MS = 1000;
export const USUAL = "level-4";
const SIDES = ["first", "second"];
let menu = null;
let choice = null;
let whenBegun = null;
let arranging = null; // the position that is being set up, of the game and rules chosen last
let opponent = null; // the agent that sits down where an agent is wanted

const option = (value, text, chosen) => make("option", { value, text, selected: value === chosen });

/** A label with a select; calls `changed(value)` with the chosen value. */
export function select(label, options, value, changed, name = null) {
  const field = make("select", { name, on: { change: (event) => changed(event.target.value) } }, ...options.map(([one, text]) => option(one, text, value)));
  return make("label", {}, make("span", { text: label }), field);
}

/** A label with a box to tick. */
export function tick(label, value, changed, title = "") {
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


const called = (game, agent) => [...game.levels, ...game.agents].find(({ name }) => name === agent)?.title ?? agent;

/** Buttons of which one is pressed: `options` are values with what each shows. */
function radios(title, name, kind, options, value, changed) {
  return make("fieldset", { class: kind }, make("legend", {}, kind === "games" ? title : make("h3", { text: title })), make("div", {}, ...options.map(([one, ...shown]) => {
    const radio = make("input", { type: "radio", name, value: one, on: { change: () => changed(one) } });
    radio.checked = one === value;
    return make("label", {}, radio, make("span", {}, ...shown));
  })));
}

/** The games as pictures, of which one is chosen; used by the start card, too. */
export function gamePictures(games, value, changed, name) {
  return radios(t("Game"), name, "games", games.map((game) => [
    game.name, make("img", { src: `picture/${game.name}.svg`, alt: "", loading: "lazy" }), capital(game.title),
  ]), value, changed);
}

/** A field for a rule or an agent's option, built from its description; default values are left out of the choice. */
function field(described, values) {
  const { name, kind, choices, doc } = described;
  const title = capital(described.title);
  const value = values[name] ?? described.default;
  const changed = (given) => {
    if (given === described.default) delete values[name];
    else values[name] = given;
    if (arranging?.wanted) draw(); // other rules may forbid what stands there
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

/** A game with the rules that are proposed for it. */
const proposed = (name) => ({ name, rules: { ...menu.games.find((one) => one.name === name)?.proposed } });

/** Seats a person or an agent; a person's name does not stay where an agent sits. */
function sit(key, agent) {
  const player = choice.players[key];
  if (agent === player.agent) return;
  Object.assign(player, { agent, options: {} }, agent ? { name: "" } : {});
  if (agent) opponent = agent;
}

/** Who sits where: the side of the person, or `people` or `agents` for both. */
function seating() {
  const [first, second] = SIDES.map((key) => choice.players[key].agent);
  return first && second ? "agents" : !first && !second ? "people" : first ? "1" : "0";
}

function seat(value) {
  SIDES.forEach((key, side) => {
    const person = value === "people" || value === String(side);
    sit(key, person ? "" : choice.players[key].agent || opponent);
  });
  draw();
}

function simpleFields(game) {
  const swatch = (side) => make("span", { class: `swatch side-${side}`, "aria-hidden": "true" });
  const people = SIDES.filter((key) => !choice.players[key].agent);
  const offered = [...game.strengths, ...game.engines];
  const strengths = offered.some(({ agent }) => agent === opponent) ? offered : [...offered, { agent: opponent, title: called(game, opponent), means: "" }];
  const engines = SIDES.filter((key) => game.engines.some(({ agent }) => agent === choice.players[key].agent));
  return [
    radios(t("You play"), "seating", "pick", [
      ...game.sides.map((side, index) => [String(index), swatch(side), capital(t(side))]), ["people", t("Two people")], ["agents", t("Watch two agents")],
    ], seating(), seat),
    ...(people.length === 2 ? [] : [
      radios(t("How strong"), "strength", "pick", strengths.map(({ agent, title }) => [agent, title]), opponent, (agent) => {
        SIDES.filter((key) => choice.players[key].agent).forEach((key) => sit(key, agent));
        draw();
      }),
      make("p", { class: "hint", role: "status", text: strengths.find(({ agent }) => agent === opponent).means }),
      ...engines.map((key) => levelField(game, key)),
    ]),
    ...(people.length ? [make("div", { class: "fields" }, ...people.map((key) => {
      const player = choice.players[key];
      const side = game.sides[SIDES.indexOf(key)];
      return text(people.length === 1 ? t("Your name, if you like") : t("Name: {side}", { side: capital(t(side)) }), player.name || "", (value) => { player.name = value; });
    }))] : []),
  ];
}

/** How strong an engine plays that has levels of its own. */
function levelField(game, key) {
  const { agent, options } = choice.players[key];
  const described = game.agents.find(({ name }) => name === agent)?.options.find(({ name }) => name === "level");
  if (!described) return null;
  const levels = Array.from({ length: described.maximum }, (_, index) => [String(index + 1), String(index + 1)]);
  return make("div", { class: "fields" }, select(capital(described.title), levels, String(options.level ?? described.default), (level) => { options.level = Number(level); }));
}

function playerFields(key, side, game) {
  const player = choice.players[key];
  const agents = [
    ["", t("a person")],
    ...[...game.levels, ...game.agents].map(({ name, title }) => [name, title]),
  ];
  if (!agents.some(([name]) => name === player.agent)) {
    if (menu.ready) sit(key, USUAL);
    else agents.push([player.agent, player.agent]); // the list of agents is not complete yet
  }
  const agent = game.agents.find(({ name }) => name === player.agent);
  const known = agent ? agent.options.map(({ name }) => name) : [];
  if (menu.ready) player.options = Object.fromEntries(Object.entries(player.options || {}).filter(([name]) => known.includes(name)));
  const own = (name, title) => number(title, menu.player[name], player[name] ?? menu.player[name].default, (value) => { player[name] = value; });
  return make("fieldset", { class: "player" },
    make("legend", {}, make("h3", {}, make("span", { class: `swatch side-${side}`, "aria-hidden": "true" }), ` ${capital(t(side))}`)),
    make("div", { class: "fields" },
      select(t("Who plays"), agents, player.agent, (value) => { sit(key, value); draw(); }, key),
      ...(player.agent ? [own("time_s", t("Seconds a move"))] : []),
      ...(agent ? [own("depth", t("Depth, 0 is no limit")), own("nodes", t("Positions, 0 is no limit")),
        ...agent.options.filter(({ name }) => name !== "depth").map((described) => field(described, player.options))] : [])));
}

/** The fields of a clock; `redraw` shows them anew after a choice that needs other fields. */
export function clockFields(told, chosen, redraw) {
  const clock = chosen.clock;
  const usual = told.clocks.findIndex((one) => Object.entries(one.clock).every(([name, value]) => clock[name] === value)
    && (one.clock.control === "none" || !clock.increment_s));
  const options = [...told.clocks.map(({ title }, index) => [String(index), title]), ["own", t("another clock")]];
  const now = usual < 0 || clock.own ? "own" : String(usual);
  const fields = [select(t("Thinking time"), options, now, (value) => {
    chosen.clock = value === "own" ? { ...clock, control: "game", own: true } : { ...told.clocks[Number(value)].clock, lose: clock.lose };
    redraw();
  }, "clock")];
  if (now === "own") {
    fields.push(
      select(t("Time is for"), [["move", t("each move")], ["game", t("the whole game")]], clock.control, (value) => { clock.control = value; }),
      number(t("Minutes"), told.clock.minutes, clock.minutes ?? told.clock.minutes.default, (value) => { clock.minutes = value; }),
      number(t("Seconds added a move"), told.clock.increment_s, clock.increment_s ?? 0, (value) => { clock.increment_s = value; }),
    );
  }
  if (clock.control !== "none") fields.push(tick(t("Who runs out of time loses"), Boolean(clock.lose), (value) => { clock.lose = value; }));
  return fields;
}

/** The clock as it is sent, without the fields that only these dialogs use. */
export function sentClock({ own, warn_s: warnings, ...clock }) {
  return clock;
}

/** The part in which a position is set up; with other rules it begins from what stands there. */
function arrangingOf(game, rules) {
  if (!game.sets_up) arranging = null;
  else if (!arranging?.is(game.name, rules)) {
    const stood = arranging?.asked.game === game.name && arranging.wanted ? arranging.stands : null;
    arranging = new Arranging(game.name, structuredClone(rules), stood);
  }
  return arranging ? [arranging.element] : [];
}

function draw() {
  const place = at("menu-fields");
  const game = menu.games.find(({ name }) => name === choice.game.name) || menu.games[0];
  choice.game.name = game.name;
  const rules = choice.game.rules;
  const by = game.sets.find((one) => one.name === (rules.set || game.sets[0].name));
  const [first, others] = [game.rules.filter(({ name }) => name === "first"), game.rules.filter(({ name }) => name !== "first")];
  const { name, value } = document.activeElement;
  const more = place.querySelector("details.more")?.open;
  const players = SIDES.map((key, side) => playerFields(key, game.sides[side], game)); // first: they may reseat a player
  place.replaceChildren(
    gamePictures(menu.games, game.name, (one) => { choice.game = proposed(one); draw(); }, "game"),
    ...simpleFields(game),
    ...arrangingOf(game, rules),
    make("details", { open: more, class: "more" }, make("summary", { text: t("More: clock, rules, agents") }),
      ...(by ? [
        make("div", { class: "fields" }, select(t("Rules"), game.sets.map((one) => [one.name, capital(one.title)]), by.name, (value) => { choice.game.rules = { ...game.proposed, ...(value === game.sets[0].name ? {} : { set: value }) }; draw(); }, "set")),
        make("p", { class: "hint", role: "status", text: by.said }),
      ] : []),
      make("div", { class: "fields" },
        ...clockFields(menu, choice, draw),
        ...first.map((described) => {
          const label = field(described, rules);
          label.firstChild.textContent = t("Who begins");
          return label;
        }),
        ...others.map((described) => field({ ...described, default: by?.options[described.name] ?? described.default }, rules)),
        select(t("Where"), menu.cameras.map(({ source, title }) => [source, source === "none" ? t("on this page, without a camera") : t("on a board, camera {title}", { title })]),
          choice.camera.source, (source) => { choice.camera.source = source; })),
      ...players));
  // The field in use keeps the focus: fields of the same name are buttons of which one is pressed.
  if (name) [...place.querySelectorAll(`[name="${CSS.escape(name)}"]`)].find((one) => one.type !== "radio" || one.value === value)?.focus();
}

async function begin(event) {
  event.preventDefault();
  const { speech, ...wanted } = choice || {};
  const start = menu && arranging?.element.isConnected && arranging.wanted ? { position: await arranging.text() } : {};
  if (start.position === null) {
    at("menu-answer").textContent = t("No game can begin from this position. Change it, or close “Set up a position”.");
    at("menu-answer").classList.add("bad");
    return;
  }
  at("menu-begin").disabled = true;
  const { ok, text: told } = menu
    ? await post("menu", { ...wanted, game: { name: choice.game.name, rules: choice.game.rules }, clock: sentClock(choice.clock), start })
    : await post("tell", { command: "new_game" });
  at("menu-begin").disabled = false;
  at("menu-answer").textContent = told;
  at("menu-answer").classList.toggle("bad", !ok);
  if (!ok) return;
  at("menu").close();
  whenBegun?.();
}

/** What can be chosen; null where nothing can. */
export async function askMenu() {
  // An answer must be read to its end, or its connection stays open.
  const told = await fetch("menu").then((answer) => answer.json()).catch(() => null);
  return told?.choice ? told : null;
}

/** Asks again: the daemon knows its agents only a few seconds after its start. */
async function again() {
  if (!at("menu").open) return;
  menu = await askMenu() || menu;
  draw();
  if (!menu.ready) setTimeout(again, AGAIN_MS);
}

/** Opens the dialog; a game, a camera and an agent for the agents' seats may be chosen already; `begun` is called once it is. */
export async function newGame({ game = "", source = "", agent = "", begun = null } = {}) {
  whenBegun = begun;
  arranging = null;
  menu = await askMenu();
  at("menu-answer").textContent = "";
  at("menu-fields").replaceChildren();
  if (menu) {
    choice = structuredClone(menu.choice);
    if (game && game !== choice.game.name) choice.game = proposed(game);
    if (source) choice.camera = { source };
    if (agent) SIDES.filter((key) => choice.players[key].agent).forEach((key) => sit(key, agent));
    opponent = SIDES.map((key) => choice.players[key].agent).find(Boolean) || USUAL;
    draw();
    if (!menu.ready) setTimeout(again, AGAIN_MS);
  } else {
    at("menu-fields").replaceChildren(make("p", { text: t("The game before stays in the record as it stands.") }));
  }
  at("menu").showModal();
}

/** Lets a button open the dialog. */
export function offerMenu(button) {
  button.addEventListener("click", () => newGame());
  at("menu-cancel").addEventListener("click", () => at("menu").close());
  at("menu").addEventListener("close", () => at("menu-fields").replaceChildren());
  at("menu-form").addEventListener("submit", begin);
}
