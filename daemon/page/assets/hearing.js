// The microphone's sound in pieces of a tenth of a second, as the daemon takes it: 16 kHz, 16 bits. Runs in the sound's thread.
"use strict";

const RATE_HZ = 16000;

registerProcessor("hearing", class extends AudioWorkletProcessor {
  constructor() {
    super();
    this.piece = new Int16Array(RATE_HZ / 10);
    this.filled = this.due = this.sum = this.count = 0;
  }

  process([[samples]]) {
    for (const sample of samples || []) {
      this.sum += sample;
      this.count += 1;
      for (this.due += RATE_HZ; this.due >= sampleRate; this.due -= sampleRate) { // the mean of what one new sample covers
        this.piece[this.filled] = 32767 * Math.max(-1, Math.min(1, this.sum / this.count));
        this.filled += 1;
        if (this.filled === this.piece.length) {
          this.port.postMessage(this.piece.slice());
          this.filled = 0;
        }
      }
      if (this.due < RATE_HZ) this.sum = this.count = 0;
    }
    return true;
  }
});
