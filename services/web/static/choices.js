// @ts-check
/** Which move is meant by which place: most are named by it, some need a choice. */

/**
 * Sort moves by the place where they begin; those that name none are left over.
 *
 * A move is the label of its place (`C`), begins with it (`A3R`) or ends with it (`@c`).
 * @param {string[]} moves
 * @param {string[]} labels
 * @returns {{byPlace: Map<string, string[]>, rest: string[]}}
 */
export function sortByPlace(moves, labels) {
  /** @type {Map<string, string[]>} */
  const byPlace = new Map();
  const rest = [];
  for (const move of moves) {
    const place = placeOf(move, labels);
    if (place === null) rest.push(move);
    else byPlace.set(place, [...(byPlace.get(place) ?? []), move]);
  }
  return { byPlace, rest };
}

/**
 * Return the label of the place where a move begins.
 * @param {string} move
 * @param {string[]} labels
 * @returns {string | null}
 */
export function placeOf(move, labels) {
  const fits = [
    labels.filter((label) => label === move),
    labels.filter((label) => move.startsWith(label)),
    labels.filter((label) => move.endsWith(label)),
  ].find((found) => found.length);
  return fits?.sort((one, other) => other.length - one.length)[0] ?? null;
}
