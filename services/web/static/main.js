// @ts-check
/** Starts the page: one state, every change through `tell`, everything drawn from it. */

import { defineBoard } from "./board-element.js";
import { drawChoosing, firstChoice, listenToChoosing, wantedOf } from "./choosing.js";
import { byId, setText } from "./elements.js";
import { keep, kept } from "./keeping.js";
import { learnLanguage, listenToLanguage } from "./languages.js";
import { drawLog } from "./log.js";
import { createPlay } from "./play.js";
import { createReplay } from "./replay.js";
import { anybody, holdings } from "./seats.js";
import { firstState, next } from "./state.js";
import { drawTable } from "./table.js";
import { listenToTheme } from "./themes.js";
import { say } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").PageEvent} PageEvent */

/**
 * What the parts of the page share.
 * @typedef {object} Page
 * @property {State} state
 * @property {(event: PageEvent) => void} tell
 * @property {(matchId: string, how?: {replace?: boolean}) => void} goTo go to a match, or
 *   with "" to the choice
 */

const SPEED = "seedlog.speed";
const WATCHED_MS = 15_000;
const CHOICE = "seedlog.choice";

let state = firstState(kept(SPEED) ?? "normal");
let drawing = false;

/** @type {Page} */
const page = {
  get state() {
    return state;
  },
  tell(event) {
    rest?.sound(state, event);
    state = next(state, event);
    if (drawing) return;
    drawing = true;
    queueMicrotask(() => {
      drawing = false;
      draw();
    });
  },
  goTo(matchId, { replace = false } = {}) {
    const address = addressOf(matchId);
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    arrive();
  },
};

const replay = createReplay(page);
const play = createPlay(page, replay);
/** @type {ReturnType<typeof import("./later.js").createRest> | null} */
let rest = null;
/** @type {Promise<void> | null} */
let loading = null;

/** Load once what the first board could do without. */
function loadRest() {
  loading ??= load().catch(() => {
    loading = null; // with the next drawing it is tried again
  });
  return loading;
}

async function load() {
  const told = document.querySelector('meta[name="seedlog-later"]');
  const later = await import(told?.getAttribute("content") ?? "./later.js");
  rest = later.createRest(page, play, replay);
  draw();
}

/** Draw the page as the state has it. */
function draw() {
  const isShown = state.screen === "match" && !!state.match && !!state.shown;
  byId("choosing").hidden = state.screen !== "choosing";
  byId("match").hidden = !isShown;
  byId("new-match").hidden = state.screen !== "match";
  drawNotices();
  if (state.screen === "choosing") {
    document.title = "Seedlog";
    drawChoosing(state, changeChoice);
  } else if (isShown) {
    const { choosePlace: onPlace, playMove: onMove } = play;
    drawTable(state, { onPlace, onMove, beatMs: replay.beatMs() });
    drawLog(state);
    nameVersion();
    loadRest();
  }
  rest?.draw(state);
}

/** Open what was chosen, or look for a stranger to play it. */
async function begin() {
  const { choice, opening, seeking } = state;
  if (!choice || opening || seeking) return;
  const wanted = wantedOf(choice);
  const isStranger = choice.opponent === "stranger";
  if (!isStranger && !(await play.open(wanted))) return;
  await loadRest();
  if (isStranger) rest?.seek(wanted);
  else if (choice.opponent === "invited") rest?.invite();
}

/** List what strangers play, if they do and if the choice is in sight. */
async function showWatched() {
  if (state.screen !== "choosing" || document.hidden) return;
  const listed = await anybody().request("GET", "/v1/guest-matches").catch(() => null);
  if (listed?.data.length) await loadRest();
  rest?.drawWatched(state, listed?.data ?? []);
}

/** List the matches that this browser holds seats of. */
async function showMine() {
  await loadRest();
  rest?.drawMine(state);
}

function drawNotices() {
  const { lost, silent, notice } = state;
  byId("lost").hidden = !lost && !silent;
  if (lost || silent) setText(byId("lost-words"), say(lost ? "notice.lost" : "notice.silent"));
  byId("notice").hidden = !notice;
  setText(byId("notice-title"), notice?.title ?? "");
  setText(byId("notice-detail"), notice?.detail ?? "");
}

/** Let the address say which version is shown, unless it is the latest. */
function nameVersion() {
  const { matchId, live, shown } = state;
  const address = addressOf(live ? matchId : `${matchId}/${shown}`);
  const here = location.pathname + location.search + location.hash;
  if (address !== here) history.replaceState(null, "", address);
}

/** @param {string} place what stands behind the # */
function addressOf(place) {
  const query = new URLSearchParams(location.search);
  query.delete("match");
  const asked = query.size ? `?${query}` : "";
  return `/${asked}${place && `#${place}`}`;
}

/** Show what the address names: a match, perhaps a version of it, or the choice of one. */
function arrive() {
  const inQuery = new URLSearchParams(location.search).get("match") ?? "";
  const place = location.hash.slice(1) || inQuery;
  const [matchId, version] = place.split("/");
  if (place.startsWith("in_")) {
    play.sit(place);
  } else if (!matchId) {
    play.leave();
    page.tell({ type: "choosing.entered" });
    if (holdings().length) showMine();
    showWatched();
    scrollTo(0, 0);
  } else if (matchId !== state.matchId) {
    play.enter(matchId, Number(version) || 0);
    scrollTo(0, 0);
  } else {
    page.tell({ type: "playing.changed", playing: false });
    if (version) replay.goTo(Number(version));
    else replay.goToNow();
  }
}

/** @param {import("./types.js").Choice} choice */
function changeChoice(choice) {
  keep(CHOICE, choice);
  page.tell({ type: "choice.changed", choice });
}

function listen() {
  replay.listen();
  listenToChoosing(() => state, changeChoice);
  listenToLanguage();
  listenToTheme(draw);
  addEventListener("popstate", arrive);
  document.addEventListener("visibilitychange", draw);
  byId("choice").addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    begin();
  });
  for (const id of ["change", "new-match"]) {
    byId(id).addEventListener("click", () => page.goTo(""));
  }
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

setInterval(showWatched, WATCHED_MS);
await learnLanguage();
defineBoard();
listen();
start();
