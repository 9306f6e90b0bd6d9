// @ts-check
/** Lists the matches that this browser holds seats of, and how they stand. */

import { byId, make } from "./elements.js";
import { forget, holdings, speakerOf } from "./seats.js";
import { say, seatName } from "./words.js";

/** @typedef {import("./state.js").State} State */

const MOST_SHOWN = 6;

/** @param {State} state */
export function drawMine({ games }) {
  const shown = holdings().slice(0, MOST_SHOWN);
  byId("mine").hidden = !shown.length;
  const entries = shown.map(({ matchId, game, tokens, at }) => {
    const seats = Object.keys(tokens);
    const name = games.find(({ key }) => key === game)?.name ?? game;
    const status = make("span", { className: "status" });
    const link = make("a", { href: `#${matchId}` }, [
      make("b", {}, [name]),
      make("span", { className: "seat-name" }, [seats.map(seatName).join(" · ")]),
      status,
    ]);
    const away = make("button", { type: "button", className: "quiet small" }, ["×"]);
    away.ariaLabel = say("mine.forget", { game: name });
    away.title = away.ariaLabel;
    const entry = make("li", {}, [link, away]);
    away.addEventListener("click", () => {
      forget(matchId);
      entry.remove();
    });
    tellStatus(matchId, tokens, status);
    entry.dataset.at = String(at);
    return entry;
  });
  byId("mine-list").replaceChildren(...entries);
}

/**
 * Say how a match stands.
 * @param {string} matchId
 * @param {Record<string, string>} tokens
 * @param {HTMLElement} element
 */
async function tellStatus(matchId, tokens, element) {
  const [token] = Object.values(tokens);
  const path = `/v1/matches/${encodeURIComponent(matchId)}`;
  const query = { fields: "status,to_move,seats" };
  const speaker = speakerOf(token, () => {});
  try {
    const match = await speaker.request("GET", path, { query, retryForS: 0 });
    element.textContent = statusWords(match, Object.keys(tokens));
    if (match.status === "finished" || match.status === "aborted") element.classList.add("over");
  } catch {
    element.textContent = say("mine.gone");
  }
}

/** @param {any} match @param {string[]} held */
function statusWords({ status, to_move: toMove, seats }, held) {
  if (status === "finished" || status === "aborted") return say("mine.over");
  if (Object.values(seats).some((who) => !who)) return say("mine.waiting");
  if (held.length === 1 && held[0] === toMove) return say("mine.yours");
  return toMove ? say("turn.of", { seat: seatName(toMove) }) : "";
}
