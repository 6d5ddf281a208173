// The drawn board, as the daemon sends it, made to be acted on: moves are led through by their steps, so no game is known here.
"use strict";

import { at, make } from "./elements.js";
import { t } from "./words.js";

const CALM = matchMedia("(prefers-reduced-motion: reduce)");
const FAR_PX = 6;
/** Of more cells where a man may be laid, as on an empty gomoku board, none is marked. */
const MOST_MARKED = 40;

/** The cells a person points at to make a move, with what each does there. Men that turn over do so by themselves. */
function pathOf(move) {
  return move.steps.flatMap((step) => {
    if (step.kind === "move") return [{ cell: step.origin, kind: "lift" }, { cell: step.cell, kind: "move" }];
    return step.kind === "flip" ? [] : [{ cell: step.cell, kind: step.kind, piece: step.piece }];
  });
}

export class Board {
  /** `chosen(move)` is called with a whole move, `pointed(cell, element)` with a cell where no move is to be made. */
  constructor(place, { chosen, pointed }) {
    this.place = place;
    this.chosen = chosen;
    this.pointed = pointed;
    this.moves = [];
    this.path = [];
    this.tile = null;
    this.answers = false;
    this.focus = "";
    place.addEventListener("click", (event) => this.#click(event));
    place.addEventListener("keydown", (event) => this.#key(event));
    place.addEventListener("focusin", (event) => this.#remember(event));
    place.addEventListener("pointerdown", (event) => this.#grab(event));
  }

  /** Puts a new drawing in place; a man that moved glides. */
  show(svg) {
    // The page has the drawing's style already, and may not take one from within it.
    const plain = svg.replace(/<style>[^<]*<\/style>/, "");
    const parsed = new DOMParser().parseFromString(plain, "image/svg+xml").documentElement;
    if (parsed.nodeName !== "svg") return;
    parsed.querySelector(":scope > title")?.remove();
    parsed.setAttribute("role", "group");
    parsed.setAttribute("aria-label", t("Board"));
    const had = this.place.contains(document.activeElement);
    const before = this.place.querySelector("svg");
    this.place.replaceChildren(document.importNode(parsed, true));
    this.cells = new Map([...this.place.querySelectorAll("[data-cell]")].map((cell) => [cell.dataset.cell, cell]));
    this.#arm();
    if (had) this.cells.get(this.focus)?.focus();
    if (before && !CALM.matches) this.#glide();
  }

  /** The moves that may be made now, as /legal gives them; none where it is nobody's turn here. */
  offer(moves) {
    this.moves = moves.map((move) => ({ ...move, path: pathOf(move) })).filter((move) => move.path.length);
    this.path = [];
    this.#mark();
  }

  /** The tile that is to be laid, its first half first; null lets any be. */
  hold(tile) {
    this.tile = tile;
    this.path = [];
    this.#mark();
  }

  /** Whether a cell that takes part in no move answers, too: what stands on it can be corrected. */
  listen(answers) {
    if (answers === this.answers) return;
    this.answers = answers;
    this.#arm();
  }

  /** Gives up a move half made. */
  cancel() {
    this.path = [];
    this.#mark();
  }

  /** The moves that go on from what was pointed at so far. */
  get #left() {
    return this.moves.filter((move) => this.path.every((cell, index) => move.path[index]?.cell === cell)
      && this.#isHeld(move));
  }

  #isHeld(move) {
    if (!this.tile) return true;
    const laid = move.path.filter((part) => part.kind === "place").map((part) => part.piece);
    if (this.path.length === 0 || laid.length < 2) {
      return laid.length < 2 || [...laid].sort().join() === [...this.tile].sort().join();
    }
    return laid.join() === this.tile.join();
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
        cell.setAttribute("tabindex", "-1"); // who is here with the keyboard stays here
      }
    }
    this.#mark();
  }

  #mark() {
    if (!this.cells) return;
    const next = new Map();
    for (const move of this.#left) {
      for (const part of this.#nextOf(move)) next.set(part.cell, part.kind);
    }
    this.place.classList.toggle("acting", this.moves.length > 0);
    // Where nearly everything is allowed, marks say nothing and hide the board: only the one pointed at shows.
    this.place.classList.toggle("open", [...next.values()].filter((kind) => kind === "place").length > MOST_MARKED);
    for (const [name, cell] of this.cells) {
      const kind = next.get(name);
      cell.classList.toggle("target", kind === "move" || kind === "place");
      cell.classList.toggle("source", kind === "lift");
      cell.classList.toggle("prey", kind === "remove");
      cell.classList.toggle("chosen", this.path.includes(name));
      if (kind || this.path.includes(name)) cell.setAttribute("aria-description", this.#describe(kind));
      else cell.removeAttribute("aria-description");
    }
    const acts = this.answers || this.moves.length > 0;
    if (acts !== (this.place.querySelector("[data-cell][role=button]") !== null)) this.#arm();
  }

  /** What may be pointed at next for a move; of a tile whose halves are held, either cell may come first. */
  #nextOf(move) {
    const part = move.path[this.path.length];
    return part ? [part] : [];
  }

  #describe(kind) {
    return { lift: t("can be moved"), move: t("here it may go"), place: t("can be laid here"), remove: t("can be taken") }[kind] || t("chosen");
  }

