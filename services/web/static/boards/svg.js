// @ts-check
/** The few things that every drawing of a board is made of. */

const SVG = "http://www.w3.org/2000/svg";
let drawings = 0;

/**
 * Make an SVG element.
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {(SVGElement | string)[]} [children]
 * @returns {any} an element of the kind that the name says
 */
export function node(name, attributes = {}, children = []) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/** Return a prefix for ids, one for each drawing. */
export function newPrefix() {
  drawings += 1;
  return `d${drawings}-`;
}

/**
 * Make a gradient whose colours are classes of the style sheet.
 * @param {"linear" | "radial"} kind
 * @param {string} id
 * @param {Record<string, number>} attributes
 * @param {[number, string][]} stops offset and class
 */
export function gradient(kind, id, attributes, stops) {
  const colours = stops.map(([offset, name]) => node("stop", { offset, class: name }));
  return node(`${kind}Gradient`, { id, ...attributes }, colours);
}

/**
 * Return a number from 0 to 1 that looks random and is always the same.
 * @param {number} seed
 */
export function chance(seed) {
  let bits = Math.imul(seed + 0x9e3779b9, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

/**
 * Return a number that stands for a text.
 * @param {string} text
 */
export function numberOf(text) {
  let number = 7;
  for (const letter of text) number = Math.imul(number, 31) + letter.charCodeAt(0);
  return number;
}

/**
 * Set a text if it is another.
 * @param {SVGElement | undefined} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

const MARKS = ["start", "sown", "taken", "end", "flipped"];

/**
 * Mark what the last move did to a place.
 * @param {SVGElement} place
 * @param {ReadonlySet<string>} [marks]
 */
export function setMarks(place, marks) {
  for (const mark of MARKS) place.classList.toggle(mark, !!marks?.has(mark));
}

/**
 * Tell what a place is for whoever points, types or listens.
 *
 * Every place can be reached by the arrow keys, those that are open by the tab key too.
 * @param {SVGElement} place
 * @param {boolean} open
 * @param {string} words
 */
export function setRole(place, open, words) {
  place.setAttribute("aria-label", words);
  place.classList.toggle("open", open);
  // A place that has the focus keeps its role, or a keyboard would begin from the top.
  const root = /** @type {Document | ShadowRoot} */ (place.getRootNode());
  const keeps = place === root.activeElement && place.getAttribute("role") === "button";
  place.setAttribute("role", open || keeps ? "button" : "img");
  place.setAttribute("tabindex", open ? "0" : "-1");
  if (keeps && !open) place.setAttribute("aria-disabled", "true");
  else place.removeAttribute("aria-disabled");
}
