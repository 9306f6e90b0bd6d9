// @ts-check
/** Plays a match: opens it, follows its log, sends moves. */

import { Problem, Unreachable } from "/client/seedlog.js";
import { byId } from "./elements.js";
import { holding, openMatch, playerOf } from "./seats.js";
import { latestEvent, openMoves } from "./state.js";
import { noticeOf, say } from "./words.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {{begin: (version: number) => void, catchUp: () => void}} Replay */

const AWAY = [502, 503, 504];

/**
 * @param {Page} page
 * @param {Replay} replay
 */
export function createPlay(page, replay) {
  /** @type {import("/client/seedlog.js").Seedlog | null} */
  let player = null;
  let leaving = new AbortController();

  /** Open a match and go to it. */
  async function open(/** @type {Choice} */ choice) {
    page.tell({ type: "opening.started" });
    try {
      const match = await openMatch(choice);
      page.goTo(match.id);
    } catch (error) {
      tellWhy(error);
    }
  }

  /** Show a match that this browser tab holds a seat of. */
  async function enter(/** @type {string} */ matchId) {
    leave();
    replay.begin(Infinity); // nothing moves before it is known what is history
    const held = holding(matchId);
    if (!held) {
      page.tell({ type: "choosing.entered" });
      const [title, detail] = [say("notice.no_token"), say("notice.no_token_detail")];
      page.tell({ type: "notice.changed", notice: { title, detail } });
      return;
    }
    page.tell({ type: "match.entered", matchId, seat: held.seat });
    player = playerOf(held, tellConnection);
    follow(player, matchId, leaving.signal);
    const match = await readMatch();
    if (!match) return;
    replay.begin(match.version);
    replay.catchUp();
  }

  /** Stop following. */
  function leave() {
    leaving.abort();
    leaving = new AbortController();
    player = null;
  }

  /**
   * Take in every event of a match until it is over or left.
   * @param {import("/client/seedlog.js").Seedlog} client
   * @param {string} matchId
   * @param {AbortSignal} signal
   */
  async function follow(client, matchId, signal) {
    try {
      for await (const event of client.follow(matchId, { signal })) followed(event);
    } catch (error) {
      if (!signal.aborted) tellWhy(error);
    }
  }

  /** Take in an event; position, steps and legal moves come with it. */
  function followed(/** @type {import("./types.js").MatchEvent} */ event) {
    page.tell({ type: "event.followed", event });
    if (page.state.match) replay.catchUp();
  }

  /** Read the match, however long it takes; null if it is refused or left. */
  async function readMatch() {
    const { signal } = leaving;
    try {
      const match = await player?.match(page.state.matchId, { layout: true }, { signal });
      if (!match || signal.aborted) return null;
      const skewMs = match.clock ? Date.parse(match.clock.at) - Date.now() : 0;
      page.tell({ type: "match.read", match, skewMs });
      return match;
    } catch (error) {
      if (!signal.aborted) tellWhy(error);
      return null;
    }
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
    if (sending || !latest || !player) return;
    page.tell({ type: "move.sent", move });
    await act(player.play(matchId, move, { version: latest.version }));
    page.tell({ type: "move.settled" });
  }

  async function resign() {
    page.tell({ type: "resigning.asked", asked: false });
    if (player) await act(player.resign(page.state.matchId));
  }

  /** Do something to the match; whatever comes of it, the log will tell. */
  async function act(/** @type {Promise<{match: any}>} */ deed) {
    const { matchId } = page.state;
    try {
      const { match } = await deed;
      if (page.state.matchId === matchId) page.tell({ type: "match.read", match });
    } catch (error) {
      tellWhy(error);
      if (page.state.matchId === matchId) await readMatch();
    }
  }

  function tellConnection(/** @type {boolean} */ lost) {
    if (page.state.lost !== lost) page.tell({ type: "connection.changed", lost });
  }

  /** Show why something was refused; what is our own mistake goes on to the console. */
  function tellWhy(/** @type {unknown} */ error) {
    const isAway = error instanceof Problem && AWAY.includes(error.status);
    if (error instanceof Problem && !isAway) {
      page.tell({ type: "notice.changed", notice: noticeOf(error) });
    } else if (isAway || error instanceof Unreachable) {
      const [title, detail] = [say("notice.unreachable"), say("notice.unreachable_detail")];
      page.tell({ type: "notice.changed", notice: { title, detail } });
    } else {
      const notice = { title: say("notice.broken"), detail: String(error) };
      page.tell({ type: "notice.changed", notice });
      throw error;
    }
  }

  function listen() {
    byId("choice").addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      if (page.state.choice && !page.state.opening) open(page.state.choice);
    });
    byId("again").addEventListener("click", () => {
      const { match, seat, choice } = page.state;
      if (!match) return;
      const ai = Object.values(match.seats).find((who) => who?.kind === "ai");
      const level = ai?.level ?? choice?.level ?? 1;
      open({ game: match.game, options: match.options, seat, level });
    });
    for (const id of ["change", "new-match"]) {
      byId(id).addEventListener("click", () => page.goTo(""));
    }
    const ask = (/** @type {boolean} */ asked) => () =>
      page.tell({ type: "resigning.asked", asked });
    byId("resign").addEventListener("click", ask(true));
    byId("resign-no").addEventListener("click", ask(false));
    byId("resign-yes").addEventListener("click", resign);
  }

  return { enter, leave, choosePlace, playMove, tellWhy, listen };
}
