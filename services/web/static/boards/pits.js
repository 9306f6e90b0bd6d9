// @ts-check
/** Boards of pits in rows: a wooden board, with stores at its ends or without. */

import { roundSpots, seedPaints, setSeeds, longSpots } from "./seeds.js";
import { chance, gradient, newPrefix, node, setRole } from "./svg.js";

/** @typedef {import("../types.js").Layout} Layout */
/** @typedef {import("../types.js").View} View */
/** @typedef {import("./seeds.js").Spots} Spots */

/**
 * Where one place lies, and what of it can change.
 * @typedef {object} Place
 * @property {SVGGElement} group
 * @property {SVGGElement} seeds
 * @property {SVGTextElement | null} number
 * @property {Spots} spots
 * @property {[number, number]} at its centre
 */

const WIDE = { cell: 104, row: 136, pit: 44, edge: 20, store: 108, bar: 0, text: 24 };
const NARROW = { cell: 104, row: 152, pit: 46, edge: 12, store: 0, bar: 100, text: 36 };
const PICTURE = { cell: 104, row: 108, pit: 44, edge: 20, store: 108, bar: 0, text: 0 };
const SEED = 10.5;
const HAND_LIFT = 12;

/** @param {View} view @param {boolean} narrow */
export function buildPits(view, narrow) {
  const size = view.picture ? PICTURE : narrow ? NARROW : WIDE;
  const prefix = newPrefix();
  const rows = turned(view.layout, view.bottom);
  const columns = Math.max(...rows.map((row) => row.length));
  const ends = Object.keys(view.layout.stores).length ? 1 : 0;
  const left = size.edge + ends * size.store;
  const top = size.edge + ends * size.bar;
  const width = 2 * left + columns * size.cell;
  const height = 2 * top + rows.length * size.row;
  /** @type {Map<string, Place>} */
  const places = new Map();
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, class: "board pits" }, [
    node("defs", {}, [...paints(prefix), ...seedPaints(prefix)]),
    wood(width, height, prefix),
  ]);
  if (view.picture) svg.setAttribute("aria-hidden", "true");
  else svg.setAttribute("role", "group");

  rows.forEach((row, index) => {
    const above = index < rows.length / 2;
    const y = top + (index + 0.5) * size.row + shiftOf(above, size);
    const inset = ((columns - row.length) * size.cell) / 2;
    row.forEach((label, column) => {
      const x = left + inset + (column + 0.5) * size.cell;
      const pit = buildPit(label, [x, y], above, size, prefix);
      places.set(label, pit);
      svg.append(pit.group);
    });
  });
  for (const [seat, end] of Object.entries(view.layout.stores)) {
    const atBottom = seat === view.bottom;
    const onRight = (end === "right") === (view.bottom === view.seats[0]);
    const box = narrow
      ? [size.edge, atBottom ? height - size.edge - size.bar : size.edge,
         width - 2 * size.edge, size.bar]
      : [onRight ? width - left : size.edge, size.edge, size.store, height - 2 * size.edge];
    const store = buildStore(seat, box, atBottom, size, prefix);
    places.set(seat, store);
    svg.append(store.group);
  }
  const hand = node("g", { class: "hand", "aria-hidden": "true" });
  const air = node("g", { class: "air", "aria-hidden": "true" });
  svg.append(hand, air);
  const handSpots = roundSpots(size.pit * 0.62, "hand");
  /** @type {View["flights"]} */
  let flown;

  /** @param {View} now */
  function update(now) {
    svg.setAttribute("aria-label", now.title);
    svg.style.setProperty("--beat", `${now.beatMs ?? 0}ms`);
    for (const [label, place] of places) {
      const count = Number(now.board[label] ?? 0);
      setSeeds(place.seeds, count, place.spots, prefix, SEED);
      if (place.number) place.number.textContent = String(count);
      place.group.classList.toggle("touched", !!now.touched?.includes(label));
      if (now.describe) {
        setRole(place.group, !!now.open?.has(label), now.describe(label));
      }
    }
    updateHand(now);
    if (now.flights !== flown) {
      flown = now.flights;
      for (const flight of now.flights ?? []) fly(flight, now.beatMs ?? 0);
    }
  }

  /** @param {View} now */
  function updateHand(now) {
    const place = now.hand && places.get(now.hand.at);
    const wasAway = !hand.childElementCount;
    setSeeds(hand, now.hand?.count ?? 0, handSpots, prefix, SEED);
    if (!place) return;
    const [x, y] = place.at;
    hand.classList.toggle("arriving", wasAway);
    hand.style.transform = `translate(${x}px, ${y - HAND_LIFT}px)`;
  }

  /** @param {{from: string, to: string, count: number}} flight @param {number} beatMs */
  function fly({ from, to, count }, beatMs) {
    const [start, end] = [places.get(from)?.at, places.get(to)?.at];
    if (!start || !end || !beatMs) return;
    const seeds = node("g");
    setSeeds(seeds, count, handSpots, prefix, SEED);
    air.append(seeds);
    const path = [start, end].map(([x, y]) => ({
      transform: `translate(${x}px, ${y}px)`,
    }));
    const timing = { duration: beatMs * 3, easing: "ease-in-out" };
    seeds.animate(path, timing).finished.finally(() => seeds.remove());
  }

  return { svg, update };
}

