// @ts-check
/** Tells that it is one's turn while the page is out of sight, for who has asked for it. */

import { byId } from "./elements.js";
import { keep, kept } from "./keeping.js";
import { isNow, shownEvent } from "./state.js";
import { say } from "./words.js";

/** @typedef {import("./state.js").State} State */

const WANTED = "seedlog.notices";
const canTell = "Notification" in globalThis;
let known = ""; // the version that was seen last, or told of

/** Let a click ask for notices, or end them. */
export function listenToNotices() {
  byId("notify").addEventListener("click", async () => {
    const isWanted = !isOn() && (await Notification.requestPermission()) === "granted";
    keep(WANTED, isWanted || null);
    drawButton();
  });
}

/** Tell it if the turn has come to us, and nobody looks. @param {State} state */
export function drawNotices(state) {
  byId("notify").hidden = !canTell || !state.held.length;
  drawButton();
  const event = shownEvent(state);
  const isOurs = isNow(state) && state.held.includes(event?.to_move ?? "");
  const now = `${state.matchId}/${state.shown}`;
  if (!isOurs || known === now) return;
  known = now; // who looked away during a turn knows of it
  if (document.hidden && isOn()) tell(document.title.replace(/^● /, ""), state.matchId);
}

/** @param {string} title @param {string} tag */
function tell(title, tag) {
  try {
    const notice = new Notification(title, { body: say("mine.yours"), tag, icon: "/static/icon.svg" });
    notice.addEventListener("click", () => {
      focus();
      notice.close();
    });
  } catch {
    keep(WANTED, null); // phones let nobody tell but a worker: the title has to do
  }
}

function isOn() {
  return canTell && Notification.permission === "granted" && kept(WANTED) === true;
}

function drawButton() {
  byId("notify").setAttribute("aria-pressed", String(isOn()));
}
