// @ts-check
/** The doors for developers: what one sees as JSON, and the request that gives it. */

import { byId, setText } from "./elements.js";
import { language } from "./words.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./state.js").State} State */
/** @typedef {ReturnType<typeof import("./play.js").createPlay>} Play */

let shownFor = "";

/** @param {Page} page @param {Play} play */
export function createDoors(page, play) {
  /** Show a text until the door is used again. @param {string} text */
  function show(text) {
    const box = byId("door-shown");
    box.hidden = !box.hidden && byId("door-text").textContent === text;
    setText(byId("door-text"), text);
    shownFor = page.state.matchId;
    if (!box.hidden) box.scrollIntoView({ block: "nearest" });
  }

  /** Return the path of what is shown. */
  function path() {
    const { matchId, live, shown } = page.state;
    return `/v1/matches/${matchId}${live ? "" : `?version=${shown}`}`;
  }

  function listen() {
    byId("door-json").addEventListener("click", async () => {
      try {
        const match = await play.speaker()?.request("GET", path());
        show(JSON.stringify(match, null, 2));
      } catch (error) {
        play.tellWhy(error);
      }
    });
    byId("door-curl").addEventListener("click", () => {
      const { origin } = location;
      show(`curl '${origin}${path()}' -H "Authorization: Bearer $TOKEN"`);
    });
  }

  return { listen };
}

/** @param {State} state */
export function drawDoors(state) {
  const inMatch = state.screen === "match" && !!state.match;
  byId("door-json").hidden = !inMatch;
  byId("door-curl").hidden = !inMatch;
  if (!inMatch || shownFor !== state.matchId) byId("door-shown").hidden = true;
  byId("door-rules").href = `/v1/games/shared/rules?lang=${language()}`;
}
