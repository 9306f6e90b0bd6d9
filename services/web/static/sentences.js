// @ts-check
/** Tells the events of a match and the places of its board in words. */

import { roundOf } from "./boards/rounds.js";
import { hasWords, optionName, optionValue, say, seatName } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./types.js").MatchEvent} MatchEvent */

/**
 * Return one sentence that says what happened.
 * @param {MatchEvent} event
 * @param {State} state
 */
export function sentenceOf(event, state) {
  const { data } = event;
  const who = data.seat ? whoIs(data.seat, state) : "";
  switch (event.type) {
    case "match.opened":
      return opened(data, state);
    case "match.seat_taken":
      return seated(data, state);
    case "match.seat_token_renewed":
      return say("event.renewed", { seat: seatName(data.seat) });
    case "match.move_played":
      return moved(event, who);
    case "match.turn_passed":
      return say("event.passed", { who });
    case "match.resigned":
      return say("event.resigned", { who });
    case "match.ended":
      return ended(data, state);
    case "match.fist_guessed":
      return guessed(data, who, state);
    default:
      return plain(event, who);
  }
}

/**
 * Return who sits at a seat, seen by whoever looks at the page.
 * @param {string} seat
 * @param {State} state
 */
export function whoIs(seat, state) {
  if (seat === state.seat) return say("who.you");
  return state.match?.seats[seat]?.kind === "ai" ? say("who.ai") : seatName(seat);
}

/**
 * Return a score in words, the first number for whoever looks at the page.
 * @param {Record<string, number>} score
 * @param {State} state
 */
export function scoreWords(score, state) {
  const others = Object.keys(score).filter((seat) => seat !== state.seat);
  const theirs = score[others[0]] ?? 0;
  return say("over.score", { yours: score[state.seat] ?? 0, theirs });
}

/**
 * What is known of a board: owners where they change.
 * @typedef {{layout: import("./types.js").Layout, board: import("./types.js").Board,
 *   owners?: Record<string, string> | null}} There
 */

/**
 * Return a place of the board and what is on it.
 * @param {string} label
 * @param {There} there
 * @param {boolean} open whether it may be chosen
 */
export function placeWords(label, there, open) {
  const place = placeOnly(label, there);
  return open ? say("place.play", { label, place }) : place;
}

/** @param {string} label @param {There} there */
function placeOnly(label, { layout, board, owners }) {
  const there = board[label];
  if (layout.kind === "squares") {
    return there
      ? say("place.disc", { label, seat: seatName(String(there)) })
      : say("place.square", { label });
  }
  const count = Number(there ?? 0);
  if (label in layout.stores) {
    return say("place.store", { seat: seatName(label), count });
  }
  const owner = (owners ?? layout.owners)[label];
  const facts = { label, seat: seatName(owner ?? ""), count };
  if (there === undefined) return say("place.burnt", facts);
  return owner ? say("place.pit", facts) : say("place.pit_plain", facts);
}

/** @type {Record<string, string>} what is said of who, and perhaps of a version */
const PLAIN = {
  "match.hint_taken": "event.hint_taken",
  "match.draw_offered": "event.draw_offered",
  "match.draw_accepted": "event.draw_accepted",
  "match.draw_declined": "event.draw_declined",
  "match.takeback_requested": "event.takeback_requested",
  "match.takeback_accepted": "event.takeback_accepted",
  "match.takeback_declined": "event.takeback_declined",
  "match.aborted": "event.aborted",
  "match.ai_failed": "event.ai_failed",
  "match.imported": "event.imported",
};

/** @param {MatchEvent} event @param {string} who */
function plain({ type, data }, who) {
  if (data.reason && hasWords(`event.${data.reason}`)) return say(`event.${data.reason}`);
  const facts = { who, version: data.to_version, count: data.attempts };
  return type in PLAIN ? say(PLAIN[type], facts) : say("event.unknown", { type });
}

/** @param {Record<string, any>} data @param {string} who @param {State} state */
function guessed({ guess, fist, starter }, who, state) {
  const key = guess === fist ? "event.guessed_right" : "event.guessed_wrong";
  const begins = whoIs(starter, state);
  return say(key, { who, fist: say(`fist.${fist}`), starter: begins });
}

