// @ts-check
/** What one can do in a match beside moving: invite, agree, take back, give up, ask. */

import { byId, setText } from "./elements.js";
import { hold, holding, speakerOf } from "./seats.js";
import {
  actingSeat,
  ending,
  isNow,
  latestEvent,
  otherSeat,
  standingMoves,
  standingOffer,
} from "./state.js";
import { moveWords } from "./boards/spoken.js";
import { placeOf } from "./choices.js";
import { whoIs } from "./sentences.js";
import { say } from "./words.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./state.js").State} State */
/** @typedef {ReturnType<typeof import("./play.js").createPlay>} Play */

const REMATCH_MS = 4000;
const HINT_MS = 700;
/** Acts that ask first whether they are meant, by the key of the question. */
const QUESTIONS = ["resign", "call_off", "agree"];

/** @param {Page} page @param {Play} play */
export function createActs(page, play) {
  const { act } = play;

  /** @type {Record<string, () => unknown>} */
  const ways = {
    async resign() {
      const { matchId } = page.state;
      await act(play.speaker()?.resign(matchId));
    },
    async call_off() {
      await act(play.speaker()?.callOff(page.state.matchId));
    },
    async draw() {
      const { state } = page;
      if (state.held.length > 1) page.tell({ type: "act.asked", act: "agree" });
      else await act(play.speaker()?.offerDraw(state.matchId));
    },
    async agree() {
      const { matchId } = page.state;
      const seat = actingSeat(page.state);
      await act(play.speaker(seat)?.offerDraw(matchId));
      await act(play.speaker(otherSeat(page.state, seat))?.answerDraw(matchId, true));
    },
    async takeback() {
      const { state } = page;
      const version = takebackTo(state);
      if (!version) return;
      const seat = actingSeat(state);
      await act(play.speaker(seat)?.requestTakeback(state.matchId, version));
      if (state.held.length < 2) return;
      const other = play.speaker(otherSeat(state, seat));
      await act(other?.answerTakeback(state.matchId, true));
    },
    accept: () => answer(true),
    decline: () => answer(false),
    left: () => guess("left"),
    right: () => guess("right"),
    turn: () => page.tell({ type: "board.turned" }),
    invite,
    hint,
    rematch,
    async copy() {
      const field = byId("invitation");
      field.select();
      await navigator.clipboard?.writeText(field.value).catch(() => {});
      setText(byId("copied"), say("invite.copied"));
    },
  };

  /** Answer what the other seat has offered. */
  async function answer(/** @type {boolean} */ accept) {
    const { matchId } = page.state;
    const offer = standingOffer(page.state);
    const speaker = play.speaker(page.state.held[0]);
    if (offer?.kind === "draw") await act(speaker?.answerDraw(matchId, accept));
    if (offer?.kind === "takeback") await act(speaker?.answerTakeback(matchId, accept));
  }

  async function guess(/** @type {"left" | "right"} */ fist) {
    const { match, matchId } = page.state;
    await act(play.speaker(match?.fist?.guesser ?? "")?.guessFist(matchId, fist));
  }

  /** Make a link by which somebody can sit down; it is told once. */
  async function invite() {
    const { matchId } = page.state;
    const [token] = Object.values(holding(matchId)?.tokens ?? {});
    try {
      const made = await speakerOf(token, () => {}).lobby.invite(matchId);
      const link = `${location.origin}/#${made.token}`;
      if (page.state.matchId === matchId) page.tell({ type: "invitation.made", link });
    } catch (error) {
      play.tellWhy(error);
    }
  }

  /** Ask what to play; that one did is on record. */
  async function hint() {
    const { matchId } = page.state;
    const speaker = play.speaker();
    if (!speaker) return;
    byId("act-hint").disabled = true;
    try {
      const asked = await speaker.analyses.hint(matchId, { time_ms: HINT_MS });
      const found = asked.ended_at ? asked : await speaker.analyses.wait(asked.id);
      const move = found.lines[0]?.moves[0];
      if (move && page.state.matchId === matchId) {
        page.tell({ type: "hint.found", version: found.match_version ?? 0, move });
      }
    } catch (error) {
      play.tellWhy(error);
    }
    byId("act-hint").disabled = false;
  }

  /** Play again, with seats changed; whoever is there already waits in that match. */
  async function rematch() {
    const { state } = page;
    page.tell({ type: "opening.started" });
    try {
      let opened = null;
      for (const seat of state.held) {
        opened = await play.speaker(seat)?.lobby.rematch(state.matchId);
        if (opened) hold(opened, opened.seat_tokens);
      }
      if (opened) page.goTo(opened.id);
    } catch (error) {
      play.tellWhy(error);
    }
  }

  /** Look, after a match with somebody, whether they want to play again. */
  async function lookForRematch() {
    const { match, matchId, held, rematch: known } = page.state;
    const seat = held[0];
    if (!match?.outcome || held.length !== 1 || known || document.hidden) return;
    if (match.seats[otherSeat(page.state, seat)]?.kind === "ai") return;
    const path = `/v1/matches/${matchId}/rematches`;
    const found = await play.speaker(seat)?.request("GET", path).catch(() => null);
    const [wanted] = found?.data ?? [];
    if (wanted && page.state.matchId === matchId) {
      page.tell({ type: "rematch.found", matchId: wanted.id });
    }
  }

  function listen() {
    for (const [name, way] of Object.entries(ways)) {
      const isAsked = QUESTIONS.includes(name);
      for (const element of document.querySelectorAll(`[data-act="${name}"]`)) {
        element.addEventListener("click", () =>
          isAsked ? page.tell({ type: "act.asked", act: name }) : way(),
        );
      }
    }
    byId("sure-yes").addEventListener("click", () => {
      const { asking } = page.state;
      page.tell({ type: "act.asked", act: "" });
      ways[asking]?.();
    });
    byId("sure-no").addEventListener("click", () => page.tell({ type: "act.asked", act: "" }));
    setInterval(lookForRematch, REMATCH_MS);
  }

  return { listen, invite };
}

