// @ts-check
/** Plays a match: opens it, follows its log, sends moves. */

import * as api from "./api.js";
import { byId } from "./elements.js";
import { follow } from "./feed.js";
import { latestEvent, openMoves } from "./state.js";
import { noticeOf, say } from "./words.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {{begin: (version: number) => void, catchUp: () => void}} Replay */

/**
 * @param {Page} page
 * @param {Replay} replay
 */
export function createPlay(page, replay) {
  /** @type {import("./feed.js").Following | null} */
  let following = null;

  /** Open a match and go to it. */
  async function open(/** @type {Choice} */ choice) {
    page.tell({ type: "opening.started" });
    try {
      const match = await api.openMatch(choice);
      page.goTo(match.id);
    } catch (error) {
      tellWhy(error);
    }
  }

  /** Show a match that this browser tab holds a seat of. */
  async function enter(/** @type {string} */ matchId) {
    leave();
    replay.begin(Infinity); // nothing moves before it is known what is history
    const seat = api.holding(matchId)?.seat;
    if (!seat) {
      page.tell({ type: "choosing.entered" });
      const [title, detail] = [say("notice.no_token"), say("notice.no_token_detail")];
      page.tell({ type: "notice.changed", notice: { title, detail } });
      return;
    }
    page.tell({ type: "match.entered", matchId, seat });
    following = follow(matchId, 0, followed, {
      onConnection: tellConnection,
      onProblem: tellWhy,
    });
    const match = await readMatch();
    if (!match) return;
    replay.begin(match.version);
    replay.catchUp();
  }

  /** Stop following. */
  function leave() {
    following?.stop();
    following = null;
  }

  /** Take in an event; position, steps and legal moves come with it. */
  function followed(/** @type {import("./types.js").MatchEvent} */ event) {
    page.tell({ type: "event.followed", event });
    if (page.state.match) replay.catchUp();
  }

  /** Read the match, however long it takes; null if it is refused or left. */
  async function readMatch() {
    const { matchId } = page.state;
    for (let failures = 1; page.state.matchId === matchId; failures += 1) {
      try {
        const match = await api.readMatch(matchId);
        if (page.state.matchId !== matchId) return null;
        const skewMs = match.clock ? Date.parse(match.clock.at) - Date.now() : 0;
        page.tell({ type: "match.read", match, skewMs });
        return match;
      } catch (error) {
        if (!(error instanceof api.Unreachable)) {
          tellWhy(error);
          return null;
        }
        tellConnection(true);
        await new Promise((done) => setTimeout(done, api.waitMs(failures)));
      }
    }
    return null;
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
    if (sending || !latest) return;
    page.tell({ type: "move.sent", move });
    await act(() => api.playMove(matchId, latest.version, move, tellConnection));
    page.tell({ type: "move.settled" });
  }

  async function resign() {
    const { matchId } = page.state;
    page.tell({ type: "resigning.asked", asked: false });
    await act(() => api.resign(matchId, tellConnection));
  }

  /** Do something to the match; whatever comes of it, the log will tell. */
  async function act(/** @type {() => Promise<import("./types.js").Match>} */ deed) {
    const { matchId } = page.state;
    try {
      const match = await deed();
      if (page.state.matchId === matchId) page.tell({ type: "match.read", match });
    } catch (error) {
      tellWhy(error);
      if (page.state.matchId === matchId) await readMatch();
    }
    following?.wake();
  }

  function tellConnection(/** @type {boolean} */ lost) {
    if (page.state.lost !== lost) page.tell({ type: "connection.changed", lost });
  }

  /** Show why something was refused; what is our own mistake goes on to the console. */
  function tellWhy(/** @type {unknown} */ error) {
    if (error instanceof api.Problem) {
      page.tell({ type: "notice.changed", notice: noticeOf(error) });
    } else if (error instanceof api.Unreachable) {
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
