// @ts-check
/** Draws the match: the board between its players, and whose turn it is. */

import { marksOf } from "./boards/marks.js";
import { sideOf } from "./boards/pits.js";
import { openingBoard } from "./boards/position.js";
import { roundOf } from "./boards/rounds.js";
import { moveWords, placeWords, roundWords, waysFrom, yourTurn } from "./boards/spoken.js";
import { byId, make, setText } from "./elements.js";
import { fullSentenceOf } from "./moves.js";
import { whoIs } from "./sentences.js";
import { ending, isNow, openMoves, otherSeat, shownEvent } from "./state.js";
import { theme } from "./themes.js";
import { language, say, seatName } from "./words.js";

/** @typedef {import("./state.js").State} State */
/**
 * @typedef {object} Handlers
 * @property {(place: string) => void} onPlace
 * @property {(move: string) => void} onMove
 * @property {number} beatMs
 */

/**
 * @param {State} state
 * @param {Handlers} handlers
 */
export function drawTable(state, handlers) {
  const { match, layout } = state;
  const event = shownEvent(state);
  if (!match || !layout || !event) return;
  const moves = openMoves(state);
  const { board: known, owners = null } = state.frame ?? event;
  const board = Object.keys(known).length ? known : waitingBoard(state);
  const game = gameName(state);
  const caption = roundWords(event.position, match.options);
  const title = say("place.board", { game });
  const ways = waysFrom(state.offered, moves.byPlace.get(state.offered) ?? []);
  /** @type {import("./types.js").View} */
  const view = {
    layout,
    theme: theme(),
    seats: Object.keys(match.seats),
    bottom: state.bottom,
    board,
    owners,
    title: caption ? `${title}, ${caption}` : title,
    caption,
    open: new Set(moves.byPlace.keys()),
    marks: state.frame?.marks ?? marksOf(event.steps),
    hand: state.frame?.hand ?? null,
    flights: state.frame?.flights,
    beatMs: handlers.beatMs,
    chosen: ways.length ? state.offered : "",
    ways,
    describe: (label) => {
      const there = { layout, board, owners };
      return placeWords(label, there, moves.byPlace.has(label));
    },
    onChoose: (place) => handlers.onPlace(place === state.offered ? "" : place),
    onMove: handlers.onMove,
  };
  byId("board").view = view;
  drawPlayers(state, board);
  drawTurn(state);
  drawOffer(state, moves, handlers);
  drawFoot(state);
  setText(byId("match-heading"), title);
  byId("rules").href = `/v1/games/${match.game}/rules?lang=${language()}`;
  const calls = document.hidden && state.held.includes(event.to_move ?? "") && isNow(state);
  document.title = `${calls ? "● " : ""}${game} – Seedlog`;
}

/**
 * Return the board as long as nobody knows who begins: every pit as it will be filled.
 * @param {State} state
 * @returns {import("./types.js").Board}
 */
function waitingBoard({ games, match, layout }) {
  const opening = games.find(({ key }) => key === match?.game)?.opening ?? "";
  const usual = openingBoard(match?.game ?? "", opening);
  const places = [...(layout?.rows.flat() ?? []), ...Object.keys(layout?.stores ?? {})];
  const seeds = match?.options.seeds;
  const filled = places.map((place) => [place, place in (match?.seats ?? {}) ? 0 : (seeds ?? usual[place] ?? 0)]);
  return layout?.kind === "squares" ? usual : Object.fromEntries(filled);
}

/** @param {State} state */
function gameName({ games, match }) {
  return games.find(({ key }) => key === match?.game)?.name ?? match?.game ?? "";
}

/** @param {State} state @param {import("./types.js").Board} board */
function drawPlayers(state, board) {
  drawPlayer(byId("player-top"), otherSeat(state, state.bottom), state, board);
  drawPlayer(byId("player-bottom"), state.bottom, state, board);
}

/**
 * @param {HTMLElement} element
 * @param {string} seat
 * @param {State} state
 * @param {import("./types.js").Board} board
 */
function drawPlayer(element, seat, state, board) {
  const { match, layout } = state;
  const who = match?.seats[seat];
  const toMove = shownEvent(state)?.to_move === seat && !state.frame;
  const isAi = who?.kind === "ai";
  const name = isAi ? say("who.ai_level", { level: who.level }) : playerName(seat, state);
  const tally = tallyOf(seat, board, state);
  const key = [name, seat, tally, toMove].join("|");
  if (element.dataset.key === key) return;
  element.dataset.key = key;
  element.classList.toggle("to-move", toMove);
  const marker = make("span", { className: `marker ${seat}`, ariaHidden: "true" });
  const names = [make("b", {}, [name])];
  if (name !== seatName(seat)) {
    names.push(make("span", { className: "seat-name" }, [seatName(seat)]));
  }
  const score = make("span", { className: "tally" }, [tally]);
  const clock = make("span", { className: "clock", role: "timer", hidden: true });
  clock.dataset.seat = seat;
  element.replaceChildren(marker, ...names, clock, score);
}

