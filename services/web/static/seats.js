// @ts-check
/** The seats that this browser holds, by match, and who speaks for them. */

import { Seedlog } from "/client/seedlog.js";
import { keep, kept, keptNames } from "./keeping.js";
import { language } from "./words.js";

/**
 * What this browser keeps of a match: the token of each seat it holds there.
 * @typedef {{tokens: Record<string, string>, game: string, at: number}} Holding
 */
/** @typedef {import("./types.js").Match} Match */

const PREFIX = "seedlog.seats.1."; // the number is that of the form of a holding
const MOST_KEPT = 50;
const RETRY_FOR_S = 3000; // the page says that it tries again, and does

/** @type {Map<string, Holding>} what is held where there is no storage */
const held = new Map();

/** Return whoever has not sat down: what they ask for is not tried again. */
export function anybody() {
  return new Seedlog("", "", { retryForS: 0, language: language() });
}

/**
 * Open a match, and keep the tokens of its seats.
 * @param {Record<string, any>} wanted as the API takes it
 * @returns {Promise<Match & {seat_tokens: Record<string, string>}>}
 */
export async function openMatch(wanted) {
  const opened = await anybody().request("POST", "/v1/guest-matches", { body: wanted });
  hold(opened, opened.seat_tokens);
  return opened;
}

/**
 * Sit down by an invitation, and keep the token of the seat.
 * @param {string} invitation
 * @returns {Promise<string>} the match
 */
export async function accept(invitation) {
  const matchId = matchOf(invitation);
  const { match, seat, seat_token } = await anybody()
    .holding(invitation)
    .lobby.accept(matchId);
  hold(match, { [seat]: seat_token });
  return matchId;
}

/** Return the match that an invitation is for. @param {string} invitation */
export function matchOf(invitation) {
  return invitation.replace(/^in_/, "").split(".")[0];
}

/**
 * Return a token to look on with, where whoever knows the match may.
 * @param {string} matchId
 * @returns {Promise<string>}
 */
export async function askToWatch(matchId) {
  const path = `/v1/matches/${encodeURIComponent(matchId)}/spectator-tokens`;
  return (await anybody().request("POST", path, { body: {} })).token;
}

/**
 * Return who speaks with a token.
 * @param {string} token
 * @param {(lost: boolean) => void} onConnection
 */
export function speakerOf(token, onConnection) {
  return new Seedlog("", token, {
    retryForS: RETRY_FOR_S,
    streamUrl: streamBase(),
    language: language(), // whatever the browser likes
    onConnection,
  });
}

/**
 * Return what this browser holds of a match.
 * @param {string} matchId
 * @returns {Holding | null}
 */
export function holding(matchId) {
  return held.get(matchId) ?? kept(PREFIX + matchId);
}

/** Return the matches that this browser holds seats of, the newest first. */
export function holdings() {
  const names = [...keptNames(PREFIX).map((name) => name.slice(PREFIX.length)), ...held.keys()];
  return [...new Set(names)]
    .map((matchId) => ({ matchId, .../** @type {Holding} */ (holding(matchId)) }))
    .sort((one, other) => other.at - one.at);
}

/**
 * Keep the tokens of seats, beside those that are held there already.
 * @param {{id: string, game: string}} match
 * @param {Record<string, string>} tokens
 */
export function hold({ id, game }, tokens) {
  const now = { tokens: { ...holding(id)?.tokens, ...tokens }, game, at: Date.now() };
  held.set(id, now);
  keep(PREFIX + id, now);
  for (const { matchId } of holdings().slice(MOST_KEPT)) forget(matchId);
}

/** Forget a match. @param {string} matchId */
export function forget(matchId) {
  held.delete(matchId);
  keep(PREFIX + matchId, null);
}

/** Return where the streams are, as the page was told. */
function streamBase() {
  const told = document.querySelector('meta[name="seedlog-stream"]');
  return told?.getAttribute("content") ?? "";
}
