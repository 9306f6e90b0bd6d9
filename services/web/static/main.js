// @ts-check
/** Starts the page: one state, every change through `tell`, everything drawn from it. */

import "./boards/element.js";
import { drawChoosing, firstChoice, listenToChoosing } from "./choosing.js";
import { drawClocks, tick } from "./clocks.js";
import { byId, setText } from "./elements.js";
import { keep, kept } from "./keeping.js";
import { learnLanguage, listenToLanguage } from "./languages.js";
import { drawLog } from "./log.js";
import { createPlay } from "./play.js";
import { createReplay } from "./replay.js";
import { anybody } from "./seats.js";
import { firstState, next } from "./state.js";
import { drawTable } from "./table.js";
import { listenToTheme } from "./themes.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").PageEvent} PageEvent */

/**
 * What the parts of the page share.
 * @typedef {object} Page
 * @property {State} state
 * @property {(event: PageEvent) => void} tell
 * @property {(matchId: string) => void} goTo go to a match, or with "" to the choice
 */

const SPEED = "seedlog.speed";
const CHOICE = "seedlog.choice";
const MATCH = "seedlog.match";

let state = firstState(kept(SPEED) ?? "normal");
let drawing = false;

/** @type {Page} */
const page = {
  get state() {
    return state;
  },
  tell(event) {
    state = next(state, event);
    if (drawing) return;
    drawing = true;
    queueMicrotask(() => {
      drawing = false;
      draw();
    });
  },
  goTo(matchId) {
    history.pushState(null, "", matchId ? `/#${matchId}` : "/");
    arrive();
  },
};

const replay = createReplay(page);
const play = createPlay(page, replay);

/** Draw the page as the state has it. */
function draw() {
  byId("choosing").hidden = state.screen !== "choosing";
  byId("match").hidden = state.screen !== "match" || !state.match || !state.shown;
  byId("new-match").hidden = state.screen !== "match";
  byId("lost").hidden = !state.lost;
  byId("notice").hidden = !state.notice;
  setText(byId("notice-title"), state.notice?.title ?? "");
  setText(byId("notice-detail"), state.notice?.detail ?? "");
  if (state.screen === "choosing") {
    document.title = "Seedlog";
    drawChoosing(state, changeChoice);
    drawGoOn();
  } else if (state.screen === "match") {
    const { choosePlace: onPlace, playMove: onMove } = play;
    drawTable(state, { onPlace, onMove, beatMs: replay.beatMs() });
    drawLog(state);
    drawClocks(state);
  }
}

/** Show the way back to the match that this tab has open. */
function drawGoOn() {
  const matchId = kept("sessionStorage", MATCH);
  byId("go-on").hidden = !matchId;
  if (matchId) byId("go-on").firstElementChild.href = `#${matchId}`;
}

/** Show what the address names: a match, or the choice of one. */
function arrive() {
  const inQuery = new URLSearchParams(location.search).get("match");
  const matchId = location.hash.slice(1) || inQuery;
  if (!matchId) {
    play.leave();
    page.tell({ type: "choosing.entered" });
    scrollTo(0, 0);
  } else if (matchId !== state.matchId) {
    keep("sessionStorage", MATCH, matchId);
    play.enter(matchId);
    scrollTo(0, 0);
  }
}

/** @param {import("./types.js").Choice} choice */
function changeChoice(choice) {
  keep(CHOICE, choice);
  page.tell({ type: "choice.changed", choice });
}

function listen() {
  play.listen();
  replay.listen();
  listenToChoosing(() => state, changeChoice);
  listenToLanguage();
  listenToTheme(draw);
  addEventListener("popstate", arrive);
  byId("notice-close").addEventListener("click", () =>
    page.tell({ type: "notice.changed", notice: null }),
  );
  byId("speed").addEventListener("change", () => {
    const speed = byId("speed").value;
    keep(SPEED, speed);
    page.tell({ type: "speed.chosen", speed });
  });
}

async function start() {
  try {
    const games = await anybody().games();
    const choice = firstChoice(games, kept(CHOICE));
    page.tell({ type: "games.read", games, choice });
  } catch (error) {
    play.tellWhy(error);
    setTimeout(start, 3000);
    return;
  }
  arrive();
}

await learnLanguage();
tick(() => state);
listen();
start();
