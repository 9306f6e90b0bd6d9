// @ts-check
/** Two who do not know each other: looks for somebody to play, and lists who is played. */

import { newKey } from "/client/seedlog.js";
import { openingBoard } from "./boards/position.js";
import { byId, make } from "./elements.js";
import { anybody, hold } from "./seats.js";
import { theme } from "./themes.js";
import { say } from "./words.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./state.js").State} State */
/** @typedef {ReturnType<typeof import("./play.js").createPlay>} Play */

const WAIT_S = 25; // so long an answer waits for somebody
const MOST_SHOWN = 3; // the games are to be in sight
const PAUSE_MS = 1000; // where so many wait that it does not

/** @param {Page} page @param {Play} play */
export function createStrangers(page, play) {
  let looking = new AbortController();

  /**
   * Look for somebody who wants to play the same, until there is one or it is stopped.
   *
   * The same request is sent again and again: it goes on looking. It ends with this tab.
   * Who guessed its key could take the seat.
   * @param {Record<string, any>} wanted
   */
  async function seek(wanted) {
    looking.abort();
    looking = new AbortController();
    const { signal } = looking;
    const options = { body: { ...wanted, wait_s: WAIT_S }, idempotencyKey: newKey(), signal };
    page.tell({ type: "seeking.changed", seeking: true });
    try {
      while (!signal.aborted) {
        const asked = Date.now();
        const found = await anybody().request("POST", "/v1/guest-seeks", { ...options, waitS: WAIT_S });
        if (found.status === "matched" && !signal.aborted) {
          hold(found.match, { [found.seat]: found.seat_token });
          page.goTo(found.match.id);
          return;
        }
        if (Date.now() - asked < PAUSE_MS) await new Promise((done) => setTimeout(done, PAUSE_MS));
      }
    } catch (error) {
      if (!signal.aborted) play.tellWhy(error);
    }
    if (signal === looking.signal) stop();
  }

  /** Look no longer. */
  function stop() {
    looking.abort();
    if (page.state.seeking) page.tell({ type: "seeking.changed", seeking: false });
  }

  function listen() {
    byId("seek-stop").addEventListener("click", stop);
    addEventListener("popstate", stop);
  }

  return { listen, seek };
}

/**
 * List matches that anybody may look on.
 * @param {State} state
 * @param {any[]} matches as the API tells them
 */
export function drawWatched({ games }, matches) {
  const entries = matches.slice(0, MOST_SHOWN).map(({ id, game, position, ply, followers }) => {
    const known = games.find(({ key }) => key === game);
    const facts = [say("watch.moves", { count: ply })];
    if (followers) facts.push(say("watch.followers", { count: followers }));
    const link = make("a", { href: `#${id}` }, [
      make("b", {}, [known?.name ?? game]),
      make("span", { className: "status" }, [facts.join(" · ")]),
    ]);
    return make("li", {}, [picture(known, position), link]);
  });
  byId("watch-list").replaceChildren(...entries);
  byId("watch").hidden = !entries.length;
}

/**
 * Draw what stands on a board, as small as it is shown here.
 * @param {import("./types.js").Game | undefined} game
 * @param {string | null} position
 */
function picture(game, position) {
  const place = make("div", { className: "picture", ariaHidden: "true" });
  if (!game || !position) return place;
  const { layout, seats, name } = game;
  const drawing = make("seedlog-board");
  const board = openingBoard(game.key, position);
  drawing.view = { layout, seats, board, bottom: seats[0], title: name, theme: theme(), picture: true };
  place.append(drawing);
  return place;
}
