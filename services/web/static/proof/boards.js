// @ts-check
/** What stood on the board after an event: as it was played again, or as it was signed. */

import { readPosition } from "../boards/position.js";
import { placeOf } from "../choices.js";

/** @typedef {import("./view.js").Proof} Proof */
/** @typedef {import("../types.js").MatchEvent} MatchEvent */

/**
 * Return the board after an event; null: none came of it, or it is not known yet.
 * @param {Proof} proof
 * @param {number} index of the event, from 0
 */
export function boardOf({ found, rules, shown, ledger }, index) {
  const stood = found?.stood[index];
  const signed = shown?.boards?.[index];
  const text = rules ? stood?.position?.text : signed?.text;
  if (!text) return null;
  const toMove = rules ? (stood?.toMove ?? null) : signed.to_move;
  return { ...placed(ledger.game, text, shown, signed), text, toMove };
}

/**
 * Read a board from its text; one with a face of its own as it was signed.
 * @param {string} game
 * @param {string} text
 * @param {any} shown
 * @param {any} signed
 */
function placed(game, text, shown, signed) {
  if (!signed) return readPosition(game, text);
  const { layout, seats } = shown;
  return { layout, seats, board: signed.places, owners: null };
}

/**
 * Tell what a move changed: where it began, what grew, what was taken, what was turned.
 * @param {ReturnType<typeof boardOf>} before
 * @param {NonNullable<ReturnType<typeof boardOf>>} now
 * @param {MatchEvent | null} event
 */
export function marksBetween(before, now, event) {
  /** @type {Map<string, Set<string>>} */
  const marks = new Map();
  if (event?.type !== "match.move_played" || !before) return marks;
  const labels = now.layout.rows.flat();
  const start = placeOf(event.data.move, labels);
  const isSquares = now.layout.kind === "squares";
  for (const label of [...labels, ...Object.keys(now.layout.stores)]) {
    const [was, is] = [before.board[label], now.board[label]];
    if (label === start) marks.set(label, new Set(["start"]));
    else if (was === is) continue;
    else if (isSquares) marks.set(label, new Set(["flipped"]));
    else marks.set(label, new Set([Number(is ?? 0) > Number(was ?? 0) ? "sown" : "taken"]));
  }
  return marks;
}
