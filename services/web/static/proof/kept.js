// @ts-check
/** The page that an export can be: it holds all that it needs, and asks nobody. */

import { createDraw } from "../boards/drawing.js";
import { byId, fillInWords, setText } from "../elements.js";
import { say, speak } from "../words.js";
import { readLedger } from "./ledger.js";
import { listenToProof, showProof } from "./view.js";

/** What stands in the page before this: verifier, rules, words by language in one order. */
const { verify, rules, words } = /** @type {any} */ (globalThis).seedlog;
const { keys, told } = /** @type {{keys: string[], told: Record<string, any[]>}} */ (words);
const data = readData();
const liked = navigator.languages.map((name) => name.slice(0, 2));
let code = liked.find((name) => name in told) ?? "en";
/** @type {any} */
let found = null;

/** Return what stands in the page, or null: it was touched where nothing can be read. */
function readData() {
  try {
    const read = JSON.parse(byId("data").textContent);
    JSON.parse(read.shown);
    readLedger(read.export);
    return read;
  } catch {
    return null;
  }
}

function tell() {
  document.documentElement.lang = code;
  speak(code, Object.fromEntries(keys.map((key, place) => [key, told[code][place]])));
  fillInWords();
  byId("language").value = code;
  if (!data) return refuse();
  const shown = JSON.parse(data.shown);
  showProof({ ledger: readLedger(data.export), rules, shown, found });
}

/** Say that nothing is proven, for nothing can be read. */
function refuse() {
  setText(byId("verdict"), say("proof.unreadable"));
  byId("verdict").dataset.state = "wrong";
  for (const id of ["looked-into", "save"]) byId(id).hidden = true;
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
  if (!data) return;
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
