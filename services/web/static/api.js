// @ts-check
/** The HTTP client: one function a resource, problems as exceptions. */

/** @typedef {import("./types.js").Game} Game */
/** @typedef {import("./types.js").Match} Match */
/** @typedef {import("./types.js").MatchEvent} MatchEvent */
/** @typedef {{seat: string, token: string}} Holding */

const TOKEN_PREFIX = "seedlog.seat.";
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const ANSWER_WITHIN_MS = 12_000;
const SILENT_MS = 40_000; // a stream says every 15 s that it is alive

/** The server has refused, and says why (RFC 9457). */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {Record<string, any>} facts
   * @param {number | null} retryAfterS
   */
  constructor(status, facts, retryAfterS) {
    super(facts.detail ?? facts.title ?? `status ${status}`);
    this.status = status;
    this.facts = facts;
    this.retryAfterS = retryAfterS;
    this.type = String(facts.type ?? "").replace("/problems/", "");
  }
}

/** Nothing is known of what became of the request: the network or the server is away. */
export class Unreachable extends Error {}

/** @returns {Promise<Game[]>} every game that can be played */
export async function readGames() {
  return (await answer(await send("GET", "/v1/games"))).data;
}

/**
 * Open a match against an AI, and keep the token of the seat for this browser tab.
 * @param {import("./types.js").Choice} choice
 * @returns {Promise<Match & {seat: string}>}
 */
export async function openMatch(choice) {
  const opened = await answer(
    await send("POST", "/v1/guest-matches", { body: choice }),
  );
  hold(opened.id, { seat: opened.seat, token: opened.seat_tokens[opened.seat] });
  return opened;
}

/**
 * @param {string} matchId
 * @returns {Promise<Match>}
 */
export async function readMatch(matchId) {
  const path = `${pathOf(matchId)}?include=layout`;
  return answer(await send("GET", path, { matchId }));
}

/**
 * Read the events after a version, or null if nothing is new since the tag.
 * @param {string} matchId
 * @param {number} after
 * @param {string | null} tag
 * @param {AbortSignal} signal
 * @returns {Promise<{events: MatchEvent[], more: boolean, tag: string | null} | null>}
 */
export async function readEvents(matchId, after, tag, signal) {
  const path = `${pathOf(matchId)}/events?after=${after}&include=position`;
  /** @type {Record<string, string>} */
  const headers = tag ? { "If-None-Match": tag } : {};
  const response = await send("GET", path, { matchId, headers, signal });
  if (response.status === 304) return null;
  const page = await answer(response);
  const more = page.next_cursor !== null;
  return { events: page.data, more, tag: response.headers.get("ETag") };
}

/** Tell whether there are streams to be followed. */
export function hasStreams() {
  return streamBase() !== "";
}

/**
 * Follow the log of a match after a version: every object of the stream, as it comes.
 *
 * The first says that it is open. It returns when the stream does, and throws
 * `Unreachable` if it breaks off.
 * @param {string} matchId
 * @param {number} after
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Record<string, any>, void>}
 */
export async function* streamEvents(matchId, after, signal) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), ANSWER_WITHIN_MS);
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/x-ndjson" };
  if (after) headers["Last-Event-ID"] = String(after);
  const path = `${streamBase()}${pathOf(matchId)}/events${after ? "" : "?after=0"}`;
  const request = { matchId, headers, signal, late: silence.signal };
  try {
    const response = await send("GET", path, request);
    if (!response.ok) await answer(response);
    if (!response.body || response.status === 204) return;
    yield { type: "open" };
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS);
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line);
    }
  } catch (error) {
    if (error instanceof Problem || signal.aborted) throw error;
    throw new Unreachable(String(error));
  } finally {
    clearTimeout(timer);
    silence.abort(); // whoever stops listening hangs up
  }
}

/**
 * Play a move on the version that was seen; ask until it is known what became of it.
 * @param {string} matchId
 * @param {number} version
 * @param {string} move
 * @param {(lost: boolean) => void} onConnection
 * @returns {Promise<Match>}
 */
export async function playMove(matchId, version, move, onConnection) {
  const headers = { "If-Match": `"${version}"`, "Idempotency-Key": newKey() };
  const path = `${pathOf(matchId)}/moves`;
  const request = { matchId, headers, body: { move } };
  const acted = await insist(() => send("POST", path, request), onConnection);
  return acted.match;
}

/**
 * Give the match up.
 * @param {string} matchId
 * @param {(lost: boolean) => void} onConnection
 * @returns {Promise<Match>}
 */
export async function resign(matchId, onConnection) {
  const path = `${pathOf(matchId)}/resignation`;
  const request = { matchId, headers: { "Idempotency-Key": newKey() }, body: {} };
  const acted = await insist(() => send("POST", path, request), onConnection);
  return acted.match;
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
 * Return how long to wait before the next attempt after some that failed.
 * @param {number} failures
 */
export function waitMs(failures) {
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
}

/** @type {Map<string, Holding>} */
const held = new Map();

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

/** @param {string} matchId */
function pathOf(matchId) {
  return `/v1/matches/${encodeURIComponent(matchId)}`;
}

/** Return where the streams are, as the page was told. */
function streamBase() {
  const told = document.querySelector('meta[name="seedlog-stream"]');
  return told?.getAttribute("content") ?? "";
}

/** A key that no other request has: the same move sent twice is played once. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{matchId?: string, headers?: Record<string, string>, body?: object,
 *   signal?: AbortSignal, late?: AbortSignal}} [request] `late` says when to give up
 */
async function send(method, path, request = {}) {
  const { matchId, headers = {}, body, signal } = request;
  const sent = new Headers({ Accept: "application/json", ...headers });
  const token = matchId && holding(matchId)?.token;
  if (token) sent.set("Authorization", `Bearer ${token}`);
  if (body) sent.set("Content-Type", "application/json");
  const late = request.late ?? AbortSignal.timeout(ANSWER_WITHIN_MS);
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: sent,
      body: body && JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable(String(error));
  }
  if ([502, 503, 504].includes(response.status)) {
    throw new Unreachable(`status ${response.status}`);
  }
  return response;
}

/**
 * Return the body of an answer, or throw the problem that it tells.
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function answer(response) {
  let body = null;
  try {
    body = await response.json();
  } catch (error) {
    if (response.ok) throw new Unreachable(String(error));
  }
  if (response.ok) return body;
  const after = Number(response.headers.get("Retry-After"));
  throw new Problem(response.status, body ?? {}, after || null);
}

/**
 * Send a request again until it is answered. It must be safe to carry out twice.
 * @param {() => Promise<Response>} attempt
 * @param {(lost: boolean) => void} onConnection
 */
async function insist(attempt, onConnection) {
  for (let failures = 0; ; ) {
    try {
      const body = await answer(await attempt());
      if (failures) onConnection(false);
      return body;
    } catch (error) {
      if (!(error instanceof Unreachable)) {
        if (failures) onConnection(false);
        throw error;
      }
      failures += 1;
      onConnection(true);
      await new Promise((resume) => setTimeout(resume, waitMs(failures)));
    }
  }
}
