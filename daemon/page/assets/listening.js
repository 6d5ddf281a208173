// Sends what this page's microphone hears to the daemon, while somebody has it turned on. It is off after every loading.
"use strict";

import { make, write } from "./elements.js";
import { isTalking } from "./speaking.js";
import { askToken } from "./tell.js";
import { t } from "./words.js";

const AGAIN_MS = 2000;
const WANTED = { audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } };

/** Makes the button the switch of this page's microphone; `show` of the result takes every message of `/live`. */
export function offerListening(button) {
  const trouble = make("span", { class: "trouble", role: "status" });
  let context = null;
  let stream = null;
  let socket = null;
  let again = 0;

  function off(why = "") {
    clearTimeout(again);
    stream?.getTracks().forEach((track) => track.stop());
    socket?.close();
    context?.close();
    stream = socket = context = null;
    button.setAttribute("aria-pressed", "false");
    write(trouble, why);
  }

  function connect() {
    const mine = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/listen`);
    socket = mine;
    let refused = null;
    mine.onopen = () => mine.send(JSON.stringify({ token: sessionStorage.getItem("token") || "" }));
    mine.onmessage = ({ data }) => {
      const told = JSON.parse(data);
      if (!told.listens) refused = told;
      write(trouble, "");
    };
    mine.onclose = async () => {
      if (mine !== socket) return;
      if (!refused) {
        again = setTimeout(connect, AGAIN_MS);
      } else if (refused.code === "token_needed" && (await askToken())) {
        connect();
      } else {
        off(refused.text);
      }
    };
  }

  async function on() {
    if (!navigator.mediaDevices) return off(t("Browsers give a microphone to pages over HTTPS, or on this computer."));
    button.setAttribute("aria-pressed", "true");
    try {
      stream = await navigator.mediaDevices.getUserMedia(WANTED);
      context = new AudioContext();
      await context.audioWorklet.addModule("hearing.js");
      const hearing = new AudioWorkletNode(context, "hearing", { numberOfOutputs: 0 });
      context.createMediaStreamSource(stream).connect(hearing);
      hearing.port.onmessage = ({ data }) => {
        if (socket?.readyState === WebSocket.OPEN && !socket.bufferedAmount) socket.send(isTalking() ? new Int16Array(data.length) : data);
      };
      stream.getTracks()[0].onended = () => off(t("The microphone is gone."));
      connect();
    } catch {
      off(t("The browser gives this page no microphone."));
    }
    return undefined;
  }

  button.addEventListener("click", () => (button.getAttribute("aria-pressed") === "true" ? off() : on()));
  button.after(trouble);
  off();

  return {
    show({ view, commands }) {
      button.hidden = !(view.listens && commands);
      if (button.hidden && stream) off();
    },
  };
}
