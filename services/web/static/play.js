// @ts-check
/** Plays a match: opens it, follows its log, sends moves. */

import { Problem, Unreachable } from "/client/seedlog.js";
import { accept, askToWatch, forget, holding, matchOf, openMatch, speakerOf } from "./seats.js";
import { actingSeat, latestEvent, openMoves } from "./state.js";
import { noticeOf, say } from "./words.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./types.js").MatchEvent} MatchEvent */
/** @typedef {import("/client/seedlog.js").Seedlog} Seedlog */
/** @typedef {{begin: (version: number) => void, catchUp: () => void,
 *   goTo: (version: number) => void}} Replay */

const AWAY = [502, 503, 504];
const UNSEEN = ["unauthenticated", "forbidden", "no-such-match"];
const SOON_MS = 50;
const STREAM_MS = 700; // so long an answer waits for the stream to tell of it
const ASK_MS = 1500;
const ASK_FOR_MS = 60_000;
/** After these the match is read again: they change more than the board. */
const TELLING = [
  "match.seat_taken",
  "match.fist_guessed",
  "match.draw_offered",
  "match.draw_declined",
  "match.takeback_requested",
  "match.takeback_declined",
  "match.takeback_accepted",
  "match.ended",
  "match.aborted",
];

/**
 * @param {Page} page
 * @param {Replay} replay
 */
