// @ts-check
/** Shows the log move by move: as it grows, or leafing through what has been. */

import { byId } from "./elements.js";
import { listenToLog } from "./log.js";
import { beatOf } from "./pace.js";
import { framesOf } from "./steps.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./types.js").MatchEvent} MatchEvent */

const BACKLOG = 8;
const PLAY_MS = 700; // between two moves that are shown by themselves
const STEP_MS = 190;
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
  /** @type {{version: number, frames: import("./types.js").Frame[]} | null} */
  let stepping = null; // the move that is looked at moment by moment

  /** Begin with a match of which *version* events are history. */
  function begin(/** @type {number} */ version) {
    run += 1;
    catching = false;
    animating = 0;
    hurried = false;
    stepping = null;
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
      if (!event.to_move || page.state.held.includes(event.to_move)) {
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
    stepping = null;
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

  /** Show one move after the other, from here or from the beginning, or stop that. */
  async function toggle() {
    const { events, shown } = page.state;
    if (page.state.playing) return halt();
    page.tell({ type: "playing.changed", playing: true });
    if (shown >= events.length) await goTo(1);
    while (page.state.playing && page.state.shown < page.state.events.length) {
      const mine = run + 1;
      await goTo(page.state.shown + 1);
      if (run === mine) await pause(PLAY_MS);
      else break;
    }
    halt();
  }

  function halt() {
    if (page.state.playing) page.tell({ type: "playing.changed", playing: false });
  }

  /** Show the next moment of the next move. */
  function step() {
    const { shown, events } = page.state;
    const [before, event] = [events[shown - 1], events[shown]];
    if (!event) return;
    halt();
    if (stepping?.version !== event.version) {
      const frames = event.steps.length ? framesOf(before, event.steps) : [];
      goTo(shown);
      beatMs = STEP_MS;
      stepping = { version: event.version, frames };
    }
    const frame = stepping.frames.shift();
    if (frame) page.tell({ type: "frame.reached", frame });
    else {
      stepping = null;
      page.tell({ type: "version.chosen", version: event.version });
    }
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
    const leaf = (/** @type {number} */ version) => {
      halt();
      goTo(version);
    };
    const leafToNow = () => {
      halt();
      goToNow();
    };
    const ways = {
      "log-first": () => leaf(1),
      "log-previous": () => leaf(stepping ? page.state.shown : here() - 1),
      "log-next": () => leaf(here() + 1),
      "log-last": leafToNow,
      "log-now": leafToNow,
      "log-play": toggle,
      "log-step": step,
      skip: skipAll,
    };
    byId("scrubber").addEventListener("input", () => leaf(Number(byId("scrubber").value)));
    for (const [id, way] of Object.entries(ways)) {
      byId(id).addEventListener("click", way);
    }
    listenToLog(leaf);
    const keys = /** @type {Record<string, () => void>} */ ({
      Home: ways["log-first"],
      ArrowLeft: ways["log-previous"],
      ArrowRight: ways["log-next"],
      End: leafToNow,
      Escape: () => (page.state.frame && !stepping ? skipAll() : leafToNow()),
    });
    document.addEventListener("keydown", (event) => {
      const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
      const way = plain && page.state.screen === "match" && keys[event.key];
      if (!way || /** @type {Element} */ (event.target).closest(FIELDS)) return;
      event.preventDefault();
      way();
    });
  }

  return { begin, catchUp, goTo, goToNow, listen, beatMs: () => (page.state.frame ? beatMs : 0) };
}
