// Speaks out of this page what is announced: by the browser's own voice for the table's language, else by the daemon's sound.
"use strict";

import { make, write } from "./elements.js";
import { t } from "./words.js";

const KEPT = "speak";
const OLD_MS = 10000; // a phrase that has waited so long is passed over if a newer one waits
const SLOW_MS = 8000; // some browsers never tell that a phrase has ended
const SLOW_MS_PER_LETTER = 200;

let talking = false;

/** Whether this page speaks now: its microphone then hears the page itself. */
export const isTalking = () => talking;

// The browser may keep nothing, or not let anything be kept.
function kept(value) {
  try {
    if (value !== undefined) localStorage.setItem(KEPT, value);
    return localStorage.getItem(KEPT);
  } catch { return null; }
}

/** A voice on this device for a language. Others would send every phrase to their maker. */
function voiceFor(lang) {
  const voices = (window.speechSynthesis?.getVoices() || []).filter((one) => one.localService);
  const named = (one) => one.lang.toLowerCase().replace("_", "-");
  return voices.find((one) => named(one) === lang) || voices.find((one) => named(one).split("-")[0] === lang.split("-")[0]);
}

/** Makes the button the switch of this page's voice; returns `hear`, for announcements, and `reopened`, for a new connection. */
export function offerSpeech(button) {
  const trouble = make("span", { class: "trouble", role: "status" });
  let on = kept() === "yes";
  let behind = true; // the first message of a connection repeats what was said before
  let waiting = [];
  let last = null;
  let context = null;
  let cut = () => {};

  function show(why = "") {
    button.setAttribute("aria-pressed", on);
    write(trouble, on ? why : "");
  }

  // Browsers make sound only after a person has touched the page.
  function unlock() {
    if (!on) return;
    context ||= new AudioContext();
    context.resume();
    window.speechSynthesis?.resume();
    show();
  }

  function byBrowser(text, voice) {
    return new Promise((resolve) => {
      const phrase = new SpeechSynthesisUtterance(text);
      phrase.voice = voice;
      phrase.lang = voice.lang;
      const timer = setTimeout(() => cut(), SLOW_MS + SLOW_MS_PER_LETTER * text.length);
      cut = () => { clearTimeout(timer); speechSynthesis.cancel(); resolve(""); };
      phrase.onend = () => { clearTimeout(timer); resolve(""); };
      phrase.onerror = ({ error }) => { clearTimeout(timer); resolve(error === "not-allowed" ? t("Touch the page, and it speaks.") : ""); };
      speechSynthesis.speak(phrase);
    });
  }

  async function byDaemon(number) {
    const response = await fetch(`voice/${number}`, { signal: AbortSignal.timeout(2 * SLOW_MS) });
    if (!response.ok) return response.status === 404 ? "" : (await response.json()).text;
    context ||= new AudioContext();
    if (context.state === "suspended") return t("Touch the page, and it speaks.");
    const sound = await context.decodeAudioData(await response.arrayBuffer());
    return new Promise((resolve) => {
      const player = new AudioBufferSourceNode(context, { buffer: sound });
      player.connect(context.destination);
      player.onended = () => resolve("");
      cut = () => player.stop();
      player.start();
    });
  }

  async function speak() {
    if (talking) return;
    talking = true;
    while (on && waiting.length) {
      const { voice, number, since } = waiting.shift();
      if (waiting.length && performance.now() - since > OLD_MS) continue;
      const own = voiceFor(document.documentElement.lang.toLowerCase());
      try {
        show(await (own ? byBrowser(voice, own) : byDaemon(number)));
      } catch {
        show(t("This page cannot speak now."));
      }
      button.dataset.spoken = number;
    }
    talking = false;
  }

  button.addEventListener("click", () => {
    on = !on;
    kept(on ? "yes" : "no");
    waiting = on && last ? [{ ...last, since: performance.now() }] : [];
    if (!on) cut();
    show();
    unlock();
    speak();
  });
  for (const touch of ["pointerdown", "keydown"]) document.addEventListener(touch, unlock);
  button.after(trouble);
  show();

  return {
    hear(announcements) {
      const said = announcements.filter((one) => one.voice);
      last = said.at(-1) || last;
      if (on && !behind) waiting.push(...said.map((one) => ({ ...one, since: performance.now() })));
      behind = false;
      speak();
    },
    reopened() {
      behind = true;
      waiting = [];
    },
  };
}
