// @ts-check
/** What a move did, place by place: to be marked on the board after it. */

/** @typedef {import("../types.js").Step} Step */
/** @typedef {"start" | "sown" | "taken" | "end" | "flipped"} Mark */

const TAKEN = ["capture", "enter"];

/**
 * Return the marks of each place that a move has changed.
 *
 * A move begins where it takes up, places or claims, and ends where its last seed fell.
 * @param {Step[]} steps
 * @returns {Map<string, Set<Mark>>}
 */
export function marksOf(steps) {
  /** @type {Map<string, Set<Mark>>} */
  const marks = new Map();

  /** @param {string | undefined} place @param {Mark} mark */
  function note(place, mark) {
    if (!place) return;
    marks.set(place, (marks.get(place) ?? new Set()).add(mark));
  }

  note(steps[0]?.at, "start");
  for (const { kind, at } of steps) {
    if (kind === "sow") note(at, "sown");
    else if (kind === "flip") note(at, "flipped");
    else if (TAKEN.includes(kind)) note(at, "taken");
  }
  note(steps.findLast(({ kind }) => kind === "sow")?.at, "end");
  return marks;
}
