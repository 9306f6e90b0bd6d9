// @ts-check
/** `<seedlog-match match="mat_..." token="...">`: a match in any page, watched or played. */

import { Problem, Seedlog } from "/client/seedlog.js";
import { marksOf } from "./boards/marks.js";
import { sideOf } from "./boards/pits.js";
import { moveWords, placeWords, roundWords, waysFrom, yourTurn } from "./boards/spoken.js";
import { sortByPlace } from "./choices.js";
import { make, setText } from "./elements.js";
import { fullSentenceOf } from "./moves.js";
import { beatOf } from "./pace.js";
import { framesOf } from "./steps.js";
import { language, noticeOf, say, seatName } from "./words.js";

/** @typedef {import("./types.js").Frame} Frame */
/** @typedef {import("./types.js").Match} Match */
/** @typedef {import("./types.js").MatchEvent} MatchEvent */

const STYLE = new URL("./match-element.css", import.meta.url).href;
const SERVER = new URL(import.meta.url).origin;
const BOARD_PARTS = "board, plank, pit, store, square, number, label, caption, disc, dark, light, way, error";
const SPEEDS = ["none", "fast", "normal", "slow"];
const LAST = ["match.ended", "match.aborted"];
/** How long a match may take to come before somebody is told that it does not. */
const PATIENCE_MS = 6000;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Follows a match, and plays in it with the token of a seat.
 *
 * Attributes: `match`; `token`, of a seat or of spectators; `readonly`: nothing is played;
 * `bottom`: the seat whose side is below; `theme`, `speed` and `scheme` (light or dark).
 * Events, which bubble: `seedlog-move` with an event of the log, `seedlog-end` with the
 * last one, `seedlog-error` with why the match cannot be shown or a move was refused.
 */
export class SeedlogMatch extends HTMLElement {
  static observedAttributes = ["match", "token", "readonly", "bottom", "theme", "speed"];

  #board = /** @type {import("./board-element.js").SeedlogBoard} */ (make("seedlog-board"));
  #above = make("div", { className: "player" });
  #below = make("div", { className: "player" });
  #turn = make("p", { className: "turn" });
  #happened = make("p", { className: "happened" });
  #notice = make("p", { className: "notice", hidden: true });
  #offer = make("div", { className: "offer" });
  #leaving = new AbortController();
  /** @type {Seedlog | null} */
  #client = null;
  /** @type {Match | null} */
  #match = null;
  /** @type {MatchEvent | null} what is shown, and was before the frame of an animation */
  #event = null;
  /** @type {Frame | null} */
  #frame = null;
  #beatMs = 0;
  #inTurn = 0;
  #chosen = "";
  #isSending = false;
  #isDue = false;

