// @ts-check
/** Pits and stores: how each is drawn, and where what changes in it is. */

import { longSpots, roundSpots } from "./seeds.js";
import { node } from "./svg.js";

/** @typedef {import("./seeds.js").Spots} Spots */
/** @typedef {import("./pits.js").Size} Size */

/**
 * Where one place lies, and what of it can change.
 * @typedef {object} Place
 * @property {SVGGElement} group
 * @property {SVGGElement} seeds
 * @property {SVGTextElement[]} numbers
 * @property {Spots} spots
 * @property {[number, number]} at its centre
 * @property {SVGElement} [owner] whose it is, where that changes
 * @property {SVGElement} [inlay] seen where it has been won from the other
 */

export const SEED = 10.5;
const TRIANGLE = 7;

/**
 * @param {string} label
 * @param {[number, number]} at
 * @param {boolean} above whether its number stands above it
 * @param {Size} size
 * @param {string} prefix
 * @returns {Place}
 */
export function buildPit(label, at, above, size, prefix) {
  const [x, y] = at;
  const seeds = node("g", { class: "seeds", transform: `translate(${x} ${y})` });
  const inlay = node("circle", { class: "inlay", cx: x, cy: y, r: size.pit + 2.5 });
  const reach = size.pit * 0.42;
  const cross = `M${x - reach} ${y - reach}L${x + reach} ${y + reach}M${x + reach} ${y - reach}L${x - reach} ${y + reach}`;
  const group = node("g", { class: "place pit", part: "pit", "data-place": label }, [
    inlay,
    node("circle", { class: "ring", cx: x, cy: y, r: size.pit + 5 }),
    node("circle", { class: "rim", cx: x, cy: y + 1.5, r: size.pit + 1 }),
    node("circle", { class: "hollow-shape", cx: x, cy: y, r: size.pit, fill: `url(#${prefix}pit)` }),
    seeds,
    node("circle", { class: "lid", cx: x, cy: y, r: size.pit - 1 }),
    node("path", { class: "cross", d: cross }),
  ]);
  inlay.style.display = "none";
  const spots = roundSpots(size.pit - SEED - 3, label);
  if (!size.text) return { group, seeds, numbers: [], at, spots, inlay };

  const base = above ? y - size.pit - 13 : y + size.pit + 11 + size.text * 0.72;
  const small = size.text * 0.72;
  const number = node("text", { class: "number", part: "number", x: x + 4, y: base, "font-size": size.text });
  const name = node("text", { class: "label", part: "label", x: x - 6, y: base, "font-size": small }, [label]);
  const count = node("text", {
    class: "count", part: "number", x, y: y + size.pit * 0.32, "font-size": size.pit * 0.9, "aria-hidden": "true",
  });
  const owner = node("path", { class: "owner" });
  owner.dataset.at = `${x - 8 - small * (0.5 + 0.6 * label.length)} ${base - small * 0.36}`;
  const corner = { x: x - size.cell / 2, y: y - shiftOf(above, size) - size.row / 2 };
  group.prepend(node("rect", { class: "reach", ...corner, width: size.cell, height: size.row }));
  group.append(count, name, number, owner);
  return { group, seeds, numbers: [number, count], at, spots, owner, inlay };
}

/**
 * Return how far a pit is moved out of the middle of its row by its number.
 * @param {boolean} above
 * @param {Size} size
 */
export function shiftOf(above, size) {
  return size.text ? (above ? 1 : -1) * (size.text / 2 + 3) : 0;
}

/**
 * Show whose a pit is: a triangle points to the side of its owner, and a pit that was won
 * from the other side has an inlay. Not by colour alone.
 * @param {Place} place
 * @param {"" | "first" | "second"} tone of its owner; none: it never changes
 * @param {boolean} isUp whether the owner sits above
 * @param {boolean} isWon
 */
export function showOwner({ owner, inlay }, tone, isUp, isWon) {
  inlay?.setAttribute("class", `inlay ${tone}`);
  if (inlay) inlay.style.display = isWon ? "" : "none";
  if (!owner) return;
  const [x, y] = (owner.dataset.at ?? "").split(" ").map(Number);
  const way = isUp ? -1 : 1;
  owner.setAttribute("class", `owner ${tone}`);
  const [base, tip] = [y - way * TRIANGLE * 0.8, y + way * TRIANGLE];
  if (tone) owner.setAttribute("d", `M${x - TRIANGLE} ${base}H${x + TRIANGLE}L${x} ${tip}Z`);
  else owner.removeAttribute("d");
}

/**
 * @param {string} seat
 * @param {number[]} box x, y, width and height
 * @param {boolean} atBottom
 * @param {Size} size
 * @param {string} prefix
 * @returns {Place}
 */
export function buildStore(seat, box, atBottom, size, prefix) {
  const pad = size.bar ? 6 : 10;
  const [x, y, width, height] = [
    box[0] + pad, box[1] + pad, box[2] - 2 * pad, box[3] - 2 * pad,
  ];
  const round = Math.min(width, height) / 2;
  const plate = size.text * (size.bar ? 2.5 : 1.9); // there two digits lie beside the seeds
  // The number has its own end of the store, and the seeds the rest of it.
  const [freeWidth, freeHeight] = size.bar ? [width - 2 * plate, height] : [width, height - plate];
  const at = /** @type {[number, number]} */ ([
    x + width / 2,
    size.bar ? y + height / 2 : y + (atBottom ? 0 : plate) + freeHeight / 2,
  ]);
  const seeds = node("g", { class: "seeds", transform: `translate(${at[0]} ${at[1]})` });
  const shape = { x, y, width, height, rx: round };
  const group = node("g", { class: "place store", part: "store", "data-place": seat }, [
    node("rect", { class: "rim", ...shape, y: y + 1.5 }),
    node("rect", { class: "hollow-shape", ...shape, fill: `url(#${prefix}store)` }),
    seeds,
  ]);
  const numbers = [];
  if (size.text) {
    const where = size.bar
      ? { x: atBottom ? x + width - plate * 0.55 : x + plate * 0.55, y: at[1] + size.text * 0.36 }
      : { x: at[0], y: atBottom ? y + height - size.text * 0.75 : y + size.text * 1.45 };
    const style = { class: "total", part: "number", "font-size": size.text * 1.25 };
    numbers.push(node("text", { ...style, ...where }));
    group.append(...numbers);
  }
  const inset = 2 * SEED + (size.bar ? 10 : 22);
  const spots = longSpots(freeWidth - inset, freeHeight - inset - (size.bar ? 0 : 14));
  return { group, seeds, numbers, at, spots };
}