/** Return the version to go back to: before our last move that stands. @param {State} state */
function takebackTo(state) {
  const { held } = state;
  const own = standingMoves(state).filter(({ data }) => held.includes(data.seat));
  return own.length ? own[own.length - 1].version - 1 : 0;
}

/** Draw what can be done now. @param {State} state */
export function drawActs(state) {
  const { match, held, asking } = state;
  const isOver = ending(state) !== null;
  const plays = held.length > 0 && !isOver;
  const begun = standingMoves(state).length > 0;
  const full = Object.values(match?.seats ?? {}).every((who) => who);
  const offer = standingOffer(state);
  const toMove = held.includes(latestEvent(state)?.to_move ?? "");
  const shown = {
    draw: plays && begun && full && !offer,
    takeback: plays && full && !offer && takebackTo(state) > 0,
    hint: plays && (match?.hints ?? false) && toMove && isNow(state),
    resign: plays && begun && !asking,
    call_off: plays && !begun && !asking,
  };
  for (const [name, visible] of Object.entries(shown)) {
    byId(`act-${name}`).hidden = !visible;
  }
  byId("sure").hidden = !plays || !asking;
  if (asking) setText(byId("sure-question"), say(`act.${asking}_sure`));
  drawHint(state);
  drawOfferOf(state, offer);
  drawFist(state);
  drawInvitation(state, plays && !full);
  byId("rematch-wanted").hidden = !state.rematch;
  if (state.rematch) byId("rematch-link").href = `#${state.rematch}`;
}

/** @param {State} state */
function drawHint(state) {
  const { hint, layout } = state;
  const isCurrent = !!hint && isNow(state) && standsFor(hint.version, state);
  byId("hint").hidden = !isCurrent;
  if (!isCurrent || !hint) return;
  const place = placeOf(hint.move, layout?.rows.flat() ?? []) ?? "";
  setText(byId("hint"), say("act.hint_found", { move: moveWords(hint.move, place) }));
}

/** Tell whether no move was played since a version. @param {number} version @param {State} state */
function standsFor(version, { events }) {
  return events.slice(version).every(({ type }) => type !== "match.move_played");
}

/** @param {State} state @param {ReturnType<typeof standingOffer>} offer */
function drawOfferOf(state, offer) {
  const box = byId("asked");
  box.hidden = !offer || state.held.length > 1;
  if (!offer || box.hidden) return;
  const who = whoIs(otherSeat(state, state.held[0]), state);
  const facts = { who, version: offer.version };
  const key = `offer.${offer.kind}${offer.mine ? ".mine" : ""}`;
  setText(byId("asked-heading"), say(key, facts));
  byId("asked-buttons").hidden = offer.mine;
}

/** @param {State} state */
function drawFist(state) {
  const guesser = state.match?.fist?.guesser;
  const box = byId("fist");
  const waits = !!guesser && Object.values(state.match?.seats ?? {}).every((who) => who);
  box.hidden = !waits || ending(state) !== null;
  if (box.hidden || !guesser) return;
  const isOurs = state.held.includes(guesser);
  const key = isOurs ? "fist.guess" : "fist.wait";
  setText(byId("fist-heading"), say(key, { who: whoIs(guesser, state) }));
  byId("fist-hands").hidden = !isOurs;
}

/** @param {State} state @param {boolean} isFree */
function drawInvitation(state, isFree) {
  byId("invite").hidden = !isFree;
  byId("invitation-made").hidden = !state.invitation;
  byId("act-invite").hidden = !!state.invitation;
  byId("invitation").value = state.invitation;
}
