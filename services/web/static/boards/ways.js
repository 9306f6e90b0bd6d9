// @ts-check
/** The moves that begin in one pit, to its left and to its right: two arrows at it. */

import { node } from "./svg.js";

/** @typedef {import("../types.js").Way} Way */

/**
 * Return the arrows of a chosen pit; a click or Enter on one plays its move.
 * @param {Way[]} ways
 * @param {[number, number]} at the centre of the pit
 * @param {number} pit its radius
 * @param {boolean} narrow whether fingers have little room
 * @param {number} width of the board
 */
export function buildWays(ways, [x, y], pit, narrow, width) {
  const reach = narrow ? pit * 1.02 : pit * 0.62;
  const far = pit + reach * 0.95;
  return ways.map(({ move, side, words }) => {
    const turn = side === "left" ? -1 : 1;
    const inside = Math.min(Math.max(x + turn * far, reach + 4), width - reach - 4);
    const tip = reach * 0.36 * turn;
    const d = `M${inside - tip} ${y}H${inside + tip}M${inside + tip * 0.1} ${y - Math.abs(tip) * 0.95}L${inside + tip} ${y}L${inside + tip * 0.1} ${y + Math.abs(tip) * 0.95}`;
    return node(
      "g",
      {
        class: `way ${side}`, part: "way", "data-move": move, "data-at": `${inside} ${y}`,
        role: "button", tabindex: 0, "aria-label": words,
      },
      [
        node("circle", { class: "button", cx: inside, cy: y, r: reach }),
        node("path", { class: "arrow", d }),
      ],
    );
  });
}
