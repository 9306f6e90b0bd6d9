// @ts-check
/** The clocks of a match: what is left of them now, in words and figures that tick. */

import { byId, setText } from "./elements.js";
import { isNow, latestEvent, shownEvent } from "./state.js";
import { say, seatName } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./types.js").Clock} Clock */

const TICK_MS = 100;
const LOW_MS = 20_000;
const TENTHS_MS = 10_000;
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

/**
 * Return the milliseconds that a seat has left at a time of the server.
 * @param {Clock} clock
 * @param {string} seat
 * @param {number} atMs
 */
export function leftMs(clock, seat, atMs) {
  const left = clock[seat].remaining_ms;
  if (clock.running !== seat || !clock.flag_at) return left;
  return Math.max(Math.min(left, Date.parse(clock.flag_at) - atMs), 0);
}

/**
 * Return a time as a clock shows it: tenths when few seconds are left.
 * @param {number} ms
 */
export function clockText(ms) {
  if (ms >= DAY_MS) {
    const [days, hours] = [Math.floor(ms / DAY_MS), Math.floor((ms % DAY_MS) / HOUR_MS)];
    return say("clock.days", { days, hours });
  }
  if (ms < TENTHS_MS) return (Math.ceil(ms / 100) / 10).toFixed(1);
  const seconds = Math.ceil(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = String(seconds % 60).padStart(2, "0");
  return hours
    ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}`
    : `${minutes}:${tail}`;
}

/**
 * Bring the clocks on the page up to now, again and again.
 * @param {() => State} state
 */
export function tick(state) {
  const draw = () => drawClocks(state());
  setInterval(draw, TICK_MS);
}

/**
 * Draw the clocks; in the past as they were then.
 * @param {State} state
 */
export function drawClocks(state) {
  const event = state.live ? latestEvent(state) : shownEvent(state);
  const clock = event?.clock;
  const shown = document.querySelectorAll("#match .clock");
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (shown)) {
    const seat = element.dataset.seat ?? "";
    element.hidden = !clock;
    if (!clock || !(seat in clock)) continue;
    const atMs = state.live ? Date.now() + state.skewMs : Date.parse(clock.at);
    const left = leftMs(clock, seat, atMs);
    setText(element, clockText(left));
    const isLow = clock.running === seat && left < LOW_MS;
    element.classList.toggle("running", clock.running === seat);
    element.classList.toggle("low", isLow);
    element.ariaLabel = say("clock.of", { seat: seatName(seat), left: clockText(left) });
    if (seat === state.seat) warn(isLow && state.live && isNow(state));
  }
}

/** Say once, to whoever cannot see it, that little time is left. */
function warn(/** @type {boolean} */ isLow) {
  setText(byId("live-clock"), isLow ? say("clock.low", { count: LOW_MS / 1000 }) : "");
}