  #point(name) {
    if (this.path.length && this.path.at(-1) === name) return this.cancel();
    const going = this.#left.filter((move) => move.path[this.path.length]?.cell === name);
    if (!going.length) {
      const again = this.path.length && this.moves.some((move) => move.path[0].cell === name);
      if (again) {
        this.path = [];
        return this.#point(name);
      }
      if (this.path.length) return this.cancel();
      if (this.answers) this.pointed(name, this.cells.get(name));
      return undefined;
    }
    this.path.push(name);
    // What is left to do only takes men away, and there is no choice of them: no need to ask.
    const ended = this.#left.filter((move) => move.path.slice(this.path.length).every((part) => part.kind === "remove"));
    if (this.#left.length === 1 && ended.length === 1) {
      const { move } = ended[0];
      this.path = [];
      this.moves = [];
      this.#mark();
      return this.chosen(move);
    }
    return this.#mark();
  }

  #click(event) {
    const cell = event.target.closest?.("[data-cell]");
    if (this.dragged) return void (this.dragged = false);
    if (cell) this.#point(cell.dataset.cell);
    else if (this.path.length) this.cancel();
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

  /** The nearest cell in a direction: what lies far aside counts as farther. */
  #neighbour([across, down]) {
    const middle = (cell) => {
      const box = cell.querySelector(".spot").getBBox();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [x, y] = middle(this.cells.get(this.focus));
    let best = null;
    let least = Infinity;
    for (const [name, cell] of this.cells) {
      const [cx, cy] = middle(cell);
      const along = (cx - x) * across + (cy - y) * down;
      const aside = Math.abs((cx - x) * down) + Math.abs((cy - y) * across);
      if (name !== this.focus && along > 0.5 && along + 2.5 * aside < least) [best, least] = [cell, along + 2.5 * aside];
    }
    return best;
  }

  /** A man can be dragged: it is as if its cell and the one where it is let go were pointed at. */
  #grab(event) {
    const cell = event.target.closest?.("[data-cell]");
    if (!cell || event.button || !this.#left.some((move) => move.path[0]?.kind === "lift" && move.path[0].cell === cell.dataset.cell)) return;
    const man = cell.querySelector(".man");
    const svg = this.place.querySelector("svg");
    const scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
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
      man?.setAttribute("transform", `translate(${by[0] * scale} ${by[1] * scale})`);
    };
    const drop = (now) => {
      removeEventListener("pointermove", drag);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
      if (!moving) return;
      man?.removeAttribute("transform");
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

/** A small menu of pieces beside a cell; `say(piece)` is called with the one that stands there. */
export function askPiece(cell, name, pieces, say) {
  const menu = at("pieces");
  const close = () => {
    menu.hidden = true;
    removeEventListener("pointerdown", outside, true);
  };
  const outside = (event) => {
    if (!menu.contains(event.target)) close();
  };
  const buttons = pieces.map(({ piece, name: what }) => make("button", {
    type: "button", role: "menuitem", text: what,
    on: { click: () => { close(); cell.focus(); say(piece); } },
  }));
  menu.replaceChildren(make("p", { text: t("What stands on {cell}?", { cell: name }) }), ...buttons);
  menu.setAttribute("aria-label", t("What stands on {cell}?", { cell: name }));
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
