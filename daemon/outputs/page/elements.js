// Making and changing elements. Every text goes in as text, never as HTML.
"use strict";

export const at = (id) => document.getElementById(id);

/** The name with a capital letter. */
export const capital = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** An element with attributes and children; `on` names its listeners. */
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

/** Changes a text only where it differs: a screen reader says each change. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Replaces the children where what they tell has changed. */
export function fill(element, key, children) {
  if (element.dataset.key === key) return false;
  element.dataset.key = key;
  element.replaceChildren(...children());
  return true;
}
