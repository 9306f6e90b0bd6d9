// @ts-check
/**
 * Boards and matches in any page: `<script type="module" src="https://.../embed.js">`.
 *
 * It brings `<seedlog-board>` and `<seedlog-match>`, in the language of the page that they
 * stand in (`<html lang="hi">`), or of whoever looks at it.
 */

import { defineBoard } from "./board-element.js";
import { defineMatch } from "./match-element.js";
import { speak } from "./words.js";

const LANGUAGES = ["en", "pa", "hi", "tr", "ja"];

/** Return the language of the page if it is one of ours, or the first that is liked. */
function languageOfPage() {
  const liked = [document.documentElement.lang, ...navigator.languages, "en"];
  const codes = liked.map((name) => name.slice(0, 2).toLowerCase());
  return codes.find((code) => LANGUAGES.includes(code)) ?? "en";
}

const code = languageOfPage();
const words = new URL(`/words/${code}.js`, import.meta.url).href;
speak(code, (await import(words)).default);
defineBoard();
defineMatch();
