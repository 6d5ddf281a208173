// The page's own words: English is the key, the daemon's language comes from /words.
"use strict";

let words = {};

/** The words in the daemon's language; `{name}` in them stands for a value. */
export function t(text, values = {}) {
  const said = words[text] || text;
  return said.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** How dates and figures are written: as the browser's owner likes it, where that is the daemon's language at all. */
export function locale() {
  const { lang } = document.documentElement;
  return navigator.languages.find((one) => one.toLowerCase().split("-")[0] === lang.split("-")[0]) || lang;
}

/** Fetches the words and puts them into what the document says already; English where there are none. */
export async function translate(root = document) {
  try {
    const response = await fetch("words");
    if (response.ok) {
      words = await response.json();
      document.documentElement.lang = response.headers.get("Content-Language") || "en";
    }
  } catch { /* English, then */ }
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.textContent.trim());
  for (const name of ["title", "aria-label", "placeholder"]) {
    for (const element of root.querySelectorAll(`[data-t-${name}]`)) {
      element.setAttribute(name, t(element.getAttribute(`data-t-${name}`)));
    }
  }
}
