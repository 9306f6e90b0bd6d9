// @ts-check
/** What the page knows, as one value: `state = next(state, event)`. */

import { sortByPlace } from "./choices.js";

/** @typedef {import("./types.js").Analysis} Analysis */
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
 * @property {boolean} seeking whether somebody to play is looked for
 * @property {Analysis | null} analysis what the moves of the match were worth
 * @property {string} matchId
 * @property {string[]} held the seats of whoever looks at the page: none, one or both
 * @property {string} seat the only seat of whoever looks at the page, who is *you*
 * @property {string} bottom the seat that is drawn at the bottom
 * @property {Match | null} match as it was last read
 * @property {Layout | null} layout
 * @property {MatchEvent[]} events the log: event n is at index n - 1
 * @property {number} shown the version whose board is shown
 * @property {boolean} playing whether the log is shown move after move, by itself
 * @property {boolean} live whether the board follows the log
 * @property {Frame | null} frame the moment of an animation
 * @property {string} sending the move that is on its way
 * @property {string} offered the place where several moves begin
 * @property {string} asking which act the page asks about, whether it is meant
 * @property {string} invitation the link that was made to invite somebody
 * @property {{version: number, move: string} | null} hint
 * @property {string} rematch the match in which the other wants to play again
 * @property {boolean} lost whether the server cannot be reached
 * @property {boolean} silent whether the stream says nothing, and the page has to ask
 * @property {Notice | null} notice
 * @property {Speed} speed
 * @property {number} skewMs how far the clock of the server is ahead of ours
 */

/**
 * @typedef {{type: "games.read", games: Game[], choice: Choice}
 *   | {type: "choice.changed", choice: Choice}
 *   | {type: "choosing.entered"}
 *   | {type: "opening.started"}
 *   | {type: "seeking.changed", seeking: boolean}
 *   | {type: "match.entered", matchId: string, held: string[]}
 *   | {type: "match.read", match: Match, skewMs?: number}
 *   | {type: "event.followed", event: MatchEvent}
 *   | {type: "frame.reached", frame: Frame}
 *   | {type: "version.reached", version: number}
 *   | {type: "version.chosen", version: number}
 *   | {type: "now.chosen"}
 *   | {type: "playing.changed", playing: boolean}
 *   | {type: "analysis.changed", analysis: Analysis | null}
 *   | {type: "move.sent", move: string}
 *   | {type: "move.settled"}
 *   | {type: "moves.offered", place: string}
 *   | {type: "act.asked", act: string}
 *   | {type: "board.turned"}
 *   | {type: "invitation.made", link: string}
 *   | {type: "hint.found", version: number, move: string}
 *   | {type: "rematch.found", matchId: string}
 *   | {type: "stream.heard", silent: boolean}
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
  seeking: false,
  analysis: null,
  matchId: "",
  held: [],
  seat: "",
  bottom: "",
  match: null,
  layout: null,
  events: [],
  shown: 0,
  playing: false,
  live: true,
  frame: null,
  sending: "",
  offered: "",
  asking: "",
  invitation: "",
  hint: null,
  rematch: "",
  lost: false,
  silent: false,
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
    case "seeking.changed":
      return { ...state, seeking: event.seeking, notice: event.seeking ? null : state.notice };
    case "match.entered": {
      const { matchId, held } = event;
      const seat = held.length === 1 ? held[0] : "";
      const bottom = held[0] ?? "";
      return { ...withoutMatch(state), screen: "match", matchId, held, seat, bottom };
    }
    case "match.read": {
      const match = event.match;
      const skewMs = event.skewMs ?? state.skewMs;
      if (state.match && match.version < state.match.version) return { ...state, skewMs };
      const bottom = state.bottom || Object.keys(match.seats)[0];
      return { ...state, match, skewMs, bottom, layout: match.layout ?? state.layout };
    }
    case "event.followed":
      if (event.event.version !== state.events.length + 1) return state;
      return {
        ...state,
        events: [...state.events, event.event],
        hint: event.event.type === "match.takeback_accepted" ? null : state.hint,
      };
    case "frame.reached":
      return { ...state, frame: event.frame };
    case "version.reached":
      return { ...state, shown: event.version, frame: null };
    case "version.chosen": {
      const shown = Math.min(Math.max(event.version, 1), state.events.length);
      const live = shown === state.events.length;
      return { ...state, shown, live, frame: null, offered: "" };
    }
    case "playing.changed":
      return { ...state, playing: event.playing };
    case "now.chosen":
      return { ...state, shown: state.events.length, live: true, frame: null };
    case "move.sent":
      return { ...state, sending: event.move, offered: "", asking: "", notice: null };
    case "move.settled":
      return { ...state, sending: "" };
    case "moves.offered":
      return { ...state, offered: event.place };
    case "act.asked":
      return { ...state, asking: event.act };
    case "board.turned":
      return { ...state, bottom: otherSeat(state, state.bottom) };
    case "invitation.made":
      return { ...state, invitation: event.link };
    case "hint.found":
      return { ...state, hint: { version: event.version, move: event.move } };
    case "rematch.found":
      return { ...state, rematch: event.matchId };
    case "analysis.changed":
      return { ...state, analysis: event.analysis };
    case "stream.heard":
      return { ...state, silent: event.silent };
    case "connection.changed":
      return { ...state, lost: event.lost };
    case "notice.changed":
      return { ...state, notice: event.notice, opening: false };
    case "speed.chosen":
      return { ...state, speed: event.speed };
  }
}

/**
 * Return the seat beside another.
 * @param {State} state
 * @param {string} seat
 */
export function otherSeat({ match }, seat) {
  return Object.keys(match?.seats ?? {}).find((each) => each !== seat) ?? "";
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
 * Return the moves that stand: those that were played and not taken back.
 * @param {State} state
 */
export function standingMoves({ events }) {
  /** @type {MatchEvent[]} */
  let standing = [];
  for (const event of events) {
    if (event.type === "match.move_played") standing.push(event);
    if (event.type === "match.takeback_accepted") {
      const { to_version: last } = event.data;
      standing = standing.filter(({ version }) => version <= last);
    }
  }
  return standing;
}

/**
 * Return what the other seat has offered and we have to answer; or our own offer, `mine`.
 * @param {State} state
 * @returns {{kind: "draw" | "takeback", version?: number, mine: boolean} | null}
 */
export function standingOffer({ match, held }) {
  const offer = match?.offer;
  if (!offer || !held.length || match.outcome) return null;
  const mine = held.length === 1 && held[0] === offer.seat;
  return { kind: offer.kind, version: offer.to_version, mine };
}

/**
 * Return who of us acts now: whoever is to move, if that is one of us.
 * @param {State} state
 */
export function actingSeat(state) {
  const toMove = latestEvent(state)?.to_move ?? "";
  return state.held.includes(toMove) ? toMove : (state.held[0] ?? "");
}

/**
 * Return the moves that may be chosen now, by the place where they begin.
 * @param {State} state
 * @returns {{byPlace: Map<string, string[]>, rest: string[]}}
 */
export function openMoves(state) {
  const { match, layout, held, sending } = state;
  const latest = latestEvent(state);
  const mayMove =
    match &&
    layout &&
    latest &&
    isNow(state) &&
    !sending &&
    held.includes(latest.to_move ?? "") &&
    match.version <= latest.version; // otherwise the log is about to say more
  return mayMove
    ? sortByPlace(latest.legal_moves, layout.rows.flat())
    : { byPlace: new Map(), rest: [] };
}
