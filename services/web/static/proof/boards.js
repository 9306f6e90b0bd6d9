// @ts-check
/** What stood on the board after an event: as it was played again, or as it was signed. */

import { ownersIn } from "../boards/rounds.js";
import { placeOf } from "../choices.js";

/** @typedef {import("./view.js").Proof} Proof */
/** @typedef {import("../types.js").MatchEvent} MatchEvent */

/**
 * Return the board after an event; null: none came of it, or it is not known yet.
 * @param {Proof} proof
 * @param {number} index of the event, from 0
 */
export function boardOf({ found, rules, shown }, index) {
  const there = rules ? playedBoard(found?.stood[index]) : signedBoard(shown?.boards?.[index]);
  if (!there?.text || !shown?.layout) return null;
  const { layout, seats } = shown;
  const [above, below] = [layout.rows[0], layout.rows.at(-1)];
  const owners = ownersIn(there.text, [...below, ...[...above].reverse()], seats);
  return { layout, seats, board: there.places, owners, text: there.text, toMove: there.toMove };
}

/** @param {{position: any, toMove: string | null} | undefined} stood */
function playedBoard(stood) {
  const position = stood?.position;
  return position && { text: position.text, places: position.places, toMove: stood?.toMove ?? null };
}

/** @param {{text: string, places: any, to_move: string | null} | null | undefined} signed */
function signedBoard(signed) {
  return signed && { text: signed.text, places: signed.places, toMove: signed.to_move };
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
