// @ts-check
/** Draws any board into an element; knows places, not rules. */

import { buildPits } from "./boards/pits.js";
import { buildSquares } from "./boards/squares.js";

/** @typedef {import("./types.js").View} View */

/**
 * A drawing of one board, which can be brought up to date.
 * @typedef {{svg: SVGSVGElement, update: (view: View) => void}} Drawing
 */

/** @typedef {(view: View, narrow: boolean) => Drawing} Builder */

/** @type {Record<string, Builder>} */
const BUILDERS = {
  "two-row": buildPits,
  "four-row": buildPits,
  squares: buildSquares,
};
const NARROW_PX = 560;

/** @type {WeakMap<HTMLElement, {key: string, drawing: Drawing, view: View}>} */
const drawn = new WeakMap();

/**
 * Draw a view; what is drawn already is kept, so that focus stays and changes can move.
 * @param {HTMLElement} element
 * @param {View} view
 */
export function draw(element, view) {
  const before = drawn.get(element);
  const narrow = !view.picture && isNarrow(element);
  const key = JSON.stringify([view.layout, view.bottom, narrow]);
  if (before?.key === key) {
    before.view = view;
    before.drawing.update(view);
    return;
  }
  const drawing = BUILDERS[view.layout.kind](view, narrow);
  const now = { key, drawing, view };
  drawn.set(element, now);
  element.replaceChildren(drawing.svg);
  drawing.update(view);
  if (view.picture) return;
  listen(drawing.svg, () => now.view);
  if (!before) watchWidth(element);
}

/** @param {HTMLElement} element */
function isNarrow(element) {
  const width = element.clientWidth || document.documentElement.clientWidth;
  return width < NARROW_PX;
}

/**
 * Let places be chosen by pointer and by keyboard.
 * @param {SVGSVGElement} svg
 * @param {() => View} view
 */
function listen(svg, view) {
  /** @param {Event} event */
  function choose(event) {
    const target = /** @type {Element} */ (event.target).closest("[data-place]");
    const place = target?.getAttribute("data-place");
    if (place && view().open?.has(place)) {
      event.preventDefault();
      view().onChoose?.(place);
    }
  }
  svg.addEventListener("click", choose);
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") choose(event);
  });
}

/**
 * Draw again when the board has become narrow or wide.
 * @param {HTMLElement} element
 */
function watchWidth(element) {
  new ResizeObserver(() => {
    const now = drawn.get(element);
    if (now && element.clientWidth) draw(element, now.view);
  }).observe(element);
}
