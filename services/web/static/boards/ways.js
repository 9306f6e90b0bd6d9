// @ts-check
/** The moves that begin in one pit, to its left and to its right: two arrows at it. */

import { node } from "./svg.js";

/** @typedef {import("../types.js").Way} Way */

/**
 * Return the arrows of a chosen pit; a click or Enter on one plays its move.
 *
 * They lie at its sides; where fingers have little room they are large, and lie above it.
 * @param {Way[]} ways
 * @param {[number, number]} at the centre of the pit
 * @param {number} pit its radius
 * @param {boolean} narrow whether fingers have little room
 * @param {number} width of the board
 */
export function buildWays(ways, [x, y], pit, narrow, width) {
  const reach = narrow ? pit : pit * 0.62;
  const far = narrow ? reach * 1.06 : pit + reach * 0.95;
  const room = far + reach + 4;
  const middle = narrow ? Math.min(Math.max(x, room), width - room) : x;
  const above = y - pit - reach * 0.8;
  const cy = !narrow ? y : above > reach ? above : y + pit + reach * 0.8;
  return ways.map(({ move, side, words }) => {
    const turn = side === "left" ? -1 : 1;
    const cx = Math.min(Math.max(middle + turn * far, reach + 4), width - reach - 4);
    const tip = reach * 0.36 * turn;
    const [back, wing] = [cx + tip * 0.1, Math.abs(tip) * 0.95];
    const d = `M${cx - tip} ${cy}H${cx + tip}M${back} ${cy - wing}L${cx + tip} ${cy}L${back} ${cy + wing}`;
    return node(
      "g",
      {
        class: `way ${side}`, part: "way", "data-move": move, "data-at": `${cx} ${cy}`,
        role: "button", tabindex: 0, "aria-label": words,
      },
      [
        node("circle", { class: "button", cx, cy, r: reach }),
        node("path", { class: "arrow", d }),
      ],
    );
  });
}
