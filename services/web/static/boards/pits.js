// @ts-check
/** Boards of pits in rows: a wooden board, with stores at its ends or without. */

import { SEED, buildPit, buildStore, shiftOf, showOwner } from "./pit.js";
import { groove, plank, plankPaints } from "./plank.js";
import { seedPaints, setSeeds } from "./seeds.js";
import { newPrefix, node, setMarks, setRole, setText } from "./svg.js";

/** @typedef {import("../types.js").Layout} Layout */
/** @typedef {import("../types.js").View} View */
/** @typedef {import("./pit.js").Place} Place */

const WIDE = { cell: 104, row: 136, pit: 44, edge: 20, store: 108, bar: 0, text: 24, gap: 34 };
const NARROW = { cell: 104, row: 152, pit: 46, edge: 12, store: 0, bar: 100, text: 36, gap: 56 };
const PICTURE = { cell: 104, row: 108, pit: 44, edge: 20, store: 108, bar: 0, text: 0, gap: 0 };

/** @typedef {typeof WIDE} Size */

/** @param {View} view @param {boolean} narrow */
export function buildPits(view, narrow) {
  const size = view.picture ? PICTURE : narrow ? NARROW : WIDE;
  const prefix = newPrefix();
  const rows = turned(view.layout, view.bottom);
  const columns = Math.max(...rows.map((row) => row.length));
  const hasStores = Object.keys(view.layout.stores).length > 0;
  // Between the sides there is room for what is said of both of them.
  const middle = view.caption || !hasStores ? size.gap : 0;
  const left = size.edge + (hasStores ? size.store : 0);
  const top = size.edge + (hasStores ? size.bar : 0);
  const width = 2 * left + columns * size.cell;
  const height = 2 * top + rows.length * size.row + middle;
  /** @type {Map<string, Place>} */
  const places = new Map();
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, class: "board pits", part: "board" }, [
    node("defs", {}, [...plankPaints(prefix), ...seedPaints(prefix)]),
    plank(width, height, prefix),
  ]);

  rows.forEach((row, index) => {
    const above = index < rows.length / 2;
    const y = top + (index + 0.5) * size.row + shiftOf(above, size) + (above ? 0 : middle);
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
  const said = middle ? buildMiddle() : null;

  /** Part the sides, and make room for the caption, or for how much lies on each side. */
  function buildMiddle() {
    const y = height / 2;
    const text = size.text * 0.78;
    const from = left + size.cell * 0.15;
    const style = { y: y + text * 0.36, "font-size": text };
    const caption = node("text", { ...style, class: "caption", part: "caption", x: width / 2 });
    const sides = [from + text * 2.1, width - from - text * 2.1].map((x) =>
      node("text", { ...style, class: "side", part: "number", x }),
    );
    const [up, down] = [-1, 1].map((way, index) => {
      const x = index ? width - from - text * 0.5 : from + text * 0.5;
      const [base, tip] = [y - way * text * 0.34, y + way * text * 0.34];
      return node("path", { class: "owner whose", d: `M${x - text * 0.4} ${base}h${text * 0.8}L${x} ${tip}z` });
    });
    if (!hasStores) svg.append(up, down);
    const [begin, end] = hasStores ? [width / 2, width / 2] : [from + text * 4.6, width - from - text * 4.6];
    svg.append(groove(begin, end, y), caption, ...sides);
    return { caption, sides };
  }

  /** @param {View} now */
  function update(now) {
    for (const [label, place] of places) updatePlace(label, place, now);
    if (said) updateMiddle(now);
  }

  /** @param {string} label @param {Place} place @param {View} now */
  function updatePlace(label, place, now) {
    const isBurnt = !(label in now.board);
    const count = Number(now.board[label] ?? 0);
    setSeeds(place.seeds, count, place.spots, prefix, SEED);
    for (const number of place.numbers) setText(number, isBurnt ? "" : String(count));
    place.group.classList.toggle("burnt", isBurnt && now.layout.rows.flat().includes(label));
    setMarks(place.group, now.marks?.get(label));
    const owner = now.owners?.[label];
    const isUp = owner !== now.bottom;
    const tone = owner === now.seats[0] ? "first" : owner ? "second" : "";
    showOwner(place, tone, isUp, !!owner && owner !== now.layout.owners[label]);
    if (now.describe) {
      setRole(place.group, !!now.open?.has(label), now.describe(label));
    }
  }

  /** @param {View} now */
  function updateMiddle(now) {
    setText(said?.caption, now.caption ?? "");
    if (hasStores) return;
    const other = now.seats.find((seat) => seat !== now.bottom) ?? "";
    const [theirs, ours] = [other, now.bottom].map((seat) => sideOf(now, seat));
    setText(said?.sides[0], String(theirs));
    setText(said?.sides[1], String(ours));
  }

  return { svg, places, update, size, width, prefix };
}

/**
 * Return what lies on the side of a seat.
 * @param {View} view
 * @param {string} seat
 */
export function sideOf({ layout, board }, seat) {
  const own = layout.rows.flat().filter((label) => layout.owners[label] === seat);
  return own.reduce((sum, label) => sum + Number(board[label] ?? 0), 0);
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
