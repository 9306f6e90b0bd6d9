// @ts-check
/** Follows the log of a match: every event once, in order, as it comes. */

import {
  Problem,
  Unreachable,
  hasStreams,
  readEvents,
  streamEvents,
  waitMs,
} from "./api.js";

/** @typedef {import("./types.js").MatchEvent} MatchEvent */
/** @typedef {{stop: () => void, wake: () => void}} Following */

const SOON_MS = 150;
const LATER_MS = 1200;
const HIDDEN_MS = 6000;
const STREAM_AGAIN_MS = 1000;
const STREAM_LATER_MS = 30_000;
const LAST = ["match.ended", "match.aborted"];

/**
 * Call back with every event after a version, until the match has ended.
 *
 * The stream is followed where there is one; while it is away, the log is asked again
 * and again, and the stream from time to time.
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
  const { signal } = stopped;
  let leaveStream = new AbortController();
  let pauseMs = SOON_MS;
  let resume = () => {};
  let failures = 0;
  let streamFailures = 0;
  let streamAt = 0; // when the stream is worth another try
  /** @type {string | null} */
  let tag = null;

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

  /** Hand an event on; return whether it was the last one. */
  function take(/** @type {MatchEvent} */ event) {
    if (event.version !== after + 1) return false;
    after = event.version;
    tag = null; // it belonged to another place in the log
    onEvent(event);
    return LAST.includes(event.type);
  }

  function isConnected() {
    if (failures) onConnection(false);
    failures = 0;
  }

  /** Follow the stream as long as it lasts; return whether the match is over. */
  async function stream() {
    leaveStream = new AbortController();
    const either = AbortSignal.any([signal, leaveStream.signal]);
    for await (const frame of streamEvents(matchId, after, either)) {
      isConnected();
      if (frame.type !== "open") streamFailures = 0;
      if (frame.type === "end") return true;
      if (frame.version && take(/** @type {MatchEvent} */ (frame))) return true;
    }
    return false;
  }

  /** Ask once what is new; return whether the match is over. */
  async function poll() {
    const page = await readEvents(matchId, after, tag, signal);
    isConnected();
    for (const event of page?.events ?? []) {
      if (signal.aborted || take(event)) return true;
    }
    if (page?.events.length) pauseMs = SOON_MS;
    else tag = page?.tag ?? tag;
    if (!page?.more) await pause(document.hidden ? HIDDEN_MS : pauseMs);
    pauseMs = Math.min(pauseMs * 1.4, LATER_MS);
    return false;
  }

  /** Follow the stream, if it is worth a try; return whether the match is over. */
  async function tryStream() {
    try {
      if (await stream()) return true;
    } catch (error) {
      if (signal.aborted) return true;
      const isExpected = error instanceof Unreachable || error instanceof Problem;
      if (!isExpected && !leaveStream.signal.aborted) throw error;
    }
    pauseMs = SOON_MS;
    streamFailures += 1;
    const waitedMs = STREAM_AGAIN_MS * 2 ** (streamFailures - 1);
    streamAt = Date.now() + Math.min(waitedMs, STREAM_LATER_MS);
    return false;
  }

  async function run() {
    while (!signal.aborted) {
      if (hasStreams() && Date.now() >= streamAt && (await tryStream())) return;
      try {
        if (await poll()) return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Problem && error.status < 500) {
          onProblem(error);
          return;
        }
        if (!(error instanceof Unreachable || error instanceof Problem)) throw error;
        failures += 1;
        onConnection(true);
        await pause(waitMs(failures));
      }
    }
  }

  addEventListener("online", wake, { signal });
  addEventListener("offline", () => leaveStream.abort(), { signal });
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
