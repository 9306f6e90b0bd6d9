// @ts-check
/** Tells that it is one's turn while the page is out of sight, for who has asked for it. */

import { byId } from "./elements.js";
import { keep, kept } from "./keeping.js";
import { isNow, shownEvent } from "./state.js";
import { say } from "./words.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./state.js").State} State */

const WANTED = "seedlog.notices";
const WORKER = "/notices-worker.js"; // in this place it may tell for every page of the site
const trusted = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("notices", {
  createScriptURL: () => WORKER,
});
const canTell = "Notification" in globalThis;
let known = ""; // the version that was seen last, or told of

/** Let a click ask for notices, or end them; and one on a notice lead here. @param {Page} page */
export function listenToNotices(page) {
  byId("notify").addEventListener("click", async () => {
    const isWanted = !isOn() && (await Notification.requestPermission()) === "granted";
    keep(WANTED, isWanted || null);
    drawButton();
    if (isWanted) await teller();
  });
  navigator.serviceWorker?.addEventListener("message", ({ data: { matchId } }) => {
    if (matchId !== page.state.matchId) page.goTo(matchId);
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

/** @param {string} title @param {string} tag the match: its next notice replaces this one */
async function tell(title, tag) {
  const facts = { body: say("mine.yours"), tag, icon: "/static/icon.svg" };
  try {
    const worker = await teller();
    if (worker) worker.postMessage({ title, facts });
    else tellAlone(title, facts);
  } catch {
    keep(WANTED, null); // this browser lets nobody tell: the title has to do
  }
}

/** @param {string} title @param {NotificationOptions} facts */
function tellAlone(title, facts) {
  const notice = new Notification(title, facts);
  notice.addEventListener("click", () => {
    focus();
    notice.close();
  });
}

/** Return the worker by which phones tell, too; null: this browser has none. */
async function teller() {
  const workers = navigator.serviceWorker;
  try {
    await workers.register(trusted?.createScriptURL(WORKER) ?? WORKER);
    return (await workers.ready).active;
  } catch {
    return null; // whoever can tell without a worker does
  }
}

function isOn() {
  return canTell && Notification.permission === "granted" && kept(WANTED) === true;
}

function drawButton() {
  byId("notify").setAttribute("aria-pressed", String(isOn()));
}
