// @ts-check
/** What the text of a position tells besides the board, in games of several rounds. */

/**
 * Return the number of the round, and how many pits are still to be claimed; 0: none.
 * @param {string | null | undefined} position
 */
export function roundOf(position) {
  const number = (/** @type {RegExp} */ form) => Number(form.exec(position ?? "")?.[1] ?? 0);
  return { round: number(/ round=(\d+)/), claim: number(/ claim=(\d+)/) };
}
