// @ts-check
/** Which language the page speaks: that of the address, of a former choice, or as served. */

import { byId, fillInWords } from "./elements.js";
import { keep, kept } from "./keeping.js";
import { speak } from "./words.js";

const CHOSEN = "seedlog.language";
const IN_ADDRESS = "lang";

/** Learn the words of the language, and say in it what index.html says. */
export async function learnLanguage() {
  const root = document.documentElement;
  const served = root.lang;
  const chosen = inAddress() ?? kept(CHOSEN) ?? served;
  const code = wordsOf(chosen) ? chosen : served;
  const { default: words } = await import(wordsOf(code) ?? "");
  root.lang = code;
  speak(code, words);
  fillInWords();
  byId("language").value = code;
}

/** Speak another language from now on, when it is chosen. */
export function listenToLanguage() {
  byId("language").addEventListener("change", () => {
    const { value } = byId("language");
    keep(CHOSEN, value);
    const address = new URL(location.href);
    address.searchParams.delete(IN_ADDRESS);
    if (kept(CHOSEN) !== value) address.searchParams.set(IN_ADDRESS, value);
    history.replaceState(null, "", address);
    location.reload();
  });
}

/** Return the language that the address names, if there are words of it. */
function inAddress() {
  const code = new URLSearchParams(location.search).get(IN_ADDRESS);
  return code && wordsOf(code) ? code : null;
}

/**
 * Return where the words of a language are.
 * @param {string} code
 * @returns {string | null}
 */
function wordsOf(code) {
  const option = [...byId("language").options].find(({ value }) => value === code);
  return option?.dataset.words ?? null;
}