export function createPlay(page, replay) {
  /** @type {Map<string, Seedlog>} who speaks for a seat; "" looks on */
  let speakers = new Map();
  let leaving = new AbortController();
  let heardAt = 0; // when the stream last told something

  /** Open a match and go to it; tell whether there is one. */
  async function open(/** @type {Record<string, any>} */ wanted) {
    page.tell({ type: "opening.started" });
    try {
      const match = await openMatch(wanted);
      page.goTo(match.id);
      return true;
    } catch (error) {
      tellWhy(error);
      return false;
    }
  }

  /** Sit down by an invitation, or go where one sits by it already. */
  async function sit(/** @type {string} */ invitation) {
    const matchId = matchOf(invitation);
    try {
      if (!holding(matchId)) await accept(invitation);
    } catch (error) {
      // Whoever finds the seat taken looks on.
      if (!(error instanceof Problem && error.type === "seat-taken")) return refuse(error);
      page.goTo(matchId, { replace: true });
      tellWhy(error);
      return;
    }
    page.goTo(matchId, { replace: true });
  }

  /** Show a match, as of a version or as it is: with our seats, or from outside. */
  async function enter(/** @type {string} */ matchId, version = 0) {
    leave();
    const { signal } = leaving;
    replay.begin(Infinity); // nothing moves before it is known what is history
    const tokens = holding(matchId)?.tokens ?? {};
    page.tell({ type: "match.entered", matchId, held: Object.keys(tokens) });
    try {
      const all = Object.keys(tokens).length ? tokens : { "": await askToWatch(matchId) };
      if (signal.aborted) return;
      const entries = Object.entries(all);
      speakers = new Map(entries.map(([seat, token]) => [seat, speakerOf(token, tellConnection)]));
      const match = await readMatch();
      if (!match || signal.aborted) return;
      follow(matchId, signal);
      replay.begin(match.version);
      replay.catchUp();
      await untilKnown(match.version, signal);
      if (version && version < match.version && !signal.aborted) replay.goTo(version);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && UNSEEN.includes(error.type)) {
        if (Object.keys(tokens).length) forget(matchId);
        refuse(null);
      } else tellWhy(error);
    }
  }

  /** Go back to the choice, and say why. */
  function refuse(/** @type {unknown} */ error) {
    page.goTo("", { replace: true });
    if (error) tellWhy(error);
    else tellNotice(say("notice.no_match"), say("notice.no_match_detail"));
  }

  /** Stop following. */
  function leave() {
    leaving.abort();
    leaving = new AbortController();
    speakers = new Map();
  }

  /** Return who speaks for a seat of ours; without one, for whoever looks on. */
  function speaker(seat = actingSeat(page.state)) {
    return speakers.get(seat) ?? [...speakers.values()][0] ?? null;
  }

  /** Take in every event of a match until it is over or left. */
  async function follow(/** @type {string} */ matchId, /** @type {AbortSignal} */ signal) {
    const after = page.state.events.length;
    try {
      for await (const event of speaker()?.follow(matchId, { after, signal }) ?? []) {
        heardAt = Date.now();
        if (page.state.silent) page.tell({ type: "stream.heard", silent: false });
        followed(/** @type {MatchEvent} */ (event));
      }
    } catch (error) {
      if (!signal.aborted) tellWhy(error);
    }
  }

  /** Take in an event; position, steps and legal moves come with it. */
  function followed(/** @type {MatchEvent} */ event) {
    const isNew = event.version === page.state.events.length + 1;
    page.tell({ type: "event.followed", event });
    const { match } = page.state;
    if (isNew && match && event.version > match.version) {
      if (match.offer || TELLING.includes(event.type)) readMatch();
    }
    if (match) replay.catchUp();
  }

  /** Wait until the log is known up to a version. */
  async function untilKnown(/** @type {number} */ version, /** @type {AbortSignal} */ signal) {
    const since = Date.now();
    while (!signal.aborted && page.state.events.length < version) {
      await pause(SOON_MS);
      if (Date.now() - since > STREAM_MS) await askForEvents(signal);
    }
  }

  /** Ask for what the stream did not tell. */
  async function askForEvents(/** @type {AbortSignal} */ signal) {
    const { matchId, events } = page.state;
    const asked = { after: events.length, position: true };
    for await (const event of speaker()?.events(matchId, asked) ?? []) {
      if (signal.aborted) return;
      followed(/** @type {MatchEvent} */ (event));
    }
  }

  /** Show what was answered, also when the stream does not tell of it; then say so. */
  async function showAnswer(/** @type {number} */ version) {
    const { signal } = leaving;
    const since = Date.now();
    await pause(STREAM_MS);
    if (signal.aborted || page.state.events.length >= version) return;
    while (!signal.aborted && heardAt < since && Date.now() - since < ASK_FOR_MS) {
      try {
        await askForEvents(signal);
      } catch {
        return; // the follower tells of lost connections
      }
      if (signal.aborted) return;
      if (!page.state.silent) page.tell({ type: "stream.heard", silent: true });
      await pause(ASK_MS);
    }
  }

  /** Read the match, however long it takes; null if it is left. */
  async function readMatch() {
    const { signal } = leaving;
    const { matchId } = page.state;
    const match = await speaker()?.match(matchId, { layout: true }, { signal });
    if (!match || signal.aborted) return null;
    const skewMs = match.clock ? Date.parse(match.clock.at) - Date.now() : 0;
    page.tell({ type: "match.read", match, skewMs });
    return match;
  }

  /** Play the move that begins on a place, or offer those that do; "" takes it back. */
  function choosePlace(/** @type {string} */ place) {
    const moves = openMoves(page.state).byPlace.get(place) ?? [];
    if (moves.length === 1) playMove(moves[0]);
    else page.tell({ type: "moves.offered", place });
  }

  async function playMove(/** @type {string} */ move) {
    const { matchId, sending } = page.state;
    const latest = latestEvent(page.state);
    const player = speaker();
    if (sending || !latest || !player) return;
    page.tell({ type: "move.sent", move });
    await act(player.play(matchId, move, { version: latest.version }));
    page.tell({ type: "move.settled" });
  }

  /** Do something to the match; whatever comes of it, the log will tell. */
  async function act(/** @type {Promise<{match: any}> | undefined} */ deed) {
    const { matchId } = page.state;
    const isHere = () => page.state.matchId === matchId;
    try {
      const done = await deed;
      if (!done || !isHere()) return;
      page.tell({ type: "match.read", match: done.match });
      showAnswer(done.match.version);
    } catch (error) {
      tellWhy(error);
      if (isHere()) await readMatch().catch(tellWhy);
    }
  }

  function tellConnection(/** @type {boolean} */ lost) {
    if (page.state.lost !== lost) page.tell({ type: "connection.changed", lost });
  }

  function tellNotice(/** @type {string} */ title, /** @type {string} */ detail) {
    page.tell({ type: "notice.changed", notice: { title, detail } });
  }

  /** Show why something was refused; what is our own mistake goes on to the console. */
  function tellWhy(/** @type {unknown} */ error) {
    const isAway = error instanceof Problem && AWAY.includes(error.status);
    if (error instanceof Problem && !isAway) {
      page.tell({ type: "notice.changed", notice: noticeOf(error) });
    } else if (isAway || error instanceof Unreachable) {
      tellNotice(say("notice.unreachable"), say("notice.unreachable_detail"));
    } else {
      tellNotice(say("notice.broken"), String(error));
      throw error;
    }
  }

  return { open, sit, enter, leave, speaker, act, choosePlace, playMove, tellWhy };
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}
