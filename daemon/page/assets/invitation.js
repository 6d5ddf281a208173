// The code that invites a phone to film.
"use strict";

const QR = "data:image/svg+xml,";

/** What the daemon says of its invitation: `addresses` with their codes, and how many `phones` are paired; or a `text`. */
export function invitation(method = "POST", query = "") {
  return fetch(`phone${query}`, { method }).then((response) => response.json()).catch(() => ({}));
}

/** Shows the code of an address as a picture. */
export function showCode(image, { svg }) {
  const source = QR + encodeURIComponent(svg);
  if (image.src !== source) image.src = source;
}
