// @ts-check
/** The board that pits are cut into: a plank with a grain. */

import { chance, gradient, node } from "./svg.js";

/** @param {string} prefix */
export function plankPaints(prefix) {
  return [
    gradient("linear", `${prefix}wood`, { x1: 0, y1: 0, x2: 0.15, y2: 1 }, [
      [0, "wood-light"],
      [0.55, "wood"],
      [1, "wood-dark"],
    ]),
    gradient("radial", `${prefix}pit`, { cx: 0.5, cy: 0.62, r: 0.62 }, [
      [0, "hollow-light"],
      [0.65, "hollow"],
      [1, "hollow-dark"],
    ]),
    gradient("linear", `${prefix}store`, { x1: 0, y1: 0, x2: 0, y2: 1 }, [
      [0, "hollow-dark"],
      [0.3, "hollow"],
      [1, "hollow-light"],
    ]),
  ];
}

/**
 * @param {number} width
 * @param {number} height
 * @param {string} prefix
 */
export function plank(width, height, prefix) {
  const shape = { x: 1, y: 1, width: width - 2, height: height - 2, rx: 34 };
  const clip = node("clipPath", { id: `${prefix}plank` }, [node("rect", shape)]);
  const lines = Array.from({ length: Math.round(height / 15) }, (_, index) => {
    const y = index * 15 + chance(index) * 12;
    const [up, down] = [chance(index + 50) * 16 - 8, chance(index + 90) * 16 - 8];
    const third = width / 3;
    const d = `M0 ${y} C${third} ${y + up} ${2 * third} ${y + down} ${width} ${y + up}`;
    return node("path", { d, class: index % 3 ? "grain" : "grain strong" });
  });
  return node("g", { class: "plank", part: "plank" }, [
    clip,
    node("rect", { ...shape, fill: `url(#${prefix}wood)` }),
    node("g", { "clip-path": `url(#${prefix}plank)` }, lines),
    node("rect", { ...shape, class: "bevel" }),
  ]);
}

/**
 * Return the line that parts the two sides.
 * @param {number} from
 * @param {number} to
 * @param {number} y
 */
export function groove(from, to, y) {
  const line = (/** @type {number} */ at) => `M${from} ${at}H${to}`;
  return node("g", { "aria-hidden": "true" }, [
    node("path", { class: "groove", d: line(y) }),
    node("path", { class: "groove lit", d: line(y + 2) }),
  ]);
}
