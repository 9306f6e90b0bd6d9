// @ts-check
/** Tells the events of a match in words, as far as the log alone knows them. */

import { hasWords, say, seatName } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./types.js").MatchEvent} MatchEvent */

/**
 * Return one sentence that says what happened.
 * @param {MatchEvent} event
 * @param {State} state
 */
export function sentenceOf(event, state) {
  const { data } = event;
  switch (event.type) {
    case "match.opened":
      return opened(data, state);
    case "match.seat_taken":
      return seated(data, state);
    case "match.seat_token_renewed":
      return say("event.renewed", { seat: seatName(data.seat) });
    case "match.move_played":
      return played(data, state);
    case "match.ended":
      return ended(data, state);
    case "match.fist_guessed":
      return guessed(data, state);
    default:
      return plain(event, state);
  }
}

/** @param {Record<string, any>} data @param {State} state */
export function played({ move, seat }, state) {
  return move === "swap" ? did("event.swapped", seat, state) : did("event.played", seat, state, { move });
}

/**
 * Say what a seat did; what *you* did has words of its own.
 * @param {string} key
 * @param {string} seat
 * @param {State} state
 * @param {Record<string, any>} [facts]
 */
export function did(key, seat, state, facts = {}) {
  if (seat && seat === state.seat) return say(`${key}.you`, facts);
  return say(key, { ...facts, who: seat ? whoIs(seat, state) : "" });
}

/**
 * Return who sits at a seat, seen by whoever looks at the page.
 * @param {string} seat
 * @param {State} state
 */
export function whoIs(seat, state) {
  if (seat && seat === state.seat) return say("who.you");
  const who = state.match?.seats[seat];
  return who?.kind === "ai" ? say("who.ai") : who?.name || seatName(seat);
}

/**
 * Return a score in words: the number of the winner first, or else of whoever looks.
 * @param {Record<string, number>} score
 * @param {State} state
 * @param {string | null} [winner]
 */
export function scoreWords(score, state, winner) {
  const order = [winner ?? "", state.seat, state.bottom];
  const own = order.find((seat) => seat in score) ?? Object.keys(score)[0];
  const theirs = Object.keys(score).find((seat) => seat !== own) ?? "";
  return say("over.score", { yours: score[own] ?? 0, theirs: score[theirs] ?? 0 });
}

/** What a seat does, perhaps to a version. */
const ACTS = [
  "match.turn_passed",
  "match.resigned",
  "match.hint_taken",
  "match.draw_offered",
  "match.draw_accepted",
  "match.draw_declined",
  "match.takeback_requested",
  "match.takeback_accepted",
  "match.takeback_declined",
];

/** @param {MatchEvent} event @param {State} state */
function plain({ type, data }, state) {
  if (data.reason && hasWords(`event.${data.reason}`)) return say(`event.${data.reason}`);
  const key = `event.${type.replace("match.", "")}`;
  const facts = { version: data.to_version, count: data.attempts };
  if (ACTS.includes(type)) return did(key, data.seat, state, facts);
  return hasWords(key) ? say(key, facts) : type;
}

/** @param {Record<string, any>} data @param {State} state */
function guessed({ seat, guess, fist, starter }, state) {
  const key = guess === fist ? "event.guessed_right" : "event.guessed_wrong";
  const begins = whoIs(starter, state);
  return did(key, seat, state, { fist: say(`fist.${fist}`), starter: begins });
}

/**
 * @param {Record<string, any>} data
 * @param {State} state
 * @param {string} [options] in words
 */
export function opened(data, state, options) {
  const game = state.games.find(({ key }) => key === data.game)?.name ?? data.game;
  if (data.origin?.match) return say("event.forked", { game, version: data.origin.version });
  if (!data.starter) return say("event.opened_fist", { game });
  const starter = seatName(data.starter);
  return options
    ? say("event.opened_options", { game, starter, options })
    : say("event.opened", { game, starter });
}

/** @param {Record<string, any>} data @param {State} state */
function seated({ seat, kind, level }, state) {
  const name = seatName(seat);
  if (kind === "ai") return say("event.seated_ai", { seat: name, level });
  return did("event.seated", seat, state, { seat: name });
}

/** @param {Record<string, any>} data @param {State} state */
function ended({ winner, reason, score = {} }, state) {
  const facts = { score: scoreWords(score, state, winner), reason: reasonWords(reason) };
  if (!winner) return say("event.ended_draw", facts);
  return did("event.ended", winner, state, facts);
}

/**
 * Return why a match ended.
 * @param {string} reason
 */
export function reasonWords(reason) {
  return hasWords(`reason.${reason}`) ? say(`reason.${reason}`) : reason;
}
