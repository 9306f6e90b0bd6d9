// @ts-check
/** Boards of squares: a green field with discs of two colours. */

import { gradient, newPrefix, node, setMarks, setRole } from "./svg.js";

/** @typedef {import("../types.js").View} View */

/**
 * One square: its centre, and the disc that is drawn there, if there is one.
 * @typedef {object} Square
 * @property {SVGGElement} group
 * @property {[number, number]} at
 * @property {SVGGElement | null} disc
 * @property {string} seat whose disc it is
 */

const CELL = 100;
const DISC = 40;
const EDGE = { wide: 44, narrow: 52, picture: 18 };
const FLIP_MS = 320;

/** @param {View} view @param {boolean} narrow */
export function buildSquares(view, narrow) {
  const edge = EDGE[view.picture ? "picture" : narrow ? "narrow" : "wide"];
  const prefix = newPrefix();
  const upright = view.bottom === view.seats[0];
  const rows = upright
    ? view.layout.rows
    : view.layout.rows.map((row) => [...row].reverse()).reverse();
  const width = 2 * edge + rows[0].length * CELL;
  const height = 2 * edge + rows.length * CELL;
  /** @type {Map<string, Square>} */
  const squares = new Map();
  const frame = { x: 1, y: 1, width: width - 2, height: height - 2, rx: 26 };
  const field = { x: edge, y: edge, width: width - 2 * edge, height: height - 2 * edge };
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, class: "board squares", part: "board" }, [
    node("defs", {}, paints(prefix)),
    node("rect", { ...frame, class: "frame" }),
    node("rect", { ...field, class: "field", rx: 6 }),
  ]);
  if (!view.picture) svg.append(...coordinates(rows, edge, narrow ? 34 : 24));
  rows.forEach((row, y) => {
    row.forEach((label, x) => {
      const [left, top] = [edge + x * CELL, edge + y * CELL];
      const at = /** @type {[number, number]} */ ([left + CELL / 2, top + CELL / 2]);
      const box = { x: left, y: top, width: CELL, height: CELL };
      const group = node("g", { class: "place square", part: "square", "data-place": label }, [
        node("rect", { class: "cell", ...box }),
        node("circle", { class: "hint", cx: at[0], cy: at[1], r: 15 }),
      ]);
      squares.set(label, { group, at, disc: null, seat: "" });
      svg.append(group);
    });
  });

  /** @param {View} now */
  function update(now) {
    for (const [label, square] of squares) {
      const seat = String(now.board[label] ?? "");
      if (seat !== square.seat) {
        change(square, seat, now.seats, now.beatMs ?? 0);
        square.seat = seat;
      }
      setMarks(square.group, now.marks?.get(label));
      if (now.describe) {
        setRole(square.group, !!now.open?.has(label), now.describe(label));
      }
    }
  }

  /**
   * @param {Square} square
   * @param {string} seat
   * @param {string[]} seats
   * @param {number} beatMs
   */
  function change(square, seat, seats, beatMs) {
    const turned = square.disc !== null && seat !== "";
    square.disc?.remove();
    square.disc = null;
    if (!seat) return;
    const tone = seats.indexOf(seat) ? "light" : "dark";
    const disc = buildDisc(square.at, tone, prefix);
    square.disc = disc;
    square.group.append(disc);
    if (!beatMs) return;
    const [from, to] = turned ? ["scaleX(0.05)", "none"] : ["scale(0.4)", "none"];
    const timing = { duration: FLIP_MS, easing: "cubic-bezier(.2,.8,.3,1)" };
    disc.animate([{ transform: from }, { transform: to }], timing);
  }

  return { svg, places: squares, update };
}

/**
 * @param {[number, number]} at
 * @param {string} tone
 * @param {string} prefix
 */
function buildDisc([x, y], tone, prefix) {
  return node("g", { class: `disc ${tone}`, part: `disc ${tone}` }, [
    node("circle", { class: "shade", cx: x + 2, cy: y + 4, r: DISC }),
    node("circle", { cx: x, cy: y, r: DISC, fill: `url(#${prefix}${tone})` }),
    node("circle", { class: "flipped-mark", cx: x, cy: y, r: DISC * 0.62 }),
  ]);
}

/** @param {string} prefix */
function paints(prefix) {
  return ["dark", "light"].map((tone) =>
    gradient("radial", `${prefix}${tone}`, { cx: 0.38, cy: 0.3, r: 0.8 }, [
      [0, `disc-${tone}-high`],
      [0.5, `disc-${tone}-mid`],
      [1, `disc-${tone}-low`],
    ]),
  );
}

/**
 * Write the letters of the columns and the numbers of the rows on the frame.
 * @param {string[][]} rows
 * @param {number} edge
 * @param {number} text
 */
function coordinates(rows, edge, text) {
  const style = { class: "coordinate", "font-size": text, "aria-hidden": "true" };
  const half = text * 0.36;
  const columns = rows[0].map((label, x) =>
    node("text", { ...style, x: edge + (x + 0.5) * CELL, y: edge / 2 + half }, [
      label.replace(/\d/g, ""),
    ]),
  );
  const ranks = rows.map((row, y) =>
    node("text", { ...style, x: edge / 2, y: edge + (y + 0.5) * CELL + half }, [
      row[0].replace(/\D/g, ""),
    ]),
  );
  return [...columns, ...ranks];
}
