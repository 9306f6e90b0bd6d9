// @ts-check
/** Shows the log move by move: as it grows, or leafing through what has been. */

import { byId } from "./elements.js";
import { listenToLog } from "./log.js";
import { beatOf } from "./pace.js";
import { framesOf } from "./steps.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./types.js").MatchEvent} MatchEvent */

const BACKLOG = 8;
const FIELDS = "input, select, textarea";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @param {Page} page
 */
export function createReplay(page) {
  let run = 0; // a newer run ends the older ones
  let catching = false;
  let animating = 0; // the version whose move is being shown
  let seen = 0; // up to here events are shown at once, without animation
  let beatMs = 0;
  let inTurn = 0; // moves that were shown since the player could last do something
  let hurried = false; // whether the player wants to see what is now, and not how it came
  let skip = () => {};

  /** Begin with a match of which *version* events are history. */
  function begin(/** @type {number} */ version) {
    run += 1;
    catching = false;
    animating = 0;
    hurried = false;
    seen = version;
  }

  /** Show the events that have come, one after the other. */
  async function catchUp() {
    if (catching || !page.state.live) return;
    catching = true;
    const mine = run;
    while (page.state.live && page.state.shown < page.state.events.length) {
      const event = page.state.events[page.state.shown];
      if (event.version > seen && !hurried) await animate(event);
      if (mine !== run) return;
      page.tell({ type: "version.reached", version: event.version });
      if (event.to_move === page.state.seat || !event.to_move) {
        [inTurn, hurried] = [0, false];
      }
    }
    catching = false;
  }

  /** Show the board as it was at a version; the next one comes with its move. */
  async function goTo(/** @type {number} */ version) {
    const here = animating || page.state.shown;
    const wasAnimating = animating > 0;
    run += 1;
    catching = false;
    animating = 0;
    skip();
    const event = page.state.events[version - 1];
    if (!event) return;
    if (version !== here + 1 || wasAnimating) {
      page.tell({ type: "version.chosen", version });
      return;
    }
    page.tell({ type: "version.chosen", version: here });
    const mine = run;
    await animate(event);
    if (mine === run) page.tell({ type: "version.chosen", version });
  }

  /** Show what is now, and follow the log again. */
  function goToNow() {
    run += 1;
    catching = false;
    animating = 0;
    skip();
    page.tell({ type: "now.chosen" });
  }

  /** Play the frames of a move. */
  async function animate(/** @type {MatchEvent} */ event) {
    const before = page.state.events[event.version - 2];
    if (!before || !event.steps.length || !mayAnimate()) return;
    const mine = run;
    const frames = framesOf(before, event.steps);
    const beats = frames.reduce((sum, frame) => sum + frame.beats, 0);
    beatMs = beatOf(page.state.speed, beats, inTurn);
    inTurn += 1;
    animating = event.version;
    let skipped = false;
    for (const frame of frames) {
      page.tell({ type: "frame.reached", frame });
      skipped = await pause(frame.beats * beatMs);
      if (mine !== run) return;
      if (skipped) break;
    }
    animating = 0;
  }

  /** Show no more of what others do until it is the player's turn again. */
  function skipAll() {
    hurried = page.state.live;
    skip();
  }

  function mayAnimate() {
    const { speed, live, events, shown } = page.state;
    const behind = live && events.length - shown > BACKLOG;
    return speed !== "none" && !calm.matches && !document.hidden && !behind;
  }

  /** Wait; return true if somebody would not. */
  function pause(/** @type {number} */ ms) {
    return new Promise((/** @type {(skipped: boolean) => void} */ done) => {
      const timer = setTimeout(() => done(false), ms);
      skip = () => {
        clearTimeout(timer);
        done(true);
      };
    });
  }

  function listen() {
    const here = () => animating || page.state.shown;
    const ways = {
      "log-first": () => goTo(1),
      "log-previous": () => goTo(here() - 1),
      "log-next": () => goTo(here() + 1),
      "log-last": goToNow,
      "log-now": goToNow,
      skip: skipAll,
    };
    for (const [id, way] of Object.entries(ways)) {
      byId(id).addEventListener("click", way);
    }
    listenToLog(goTo);
    const keys = /** @type {Record<string, () => void>} */ ({
      Home: ways["log-first"],
      ArrowLeft: ways["log-previous"],
      ArrowRight: ways["log-next"],
      End: goToNow,
      Escape: () => (page.state.frame ? skipAll() : goToNow()),
    });
    document.addEventListener("keydown", (event) => {
      const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
      const way = plain && page.state.screen === "match" && keys[event.key];
      if (!way || /** @type {Element} */ (event.target).closest(FIELDS)) return;
      event.preventDefault();
      way();
    });
  }

  return { begin, catchUp, listen, beatMs: () => (page.state.frame ? beatMs : 0) };
}
