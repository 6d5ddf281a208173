// Light or dark, as chosen on this device; loaded before the page is drawn, so that nothing flashes.
"use strict";

window.setTheme = (theme) => {
  document.getElementById("dark").media = { light: "not all", dark: "all" }[theme] || "(prefers-color-scheme: dark)";
};
try {
  setTheme(localStorage.getItem("theme"));
} catch { /* a browser that keeps nothing: as the device has it */ }
