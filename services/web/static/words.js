// @ts-check
/** Says what the page has to say, by key, in the language it was given the words of. */

/** @typedef {string | {one: string, other: string}} Words a text, or its plural forms */

/** @type {Record<string, Words>} */
let words = {};
let plurals = new Intl.PluralRules("en");
let numbers = new Intl.NumberFormat("en");

let code = "en";

/** Return the language that the page speaks: `pa`, for instance. */
export function language() {
  return code;
}

/**
 * Speak a language from now on; its words are served at `/words/<language>.js`.
 * @param {string} itsCode
 * @param {Record<string, Words>} itsWords
 */
export function speak(itsCode, itsWords) {
  code = itsCode;
  words = itsWords;
  plurals = new Intl.PluralRules(code);
  numbers = new Intl.NumberFormat(code);
}

/**
 * Return a text, with facts in the place of their names; `count` chooses its plural.
 * @param {string} key
 * @param {Record<string, any>} [facts]
 */
export function say(key, facts = {}) {
  const found = words[key];
  if (found === undefined) return key;
  const form = typeof found === "string" ? found : formOf(found, facts.count);
  return form.replace(/\{(\w+)\}/g, (_, name) => told(facts[name]));
}

/**
 * Tell whether there is a text of that key.
 * @param {string} key
 */
export function hasWords(key) {
  return key in words;
}

/**
 * Return the name of a seat.
 * @param {string} seat
 */
export function seatName(seat) {
  return hasWords(`seat.${seat}`) ? say(`seat.${seat}`) : seat;
}

/**
 * Return who wrote an event: `guest`, `seat`, `ai` or `key`, and perhaps which.
 * @param {string} by
 */
export function authorName(by) {
  const key = `who.by.${by.split(":")[0]}`;
  return hasWords(key) ? say(key) : by;
}

/**
 * Return the time of day of a moment, as it is written here.
 * @param {string | Date} moment
 * @param {boolean} [seconds]
 */
export function timeOfDay(moment, seconds = true) {
  const style = seconds ? "medium" : "short";
  return new Date(moment).toLocaleTimeString(code, { timeStyle: style });
}

/**
 * Say what a refusal means and what would have been right: in the words of the API, which
 * knows our language, or in our own where the page knows more.
 * @param {import("/client/seedlog.js").Problem} problem
 * @returns {import("./types.js").Notice}
 */
export function noticeOf(problem) {
  const title = problem.facts.title ?? problem.message;
  const key = `problem.${problem.type}.detail`;
  if (!hasWords(key)) return { title, detail: details(problem) };
  const laterMs = (problem.retryAfterS ?? 0) * 1000;
  const time = timeOfDay(new Date(Date.now() + laterMs), false);
  return { title, detail: say(key, { time, count: Math.ceil(laterMs / 60_000) }) };
}

/**
 * Return a value of an option as it is called.
 * @param {string} name
 * @param {unknown} value
 */
export function optionValue(name, value) {
  const key = `option.${name}.${value ?? "none"}`;
  if (hasWords(key)) return say(key);
  if (typeof value === "boolean") return say(value ? "choose.yes" : "choose.no");
  return value === null ? say("choose.none") : String(value);
}

/** @param {import("/client/seedlog.js").Problem} problem */
function details({ facts, message }) {
  const errors = (facts.errors ?? []).map(
    (/** @type {{pointer: string, detail: string}} */ error) =>
      `${error.pointer}: ${error.detail}`,
  );
  return errors.join("; ") || facts.detail || message;
}

/** @param {{one: string, other: string}} forms @param {number} count */
function formOf(forms, count) {
  return plurals.select(count) === "one" ? forms.one : forms.other;
}

/** @param {unknown} fact */
function told(fact) {
  return typeof fact === "number" ? numbers.format(fact) : String(fact ?? "");
}
