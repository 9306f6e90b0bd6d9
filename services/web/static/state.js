// @ts-check
/** What the page knows, as one value: `state = next(state, event)`. */

import { sortByPlace } from "./choices.js";

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {import("./types.js").Frame} Frame */
/** @typedef {import("./types.js").Game} Game */
/** @typedef {import("./types.js").Layout} Layout */
/** @typedef {import("./types.js").Match} Match */
/** @typedef {import("./types.js").MatchEvent} MatchEvent */
/** @typedef {import("./types.js").Notice} Notice */
/** @typedef {"none" | "slow" | "normal" | "fast"} Speed */

/**
 * @typedef {object} State
 * @property {"starting" | "choosing" | "match"} screen
 * @property {Game[]} games
 * @property {Choice | null} choice what the next match is to be
 * @property {boolean} opening
 * @property {string} matchId
 * @property {string} seat the seat of whoever looks at the page
 * @property {Match | null} match as it was last read
 * @property {Layout | null} layout
 * @property {MatchEvent[]} events the log: event n is at index n - 1
 * @property {number} shown the version whose board is shown
 * @property {boolean} live whether the board follows the log
 * @property {Frame | null} frame the moment of an animation
 * @property {string} sending the move that is on its way
 * @property {string} offered the place where several moves begin
 * @property {boolean} resigning whether the page asks if that is meant
 * @property {boolean} lost whether the server cannot be reached
 * @property {Notice | null} notice
 * @property {Speed} speed
 * @property {number} skewMs how far the clock of the server is ahead of ours
 */

/**
 * @typedef {{type: "games.read", games: Game[], choice: Choice}
 *   | {type: "choice.changed", choice: Choice}
 *   | {type: "choosing.entered"}
 *   | {type: "opening.started"}
 *   | {type: "match.entered", matchId: string, seat: string}
 *   | {type: "match.read", match: Match, skewMs?: number}
 *   | {type: "event.followed", event: MatchEvent}
 *   | {type: "frame.reached", frame: Frame}
 *   | {type: "version.reached", version: number}
 *   | {type: "version.chosen", version: number}
 *   | {type: "now.chosen"}
 *   | {type: "move.sent", move: string}
 *   | {type: "move.settled"}
 *   | {type: "moves.offered", place: string}
 *   | {type: "resigning.asked", asked: boolean}
 *   | {type: "connection.changed", lost: boolean}
 *   | {type: "notice.changed", notice: Notice | null}
 *   | {type: "speed.chosen", speed: Speed}} PageEvent
 */

const LAST = ["match.ended", "match.aborted"];

/** @type {State} */
const NO_MATCH = Object.freeze({
  screen: "choosing",
  games: [],
  choice: null,
  opening: false,
  matchId: "",
  seat: "",
  match: null,
  layout: null,
  events: [],
  shown: 0,
  live: true,
  frame: null,
  sending: "",
  offered: "",
  resigning: false,
  lost: false,
  notice: null,
  speed: "normal",
  skewMs: 0,
});

/**
 * Return the state before anything has happened.
 * @param {Speed} speed
 * @returns {State}
 */
export function firstState(speed) {
  return { ...NO_MATCH, screen: "starting", speed };
}

/**
 * Return the state after an event of the page.
 * @param {State} state
 * @param {PageEvent} event
 * @returns {State}
 */
export function next(state, event) {
  switch (event.type) {
    case "games.read":
      return { ...state, games: event.games, choice: event.choice };
    case "choice.changed":
      return { ...state, choice: event.choice, notice: null };
    case "choosing.entered":
      return { ...withoutMatch(state), screen: "choosing" };
    case "opening.started":
      return { ...state, opening: true, notice: null };
    case "match.entered": {
      const { matchId, seat } = event;
      return { ...withoutMatch(state), screen: "match", matchId, seat };
    }
    case "match.read": {
      const match = event.match;
      const skewMs = event.skewMs ?? state.skewMs;
      if (state.match && match.version < state.match.version) return { ...state, skewMs };
      return { ...state, match, skewMs, layout: match.layout ?? state.layout };
    }
    case "event.followed":
      if (event.event.version !== state.events.length + 1) return state;
      return { ...state, events: [...state.events, event.event] };
    case "frame.reached":
      return { ...state, frame: event.frame };
    case "version.reached":
      return { ...state, shown: event.version, frame: null };
    case "version.chosen": {
      const shown = Math.min(Math.max(event.version, 1), state.events.length);
      const live = shown === state.events.length;
      return { ...state, shown, live, frame: null, offered: "" };
    }
    case "now.chosen":
      return { ...state, shown: state.events.length, live: true, frame: null };
    case "move.sent":
      return { ...state, sending: event.move, offered: "", notice: null };
    case "move.settled":
      return { ...state, sending: "" };
    case "moves.offered":
      return { ...state, offered: event.place };
    case "resigning.asked":
      return { ...state, resigning: event.asked };
    case "connection.changed":
      return { ...state, lost: event.lost };
    case "notice.changed":
      return { ...state, notice: event.notice, opening: false };
    case "speed.chosen":
      return { ...state, speed: event.speed };
  }
}

/** @param {State} state */
function withoutMatch({ games, choice, speed }) {
  return { ...NO_MATCH, games, choice, speed };
}

/**
 * Return the event whose board is shown.
 * @param {State} state
 * @returns {MatchEvent | null}
 */
export function shownEvent(state) {
  return state.events[state.shown - 1] ?? null;
}

/**
 * Return the latest event.
 * @param {State} state
 * @returns {MatchEvent | null}
 */
export function latestEvent(state) {
  return state.events[state.events.length - 1] ?? null;
}

/**
 * Tell whether the match is over, as far as it is shown or altogether.
 * @param {State} state
 * @returns {MatchEvent | null} the event that ended it
 */
export function ending({ events }) {
  return events.findLast(({ type }) => LAST.includes(type)) ?? null;
}

/**
 * Tell whether the board shows what is now, at rest.
 * @param {State} state
 */
export function isNow(state) {
  return state.live && !state.frame && state.shown === state.events.length;
}

/**
 * Return the moves that may be chosen now, by the place where they begin.
 * @param {State} state
 * @returns {{byPlace: Map<string, string[]>, rest: string[]}}
 */
export function openMoves(state) {
  const { match, layout, seat, sending } = state;
  const latest = latestEvent(state);
  const mayMove =
    match &&
    layout &&
    latest &&
    isNow(state) &&
    !sending &&
    latest.to_move === seat &&
    match.version <= latest.version; // otherwise the log is about to say more
  return mayMove
    ? sortByPlace(latest.legal_moves, layout.rows.flat())
    : { byPlace: new Map(), rest: [] };
}
