// @ts-check
/** Draws any board into an element; knows places, not rules. */

import { buildPits } from "./boards/pits.js";
import { buildSquares } from "./boards/squares.js";
import { isArrow, nextSpot } from "./boards/walking.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {{group: SVGElement, at: [number, number]}} Spot */

/**
 * A drawing of one board, which can be brought up to date.
 * @typedef {object} Drawing
 * @property {SVGSVGElement} svg
 * @property {ReadonlyMap<string, Spot>} places
 * @property {(view: View) => void} update
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
  const key = JSON.stringify([view.layout, view.bottom, narrow, !!view.caption]);
  if (before?.key === key) {
    before.view = view;
    update(before.drawing, view);
    return;
  }
  const drawing = BUILDERS[view.layout.kind](view, narrow);
  const now = { key, drawing, view };
  drawn.set(element, now);
  element.dataset.kind = view.layout.kind;
  element.replaceChildren(drawing.svg);
  update(drawing, view);
  if (view.picture) return;
  listen(drawing, () => now.view);
  if (!before) watchWidth(element);
}

/** @param {Drawing} drawing @param {View} view */
function update({ svg, update: bring }, view) {
  if (view.picture) svg.setAttribute("aria-hidden", "true");
  else {
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", view.title);
  }
  svg.dataset.theme = view.theme ?? "wood";
  bring(view);
}

/** @param {HTMLElement} element */
function isNarrow(element) {
  const width = element.clientWidth || document.documentElement.clientWidth;
  return width < NARROW_PX;
}

/**
 * Let places, and the ways from one, be chosen by pointer and by keyboard.
 * @param {Drawing} drawing
 * @param {() => View} view
 */
function listen({ svg, places }, view) {
  /** @param {Event} event */
  function choose(event) {
    const target = /** @type {Element} */ (event.target);
    const move = target.closest("[data-move]")?.getAttribute("data-move");
    const place = target.closest("[data-place]")?.getAttribute("data-place");
    if (move) view().onMove?.(move);
    else if (place && view().open?.has(place)) view().onChoose?.(place);
    else return;
    event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  function walk(event) {
    const here = /** @type {SVGElement} */ (event.target);
    const ways = [...svg.querySelectorAll(".way")].map((group) => spotOf(group));
    const spots = ways.length ? ways : [...places.values()];
    const from = spots.find(({ group }) => group === here);
    if (!from || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const to = nextSpot(spots, from.at, event.key);
    to?.group.focus({ preventScroll: true });
    event.preventDefault();
    event.stopPropagation(); // here they leaf through no log
  }

  svg.addEventListener("click", choose);
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") choose(event);
    else if (isArrow(event.key)) walk(event);
    else if (event.key === "Escape" && view().chosen) {
      const place = places.get(view().chosen ?? "");
      view().onChoose?.("");
      place?.group.focus({ preventScroll: true });
      event.stopPropagation();
    }
  });
}

/**
 * @param {Element} group one of the ways from a place
 * @returns {Spot}
 */
function spotOf(group) {
  const [x, y] = (group.getAttribute("data-at") ?? "").split(" ").map(Number);
  return { group: /** @type {SVGElement} */ (group), at: [x, y] };
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
