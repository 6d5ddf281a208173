// Sets up the position from which a game begins: pieces are put on the board, or its text is pasted. The daemon knows the rules.
"use strict";

import { Board, parse } from "./board.js";
import { make, write } from "./elements.js";
import { post } from "./tell.js";
import { t } from "./words.js";

const EMPTY = ".";
const OWN = "own-"; // begins the names of colours: the table has its board, too

/** One game's arrangement, as a part of a form that opens. */
export class Arranging {
  /** With what stood in another it is open and begins there, as far as the board is the same; else with the usual start. */
  constructor(game, rules, stood = null) {
    this.asked = { game, rules };
    this.stood = stood;
    this.told = {}; // what somebody chose besides the pieces, by its code
    this.kind = "";
    this.position = null; // the text of what stands there; null where the rules forbid it
    this.number = 0;
    this.element = make("details", { class: "arranging", on: { toggle: () => { if (this.element.open && !this.begun) this.#begin(); } } },
      make("summary", { text: t("Set up a position") }));
    this.element.open = stood !== null;
  }

  /** Whether this is the arrangement of that game under these rules. */
  is(game, rules) { return JSON.stringify(this.asked) === JSON.stringify({ game, rules }); }

  /** Whether the game is to begin from what stands here. */
  get wanted() { return this.element.open; }

  /** The text of what stands here once the daemon has answered; null where no game can begin from it. */
  async text() {
    for (let known; known !== this.answered;) await (known = this.answered);
    return this.position;
  }

  #begin() {
    this.begun = true;
    const place = make("div", { class: "board" });
    this.board = new Board(place, { chosen: () => {}, pointed: (cell) => this.#put(cell), own: OWN });
    this.kinds = make("div");
    this.sides = make("div");
    this.rights = make("div", { class: "fields" });
    this.fault = make("p", { class: "answer bad", role: "status" });
    this.field = make("input", { type: "text", name: "position", maxlength: 4000, autocomplete: "off", spellcheck: "false", on: { change: () => this.#read(this.field.value) } });
    const pick = (title, content) => make("fieldset", { class: "pick" }, make("legend", {}, make("h3", { text: title })), content);
    const button = (text, pressed) => make("button", { type: "button", text, on: { click: pressed } });
    this.element.append(
      pick(t("Piece"), this.kinds), place, this.fault,
      make("p", { class: "actions" }, button(t("Empty the board"), () => this.board.cells && this.#change(EMPTY.repeat(this.board.cells.size), this.side, {})), button(t("Set up the start"), () => { this.told = {}; this.#ask({}); })),
      pick(t("Whose turn is it?"), this.sides), this.rights,
      make("div", { class: "fields whole" }, make("label", {}, make("span", { text: t("The position as text; paste another here") }), this.field)));
    this.board.listen(true);
    this.answered = this.#asked({}).then(() => {
      if (this.figures && this.stood?.figures?.length === this.figures.length) this.#change(this.stood.figures, this.stood.side, this.stood.told);
    });
  }

  /** The pieces, whose turn it is, and what else was chosen. */
  get stands() { return { figures: this.figures, side: this.side, told: this.told }; }

  /** Puts the chosen piece on a cell, or takes away what is there: the same piece, or any where none is chosen. */
  #put(cell) {
    const index = [...this.board.cells.keys()].indexOf(cell);
    const letters = [...this.figures];
    letters[index] = letters[index] === this.kind ? EMPTY : this.kind || EMPTY;
    this.#change(letters.join(""));
  }

  #change(figures, side = this.side, told = this.told) {
    Object.assign(this, { figures, side, told });
    this.#ask(this.stands);
  }

  #read(text) {
    this.told = {};
    this.#ask({ position: text });
  }

  #ask(more) {
    this.answered = this.#asked(more);
  }

  async #asked(more) {
    const number = ++this.number;
    this.position = null;
    const { ok, text, told } = await post("arrange", { ...this.asked, ...more });
    if (number !== this.number) return; // something was changed meanwhile
    write(this.fault, ok ? told.fault : text);
    if (!ok) return;
    this.position = told.position;
    if (told.kinds) this.#offer(told);
    if (told.position !== null || !more.position) this.field.value = told.position ?? ""; // a wrong text can be put right
    if (!told.board) return; // no position at all: what stood there stays
    Object.assign(this, { figures: told.figures, side: told.side });
    for (const { code, held } of told.rights) this.told[code] = held;
    this.board.show(told.board);
    this.#show(told.rights);
  }

  /** Shows the kinds of pieces, each as it is drawn on the board, and the sides. */
  #offer({ kinds, palette, sides }) {
    const cells = [...parse(palette, OWN).querySelectorAll("[data-cell]")];
    this.kind ||= kinds[0].piece;
    const radio = (name, value, checked, chosen, ...shown) => {
      const field = make("input", { type: "radio", name, value, on: { change: chosen } });
      field.checked = checked;
      return make("label", {}, field, make("span", {}, ...shown));
    };
    this.kinds.replaceChildren(...kinds.map(({ piece, name }, index) => radio("kind", piece, piece === this.kind, () => { this.kind = piece; }, pictureOf(cells[index], name))),
      radio("kind", "", this.kind === "", () => { this.kind = ""; }, t("take away")));
    this.sides.replaceChildren(...sides.map((side, index) => radio("mover", String(index), false, () => this.#change(this.figures, index), side)));
  }

  #show(rights) {
    for (const field of this.sides.querySelectorAll("input")) field.checked = field.value === String(this.side);
    const focused = document.activeElement?.name;
    this.rights.replaceChildren(...rights.map(({ code, name, held }) => {
      const box = make("input", { type: "checkbox", name: `right-${code}`, on: { change: () => { this.told[code] = box.checked; this.#change(this.figures); } } });
      box.checked = held;
      return make("label", { class: "tick" }, box, make("span", { text: name }));
    }));
    if (focused?.startsWith("right-")) this.rights.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus();
  }
}

/** A piece by itself, cut from a drawn board. */
function pictureOf(cell, name) {
  const spot = cell.querySelector(".spot");
  const [x, y, cx, cy, r, width] = ["x", "y", "cx", "cy", "r", "width"].map((one) => Number(spot.getAttribute(one)));
  const svg = document.createElementNS(cell.namespaceURI, "svg");
  svg.setAttribute("viewBox", r ? `${cx - r} ${cy - r} ${2 * r} ${2 * r}` : `${x} ${y} ${width} ${width}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", name);
  const title = document.createElementNS(cell.namespaceURI, "title");
  title.textContent = name;
  svg.append(title, document.importNode(cell.querySelector(".man"), true));
  return svg;
}
