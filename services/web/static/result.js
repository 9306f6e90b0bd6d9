// @ts-check
/** Draws how a match has ended. */

import { byId, setText } from "./elements.js";
import { reasonWords, scoreWords, whoIs } from "./sentences.js";
import { ending, isNow } from "./state.js";
import { say } from "./words.js";

/** @typedef {import("./state.js").State} State */

/** Why a match ends whatever stands on the board: its score says nothing then. */
const NOT_OF_BOARD = ["resignation", "time"];

/** Say who has won, and why. @param {State} state */
export function drawResult(state) {
  const end = ending(state);
  const box = byId("result");
  box.hidden = !end || !isNow(state);
  if (!end || box.hidden) return;
  const { winner, score, reason } = end.data;
  const verdict = verdictOf(end, state.seat);
  byId("again").hidden = !state.held.length;
  box.dataset.verdict = verdict;
  setText(byId("verdict"), say(verdict, { who: whoIs(winner ?? "", state) }));
  const isOfBoard = score && !NOT_OF_BOARD.includes(reason);
  setText(byId("verdict-score"), isOfBoard ? scoreWords(score, state, winner) : "");
  setText(byId("verdict-reason"), reason ? reasonWords(reason) : "");
  byId("again").disabled = state.opening;
}

/** @param {import("./types.js").MatchEvent} end @param {string} seat */
function verdictOf({ type, data: { winner } }, seat) {
  if (type === "match.aborted") return "over.aborted";
  if (!winner) return "over.draw";
  return winner === seat ? "over.you" : "over.other"; // who looks on has no seat
}
