// The drawn board from the daemon, made interactive. Moves are entered by their steps, so no code here is specific to a game.
"use strict";

import { at, make, write } from "./elements.js";
import { t } from "./words.js";

const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const FAR_PX = 6;
/** Width of a finger's target. Where cells are closer together, a tap shows a ghost and a second one confirms. */
const TARGET_PX = 44;
/** If a man may be laid on more cells than this, as on an empty gomoku board, none is marked. */
const MOST_MARKED = 40;

/** A cell's middle and half its width, in the drawing's own units. */
function middleOf(cell) {
  const spot = cell.querySelector(".spot");
  const [x, y, r, width] = ["cx", "cy", "r", "width"].map((name) => Number(spot.getAttribute(name)));
  return r ? [x, y, r] : [Number(spot.getAttribute("x")) + width / 2, Number(spot.getAttribute("y")) + width / 2, width / 2];
}

function disc(cell, kind, share, more = {}) {
  const [cx, cy, half] = middleOf(cell);
  const circle = document.createElementNS(cell.namespaceURI, "circle");
  for (const [name, value] of Object.entries({ class: kind, cx, cy, r: half * share, ...more })) circle.setAttribute(name, value);
  cell.append(circle);
  return circle;
}

/** The cells to point at for a move, each with what happens there.
 *
 * Men that are turned over need no pointing, nor those taken before a man goes: where it goes says which.
 */
function pathOf(move) {
  const first = move.steps.findIndex((step) => step.kind !== "remove");
  return move.steps.slice(Math.max(0, first)).flatMap((step, index, steps) => {
    // A man that jumps on and on is lifted once.
    const on = index > 0 && steps[index - 1].cell === step.origin;
    if (step.kind === "move") return [...(on ? [] : [{ cell: step.origin, kind: "lift" }]), { cell: step.cell, kind: "move" }];
    return step.kind === "flip" ? [] : [{ cell: step.cell, kind: step.kind, piece: step.piece }];
  });
}

/** The halves of the tile that a move lays, in its order; empty for other moves. */
const laidBy = (move) => move.path.filter((part) => part.kind === "place").map((part) => part.piece);

/** A drawn board as an element; `own` begins the names of its colours, which differ where a page shows two boards.
 *
 * The page already has the drawing's style, and its policy forbids styles inside the drawing.
 */
