// Films with this phone's camera: one JPEG at a time, the next once the daemon has acknowledged the last.
"use strict";

import { write } from "./elements.js";
import { t } from "./words.js";

/** Share of the size asked for, and quality of the JPEG, from the best to what the weakest network bears. */
const LEVELS = [[1, 0.85], [1, 0.7], [0.75, 0.75], [0.6, 0.7], [0.5, 0.65], [0.4, 0.6]];
/** Milliseconds that a picture may take from the camera to its acknowledgement: five a second are enough to see a move. */
const MOST_MS = 200;
const LEAST_SHARE = 0.4; // of MOST_MS: what is faster leaves room for a better picture
const PATIENCE_MS = 10000;
const COUNTED = 10; // pictures after which the level may change
const FIRST_TRY_MS = 4000;
const LONGEST_TRY_MS = 60000;
const SHOWN_MS = 1000;

const now = () => performance.now();
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class Film {
  /** `send` sends a picture; `lost` is called when one was not acknowledged, `ended` when the camera was taken away. */
  constructor({ video, rate, send, lost, ended }) {
    Object.assign(this, { video, rate, send, lost, ended });
    this.asked = { width_px: 1280, height_px: 720, rate_hz: 15 };
    this.canvas = document.createElement("canvas");
    this.track = null;
    this.run = 0; // number of the loop that may send
    this.level = 0;
    this.took = []; // milliseconds of the last pictures at this level
    this.tryMs = FIRST_TRY_MS;
    this.changed = 0;
    this.sent = []; // time, bytes and milliseconds of the pictures of the last seconds
    this.acknowledged = () => {};
  }

  /** Opens the camera: the one on the back unless another is named. Throws what getUserMedia throws. */
  async open(deviceId = "") {
    this.close();
    const { width_px, height_px, rate_hz } = this.asked;
    const which = deviceId ? { deviceId: { exact: deviceId } } : { facingMode: { ideal: "environment" } };
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { ...which, width: { ideal: width_px }, height: { ideal: height_px }, resizeMode: { ideal: "none" }, frameRate: { ideal: rate_hz } },
    });
    [this.track] = stream.getVideoTracks();
    this.track.onended = () => {
      this.close();
      this.ended();
    };
    this.video.srcObject = stream;
    await this.video.play();
  }

  /** Which way the camera looks: `user`, `environment`, or empty. */
  get facing() {
    return this.track?.getSettings().facingMode || "";
  }

  get alive() {
    return this.track?.readyState === "live" && !this.track.muted;
  }

  close() {
    this.pause();
    if (!this.track) return;
    this.track.onended = null;
    this.track.stop();
    this.track = null;
    this.video.srcObject = null;
  }

  pause() {
    this.run += 1;
    this.acknowledged();
    this.sent = [];
    write(this.rate, "");
  }

  /** Sends pictures until `pause`. */
  async go() {
    this.pause();
    const mine = this.run;
    let due = now();
    while (mine === this.run) {
      const seen = await this.#next(due);
      if (mine !== this.run) return;
      due = Math.max(due + 1000 / this.asked.rate_hz, now() - 1000 / this.asked.rate_hz);
      const blob = seen && await this.#picture();
      if (mine !== this.run) return;
      if (!blob) {
        await wait(100);
        continue;
      }
      const answer = new Promise((done) => { this.acknowledged = done; });
      if (!this.send(blob)) return;
      const late = setTimeout(() => { if (mine === this.run) this.lost(); }, PATIENCE_MS);
      const told = await answer;
      clearTimeout(late);
      if (mine !== this.run) return;
      if (told?.taken) this.#measure(blob.size, now() - seen);
    }
  }

  /** Waits for a picture of the camera that is due; the time at which it was taken, 0 if none comes. */
  #next(due) {
    if (!this.video.requestVideoFrameCallback) return wait(Math.max(0, due - now())).then(now);
    return new Promise((done) => {
      const late = setTimeout(() => done(0), 1000);
      const look = (at, { captureTime }) => {
        if (now() < due - 10) return void this.video.requestVideoFrameCallback(look);
        clearTimeout(late);
        done(captureTime || at);
      };
      this.video.requestVideoFrameCallback(look);
    });
  }

  #picture() {
    const { videoWidth: width, videoHeight: height } = this.video;
    if (!width || !height) return null;
    const [share, quality] = LEVELS[this.level];
    const longest = Math.max(this.asked.width_px, this.asked.height_px);
    const scale = share * Math.min(1, longest / Math.max(width, height));
    const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
    if (this.canvas.width !== across || this.canvas.height !== down) Object.assign(this.canvas, { width: across, height: down });
    this.canvas.getContext("2d", { alpha: false }).drawImage(this.video, 0, 0, across, down);
    return new Promise((done) => this.canvas.toBlob(done, "image/jpeg", quality));
  }

  /** Notes how long a picture took, shows the rate, and changes the level where that is too long, or short for long. */
  #measure(bytes, ms) {
    const at = now();
    this.sent = [...this.sent.filter((one) => at - one.at < 3000), { at, bytes, ms }];
    this.took = [...this.took.slice(1 - COUNTED), ms];
    const middle = [...this.took].sort((a, b) => a - b)[this.took.length >> 1];
    if (this.took.length >= COUNTED && middle > MOST_MS && this.level < LEVELS.length - 1) {
      // A better level that was tried in vain is tried later the next time.
      if (at - this.changed < this.tryMs) this.tryMs = Math.min(2 * this.tryMs, LONGEST_TRY_MS);
      this.#step(1, at);
    } else if (middle < LEAST_SHARE * MOST_MS && this.level && at - this.changed > this.tryMs) {
      this.#step(-1, at);
    }
    if (at - (this.told || 0) > SHOWN_MS) this.#show(at);
  }

  #step(by, at) {
    this.level += by;
    this.took = [];
    this.changed = at;
  }

  #show(at) {
    this.told = at;
    const passed = (at - this.sent[0].at) / 1000;
    if (passed < 0.5) return;
    const bytes = this.sent.slice(1).reduce((sum, one) => sum + one.bytes, 0);
    const middle = this.sent.map((one) => one.ms).sort((a, b) => a - b)[this.sent.length >> 1];
    const hz = (this.sent.length - 1) / passed;
    write(this.rate, t("{rate} pictures a second, {bytes} kB/s, {ms} ms, {size}", {
      rate: hz.toFixed(hz < 3 ? 1 : 0), bytes: Math.round(bytes / passed / 1000), ms: Math.round(middle), size: `${this.canvas.width}×${this.canvas.height}`,
    }));
    Object.assign(this.rate.dataset, { hz: hz.toFixed(2), bytes: Math.round(bytes / passed), ms: middle.toFixed(1), level: this.level });
  }
}