/**
 * Return the rows as a seat sees them: its own at the bottom.
 * @param {Layout} layout
 * @param {string} bottom
 */
function turned({ rows, owners, stores }, bottom) {
  const lowest = rows[rows.length - 1];
  const own = owners[lowest[0]] ?? Object.keys(stores)[0] ?? bottom;
  return own === bottom ? rows : rows.map((row) => [...row].reverse()).reverse();
}

/**
 * @param {string} label
 * @param {[number, number]} at
 * @param {boolean} above whether its number stands above it
 * @param {typeof WIDE} size
 * @param {string} prefix
 * @returns {Place}
 */
function buildPit(label, at, above, size, prefix) {
  const [x, y] = at;
  const seeds = node("g", { transform: `translate(${x} ${y})` });
  const group = node("g", { class: "place pit", "data-place": label }, [
    node("circle", { class: "ring", cx: x, cy: y, r: size.pit + 5 }),
    node("circle", { class: "rim", cx: x, cy: y + 1.5, r: size.pit + 1 }),
    node("circle", { cx: x, cy: y, r: size.pit, fill: `url(#${prefix}pit)` }),
    seeds,
  ]);
  let number = null;
  if (size.text) {
    const base = above ? y - size.pit - 13 : y + size.pit + 11 + size.text * 0.72;
    number = node("text", { class: "number", x: x + 4, y: base, "font-size": size.text });
    const name = node("text", { class: "label", x: x - 6, y: base }, [label]);
    name.setAttribute("font-size", String(size.text * 0.72));
    const corner = { x: x - size.cell / 2, y: y - shiftOf(above, size) - size.row / 2 };
    const reach = { ...corner, width: size.cell, height: size.row };
    group.prepend(node("rect", { class: "reach", ...reach }));
    group.append(name, number);
  }
  return { group, seeds, number, at, spots: roundSpots(size.pit - SEED - 3, label) };
}

/**
 * Return how far a pit is moved out of the middle of its row by its number.
 * @param {boolean} above
 * @param {typeof WIDE} size
 */
function shiftOf(above, size) {
  return size.text ? (above ? 1 : -1) * (size.text / 2 + 3) : 0;
}

/**
 * @param {string} seat
 * @param {number[]} box x, y, width and height
 * @param {boolean} atBottom
 * @param {typeof WIDE} size
 * @param {string} prefix
 * @returns {Place}
 */
function buildStore(seat, box, atBottom, size, prefix) {
  const pad = size.bar ? 6 : 10;
  const [x, y, width, height] = [
    box[0] + pad, box[1] + pad, box[2] - 2 * pad, box[3] - 2 * pad,
  ];
  const round = Math.min(width, height) / 2;
  const plate = size.text ? size.text * 1.9 : 0;
  // The number has its own end of the store, and the seeds the rest of it.
  const [freeWidth, freeHeight] = size.bar ? [width - 2 * plate, height] : [width, height - plate];
  const at = /** @type {[number, number]} */ ([
    x + width / 2,
    size.bar ? y + height / 2 : y + (atBottom ? 0 : plate) + freeHeight / 2,
  ]);
  const seeds = node("g", { transform: `translate(${at[0]} ${at[1]})` });
  const shape = { x, y, width, height, rx: round };
  const group = node("g", { class: "place store", "data-place": seat }, [
    node("rect", { class: "rim", ...shape, y: y + 1.5 }),
    node("rect", { ...shape, fill: `url(#${prefix}store)` }),
    seeds,
  ]);
  let number = null;
  if (size.text) {
    const where = size.bar
      ? { x: atBottom ? x + width - plate * 0.75 : x + plate * 0.75, y: at[1] + size.text * 0.36 }
      : { x: at[0], y: atBottom ? y + height - size.text * 0.75 : y + size.text * 1.45 };
    number = node("text", { class: "total", ...where, "font-size": size.text * 1.25 });
    group.append(number);
  }
  const inset = 2 * SEED + (size.bar ? 10 : 22);
  const spots = longSpots(freeWidth - inset, freeHeight - inset - (size.bar ? 0 : 14));
  return { group, seeds, number, at, spots };
}

/** @param {string} prefix */
function paints(prefix) {
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
 * Return the board itself: a plank with a grain.
 * @param {number} width
 * @param {number} height
 * @param {string} prefix
 */
function wood(width, height, prefix) {
  const shape = { x: 1, y: 1, width: width - 2, height: height - 2, rx: 34 };
  const clip = node("clipPath", { id: `${prefix}plank` }, [node("rect", shape)]);
  const lines = Array.from({ length: Math.round(height / 15) }, (_, index) => {
    const y = index * 15 + chance(index) * 12;
    const [up, down] = [chance(index + 50) * 16 - 8, chance(index + 90) * 16 - 8];
    const third = width / 3;
    const d = `M0 ${y} C${third} ${y + up} ${2 * third} ${y + down} ${width} ${y + up}`;
    return node("path", { d, class: index % 3 ? "grain" : "grain strong" });
  });
  return node("g", { class: "plank" }, [
    clip,
    node("rect", { ...shape, fill: `url(#${prefix}wood)` }),
    node("g", { "clip-path": `url(#${prefix}plank)` }, lines),
    node("rect", { ...shape, class: "bevel" }),
  ]);
}
