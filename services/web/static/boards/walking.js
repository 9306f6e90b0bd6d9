// @ts-check
/** The keyboard on a board: the arrow keys go to the next place that way. */

/** @typedef {{at: [number, number]}} Spot */

/** @type {Record<string, [number, number]>} */
const WAYS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const ASIDE = 2.5; // how much further what lies aside seems to be

/**
 * Return the nearest spot in the direction of an arrow key, or null.
 * @template {Spot} T
 * @param {T[]} spots
 * @param {[number, number]} from
 * @param {string} key
 * @returns {T | null}
 */
export function nextSpot(spots, from, key) {
  const way = WAYS[key];
  if (!way) return null;
  let [nearest, least] = [/** @type {T | null} */ (null), Infinity];
  for (const spot of spots) {
    const [x, y] = [spot.at[0] - from[0], spot.at[1] - from[1]];
    const [ahead, aside] = [x * way[0] + y * way[1], Math.abs(x * way[1]) + Math.abs(y * way[0])];
    const far = ahead + ASIDE * aside;
    if (ahead > 1 && ahead * ASIDE > aside && far < least) [nearest, least] = [spot, far];
  }
  return nearest;
}

/** @param {string} key */
export function isArrow(key) {
  return key in WAYS;
}
