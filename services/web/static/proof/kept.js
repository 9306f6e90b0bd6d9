// @ts-check
/** The page that an export can be: it holds all that it needs, and asks nobody. */

import { createDraw } from "../boards/drawing.js";
import { byId, fillInWords } from "../elements.js";
import { speak } from "../words.js";
import { readLedger } from "./ledger.js";
import { listenToProof, showProof } from "./view.js";

/** What stands in the page before this: verifier, rules, words by language in one order. */
const { verify, rules, words } = /** @type {any} */ (globalThis).seedlog;
const { keys, told } = /** @type {{keys: string[], told: Record<string, any[]>}} */ (words);
const data = JSON.parse(byId("data").textContent);
const liked = navigator.languages.map((name) => name.slice(0, 2));
let code = liked.find((name) => name in told) ?? "en";
/** @type {any} */
let found = null;

function tell() {
  document.documentElement.lang = code;
  speak(code, Object.fromEntries(keys.map((key, place) => [key, told[code][place]])));
  fillInWords();
  byId("language").value = code;
  const shown = JSON.parse(data.shown);
  showProof({ ledger: readLedger(data.export), rules, shown, found });
}

/** Hand the export out as the file that it is. */
function save() {
  const file = new Blob([data.export], { type: "application/x-ndjson" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = "match.jsonl";
  link.click();
}

/**
 * Start the page.
 * @param {import("../boards/drawing.js").Builder} build the boards of its game
 */
export function openKept(build) {
  byId("language").addEventListener("change", () => {
    code = byId("language").value;
    tell();
  });
  byId("save").addEventListener("click", save);
  listenToProof(createDraw(() => build));
  tell();
  verify(data)
    .catch((/** @type {unknown} */ error) => ({
      findings: [["this page", String(error)]],
      stood: [],
      older: 0,
    }))
    .then((/** @type {any} */ verdict) => {
      found = verdict;
      tell();
    });
}
