// Films with this phone's camera: one JPEG at a time, the next once the daemon has acknowledged the last.
"use strict";

import { write } from "./elements.js";
import { t } from "./words.js";

/** Share of the size asked for, and quality of the JPEG, from the best to what the weakest network bears. */
const LEVELS = [[1, 0.85], [1, 0.7], [0.75, 0.75], [0.6, 0.7], [0.5, 0.65], [0.4, 0.6]];
/** Milliseconds from the camera to the acknowledgement: with more the next pictures are smaller, with less they may grow. */
const [LEAST_MS, MOST_MS] = [80, 200];
const COUNTED = 12; // pictures that are measured
const LONGEST_MS = 60000; // between two tries of a better level
const PATIENCE_MS = 10000;

const now = () => performance.now();
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

export class Film {
  track = null;
  asked = { width_px: 1280, height_px: 720, rate_hz: 15 };
  acknowledged = () => {};
  #run = 0; // number of the loop that may send
  #level = 0;
  #tryMs = 4000;
  #changed = 0;
  #shown = 0;
  #sent = []; // the last pictures at this level
  #canvas = document.createElement("canvas");

  /** `send` sends a picture; `lost` is called if one was not acknowledged, `ended` when the camera was taken away. */
  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Opens the camera: the one on the back unless another is named. Throws what getUserMedia throws. */
  async open(deviceId) {
    this.close();
    const [width, height, frameRate, resizeMode] = [this.asked.width_px, this.asked.height_px, this.asked.rate_hz, "none"].map((ideal) => ({ ideal }));
    const which = deviceId ? { deviceId: { exact: deviceId } } : { facingMode: "environment" };
    const stream = await navigator.mediaDevices.getUserMedia({ video: { ...which, width, height, frameRate, resizeMode } });
    [this.track] = stream.getVideoTracks();
    this.track.onended = this.ended;
    this.video.srcObject = stream;
    await this.video.play();
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
        const late = setTimeout(this.lost, PATIENCE_MS);
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
    const { videoWidth, videoHeight } = this.video;
    if (!videoWidth) return null;
    const canvas = this.#canvas;
    const [share, quality] = LEVELS[this.#level];
    const scale = share * Math.min(1, Math.max(this.asked.width_px, this.asked.height_px) / Math.max(videoWidth, videoHeight));
    canvas.width = videoWidth * scale;
    canvas.height = videoHeight * scale;
    canvas.getContext("2d", { alpha: false }).drawImage(this.video, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
  }

  /** Notes how long a picture took, shows it, and changes the level where that is too long, or has been short for long. */
  #measure(bytes, taken) {
    const at = now();
    const sent = this.#sent = [...this.#sent.slice(1 - COUNTED), { at, bytes, ms: at - taken }];
    if (sent.length < COUNTED) return;
    const ms = sent.map((one) => one.ms).sort((a, b) => a - b)[COUNTED >> 1];
    const since = at - this.#changed;
    if (at - this.#shown > 1000) {
      this.#shown = at;
      const hz = 1000 * (COUNTED - 1) / (at - sent[0].at);
      const rate = hz * sent.reduce((sum, one) => sum + one.bytes, 0) / COUNTED;
      write(this.rate, t("{rate} pictures a second, {bytes} kB/s, {ms} ms, {size}", { rate: Math.round(hz), bytes: Math.round(rate / 1000), ms: Math.round(ms), size: `${this.#canvas.width}×${this.#canvas.height}` }));
      Object.assign(this.rate.dataset, { hz, ms, bytes: Math.round(rate) });
    }
    const step = ms > MOST_MS ? 1 : ms < LEAST_MS && since > this.#tryMs ? -1 : 0;
    if (!LEVELS[this.#level + step] || !step) return;
    // A better level that was tried in vain is tried later the next time.
    if (step > 0 && since < this.#tryMs) this.#tryMs = Math.min(2 * this.#tryMs, LONGEST_MS);
    this.#level += step;
    this.#changed = at;
    this.#sent = [];
  }
}
