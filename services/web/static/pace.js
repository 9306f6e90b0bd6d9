// @ts-check
/** How fast moves are shown. */

export const BEAT_MS = { none: 0, fast: 90, normal: 190, slow: 420 };
const LONGEST_MS = 5000; // the first move of a turn; each one that follows has less
const SHRINKS = 0.6;
const SHORTEST_MS = 900;

/**
 * Return how long a beat lasts: the longer a move, the faster; the later in a turn, too.
 * @param {keyof typeof BEAT_MS} speed
 * @param {number} beats of the move
 * @param {number} before how many moves were shown in this turn
 */
export function beatOf(speed, beats, before) {
  const slower = BEAT_MS[speed] / BEAT_MS.normal;
  const longest = slower * Math.max(LONGEST_MS * SHRINKS ** before, SHORTEST_MS);
  const wanted = BEAT_MS[speed] * beats;
  return wanted ? (wanted * longest) / (wanted + longest) / beats : 0;
}
