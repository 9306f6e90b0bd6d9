// @ts-check
/** What the first board can do without: it is loaded when that is there. */

import { createActs, drawActs } from "./acts.js";
import { createAnalysis, drawAnalysis } from "./analysis.js";
import { drawClocks, tick } from "./clocks.js";
import { createDoors, drawDoors } from "./doors.js";
import { drawMine } from "./mine.js";
import { drawNotices, listenToNotices } from "./notices.js";
import { drawResult } from "./result.js";
import { listenToSound, sound } from "./sound.js";
import { createStrangers, drawWatched } from "./strangers.js";

/** @typedef {import("./state.js").State} State */

/**
 * @param {import("./main.js").Page} page
 * @param {ReturnType<typeof import("./play.js").createPlay>} play
 * @param {{goTo: (version: number) => void}} replay
 */
export function createRest(page, play, replay) {
  const acts = createActs(page, play);
  acts.listen();
  createAnalysis(page, play, replay).listen();
  createDoors(page, play).listen();
  const strangers = createStrangers(page, play);
  strangers.listen();
  listenToSound();
  tick(() => page.state);
  listenToNotices(page);
  return {
    sound,
    drawMine,
    drawWatched,
    seek: strangers.seek,
    invite: acts.invite,
    draw(/** @type {State} */ state) {
      drawDoors(state);
      if (!state.match) return;
      drawActs(state);
      drawClocks(state);
      drawResult(state);
      drawNotices(state);
      drawAnalysis(state);
    },
  };
}
