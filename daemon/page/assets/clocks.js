// Clocks that keep running between the daemon's messages.
"use strict";

import { write } from "./elements.js";

const TICK_MS = 200;
const SHORT_S = 30;

/** A time as clocks show it, in whole seconds, rounded up. */
function shown(seconds) {
  const whole = Math.ceil(seconds);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes, rest] = [Math.floor(Math.abs(whole) / 3600), Math.floor(Math.abs(whole) / 60) % 60, Math.abs(whole) % 60];
  return `${whole < 0 ? "-" : ""}${hours ? `${hours}:${two(minutes)}` : minutes}:${two(rest)}`;
}

export class Clocks {
  /** `place(side)` returns the element of a side's clock, if there is one. */
  constructor(place) {
    this.place = place;
    this.told = null;
    this.told_ms = 0;
    setInterval(() => this.tick(), TICK_MS);
  }

  /** Sets the clocks as the daemon reports them; null if there are none. */
  set(told) {
    this.told = told && told.left_s ? told : null;
    this.told_ms = performance.now();
    this.tick();
  }

  tick() {
    if (!this.told) return;
    for (const side of [0, 1]) {
      const element = this.place(side);
      if (!element) continue;
      const runs = this.told.running === side;
      const left = this.told.left_s[side] - (runs ? (performance.now() - this.told_ms) / 1000 : 0);
      write(element, shown(left));
      element.classList.toggle("runs", runs);
      element.classList.toggle("short", left < SHORT_S);
    }
  }
}
