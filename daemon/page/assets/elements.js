// Creates and changes elements. Every text is inserted as text, never as HTML.
"use strict";

export const at = (id) => document.getElementById(id);

/** The name with a capital letter. */
export const capital = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** Creates an element with attributes and children; `on` holds its listeners by event. */
export function make(tag, { on = {}, text = "", ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  if (text !== "") element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  element.append(...children);
  return element;
}

/** Sets a text only if it differs, since a screen reader speaks every change. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Replaces the children if the key of their content has changed; returns whether it has. */
export function fill(element, key, children) {
  if (element.dataset.key === key) return false;
  element.dataset.key = key;
  element.replaceChildren(...children());
  return true;
}
