// @ts-check
/** The audit view of the site: a match, or a file that is dropped, verified here. */

import { Problem } from "/client/seedlog.js";
import { draw } from "../board.js";
import { byId, setText } from "../elements.js";
import { learnLanguage, listenToLanguage } from "../languages.js";
import { askToWatch, holding } from "../seats.js";
import { language, noticeOf, say } from "../words.js";
import { readLedger } from "./ledger.js";
import { listenToProof, showProof } from "./view.js";

const KEYS = "/.well-known/seedlog-keys.json";
const VERIFIER = String("/verifier.js"); // it is made for the game that is asked for
const MOST_BYTES = 64 * 1024 * 1024;
const PAGE_DATA = /<script type="application\/json" id="data">(.*?)<\/script>/s;
const NOT_HERE = [401, 403, 404]; // whoever may not look learns no more
const NOTHING_SHOWN = { shown: '{"today":{}}', shown_signature: "" };

let latest = 0; // of two files that are dropped, the later one is shown

/**
 * Verify an export, or a page that holds one, and show what comes of it.
 * @param {string} text
 */
async function prove(text) {
  const mine = (latest += 1);
  setText(byId("refused"), "");
  const held = PAGE_DATA.exec(text);
  const data = held ? JSON.parse(held[1]) : { export: text, ...NOTHING_SHOWN };
  const ledger = readLedger(data.export);
  const { verify, rules, game } = await verifierOf(ledger);
  if (mine !== latest) return;
  const shown = { ...game, ...JSON.parse(data.shown) };
  byId("proof").hidden = false;
  showProof({ ledger, rules, shown, found: null });
  const found = await verify(data);
  // Without a page around it there is nothing that was shown, and so nothing signed.
  /** @param {[string, string]} finding */
  const isOfFile = ([place]) => place !== "this page";
  if (!held) found.findings = found.findings.filter(isOfFile);
  const isOurKey = found.head ? (await ourKeys()).has(found.head.key) : false;
  if (mine === latest) showProof({ ledger, rules, shown, found, isOurKey });
}

/**
 * Load the verifier with the rules of a game; that without rules where there are none.
 * @param {import("./ledger.js").Ledger} ledger
 */
async function verifierOf({ game, options, rules }) {
  const asked = new URLSearchParams({ game, rules, options: JSON.stringify(options) });
  try {
    return await import(`${VERIFIER}?${asked}`);
  } catch {
    return import(VERIFIER);
  }
}

/** Return the ids of the keys that this service has published. */
async function ourKeys() {
  try {
    const { keys } = await (await fetch(KEYS)).json();
    return new Set(keys.map((/** @type {{id: string}} */ key) => key.id));
  } catch {
    return new Set();
  }
}

/** Read the match that the address names, as the page that its export can be. */
async function proveMatch(/** @type {string} */ matchId) {
  const [held] = Object.values(holding(matchId)?.tokens ?? {});
  const token = held ?? (await askToWatch(matchId));
  const headers = { Authorization: `Bearer ${token}`, "Accept-Language": language() };
  const path = `/v1/matches/${encodeURIComponent(matchId)}/export?format=html`;
  const answer = await fetch(path, { headers });
  if (!answer.ok) return refuse(NOT_HERE.includes(answer.status) ? null : await problemOf(answer));
  const text = await answer.text();
  offerToSave(matchId, text);
  await prove(text);
}

async function problemOf(/** @type {Response} */ answer) {
  return new Problem(answer.status, await answer.json());
}

/** Let the match be kept as the file that it was read as. */
function offerToSave(/** @type {string} */ matchId, /** @type {string} */ text) {
  const link = byId("keep");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  link.download = `${matchId}.html`;
  byId("saving").hidden = false;
}

/** @param {File | undefined | null} file */
async function proveFile(file) {
  if (!file) return;
  if (file.size > MOST_BYTES) refuse(new Error(say("proof.too_large")));
  else await prove(await file.text()).catch(refuse);
}

/** Say why there is nothing to be seen; without an error there is no such match. */
function refuse(/** @type {unknown} */ error) {
  byId("proof").hidden = true; // what it says is of another file
  if (!error) {
    const facts = { title: say("notice.no_match"), detail: say("notice.no_match_detail") };
    setText(byId("refused"), say("notice.told", facts));
    return;
  }
  const told = error instanceof Problem ? noticeOf(error) : null;
  const [title, detail] = told ? [told.title, told.detail] : [say("proof.unreadable"), String(error)];
  setText(byId("refused"), say("notice.told", { title, detail }));
}

function listen() {
  listenToProof(draw);
  listenToLanguage();
  byId("file").addEventListener("change", () => proveFile(byId("file").files[0]));
  const drop = document.documentElement;
  for (const type of ["dragover", "drop"]) {
    drop.addEventListener(type, (event) => event.preventDefault());
  }
  drop.addEventListener("drop", (event) => proveFile(event.dataTransfer?.files[0]));
}

await learnLanguage();
listen();
const matchId = new URLSearchParams(location.search).get("match");
if (matchId) await proveMatch(matchId).catch(refuse);