  constructor() {
    super();
    this.#above.setAttribute("part", "player above");
    this.#below.setAttribute("part", "player below");
    this.#turn.setAttribute("part", "turn");
    this.#happened.setAttribute("part", "happened");
    this.#notice.setAttribute("part", "notice");
    this.#notice.setAttribute("role", "alert");
    this.#board.setAttribute("exportparts", BOARD_PARTS);
    const said = make("div", { role: "status" }, [this.#turn, this.#happened]);
    const table = make("div", { className: "table" }, [
      this.#above, this.#board, this.#below, said, this.#offer, this.#notice,
    ]);
    const style = make("link", { rel: "stylesheet", href: STYLE });
    this.attachShadow({ mode: "open" }).append(style, table);
  }

  connectedCallback() {
    this.#begin();
  }

  disconnectedCallback() {
    this.#leaving.abort();
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    if (!this.isConnected) return;
    if (name === "match" || name === "token") this.#begin();
    else this.#draw();
  }

  /** The match as it was last read. */
  get match() {
    return this.#match;
  }

  /** The seat that this element plays; "" if it only watches. */
  get seat() {
    const [head, seat = ""] = (this.getAttribute("token") ?? "").split(".");
    return head.startsWith("st_") ? seat : "";
  }

  /** Begin once, however many attributes are set one after the other. */
  #begin() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.isConnected) this.#follow();
    });
  }

  async #follow() {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    const { signal } = this.#leaving;
    const matchId = this.getAttribute("match") ?? "";
    const token = this.getAttribute("token") ?? "";
    [this.#match, this.#event, this.#frame] = [null, null, null];
    if (!matchId) return;
    this.#client = new Seedlog(SERVER, token, { language: language() });
    const waiting = setTimeout(() => {
      if (!this.#match && !signal.aborted) this.#refuse(new Error(say("notice.not_let_in")));
    }, PATIENCE_MS);
    signal.addEventListener("abort", () => clearTimeout(waiting));
    try {
      this.#match = await this.#client.match(matchId, { layout: true }, { signal });
      clearTimeout(waiting);
      this.#notice.hidden = true;
      const seen = this.#match?.version ?? 0;
      for await (const event of this.#client.follow(matchId, { signal })) {
        await this.#reach(/** @type {MatchEvent} */ (event), seen, signal);
      }
    } catch (error) {
      clearTimeout(waiting);
      if (!signal.aborted) this.#refuse(error);
    }
  }

  /**
   * Show an event: at once if it was there when we came, otherwise move by move.
   * @param {MatchEvent} event
   * @param {number} seen
   * @param {AbortSignal} signal
   */
  async #reach(event, seen, signal) {
    const isNews = event.version > seen;
    if (isNews) await this.#animate(event, signal);
    if (signal.aborted) return;
    [this.#event, this.#frame, this.#isSending, this.#chosen] = [event, null, false, ""];
    this.#inTurn = event.to_move === this.seat ? 0 : this.#inTurn + 1;
    if (event.type === "match.move_played" && isNews) this.#tell("seedlog-move", event);
    if (event.version >= seen) this.#draw();
    if (LAST.includes(event.type)) this.#tell("seedlog-end", event);
  }

  /** @param {MatchEvent} event @param {AbortSignal} signal */
  async #animate(event, signal) {
    const before = this.#event;
    const speed = /** @type {"normal"} */ (this.getAttribute("speed") ?? "normal");
    const isStill = calm.matches || document.hidden || !SPEEDS.includes(speed);
    if (!before || !event.steps?.length || isStill) return;
    const frames = framesOf(before, event.steps);
    const beats = frames.reduce((sum, frame) => sum + frame.beats, 0);
    this.#beatMs = beatOf(speed, beats, this.#inTurn);
    if (!this.#beatMs) return;
    for (const frame of frames) {
      if (signal.aborted) return;
      this.#frame = frame;
      this.#draw();
      await new Promise((done) => setTimeout(done, frame.beats * this.#beatMs));
    }
  }

  #draw() {
    const [match, event] = [this.#match, this.#event];
    const layout = match?.layout;
    if (!match || !event || !layout) return;
    const seats = Object.keys(match.seats);
    const wanted = this.getAttribute("bottom") || this.seat;
    const bottom = seats.includes(wanted) ? wanted : seats[0];
    const { board, owners = null } = this.#frame ?? event;
    const isOurs = !this.#frame && !this.#isSending && this.#mayPlay(event);
    const moves = sortByPlace(isOurs ? event.legal_moves : [], layout.rows.flat());
    const begun = moves.byPlace.get(this.#chosen) ?? [];
    const ways = waysFrom(this.#chosen, begun);
    const caption = roundWords(event.position, match.options);
    this.#board.view = {
      layout, seats, bottom, board, owners, caption, ways,
      theme: this.getAttribute("theme") ?? "wood",
      title: say("place.board", { game: match.game }),
      open: new Set(moves.byPlace.keys()),
      marks: this.#frame?.marks ?? marksOf(event.steps ?? []),
      hand: this.#frame?.hand ?? null,
      flights: this.#frame?.flights,
      beatMs: this.#frame ? this.#beatMs : 0,
      chosen: ways.length ? this.#chosen : "",
      describe: (label) => placeWords(label, { layout, board, owners }, moves.byPlace.has(label)),
      onChoose: (place) => this.#choose(place, moves.byPlace.get(place) ?? []),
      onMove: (move) => this.#play(move),
    };
    const other = seats.find((seat) => seat !== bottom) ?? "";
    this.#drawPlayer(this.#above, other, match, event, board);
    this.#drawPlayer(this.#below, bottom, match, event, board);
    this.#drawWords(event, match);
    this.#drawOffer(ways.length ? [] : begun.length ? begun : moves.rest);
  }

  /** @param {MatchEvent} event */
  #mayPlay(event) {
    return this.seat !== "" && event.to_move === this.seat && !this.hasAttribute("readonly");
  }

  /**
   * @param {HTMLElement} element
   * @param {string} seat
   * @param {Match} match
   * @param {MatchEvent} event
   * @param {import("./types.js").Board} board
   */
  #drawPlayer(element, seat, match, event, board) {
    const who = match.seats[seat];
    const isAi = who?.kind === "ai";
    const name = isAi ? say("who.ai_level", { level: who.level }) : who?.name || seatName(seat);
    const layout = /** @type {import("./types.js").Layout} */ (match.layout);
    const discs = Object.values(board).filter((there) => there === seat).length;
    const side = () => sideOf({ layout, board, seats: [], bottom: seat, title: "" }, seat);
    const tally = layout.kind === "squares" ? discs : (board[seat] ?? side());
    element.classList.toggle("to-move", event.to_move === seat && !this.#frame);
    const named = name === seatName(seat) ? "" : seatName(seat);
    element.replaceChildren(
      make("b", {}, [name]),
      make("span", { className: "seat" }, [named]),
      make("span", { className: "tally" }, [String(tally)]),
    );
  }

  /** @param {MatchEvent} event @param {Match} match */
  #drawWords(event, match) {
    const seen = /** @type {any} */ ({ seat: this.seat, match, games: [], layout: match.layout });
    setText(this.#happened, fullSentenceOf(event, seen));
    const isOver = !event.to_move;
    if (isOver) setText(this.#turn, LAST.includes(event.type) ? say("turn.over") : "");
    else if (this.#mayPlay(event)) setText(this.#turn, yourTurn(match.layout, event.legal_moves));
    else setText(this.#turn, say("turn.of", { seat: seatName(event.to_move ?? "") }));
  }

  /** Offer moves that no place of the board stands for. @param {string[]} moves */
  #drawOffer(moves) {
    const buttons = moves.map((move) => {
      const button = make("button", { type: "button" }, [moveWords(move, this.#chosen)]);
      button.addEventListener("click", () => this.#play(move));
      return button;
    });
    this.#offer.replaceChildren(...buttons);
  }

  /** @param {string} place @param {string[]} moves */
  #choose(place, moves) {
    if (moves.length === 1) this.#play(moves[0]);
    else {
      this.#chosen = place === this.#chosen ? "" : place;
      this.#draw();
    }
  }

  /** @param {string} move */
  async #play(move) {
    const [client, event, match] = [this.#client, this.#event, this.#match];
    if (this.#isSending || !client || !event || !match) return;
    this.#isSending = true;
    this.#notice.hidden = true;
    this.#chosen = "";
    this.#draw();
    try {
      await client.play(match.id, move, { version: event.version });
    } catch (error) {
      this.#isSending = false;
      this.#refuse(error);
      this.#draw();
    }
  }

  /** Say why there is nothing to see, or why a move was refused. @param {unknown} error */
  #refuse(error) {
    const { title, detail } =
      error instanceof Problem
        ? noticeOf(error)
        : { title: say("notice.unreachable"), detail: String(error) };
    setText(this.#notice, say("notice.told", { title, detail }));
    this.#notice.hidden = false;
    this.#tell("seedlog-error", error);
  }

  /** @param {string} name @param {unknown} detail */
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

/** Let pages use it; whoever does has the words of a language before. */
export function defineMatch() {
  customElements.define("seedlog-match", SeedlogMatch);
}
