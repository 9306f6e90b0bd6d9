// @ts-check
/** What the verifier says, in words. */

import { hasWords, say } from "../words.js";

/** @typedef {import("./view.js").Found} Found */

/** What is said of a file that holds: by whether signatures and rules were checked. */
const HOLDS = [
  ["proof.ok", "proof.ok_ruled"],
  ["proof.ok_signed", "proof.ok_signed_ruled"],
];

/** Return why something does not hold; what is particular is said as the rules say it. */
export function whyWords(/** @type {string} */ reason) {
  const key = `why.${reason.replaceAll(" ", "_")}`;
  return hasWords(key) ? say(key) : reason;
}

/** Return what a place of the file is called. */
export function placeName(/** @type {string} */ place) {
  const found = /^event (\d+)$/.exec(place);
  if (found) return say("proof.place.event", { version: found[1] });
  const key = `proof.place.${place.replaceAll(" ", "_")}`;
  return hasWords(key) ? say(key) : place;
}

/** @param {Found} found @param {boolean} hasRules @param {boolean} isCutOff */
export function verdictWords({ findings, isSigned, head, stood }, hasRules, isCutOff) {
  if (findings.length && isCutOff) return say("proof.cut_off");
  if (findings.length) {
    const [place, reason] = findings[0];
    const facts = { place: placeName(place), reason: whyWords(reason), count: findings.length - 1 };
    return say(findings.length > 1 ? "proof.wrong_more" : "proof.wrong", facts);
  }
  const key = HOLDS[Number(!!isSigned)][Number(hasRules)];
  return say(key, { count: head?.events ?? stood.length });
}

/**
 * Return what the verdict rests on, and what it does not say.
 * @param {Found} found
 * @param {string} rules the version of those that were checked, or none
 * @param {number} count of the events
 * @param {boolean} isOurKey
 */
export function trustWords({ head, isSigned, stood, older }, rules, count, isOurKey) {
  const said = [];
  if (head && isSigned) {
    const facts = { key: head.key, time: head.at };
    said.push(say(isOurKey ? "proof.signed_by_us" : "proof.signed_by", facts));
  } else if (head) said.push(say("proof.unsigned"));
  said.push(rules ? say("proof.replayed", { played: stood.length, count, rules }) : say("proof.not_replayed"));
  if (older) said.push(say("proof.older", { count: older }));
  return said;
}
