// @ts-check
/** Draws the boards of a rulebook in its language, and plays its worked examples on them. */

import { SeedlogBoard, defineBoard } from "./board-element.js";
import { NoPosition, readPosition } from "./boards/position.js";
import { placeWords, roundWords } from "./boards/spoken.js";
import { make } from "./elements.js";
import { beatOf } from "./pace.js";
import { framesOf } from "./steps.js";
import { say, speak } from "./words.js";

/** @typedef {import("./types.js").Frame} Frame */

const STEPPED_MS = 250; // how long a moment that one has asked for takes to come

const link = /** @type {HTMLLinkElement} */ (document.querySelector("link[data-words]"));
speak(document.documentElement.lang, (await import(link.href)).default);
defineBoard();
/** @type {SeedlogBoard | null} */
let before = null;
for (const board of /** @type {NodeListOf<SeedlogBoard>} */ (document.querySelectorAll("seedlog-board"))) {
  const text = before?.getAttribute("position") ?? "";
  const start = positionOf(board.getAttribute("game") ?? "", text);
  if (start && board.hasAttribute("steps")) letPlay(board, start, text);
  before = board;
}

/**
 * Return a position; null if a game writes it in its own way.
 * @param {string} game
 * @param {string} text
 */
function positionOf(game, text) {
  try {
    return readPosition(game, text);
  } catch (error) {
    if (error instanceof NoPosition) return null;
    throw error;
  }
}

/**
 * Put buttons below a board: one shows the move that led to it, one a moment of it.
 * @param {SeedlogBoard} board
 * @param {import("./boards/position.js").Position} start the position before
 * @param {string} text that position as it is written
 */
function letPlay(board, start, text) {
  const game = board.getAttribute("game") ?? "";
  const steps = JSON.parse(board.getAttribute("steps") ?? "[]");
  const frames = framesOf(start, steps);
  let shown = frames.length; // that of the board after the move
  let running = 0; // of two clicks the later one counts

  /** @param {number} index @param {number} beatMs */
  function show(index, beatMs) {
    shown = index;
    const frame = frames[index];
    board.view = frame ? { ...viewOf(frame), beatMs } : null;
  }

  /** @param {Frame} frame @returns {import("./types.js").View} */
  function viewOf(frame) {
    const there = { ...start, board: frame.board, owners: frame.owners };
    return {
      ...there,
      bottom: start.seats[0],
      title: say("place.board", { game }),
      caption: roundWords(text),
      marks: frame.marks,
      hand: frame.hand,
      flights: frame.flights,
      describe: (label) => placeWords(label, there, false),
    };
  }

  async function play() {
    const mine = (running += 1);
    const beats = frames.reduce((sum, frame) => sum + frame.beats, 0);
    const beatMs = beatOf("normal", beats, 0);
    for (const [index, frame] of frames.entries()) {
      show(index, beatMs);
      await new Promise((done) => setTimeout(done, frame.beats * beatMs));
      if (mine !== running) return;
    }
    show(frames.length, 0);
  }

  function step() {
    running += 1;
    show(shown < frames.length ? shown + 1 : 0, STEPPED_MS);
  }

  const buttons = [["example.play", play], ["log.step", step]].map(([key, act]) => {
    const button = make("button", { type: "button" }, [say(String(key))]);
    button.addEventListener("click", act);
    return button;
  });
  board.after(make("div", { className: "moments" }, buttons));
}
