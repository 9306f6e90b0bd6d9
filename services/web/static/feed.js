// @ts-check
/** Follows the log of a match: every event once, in order, as it comes. */

import { Problem, Unreachable, readEvents, waitMs } from "./api.js";

/** @typedef {import("./types.js").MatchEvent} MatchEvent */
/** @typedef {{stop: () => void, wake: () => void}} Following */

const SOON_MS = 150;
const LATER_MS = 1200;
const HIDDEN_MS = 6000;
const LAST = "match.ended";

/**
 * Call back with every event after a version, until the match has ended.
 * @param {string} matchId
 * @param {number} after
 * @param {(event: MatchEvent) => void} onEvent
 * @param {{onConnection?: (lost: boolean) => void,
 *   onProblem?: (problem: Problem) => void}} [listeners]
 * @returns {Following} `wake` says that news are likely now
 */
export function follow(matchId, after, onEvent, listeners = {}) {
  const { onConnection = () => {}, onProblem = () => {} } = listeners;
  const stopped = new AbortController();
  let pauseMs = SOON_MS;
  let resume = () => {};

  function wake() {
    pauseMs = SOON_MS;
    resume();
  }

  /** @param {number} ms */
  function pause(ms) {
    return new Promise((/** @type {(value?: void) => void} */ done) => {
      const timer = setTimeout(done, ms);
      resume = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  async function run() {
    /** @type {string | null} */
    let tag = null;
    let failures = 0;
    while (!stopped.signal.aborted) {
      try {
        const page = await readEvents(matchId, after, tag, stopped.signal);
        if (failures) onConnection(false);
        failures = 0;
        for (const event of page?.events ?? []) {
          if (stopped.signal.aborted) return;
          after = event.version;
          onEvent(event);
          if (event.type === LAST) return;
        }
        if (page?.events.length) {
          tag = null; // it belonged to another place in the log
          pauseMs = SOON_MS;
        } else {
          tag = page?.tag ?? tag;
        }
        if (page?.more) continue;
      } catch (error) {
        if (stopped.signal.aborted) return;
        if (error instanceof Problem && error.status < 500) {
          onProblem(error);
          return;
        }
        if (!(error instanceof Unreachable || error instanceof Problem)) throw error;
        failures += 1;
        onConnection(true);
        await pause(waitMs(failures));
        continue;
      }
      await pause(document.hidden ? HIDDEN_MS : pauseMs);
      pauseMs = Math.min(pauseMs * 1.4, LATER_MS);
    }
  }

  const { signal } = stopped;
  addEventListener("online", wake, { signal });
  document.addEventListener("visibilitychange", wake, { signal });
  run();
  return {
    wake,
    stop() {
      stopped.abort();
      resume();
    },
  };
}
