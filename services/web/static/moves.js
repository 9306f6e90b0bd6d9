// @ts-check
/** Tells of events what the API knows beyond the log: what a move did, options by name. */

import { roundOf } from "./boards/rounds.js";
import { moveWords } from "./boards/spoken.js";
import { did, opened, played, sentenceOf } from "./sentences.js";
import { optionValue, say, seatName } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./types.js").MatchEvent} MatchEvent */

/**
 * Return one sentence that says what happened, in full.
 * @param {MatchEvent} event
 * @param {State} state
 */
export function fullSentenceOf(event, state) {
  if (event.type === "match.move_played") return moved(event, state);
  if (event.type === "match.opened") return opened(event.data, state, optionsOf(event.data, state));
  return sentenceOf(event, state);
}

/** @param {Record<string, any>} data @param {State} state */
function optionsOf(data, { games }) {
  const options = games.find(({ key }) => key === data.game)?.options ?? [];
  return options
    .filter(({ name }) => name in (data.options ?? {}))
    .map(({ name, title }) => {
      const value = optionValue(name, data.options[name]);
      return say("event.option", { name: title, value });
    })
    .join("; ");
}

const SUMMED = {
  enter: "event.entered",
  capture: "event.captured",
  sweep: "event.swept",
};

/** @param {MatchEvent} event @param {State} state */
function moved({ data, steps, to_move: toMove, position }, state) {
  const { seat } = data;
  const clauses = [mainClause(data, steps, state)];
  const laps = steps.filter((step) => step.kind === "lap").length;
  if (laps) clauses.push(say("event.laps", { count: laps }));
  for (const [kind, key] of Object.entries(SUMMED)) {
    const count = total(steps, kind);
    if (count) clauses.push(say(key, { count }));
  }
  clauses.push(...roundClauses(steps, position, toMove));
  const passed = steps.some((step) => step.kind === "pass");
  const goesOn = toMove === seat && !passed && !roundOf(position).claim;
  if (goesOn) clauses.push(did("event.again", seat, state));
  return clauses.join(say("event.comma"));
}

/**
 * Return what a new round brings: its number, pits out of play, pits to be claimed.
 * @param {import("./types.js").Step[]} steps
 * @param {string} position
 * @param {string | null} toMove
 */
function roundClauses(steps, position, toMove) {
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
 * @param {Record<string, any>} data
 * @param {import("./types.js").Step[]} steps
 * @param {State} state
 */
function mainClause({ move, seat }, steps, state) {
  const [first] = steps;
  if (first?.kind === "lift") {
    const place = moveWords(move, first.at ?? move);
    return did("event.sowed", seat, state, { place, count: first.count });
  }
  if (steps.some((step) => step.kind === "place")) {
    const count = steps.filter((step) => step.kind === "flip").length;
    return did("event.placed", seat, state, { place: move, count });
  }
  if (first?.kind === "claim") {
    return did("event.claimed", seat, state, { place: first.at });
  }
  return played({ move, seat }, state);
}

/** @param {import("./types.js").Step[]} steps @param {string} kind */
function total(steps, kind) {
  return steps.reduce(
    (sum, step) => sum + (step.kind === kind ? (step.count ?? 0) : 0),
    0,
  );
}
