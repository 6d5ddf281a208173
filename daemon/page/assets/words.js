// The page's own texts: the English text is the key, and /words has the texts in the daemon's language.
"use strict";

let words = {};

/** The text in the daemon's language, with `{name}` replaced by values. */
export function t(text, values = {}) {
  const said = words[text] || text;
  return said.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** The locale for dates and numbers: the browser's, if it is a variant of the daemon's language. */
export function locale() {
  const { lang } = document.documentElement;
  return navigator.languages.find((one) => one.toLowerCase().split("-")[0] === lang.split("-")[0]) || lang;
}

/** A number with one digit after the mark. */
export const tenths = (number) =>
  number.toLocaleString(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Fetches the words and translates the document; it stays English if there are none. */
export async function translate(root = document) {
  try {
    const response = await fetch("words");
    if (response.ok) {
      words = await response.json();
      document.documentElement.lang = response.headers.get("Content-Language") || "en";
    }
  } catch { /* stays English */ }
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.textContent.trim());
  for (const name of ["title", "aria-label", "placeholder", "alt"]) {
    for (const element of root.querySelectorAll(`[data-t-${name}]`)) {
      element.setAttribute(name, t(element.getAttribute(`data-t-${name}`) || element.getAttribute(name)));
    }
  }
}
