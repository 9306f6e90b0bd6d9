// @ts-check
/** A board in words: its places, the moves from one, and which round it is. */

import { hasWords, say, seatName } from "../words.js";
import { roundOf } from "./rounds.js";

/**
 * What is known of a board: owners where they change.
 * @typedef {{layout: import("../types.js").Layout, board: import("../types.js").Board,
 *   owners?: Record<string, string> | null}} There
 */

/**
 * Return a place of the board and what is on it.
 * @param {string} label
 * @param {There} there
 * @param {boolean} open whether it may be chosen
 */
export function placeWords(label, there, open) {
  const place = placeOnly(label, there);
  return open ? say("place.play", { label, place }) : place;
}

/** @param {string} label @param {There} there */
function placeOnly(label, { layout, board, owners }) {
  const there = board[label];
  if (layout.kind === "squares") {
    return there
      ? say("place.disc", { label, seat: seatName(String(there)) })
      : say("place.square", { label });
  }
  const count = Number(there ?? 0);
  if (label in layout.stores) {
    return say("place.store", { seat: seatName(label), count });
  }
  const owner = (owners ?? layout.owners)[label];
  const facts = { label, seat: seatName(owner ?? ""), count };
  if (there === undefined) return say("place.burnt", facts);
  return owner ? say("place.pit", facts) : say("place.pit_plain", facts);
}

/**
 * Return which round it is, in a game of several; "" in others.
 * @param {string} position
 * @param {Record<string, any>} [options]
 */
export function roundWords(position, options = {}) {
  const { round } = roundOf(position);
  if (!round) return "";
  const most = options.max_rounds;
  return most ? say("board.round_of", { round, most }) : say("board.round", { round });
}

/**
 * Return what a move on offer is called: by its place and what the move adds to it.
 * @param {string} move
 * @param {string} place
 */
export function moveWords(move, place) {
  const key = `move.${move.replace(place, "")}`;
  return hasWords(key) ? say(key, { place }) : move;
}

/**
 * Say that it is the turn of whoever looks, and what may be chosen.
 * @param {import("../types.js").Layout | null | undefined} layout
 * @param {string[]} moves
 */
export function yourTurn(layout, moves) {
  if (moves.includes("swap")) return say("turn.yours_swap");
  return say(layout?.kind === "squares" ? "turn.yours_square" : "turn.yours_pit");
}

/** @type {Record<string, "left" | "right">} */
const SIDES = { L: "left", R: "right" };

/**
 * Return the moves from a place as arrows at it; none if they are no ways left and right.
 * @param {string} place
 * @param {string[]} moves
 * @returns {import("../types.js").Way[]}
 */
export function waysFrom(place, moves) {
  const ways = moves.map((move) => ({
    move,
    side: SIDES[move.replace(place, "")],
    words: moveWords(move, place),
  }));
  return ways.every(({ side }) => side) ? ways : [];
}
