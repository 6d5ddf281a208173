// The connection to /live: it reconnects by itself, also after the computer slept, and then gets the whole state.
"use strict";

const FIRST_MS = 500;
const LONGEST_MS = 8000;
const ASLEEP_MS = 25000;

/**
 * Calls `heard` with every message, and `opened` and `closed` when the connection opens and closes.
 * Returns `send`, which returns whether there was a connection to send by, `again`, which connects anew, and `end`.
 */
export function listen({ heard, opened, closed, longest = LONGEST_MS }) {
  let socket = null;
  let wait = FIRST_MS;
  let timer = 0;
  let awake = Date.now();
  let ended = false;

  function open() {
    clearTimeout(timer);
    const mine = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
    socket = mine;
    mine.onopen = () => {
      wait = FIRST_MS;
      opened();
    };
    mine.onmessage = (event) => {
      awake = Date.now();
      if (mine === socket) heard(JSON.parse(event.data));
    };
    mine.onclose = () => {
      if (mine !== socket || ended) return;
      closed();
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 2, longest);
    };
  }

  // A connection from before a sleep may be dead although it looks open.
  function wake() {
    if (ended || document.visibilityState !== "visible") return;
    if (socket.readyState === WebSocket.OPEN && Date.now() - awake < ASLEEP_MS) return;
    again();
  }

  function again() {
    const old = socket;
    socket = null;
    old.close();
    wait = FIRST_MS;
    open();
  }

  for (const [target, name] of [[document, "visibilitychange"], [window, "online"], [window, "pageshow"]]) {
    target.addEventListener(name, wake);
  }
  open();
  return {
    again,
    end() {
      ended = true;
      socket.close();
    },
    send(data) {
      if (socket.readyState !== WebSocket.OPEN) return false;
      socket.send(data);
      return true;
    },
  };
}
