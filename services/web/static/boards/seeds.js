// @ts-check
/** Seeds: where each lies in a pit, a store or a hand, always the same. */

import { chance, gradient, node, numberOf } from "./svg.js";

const TONES = 4;
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const LAYER = 12;
const DRAWN_AT_MOST = 60;

/** @typedef {(index: number) => [number, number]} Spots where seed number n lies */

/**
 * Return spots within a circle, in layers like those of a sunflower.
 * @param {number} radius
 * @param {string} name another name, another turn
 * @returns {Spots}
 */
export function roundSpots(radius, name) {
  const turn = chance(numberOf(name)) * 2 * Math.PI;
  return (index) => {
    const [layer, place] = [Math.floor(index / LAYER), index % LAYER];
    const reach = (radius / Math.sqrt(LAYER - 1)) * (1 - 0.1 * (layer % 3));
    const far = reach * Math.sqrt(place + 0.45);
    const angle = turn + place * GOLDEN_ANGLE + layer * 1.1;
    const jitter = chance(numberOf(name) + index) - 0.5;
    return [
      far * Math.cos(angle + jitter * 0.3),
      far * Math.sin(angle + jitter * 0.3),
    ];
  };
}

/**
 * Return spots that fill a long rectangle evenly, however many there are.
 * @param {number} width
 * @param {number} height
 * @returns {Spots}
 */
export function longSpots(width, height) {
  return (index) => {
    const along = ((0.5 + index * GOLDEN_RATIO) % 1) - 0.5;
    const beside = chance(index * 3 + 11) - 0.5;
    return width > height
      ? [along * width, beside * height]
      : [beside * width, along * height];
  };
}

/**
 * Return the gradients that `setSeeds` paints with.
 * @param {string} prefix
 */
export function seedPaints(prefix) {
  return Array.from({ length: TONES }, (_, tone) =>
    gradient("radial", `${prefix}seed${tone}`, { cx: 0.36, cy: 0.3, r: 0.75 }, [
      [0, `seed-light-${tone}`],
      [1, `seed-dark-${tone}`],
    ]),
  );
}

/**
 * Let a group hold so many seeds; those that it holds already stay where they are.
 * @param {SVGGElement} group
 * @param {number} count
 * @param {Spots} spots
 * @param {string} prefix
 * @param {number} size
 */
export function setSeeds(group, count, spots, prefix, size) {
  const wanted = Math.min(count, DRAWN_AT_MOST);
  while (group.childElementCount > wanted) group.lastElementChild?.remove();
  for (let index = group.childElementCount; index < wanted; index += 1) {
    const [x, y] = spots(index).map((part) => Number(part.toFixed(1)));
    const luck = chance(index * 7 + Math.round(x * 3));
    const tone = Math.floor(luck * TONES);
    const turn = Math.round(luck * 1000) % 180;
    const seed = node("ellipse", {
      class: "seed",
      cx: x,
      cy: y,
      rx: size,
      ry: size * 0.82,
      fill: `url(#${prefix}seed${tone})`,
      transform: `rotate(${turn} ${x} ${y})`,
    });
    group.append(seed);
  }
}
