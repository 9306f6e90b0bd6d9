// @ts-check
/** `<seedlog-board game="kalah" position="...">`: a board in any page, without a server. */

import { draw } from "./board.js";
import { sortByPlace } from "./choices.js";
import { moveWords, placeWords, roundWords, waysFrom } from "./boards/spoken.js";
import { NoPosition, readPosition } from "./boards/position.js";
import { marksOf } from "./boards/marks.js";
import { make } from "./elements.js";
import { say } from "./words.js";

/** @typedef {import("./types.js").View} View */

const STYLE = new URL("./boards/board.css", import.meta.url).href;

/**
 * Draws what its attributes say, or a view that a script has given it.
 *
 * Attributes: `game`, `position`, `bottom` (a seat), `moves` (those that may be chosen,
 * with blanks between), `steps` (those of the last move, as JSON), `theme`, `label`.
 * Events: `seedlog-choose`, whose `detail.move` is one of *moves*.
 */
export class SeedlogBoard extends HTMLElement {
  static observedAttributes = ["game", "position", "bottom", "moves", "steps", "theme", "label"];

  #stage = document.createElement("div");
  #offer = make("div", { className: "offer" });
  #chosen = "";
  #isDue = false;
  /** @type {View | null} */
  #view = null;

  constructor() {
    super();
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = STYLE;
    // Without its style a board is a black square: it waits.
    this.#stage.hidden = true;
    const show = () => (this.#stage.hidden = false);
    style.addEventListener("load", show);
    style.addEventListener("error", show);
    this.attachShadow({ mode: "open" }).append(style, this.#stage, this.#offer);
  }

  connectedCallback() {
    this.#later();
  }

  attributeChangedCallback() {
    this.#chosen = "";
    this.#later();
  }

  /** What is drawn, if a script says it, and not the attributes. */
  get view() {
    return this.#view;
  }

  set view(view) {
    this.#view = view;
    this.#offer.replaceChildren();
    if (view) this.#draw(view);
    else this.#later();
  }

  /** Draw once, however many attributes change. */
  #later() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.isConnected && !this.#view && this.hasAttribute("position")) this.#drawText();
    });
  }

  #drawText() {
    const told = (/** @type {string} */ name) => this.getAttribute(name) ?? "";
    const text = told("position");
    try {
      const there = readPosition(told("game"), text);
      const moves = told("moves").split(/\s+/).filter(Boolean);
      const { byPlace, rest } = sortByPlace(moves, there.layout.rows.flat());
      const ways = waysFrom(this.#chosen, byPlace.get(this.#chosen) ?? []);
      const caption = roundWords(text);
      this.#draw({
        ...there,
        bottom: there.seats.includes(told("bottom")) ? told("bottom") : there.seats[0],
        title: told("label") || say("place.board", { game: told("game") }),
        caption,
        theme: told("theme"),
        marks: marksOf(JSON.parse(told("steps") || "[]")),
        open: new Set(byPlace.keys()),
        chosen: ways.length ? this.#chosen : "",
        ways,
        describe: (label) => placeWords(label, there, byPlace.has(label)),
        onChoose: (place) => this.#choose(place, byPlace.get(place) ?? []),
        onMove: (move) => this.#tell(move),
      });
      this.#drawOffer(rest);
    } catch (error) {
      const why = say("board.no_position", { game: told("game"), text });
      this.#refuse(error instanceof NoPosition ? why : String(error));
    }
  }

  /** Offer moves that no place stands for, below the board. @param {string[]} moves */
  #drawOffer(moves) {
    const buttons = moves.map((move) => {
      const button = make("button", { type: "button" }, [moveWords(move, "")]);
      button.setAttribute("part", "move");
      button.addEventListener("click", () => this.#tell(move));
      return button;
    });
    this.#offer.replaceChildren(...buttons);
  }

  /** @param {string} place @param {string[]} moves that begin there */
  #choose(place, moves) {
    if (moves.length === 1) this.#tell(moves[0]);
    else {
      this.#chosen = place === this.#chosen ? "" : place;
      this.#drawText();
    }
  }

  /** @param {string} move */
  #tell(move) {
    const detail = { move };
    this.dispatchEvent(new CustomEvent("seedlog-choose", { detail, bubbles: true, composed: true }));
  }

  /** @param {View} view */
  #draw(view) {
    this.dataset.kind = view.layout.kind;
    draw(this.#stage, view);
  }

  /** Say in place of a board why there is none. */
  #refuse(/** @type {string} */ why) {
    const said = document.createElement("p");
    said.setAttribute("part", "error");
    said.textContent = why;
    this.#offer.replaceChildren();
    this.#stage.replaceChildren(said);
  }
}

/** Let pages use it; whoever does has the words of a language before. */
export function defineBoard() {
  if (!customElements.get("seedlog-board")) customElements.define("seedlog-board", SeedlogBoard);
}
