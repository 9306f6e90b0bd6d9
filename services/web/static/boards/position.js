// @ts-check
/** Reads the text of a position: what lies where, whose it is, who is to move. */

import { ownersIn } from "./rounds.js";

/** @typedef {import("../types.js").Board} Board */
/** @typedef {import("../types.js").Layout} Layout */

/**
 * What a text says, and how its board is laid out.
 * @typedef {object} Position
 * @property {Layout} layout
 * @property {string[]} seats
 * @property {Board} board
 * @property {Record<string, string> | null} owners
 * @property {string | null} toMove
 */

/** The text is no position, or not one of that game. */
export class NoPosition extends Error {}

const FOUR_ROWS = /^([\d,]+)\/([\d,]+)\/([\d,]+)\/([\d,]+) - ([SN-])$/;
const TWO_ROWS = /^([\dx,]+)\/([\dx,]+) (\d+),(\d+) ([SN-])(?: (.+))?$/;
const SQUARES = /^([XO-]{64}) ([XO-])$/;
const MOST_PITS = 26;
const [SOUTH_NORTH, BLACK_WHITE] = [["south", "north"], ["black", "white"]];

/** @type {Record<string, string[]>} where the stores lie whose sowing goes clockwise */
const ENDS = {
  congkak: ["left", "right"],
  "oware-nam-nam": ["left", "right"],
  "bao-laps": ["left", "right"],
};
const USUAL_ENDS = ["right", "left"];

/** @type {Record<string, (found: string[], game: string) => Position>} */
const READERS = { "four-row": fourRows, "two-row": twoRows, squares };
const FORMS = { "four-row": FOUR_ROWS, "two-row": TWO_ROWS, squares: SQUARES };

/**
 * Read a position; a game that is not known is drawn by the form of its text.
 * @param {string} game its key
 * @param {string} text
 * @returns {Position}
 */
export function readPosition(game, text) {
  for (const [kind, form] of Object.entries(FORMS)) {
    const found = form.exec(text.trim());
    if (found) return READERS[kind](found.slice(1), game);
  }
  throw new NoPosition(`not a position such as 4,4,4,4,4,4/4,4,4,4,4,4 0,0 S: ${text}`);
}

/**
 * Return what lies where at the start; nothing, if a game writes that in its own way.
 * @param {string} game its key
 * @param {string} text
 * @returns {Board}
 */
export function openingBoard(game, text) {
  try {
    return readPosition(game, text).board;
  } catch {
    return {};
  }
}

/** @param {string} letter @param {string} letters @param {string[]} seats */
function seatOf(letter, letters, seats) {
  return seats[letters.indexOf(letter)] ?? null;
}

/** @param {string[]} found @param {string} game @returns {Position} */
function twoRows([south, north, inSouth, inNorth, mover, rest = ""], game) {
  /** @type {Board} */
  const board = { south: Number(inSouth), north: Number(inNorth) };
  const rows = [read(south, "A"), read(north, "a")];

  /** @param {string} row @param {string} first */
  function read(row, first) {
    const counts = row.split(",");
    if (counts.length > MOST_PITS) throw new NoPosition(`more than ${MOST_PITS} pits in a row`);
    return counts.map((count, index) => {
      const label = String.fromCharCode(first.charCodeAt(0) + index);
      if (count !== "x") board[label] = Number(count);
      return label;
    });
  }

  const [right, left] = ENDS[game] ?? USUAL_ENDS;
  const [own, others] = rows;
  const layout = {
    kind: "two-row",
    rows: [[...others].reverse(), own],
    stores: { south: right, north: left },
    owners: { ...ownedBy(own, "south"), ...ownedBy(others, "north") },
  };
  const toMove = seatOf(mover, "SN", SOUTH_NORTH);
  const owners = ownersIn(rest, [...own, ...others], SOUTH_NORTH);
  return { layout, seats: SOUTH_NORTH, board, owners, toMove };
}

/** @param {string[]} labels @param {string} seat */
function ownedBy(labels, seat) {
  return Object.fromEntries(labels.map((label) => [label, seat]));
}

/** @param {string[]} found @returns {Position} */
function fourRows([...found]) {
  const mover = found.pop() ?? "-";
  /** @type {Board} */
  const board = {};
  const [front, back, otherFront, otherBack] = found.map((row, index) =>
    row.split(",").map((count, column) => {
      const label = `${"ABab"[index]}${column + 1}`;
      board[label] = Number(count);
      return label;
    }),
  );
  const layout = {
    kind: "four-row",
    rows: [[...otherBack].reverse(), [...otherFront].reverse(), front, back],
    stores: {},
    owners: {
      ...ownedBy([...front, ...back], "south"),
      ...ownedBy([...otherFront, ...otherBack], "north"),
    },
  };
  const toMove = seatOf(mover, "SN", SOUTH_NORTH);
  return { layout, seats: SOUTH_NORTH, board, owners: null, toMove };
}

/** @param {string[]} found @returns {Position} */
function squares([discs, mover]) {
  const rows = Array.from({ length: 8 }, (_, y) => [..."abcdefgh"].map((x) => `${x}${y + 1}`));
  const placed = rows.flat().map((label, index) => [label, seatOf(discs[index], "XO", BLACK_WHITE)]);
  const board = Object.fromEntries(placed.filter(([, seat]) => seat));
  const layout = { kind: "squares", rows, stores: {}, owners: {} };
  const toMove = seatOf(mover, "XO", BLACK_WHITE);
  return { layout, seats: BLACK_WHITE, board, owners: null, toMove };
}