export function parse(svg, own = "") {
  const plain = svg.replace(/<style>[^<]*<\/style>/, "").replace(/( id="|url\(#)/g, `$1${own}`);
  return new DOMParser().parseFromString(plain, "image/svg+xml").documentElement;
}

export class Board {
  /** Calls `chosen(move)` with a complete move, `pointed(cell, element)` with a cell that is part of no move. */
  constructor(place, { chosen, pointed, own = "" }) {
    this.place = place;
    this.own = own;
    this.chosen = chosen;
    this.pointed = pointed;
    this.moves = [];
    this.path = [];
    this.tile = null;
    this.answers = false;
    this.focus = "";
    this.ghost = "";
    this.flipped = localStorage.getItem("flipped") === "yes";
    place.addEventListener("click", (event) => this.#click(event));
    place.addEventListener("keydown", (event) => this.#key(event));
    place.addEventListener("focusin", (event) => this.#remember(event));
    place.addEventListener("pointerdown", (event) => this.#grab(event));
  }

  /** Replaces the drawing; a man that moved glides to its new cell. */
  show(svg) {
    const parsed = parse(svg, this.own);
    if (parsed.nodeName !== "svg") return;
    parsed.querySelector(":scope > title")?.remove();
    parsed.setAttribute("role", "group");
    parsed.setAttribute("aria-label", t("Board"));
    const had = this.place.contains(document.activeElement);
    const before = this.place.querySelector("svg");
    this.place.replaceChildren(document.importNode(parsed, true));
    this.cells = new Map([...this.place.querySelectorAll("[data-cell]")].map((cell) => [cell.dataset.cell, cell]));
    this.ghost = "";
    this.#turn();
    this.#arm();
    if (had) this.cells.get(this.focus)?.focus();
    if (before && !CALM.matches) this.#glide();
  }

  /** Shows the board from the other side, and keeps that for this browser. */
  flip() {
    this.flipped = !this.flipped;
    localStorage.setItem("flipped", this.flipped ? "yes" : "no");
    this.#turn();
  }

  /** Letters and men stand upright on a turned board, too. */
  #turn() {
    const svg = this.place.querySelector("svg");
    if (!svg) return;
    svg.classList.toggle("flipped", this.flipped);
    const upright = (element, x, y) => { if (this.flipped) element.setAttribute("transform", `rotate(180 ${x} ${y})`); else element.removeAttribute("transform"); };
    for (const text of svg.querySelectorAll("text")) {
      const [x, y, size] = ["x", "y", "font-size"].map((name) => Number(text.getAttribute(name)));
      upright(text, x, y - 0.35 * size);
    }
    for (const cell of this.cells.values()) {
      const man = cell.querySelector(".man");
      if (man) upright(man, ...middleOf(cell));
    }
  }

  /** Sets the moves that may be made now, as /legal lists them; none if nobody is to move on this page. */
  offer(moves) {
    this.#forget();
    this.moves = moves.map((move) => ({ ...move, path: pathOf(move) })).filter((move) => move.path.length);
    this.path = [];
    this.#mark();
  }

  /** Sets the tile to be laid, its first half first; null allows any tile. */
  hold(tile) {
    this.#forget();
    this.tile = tile;
    this.path = [];
    this.#mark();
  }

  /** Sets whether cells outside all moves react, too: then the piece on them can be corrected. */
  listen(answers) {
    if (answers === this.answers) return;
    this.answers = answers;
    this.#arm();
  }

  /** Cancels a partly entered move. */
  cancel() {
    this.#forget();
    this.path = [];
    this.#mark();
  }

  /** The moves that begin with the cells pointed at so far; a tile that fits both ways round, only as it is turned. */
  get #left() {
    const going = this.moves.filter((move) => this.path.every((cell, index) => move.path[index]?.cell === cell) && this.#isHeld(move));
    const way = (move) => move.path.map((part) => part.cell).join();
    const turned = new Set(going.filter((move) => this.#isTurned(move)).map(way));
    return going.filter((move) => this.#isTurned(move) || !turned.has(way(move)));
  }

  #isHeld(move) {
    const laid = laidBy(move);
    return !this.tile || laid.length < 2 || [...laid].sort().join() === [...this.tile].sort().join();
  }

  #isTurned(move) {
    return laidBy(move).join() === this.tile?.join();
  }

  #arm() {
    if (!this.cells) return;
    const acts = this.answers || this.moves.length > 0;
    if (!this.cells.has(this.focus)) this.focus = this.cells.keys().next().value;
    for (const [name, cell] of this.cells) {
      if (acts) {
        cell.setAttribute("role", "button");
        cell.setAttribute("tabindex", name === this.focus ? "0" : "-1");
      } else {
        cell.setAttribute("role", "img");
        cell.setAttribute("tabindex", "-1"); // keeps the keyboard focus that is here
      }
    }
    this.#mark();
  }

  #mark() {
    if (!this.cells) return;
    const next = new Map();
    for (const move of this.#left) {
      const part = move.path[this.path.length];
      if (part) next.set(part.cell, part.kind);
    }
    this.place.classList.toggle("acting", this.moves.length > 0);
    // If nearly every cell is allowed, marks are useless and hide the board: only the cell pointed at is marked.
    const open = [...next.values()].filter((kind) => kind === "place").length > MOST_MARKED;
    for (const [name, cell] of this.cells) {
      const kind = next.get(name);
      const goes = kind === "move" || kind === "place";
      cell.classList.toggle("target", goes);
      const dot = cell.querySelector(".dot");
      if (goes && !open && !dot) disc(cell, "dot", 0.28);
      else if (dot && (!goes || open)) dot.remove();
      cell.classList.toggle("source", kind === "lift");
      cell.classList.toggle("prey", kind === "remove");
      cell.classList.toggle("chosen", this.path.includes(name));
      if (kind || this.path.includes(name)) cell.setAttribute("aria-description", this.#describe(kind));
      else cell.removeAttribute("aria-description");
    }
    const acts = this.answers || this.moves.length > 0;
    if (acts !== (this.place.querySelector("[data-cell][role=button]") !== null)) this.#arm();
  }

  #describe(kind) {
    return { lift: t("can be moved"), move: t("here it may go"), place: t("can be laid here"), remove: t("can be taken") }[kind] || t("chosen");
  }

  #point(name) {
    this.#forget();
    if (this.path.length && this.path.at(-1) === name) return this.cancel();
    const going = this.#left.filter((move) => move.path[this.path.length]?.cell === name);
    if (!going.length) {
      const again = this.path.length && this.moves.some((move) => move.path[0].cell === name);
      if (again) {
        this.path = [];
        return this.#point(name);
      }
      // A man that jumps on and on may be put straight on its last square.
      const straight = this.path.length ? this.#left.filter((move) => move.path.findLast((part) => part.kind === "move")?.cell === name) : [];
      if (straight.length === 1) return this.#finish(straight[0].move);
      if (this.answers && !this.path.length) return this.pointed(name, this.cells.get(name));
      this.#refuse(name);
      return this.cancel();
    }
    write(at("answer"), "");
    this.path.push(name);
    // If the rest only takes men away, or moves others along, and there is no choice, nobody needs to point at it.
    const left = this.#left;
    const moved = left[0].path[this.path.length - 1].kind === "move";
    const ended = left.filter((move) => move.path.slice(this.path.length).every((part) => part.kind === "remove"));
    if (left.length === 1 && (moved || ended.length === 1)) return this.#finish(left[0].move);
    this.#mark();
    // Moves that look alike, such as those of a pawn that becomes another piece, are told by name.
    if (left.length > 1 && left.some((move) => move.path.length === this.path.length)) {
      ask(this.cells.get(name), t("Which move?"), left.map(({ move, choice }) => [choice || move, move]), (move) => this.#finish(move));
    }
    return undefined;
  }

  /** Says why nothing comes of a tap. */
  #refuse(name) {
    if (!this.moves.length) return;
    const [origin] = this.path;
    const none = origin ? t("No move leads from {origin} to {cell}.", { origin, cell: name }) : t("No move begins on {cell}.", { cell: name });
    const takes = this.moves.every((move) => move.path.some((part) => part.kind === "remove"));
    write(at("answer"), takes ? `${none} ${t("A capture must be made.")}` : none);
  }

  #finish(move) {
    this.path = [];
    this.moves = [];
    this.#mark();
    return this.chosen(move);
  }

  #click(event) {
    if (this.dragged) return void (this.dragged = false);
    const touched = event.pointerType ? event.pointerType !== "mouse" : matchMedia("(pointer: coarse)").matches;
    if (this.ghost && this.#far(this.cells.get(this.ghost), event) <= TARGET_PX / 2) return this.#point(this.ghost);
    const name = (event.target.closest?.("[data-cell]") || this.#nearest(event))?.dataset.cell;
    const svg = this.place.querySelector("svg");
    const small = touched && svg && svg.dataset.pitch * (svg.getBoundingClientRect().width / svg.viewBox.baseVal.width) < TARGET_PX;
    const piece = name && small ? this.#laid(name) : "";
    if (piece) this.#haunt(name, piece);
    else if (name) this.#point(name);
    else if (this.path.length || this.ghost) this.cancel();
    return undefined;
  }

  /** Pixels from a cell's middle to a tap. */
  #far(cell, event) {
    const box = cell.querySelector(".spot").getBoundingClientRect();
    return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
  }

  /** The cell that a tap beside all cells means: the nearest within a finger's reach. */
  #nearest(event) {
    const near = [...(this.cells?.values() || [])].map((cell) => [this.#far(cell, event), cell]).sort((one, other) => one[0] - other[0])[0];
    return near && near[0] <= TARGET_PX / 2 ? near[1] : null;
  }

  /** The piece that would be laid on a cell as the last part of a move; empty if none would. */
  #laid(name) {
    const last = this.#left.find((move) => move.path[this.path.length]?.cell === name && move.path[this.path.length].kind === "place"
      && move.path.slice(this.path.length + 1).every((part) => part.kind === "remove"));
    return last ? last.path[this.path.length].piece : "";
  }

  #haunt(name, piece) {
    this.#forget();
    const { shades = "" } = this.place.querySelector("svg").dataset;
    const shade = shades.split(" ").find((one) => one.startsWith(piece))?.slice(1);
    this.ghost = name;
    disc(this.cells.get(name), "ghost", 0.88, { fill: shade && shade !== "other" ? `url(#${this.own}man-${shade})` : "currentColor" });
    write(at("answer"), t("Tap it again to lay on {cell}.", { cell: name }));
  }

  #forget() {
    if (!this.ghost) return;
    this.place.querySelector(".ghost")?.remove();
    this.ghost = "";
    write(at("answer"), "");
  }

  #remember(event) {
    const cell = event.target.closest?.("[data-cell]");
    if (!cell) return;
    this.cells.get(this.focus)?.setAttribute("tabindex", "-1");
    this.focus = cell.dataset.cell;
    cell.setAttribute("tabindex", "0");
  }

  #key(event) {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) {
      event.preventDefault();
      this.#neighbour(way)?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.#point(this.focus);
    } else if (event.key === "Escape") {
      this.cancel();
    }
  }

  /** The nearest cell in a direction; sideways distance counts more. */
  #neighbour([across, down]) {
    const [x, y] = middleOf(this.cells.get(this.focus));
    const sign = this.flipped ? -1 : 1;
    let best = null;
    let least = Infinity;
    for (const [name, cell] of this.cells) {
      const [cx, cy] = middleOf(cell);
      const along = sign * ((cx - x) * across + (cy - y) * down);
      const aside = Math.abs((cx - x) * down) + Math.abs((cy - y) * across);
      if (name !== this.focus && along > 0.5 && along + 2.5 * aside < least) [best, least] = [cell, along + 2.5 * aside];
    }
    return best;
  }

  /** Drags a man: the same as pointing at its cell, and then at the cell where it is dropped. */
  #grab(event) {
    const cell = event.target.closest?.("[data-cell]");
    if (!cell || event.button || !this.#left.some((move) => move.path[0]?.kind === "lift" && move.path[0].cell === cell.dataset.cell)) return;
    const man = cell.querySelector(".man");
    const svg = this.place.querySelector("svg");
    const scale = (this.flipped ? -1 : 1) * svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
    const stood = man?.getAttribute("transform") || "";
    const start = [event.clientX, event.clientY];
    let moving = false;
    const drag = (now) => {
      const by = [now.clientX - start[0], now.clientY - start[1]];
      if (!moving && Math.hypot(...by) < FAR_PX) return;
      if (!moving) {
        moving = true;
        this.path = [];
        this.#point(cell.dataset.cell);
        cell.parentNode.append(cell);
      }
      now.preventDefault();
      man?.setAttribute("transform", `translate(${by[0] * scale} ${by[1] * scale}) ${stood}`);
    };
    const drop = (now) => {
      removeEventListener("pointermove", drag);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
      if (!moving) return;
      man?.setAttribute("transform", stood);
      this.dragged = true;
      setTimeout(() => { this.dragged = false; }, 50);
      const under = document.elementsFromPoint(now.clientX, now.clientY)
        .map((element) => element.closest("[data-cell]")).find((found) => found && found !== cell);
      if (under && now.type === "pointerup") this.#point(under.dataset.cell);
      else this.cancel();
    };
    addEventListener("pointermove", drag, { passive: false });
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", drop);
  }

  #glide() {
    const [from, to] = [this.place.querySelector(".cell.from .spot"), this.place.querySelector(".cell.last .man")];
    const key = from && to ? `${from.parentNode.dataset.cell}>${to.parentNode.dataset.cell}` : "";
    if (key && key !== this.glided) {
      const [a, b] = [from.getBBox(), to.getBBox()];
      const by = `translate(${a.x + a.width / 2 - b.x - b.width / 2}px, ${a.y + a.height / 2 - b.y - b.height / 2}px)`;
      to.animate([{ transform: by }, { transform: "none" }], { duration: 160, easing: "ease-out" });
    }
    this.glided = key;
  }
}

