// @ts-check
/** The seats that this browser tab holds, and who speaks for them. */

import { Seedlog } from "/client/seedlog.js";
import { language } from "./words.js";

/** @typedef {{seat: string, token: string}} Holding */
/** @typedef {import("./types.js").Match} Match */

const TOKEN_PREFIX = "seedlog.seat.";
const RETRY_FOR_S = 3000; // the page says that it tries again, and does

/** Return whoever has not sat down: what they ask for is not tried again. */
export function anybody() {
  return new Seedlog("", "", { retryForS: 0, language: language() });
}

/** @type {Map<string, Holding>} */
const held = new Map();

/**
 * Open a match against an AI, and keep the token of the seat for this browser tab.
 * @param {import("./types.js").Choice} choice
 * @returns {Promise<Match & {seat: string}>}
 */
export async function openMatch(choice) {
  const opened = await anybody().request("POST", "/v1/guest-matches", { body: choice });
  hold(opened.id, { seat: opened.seat, token: opened.seat_tokens[opened.seat] });
  return opened;
}

/**
 * Return who plays on a seat, by its token.
 * @param {Holding} seat
 * @param {(lost: boolean) => void} onConnection
 */
export function playerOf(seat, onConnection) {
  return new Seedlog("", seat.token, {
    retryForS: RETRY_FOR_S,
    streamUrl: streamBase(),
    language: language(), // whatever the browser likes
    onConnection,
  });
}

/**
 * Return the seat that this browser tab holds in a match.
 * @param {string} matchId
 * @returns {Holding | null}
 */
export function holding(matchId) {
  const kept = held.get(matchId) ?? fromSession(matchId);
  if (kept) held.set(matchId, kept);
  return kept ?? null;
}

/**
 * @param {string} matchId
 * @param {Holding} seat
 */
function hold(matchId, seat) {
  held.set(matchId, seat);
  try {
    sessionStorage.setItem(TOKEN_PREFIX + matchId, JSON.stringify(seat));
  } catch {
    // Without storage the match lasts as long as this page does.
  }
}

/**
 * @param {string} matchId
 * @returns {Holding | null}
 */
function fromSession(matchId) {
  try {
    return JSON.parse(sessionStorage.getItem(TOKEN_PREFIX + matchId) ?? "null");
  } catch {
    return null;
  }
}

/** Return where the streams are, as the page was told. */
function streamBase() {
  const told = document.querySelector('meta[name="seedlog-stream"]');
  return told?.getAttribute("content") ?? "";
}