/** @param {string} seat @param {State} state */
function playerName(seat, state) {
  return state.match?.seats[seat] ? whoIs(seat, state) : say("who.nobody");
}

/**
 * Return what a seat has: discs, seeds in its store, or on its side.
 * @param {string} seat
 * @param {import("./types.js").Board} board
 * @param {State} state
 */
function tallyOf(seat, board, { layout, match }) {
  if (!layout || !match) return "";
  if (layout.kind === "squares") {
    return String(Object.values(board).filter((who) => who === seat).length);
  }
  const view = { layout, board, seats: Object.keys(match.seats), bottom: seat, title: "" };
  return String(seat in board ? board[seat] : sideOf(view, seat));
}

/** @param {State} state */
function drawTurn(state) {
  const event = shownEvent(state);
  const turn = turnWords(state);
  // While a move is shown, it is the one that is told.
  const told = state.frame ? state.events[state.shown] : event;
  const happened = told ? fullSentenceOf(told, state) : "";
  setText(byId("turn"), turn);
  setText(byId("happened"), happened);
  byId("skip").hidden = !state.frame;
  byId("match").classList.toggle("past", !state.live);
  if (event && !state.frame && !state.sending) {
    setText(byId("live"), say("turn.told", { happened, turn }));
  }
}

/** @param {State} state */
function turnWords(state) {
  const { events, shown, frame, sending, held, layout, live } = state;
  if (frame) {
    const { data } = events[shown];
    return say("turn.playing", { who: whoIs(data.seat, state), move: moveWords(data.move, "") });
  }
  if (!live) return say("turn.past", { version: shown, latest: events.length });
  if (sending) return say("turn.sending", { move: moveWords(sending, "") });
  if (ending(state) && isNow(state)) return say("turn.over");
  const toMove = shownEvent(state)?.to_move;
  if (!toMove) return "";
  if (held.length !== 1) return say("turn.of", { seat: seatName(toMove) });
  if (toMove !== held[0]) return awaited(toMove, state);
  const { claim } = roundOf(shownEvent(state)?.position);
  if (claim) return say("turn.yours_claim", { count: claim });
  return yourTurn(layout, shownEvent(state)?.legal_moves ?? []);
}

/** Say who is waited for. @param {string} seat @param {State} state */
function awaited(seat, state) {
  const isAi = state.match?.seats[seat]?.kind === "ai";
  return isAi ? say("turn.thinking") : say("turn.waiting", { who: whoIs(seat, state) });
}

/**
 * Offer the moves that begin on one place, and those that begin on none.
 * @param {State} state
 * @param {ReturnType<typeof openMoves>} moves
 * @param {Handlers} handlers
 */
function drawOffer(state, moves, handlers) {
  const begun = moves.byPlace.get(state.offered) ?? [];
  const atPlace = waysFrom(state.offered, begun).length > 0;
  const offered = atPlace ? [] : (moves.byPlace.get(state.offered) ?? moves.rest);
  const box = byId("offer");
  box.hidden = !offered.length;
  const key = [state.offered, ...offered].join(" ");
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  if (!offered.length) return;
  const heading = state.offered
    ? say("offer.heading", { place: state.offered })
    : say("offer.rest");
  setText(byId("offer-heading"), heading);
  const buttons = offered.map((move) => {
    const words = moveWords(move, state.offered);
    const button = make("button", { type: "button" }, [words]);
    button.addEventListener("click", () => handlers.onMove(move));
    return button;
  });
  if (state.offered) {
    const cancel = make("button", { type: "button", className: "quiet" }, [say("offer.cancel")]);
    cancel.addEventListener("click", () => handlers.onPlace(""));
    buttons.push(cancel);
  }
  byId("offer-moves").replaceChildren(...buttons);
  if (state.offered) buttons[0].focus();
}

/** @param {State} state */
function drawFoot(state) {
  byId("fork").hidden = state.live || !!state.frame || !shownEvent(state)?.to_move;
  byId("speed").value = state.speed;
  byId("prove").href = `/proof?match=${state.matchId}&lang=${language()}`;
}