/** @param {Record<string, any>} data @param {State} state */
function opened(data, state) {
  const played = state.games.find(({ key }) => key === data.game);
  const game = played?.name ?? data.game;
  if (!data.starter) return say("event.opened_fist", { game });
  const starter = seatName(data.starter);
  const options = (played?.options ?? [])
    .map(({ name }) => [name, data.options?.[name]])
    .map(([name, value]) => [optionName(name), optionValue(name, value)])
    .map(([name, value]) => say("event.option", { name, value }))
    .join("; ");
  return options
    ? say("event.opened_options", { game, starter, options })
    : say("event.opened", { game, starter });
}

/** @param {Record<string, any>} data @param {State} state */
function seated({ seat, kind, level }, state) {
  const name = seatName(seat);
  if (kind === "ai") return say("event.seated_ai", { seat: name, level });
  const key = seat === state.seat ? "event.seated_you" : "event.seated_human";
  return say(key, { seat: name });
}

const SUMMED = {
  enter: "event.entered",
  capture: "event.captured",
  sweep: "event.swept",
};

/** @param {MatchEvent} event @param {string} who */
function moved({ data, steps, to_move: toMove, position }, who) {
  const clauses = [mainClause(data.move, steps, who)];
  const laps = steps.filter((step) => step.kind === "lap").length;
  if (laps) clauses.push(say("event.laps", { count: laps }));
  for (const [kind, key] of Object.entries(SUMMED)) {
    const count = total(steps, kind);
    if (count) clauses.push(say(key, { count }));
  }
  clauses.push(...roundWords(steps, position, toMove));
  const passed = steps.some((step) => step.kind === "pass");
  const goesOn = toMove === data.seat && !passed && !roundOf(position).claim;
  if (goesOn) clauses.push(say("event.again"));
  return clauses.join(", ");
}

/**
 * Return what a new round brings: its number, pits out of play, pits to be claimed.
 * @param {import("./types.js").Step[]} steps
 * @param {string} position
 * @param {string | null} toMove
 */
function roundWords(steps, position, toMove) {
  if (!steps.some((step) => step.kind === "refill")) return [];
  const { round, claim } = roundOf(position);
  const burnt = steps.filter((step) => step.kind === "burn").length;
  const clauses = [say("event.refilled", { round })];
  if (burnt) clauses.push(say("event.burnt", { count: burnt }));
  if (claim && toMove) {
    clauses.push(say("event.to_claim", { seat: seatName(toMove), count: claim }));
  }
  return clauses;
}

/**
 * @param {string} move
 * @param {import("./types.js").Step[]} steps
 * @param {string} who
 */
function mainClause(move, steps, who) {
  if (steps[0]?.kind === "lift") {
    const place = moveWords(move, steps[0].at ?? move);
    return say("event.sowed", { who, place, count: steps[0].count });
  }
  if (steps.some((step) => step.kind === "place")) {
    const count = steps.filter((step) => step.kind === "flip").length;
    return say("event.placed", { who, place: move, count });
  }
  const [first] = steps;
  if (first?.kind === "claim") return say("event.claimed", { who, place: first.at });
  return say("event.played", { who, move });
}

/**
 * Return what a move on offer is called: by its place and what the move adds to it.
 * @param {string} move
 * @param {string} place
 */
export function moveWords(move, place) {
  const key = `move.${move.replace(place, "")}`;
  return hasWords(key) ? say(key, { place }) : say("move.plain", { move });
}

/** @param {import("./types.js").Step[]} steps @param {string} kind */
function total(steps, kind) {
  return steps.reduce(
    (sum, step) => sum + (step.kind === kind ? (step.count ?? 0) : 0),
    0,
  );
}

/** @param {Record<string, any>} data @param {State} state */
function ended({ winner, reason, score = {} }, state) {
  const facts = { score: scoreWords(score, state), reason: reasonWords(reason) };
  if (!winner) return say("event.ended_draw", facts);
  if (winner === state.seat) return say("event.ended_you", facts);
  return say("event.ended_other", { ...facts, who: whoIs(winner, state) });
}

/**
 * Return why a match ended.
 * @param {string} reason
 */
export function reasonWords(reason) {
  return hasWords(`reason.${reason}`) ? say(`reason.${reason}`) : reason;
}
