// @ts-check
/** Draws the boards of a rulebook, in the language that it is written in. */

import "./boards/element.js";
import { speak } from "./words.js";

const link = /** @type {HTMLLinkElement} */ (document.querySelector("link[data-words]"));
speak(document.documentElement.lang, (await import(link.href)).default);
for (const board of document.querySelectorAll("seedlog-board")) {
  board.setAttribute("position", board.getAttribute("position") ?? ""); // now in words
}
