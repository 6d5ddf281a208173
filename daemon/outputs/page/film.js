// Films with this phone's camera: one JPEG at a time, the next once the daemon has acknowledged the last.
"use strict";

import { write } from "./elements.js";
import { t } from "./words.js";

/** Share of the size asked for, and quality of the JPEG, from the best to what the weakest network bears. */
const LEVELS = [[1, 0.85], [1, 0.7], [0.75, 0.75], [0.6, 0.7], [0.5, 0.65], [0.4, 0.6]];
/** Milliseconds from the camera to the acknowledgement: with more the next pictures are smaller, with less they may grow. */
const [LEAST_MS, MOST_MS] = [80, 200];
const COUNTED = 10; // pictures after which the level may change
const [FIRST_TRY_MS, LONGEST_TRY_MS] = [4000, 60000];
const PATIENCE_MS = 10000;
const MEASURED_MS = 3000;

const now = () => performance.now();
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const middle = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

export class Film {
  track = null;
  asked = { width_px: 1280, height_px: 720, rate_hz: 15 };
  acknowledged = () => {};
  #run = 0; // number of the loop that may send
  #level = 0;
  #took = []; // milliseconds of the pictures at this level
  #tryMs = FIRST_TRY_MS;
  #changed = 0;
  #shown = 0;
  #sent = []; // the pictures of the last seconds
  #canvas = document.createElement("canvas");

  /** `send` sends a picture; `lost` is called if one was not acknowledged, `ended` when the camera was taken away. */
  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Opens the camera: the one on the back unless another is named. Throws what getUserMedia throws. */
  async open(deviceId) {
    this.close();
    const { width_px, height_px, rate_hz } = this.asked;
    const which = deviceId ? { deviceId: { exact: deviceId } } : { facingMode: { ideal: "environment" } };
    const video = { ...which, width: { ideal: width_px }, height: { ideal: height_px }, frameRate: { ideal: rate_hz }, resizeMode: { ideal: "none" } };
    const stream = await navigator.mediaDevices.getUserMedia({ video });
    [this.track] = stream.getVideoTracks();
    this.track.onended = this.ended;
    this.video.srcObject = stream;
    await this.video.play();
  }

  /** Whether the camera is open; not if the system took it while the page was hidden. */
  get alive() {
    return this.track?.readyState === "live" && !this.track.muted;
  }

  close() {
    this.pause();
    this.track?.stop();
    this.track = null;
    this.video.srcObject = null;
  }

  pause() {
    this.#run += 1;
    this.acknowledged();
    this.#sent = [];
    write(this.rate, "");
  }

  /** Sends pictures until `pause`. */
  async go() {
    this.pause();
    const mine = this.#run;
    const pause = 1000 / this.asked.rate_hz;
    let due = now();
    while (mine === this.#run) {
      const taken = await this.#next(due);
      due = Math.max(due, now() - pause) + pause;
      const picture = taken && await this.#picture();
      if (!picture) {
        await wait(100);
      } else if (mine === this.#run) {
        const answer = new Promise((done) => { this.acknowledged = done; });
        if (!this.send(picture)) return;
        const late = setTimeout(() => mine === this.#run && this.lost(), PATIENCE_MS);
        const told = await answer;
        clearTimeout(late);
        if (told?.taken) this.#measure(picture.size, taken);
      }
    }
  }

  /** Waits for a picture of the camera that is due; the time at which it was taken, 0 if none comes. */
  #next(due) {
    const { video } = this;
    if (!video.requestVideoFrameCallback) return wait(due - now()).then(now);
    return new Promise((done) => {
      setTimeout(done, 1000, 0);
      const look = (at, { captureTime }) => (now() < due - 10 ? video.requestVideoFrameCallback(look) : done(captureTime || at));
      video.requestVideoFrameCallback(look);
    });
  }

  #picture() {
    const { video: { videoWidth, videoHeight }, asked: { width_px, height_px } } = this;
    if (!videoWidth) return null;
    const [share, quality] = LEVELS[this.#level];
    const scale = share * Math.min(1, Math.max(width_px, height_px) / Math.max(videoWidth, videoHeight));
    const [width, height] = [Math.round(videoWidth * scale), Math.round(videoHeight * scale)];
    if (this.#canvas.width !== width || this.#canvas.height !== height) Object.assign(this.#canvas, { width, height });
    this.#canvas.getContext("2d", { alpha: false }).drawImage(this.video, 0, 0, width, height);
    return new Promise((done) => this.#canvas.toBlob(done, "image/jpeg", quality));
  }

  /** Notes how long a picture took; changes the level where that is too long, or has been short for long. */
  #measure(bytes, taken) {
    const at = now();
    this.#sent = [...this.#sent.filter((one) => at - one.at < MEASURED_MS), { at, bytes, ms: at - taken }];
    this.#took = [...this.#took.slice(1 - COUNTED), at - taken];
    const ms = middle(this.#took);
    const since = at - this.#changed;
    let step = 0;
    if (ms > MOST_MS && this.#took.length === COUNTED && this.#level < LEVELS.length - 1) {
      step = 1;
      // A better level that was tried in vain is tried later the next time.
      if (since < this.#tryMs) this.#tryMs = Math.min(2 * this.#tryMs, LONGEST_TRY_MS);
    } else if (ms < LEAST_MS && this.#level && since > this.#tryMs) {
      step = -1;
    }
    if (step) {
      this.#level += step;
      this.#took = [];
      this.#changed = at;
    }
    if (at - this.#shown > 1000) this.#show(at);
  }

  #show(at) {
    const [first, ...rest] = this.#sent;
    const passed = (at - first.at) / 1000;
    if (!passed) return;
    this.#shown = at;
    const [hz, ms] = [rest.length / passed, middle(this.#sent.map((one) => one.ms))];
    const bytes = rest.reduce((sum, one) => sum + one.bytes, 0) / passed;
    const size = `${this.#canvas.width}×${this.#canvas.height}`;
    write(this.rate, t("{rate} pictures a second, {bytes} kB/s, {ms} ms, {size}", { rate: hz.toFixed(hz < 3 ? 1 : 0), bytes: Math.round(bytes / 1000), ms: Math.round(ms), size }));
    Object.assign(this.rate.dataset, { hz, bytes, ms });
  }
}
