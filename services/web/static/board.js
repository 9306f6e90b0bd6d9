// @ts-check
/** Draws boards that can be played on, by pointer and by keyboard. */

import { createDraw } from "./boards/drawing.js";
import { buildPlayedPits } from "./boards/hand.js";
import { buildSquares } from "./boards/squares.js";
import { isArrow, nextSpot } from "./boards/walking.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./boards/drawing.js").Drawing} Drawing */
/** @typedef {import("./boards/drawing.js").Spot} Spot */

/** @type {Record<string, import("./boards/drawing.js").Builder>} */
const BUILDERS = {
  "two-row": buildPlayedPits,
  "four-row": buildPlayedPits,
  squares: buildSquares,
};

export const draw = createDraw((kind) => BUILDERS[kind], listen);

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