/** Asks what stands on a cell; calls `say(piece)` with the one that a person says is there. */
export function askPiece(cell, name, pieces, say) {
  ask(cell, t("What stands on {cell}?", { cell: name }), pieces.map(({ piece, name: what }) => [what, piece]), say);
}

/** Shows a small menu beside a cell, of names with their values; calls `say(value)` with the chosen one. */
function ask(cell, question, choices, say) {
  const menu = at("pieces");
  const close = () => {
    menu.hidden = true;
    removeEventListener("pointerdown", outside, true);
  };
  const outside = (event) => {
    if (!menu.contains(event.target)) close();
  };
  const buttons = choices.map(([text, value]) => make("button", {
    type: "button", role: "menuitem", text,
    on: { click: () => { close(); cell.focus(); say(value); } },
  }));
  menu.replaceChildren(make("p", { text: question }), ...buttons);
  menu.setAttribute("aria-label", question);
  menu.hidden = false;
  const box = cell.querySelector(".spot").getBoundingClientRect();
  const left = Math.min(box.right + 6, innerWidth - menu.offsetWidth - 8);
  const top = Math.min(box.top, innerHeight - menu.offsetHeight - 8);
  menu.style.left = `${Math.max(8, left) + scrollX}px`;
  menu.style.top = `${Math.max(8, top) + scrollY}px`;
  menu.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") { close(); cell.focus(); }
    if (!step) return;
    event.preventDefault();
    buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length].focus();
  };
  addEventListener("pointerdown", outside, true);
  buttons[0].focus();
}
