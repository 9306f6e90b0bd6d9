// @ts-check
/** Draws the log of the match: one entry for each event, the one that is shown marked. */

import { byId, make, setText } from "./elements.js";
import { fullSentenceOf } from "./moves.js";
import { authorName, say, seatName, timeOfDay } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./types.js").MatchEvent} MatchEvent */

const HASH_SHOWN = 8;
const EDGE = 10;
let drawnMatch = "";

/** @param {State} state */
export function drawLog(state) {
  const list = byId("events");
  if (drawnMatch !== state.matchId) {
    drawnMatch = state.matchId;
    list.replaceChildren();
  }
  if (!state.match) return;
  const missing = state.events.slice(list.childElementCount);
  list.append(...missing.map((event) => entryOf(event, state)));
  markShown(list, state, missing.length > 0);
  const { shown, events, live } = state;
  const latest = events.length;
  setText(byId("log-place"), say("log.place", { version: shown, latest }));
  byId("log-now").hidden = live;
  for (const name of ["log-first", "log-previous"]) byId(name).disabled = shown <= 1;
  for (const name of ["log-next", "log-step", "log-last"]) {
    byId(name).disabled = shown >= latest;
  }
  byId("scrubber").max = String(latest);
  byId("scrubber").value = String(shown);
  byId("log-play").setAttribute("aria-pressed", String(state.playing));
}

/**
 * Tell which entry was chosen.
 * @param {(version: number) => void} onVersion
 */
export function listenToLog(onVersion) {
  byId("events").addEventListener("click", (/** @type {Event} */ event) => {
    const target = /** @type {Element} */ (event.target).closest("[data-version]");
    if (target) onVersion(Number(target.getAttribute("data-version")));
  });
}

/** @param {MatchEvent} event @param {State} state */
function entryOf(event, state) {
  const { version, data, by, at, hash } = event;
  const who = data.seat ? seatName(data.seat) : authorName(by);
  const title = say("log.hash", { hash });
  const facts = [
    make("span", { className: "who" }, [who]),
    make("time", { dateTime: at, title: at }, [timeOfDay(at)]),
    make("code", { title }, [hash.slice(0, HASH_SHOWN)]),
  ];
  const button = make("button", { type: "button" }, [
    make("span", { className: "version" }, [String(version)]),
    make("span", { className: "what" }, [fullSentenceOf(event, state)]),
    make("span", { className: "facts" }, facts),
  ]);
  button.dataset.version = String(version);
  const entry = make("li", { className: event.type.replace("match.", "is-") }, [button]);
  entry.classList.add("entry", data.seat === state.seat ? "own" : "others");
  return entry;
}

/**
 * @param {HTMLElement} list
 * @param {State} state
 * @param {boolean} grown
 */
function markShown(list, { shown }, grown) {
  const before = list.querySelector('[aria-current="step"]');
  const now = list.querySelector(`[data-version="${shown}"]`);
  if (before === now && !grown) return;
  before?.removeAttribute("aria-current");
  now?.setAttribute("aria-current", "step");
  const entry = now?.parentElement;
  if (!entry) return;
  // Only the list is scrolled, never the page: a phone would lose the board.
  const [top, bottom] = [entry.offsetTop, entry.offsetTop + entry.offsetHeight];
  if (top - EDGE < list.scrollTop) list.scrollTop = top - EDGE;
  else if (bottom + EDGE > list.scrollTop + list.clientHeight) {
    list.scrollTop = bottom + EDGE - list.clientHeight;
  }
}
