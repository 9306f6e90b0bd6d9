// @ts-check
/** Starts the page that an export can be: it holds all that it needs, and asks nobody. */

import { byId, fillInWords } from "../elements.js";
import { speak } from "../words.js";
import { readLedger } from "./ledger.js";
import { listenToProof, showProof } from "./view.js";

/**
 * @param {{verify: (data: any) => Promise<any>, rules: any}} verifier
 * @param {Record<string, Record<string, any>>} words by language
 */
export function showKept({ verify, rules }, words) {
  const data = JSON.parse(byId("data").textContent);
  const liked = navigator.languages.map((name) => name.slice(0, 2));
  let code = liked.find((name) => name in words) ?? "en";
  /** @type {any} */
  let found = null;

  function tell() {
    document.documentElement.lang = code;
    speak(code, words[code]);
    fillInWords();
    byId("language").value = code;
    const shown = JSON.parse(data.shown);
    showProof({ ledger: readLedger(data.export), rules, shown, found });
  }

  byId("language").addEventListener("change", () => {
    code = byId("language").value;
    tell();
  });
  byId("save").addEventListener("click", () => save(data.export));
  listenToProof();
  tell();
  verify(data)
    .catch((error) => ({ findings: [["this page", String(error)]], stood: [], older: 0 }))
    .then((verdict) => {
      found = verdict;
      tell();
    });
}

/** @param {string} text */
function save(text) {
  const file = new Blob([text], { type: "application/x-ndjson" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = "match.jsonl";
  link.click();
}
