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

/**
 * Return whose each pit is, where that changes; null: it does not.
 * @param {string} position
 * @param {string[]} labels of the pits, those of the first seat first
 * @param {string[]} seats
 * @returns {Record<string, string> | null}
 */
export function ownersIn(position, labels, [first, second]) {
  const told = / ?owners=([SN]+)\/([SN]+)/.exec(position);
  if (!told) return null;
  const letters = told[1] + told[2];
  return Object.fromEntries(labels.map((label, index) => [label, letters[index] === "S" ? first : second]));
}
