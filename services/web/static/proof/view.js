// @ts-check
/** Shows a proof: the verdict, the board after each event, and each event with its own. */

import { placeWords, roundWords } from "../boards/spoken.js";
import { byId, make, setText } from "../elements.js";
import { sentenceOf } from "../sentences.js";
import { authorName, say, seatName, timeOfDay } from "../words.js";
import { boardOf, marksBetween } from "./boards.js";
import { trustWords, verdictWords, whyWords } from "./verdict.js";

/** @typedef {import("./ledger.js").Ledger} Ledger */

/**
 * What the verifier found in a file, and what stood after each event.
 * @typedef {object} Found
 * @property {[string, string][]} findings place and reason
 * @property {{at: string, events: number, key: string}} [head]
 * @property {boolean} isSigned whether this browser has checked signatures
 * @property {({position: any, toMove: string | null} | undefined)[]} stood
 * @property {number} older events that were read as the service reads them
 */

/**
 * @typedef {object} Proof
 * @property {Ledger} ledger
 * @property {any} rules of the game, in JavaScript, or null
 * @property {any} shown what the service has signed beside the log, if it has
 * @property {boolean} [isOurKey] whether the service at hand has published the key
 * @property {Found | null} found null: it is being checked
 */

const HASH_SHOWN = 8;

/** @type {Proof | null} */
let proof = null;
/** @type {import("../boards/drawing.js").Draw} */
let draw;
let current = 0;
let isTold = false; // whether the verdict on this file has been shown

/** Show a proof, and the last event of it first. @param {Proof} given */
export function showProof(given) {
  const isNew = proof?.ledger !== given.ledger;
  proof = given;
  if (isNew) {
    isTold = false;
    current = given.ledger.events.length - 1;
    byId("step").max = String(given.ledger.events.length);
    byId("log").replaceChildren(...given.ledger.events.map(entryOf));
  }
  byId("looked-into").hidden = !given.ledger.events.length;
  tellVerdict(given);
  const wrong = given.found?.findings.map(([place]) => eventNumber(place)).find(Boolean);
  if (wrong && !isTold) current = wrong - 1; // what was touched, and not what came after
  isTold = !!given.found;
  show(current);
}

/**
 * Listen to the buttons, the keys and the log.
 * @param {import("../boards/drawing.js").Draw} drawing draws the boards of what is shown
 */
export function listenToProof(drawing) {
  draw = drawing;
  const last = () => (proof?.ledger.events.length ?? 1) - 1;
  const ways = /** @type {Record<string, () => number>} */ ({
    first: () => 0,
    previous: () => current - 1,
    next: () => current + 1,
    last,
  });
  for (const [id, way] of Object.entries(ways)) {
    byId(id).addEventListener("click", () => show(way()));
  }
  byId("step").addEventListener("input", () => show(Number(byId("step").value) - 1));
  byId("log").addEventListener("click", (/** @type {Event} */ event) => {
    const entry = /** @type {Element} */ (event.target).closest("li");
    if (entry) show([...byId("log").children].indexOf(entry));
  });
  const keys = /** @type {Record<string, () => number>} */ ({
    ArrowLeft: ways.previous, ArrowRight: ways.next, Home: ways.first, End: ways.last,
  });
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (!proof || !keys[event.key] || target.closest("input, select, #board")) return;
    event.preventDefault();
    show(keys[event.key]());
  });
}

/** @param {Proof} given */
function tellVerdict({ found, rules, ledger, isOurKey }) {
  const verdict = byId("verdict");
  const state = !found ? "checking" : found.findings.length ? "wrong" : "ok";
  if (found) {
    const reasons = new Map(found.findings.map(([place, why]) => [place, why]));
    [...byId("log").children].forEach((entry, index) => mark(entry, reasons.get(`event ${index + 1}`), found, index));
  }
  setText(verdict, found ? verdictWords(found, !!rules, ledger.isCutOff) : say("proof.checking"));
  verdict.dataset.state = state;
  const trust = found ? trustWords(found, rules?.rules ?? "", ledger.events.length, !!isOurKey) : [];
  byId("trust").replaceChildren(...trust.map((words) => make("span", {}, [`${words} `])));
}

/**
 * Mark an event: it holds, or it does not and why, or the check has not come so far.
 * @param {Element} entry
 * @param {string | undefined} reason
 * @param {Found} found
 * @param {number} index
 */
function mark(entry, reason, found, index) {
  const wrong = found.findings.map(([place]) => eventNumber(place)).filter(Boolean);
  const isReached = !wrong.length || index + 1 < Math.min(...wrong);
  entry.classList.toggle("wrong", reason !== undefined);
  entry.classList.toggle("holds", reason === undefined && isReached && found.head !== undefined);
  const state = entry.querySelector(".state");
  const words = reason !== undefined ? whyWords(reason) : isReached ? "" : say("proof.not_reached");
  if (state) state.textContent = words;
}

/** Return the number of the event that a finding names; 0: another place. @param {string} place */
function eventNumber(place) {
  return Number(/^event (\d+)/.exec(place)?.[1] ?? 0);
}

/** @param {import("../types.js").MatchEvent | null} event @param {number} index */
function entryOf(event, index) {
  const said = event ? sentence(event) : say("proof.unreadable");
  const facts = event
    ? [
        make("time", { dateTime: event.at, title: event.at }, [timeOfDay(event.at)]),
        make("span", {}, [authorName(event.by)]),
        make("code", { title: event.hash }, [event.hash.slice(0, HASH_SHOWN)]),
      ]
    : [];
  return make("li", {}, [
    make("button", { type: "button" }, [
      make("span", { className: "version" }, [String(index + 1)]),
      make("span", { className: "what" }, [said]),
      make("span", { className: "facts" }, facts),
      make("span", { className: "state" }),
    ]),
  ]);
}

/** @param {import("../types.js").MatchEvent} event */
function sentence(event) {
  const { ledger, shown } = /** @type {Proof} */ (proof);
  const games = shown?.game ? [{ key: ledger.game, name: shown.game, options: [] }] : [];
  const bottom = shown?.seats?.[0] ?? ""; // whose score comes first where nobody has won
  const seen = { seat: "", bottom, match: { seats: ledger.seats }, games };
  return sentenceOf(event, /** @type {any} */ (seen));
}

/** Show what stood after an event. @param {number} index */
function show(index) {
  if (!proof) return;
  const { events } = proof.ledger;
  current = Math.max(0, Math.min(index, events.length - 1));
  const event = events[current];
  byId("step").value = String(current + 1);
  setText(byId("now"), event ? `${current + 1}. ${sentence(event)}` : "");
  setText(byId("fact"), event ? JSON.stringify(event.data, null, 1) : "");
  drawBoard(event);
  [...byId("log").children].forEach((entry, place) => {
    if (place !== current) entry.removeAttribute("aria-current");
    else entry.setAttribute("aria-current", "step");
    if (place === current) bringIntoView(/** @type {HTMLElement} */ (entry));
  });
  byId("previous").disabled = byId("first").disabled = current <= 0;
  byId("next").disabled = byId("last").disabled = current >= events.length - 1;
}

/** @param {import("../types.js").MatchEvent | null} event */
function drawBoard(event) {
  const given = /** @type {Proof} */ (proof);
  const now = boardOf(given, current);
  const place = byId("board");
  for (const id of ["board", "above", "below"]) byId(id).hidden = !now;
  const toMove = now?.toMove ? say("turn.of", { seat: seatName(now.toMove) }) : "";
  const unknown = given.found ? say("proof.no_board") : "";
  setText(byId("position"), now ? [now.text, toMove].filter(Boolean).join(" – ") : unknown);
  drawPlayers(now);
  if (!now) return;
  const before = boardOf(given, current - 1);
  draw(place, {
    layout: now.layout,
    seats: now.seats,
    bottom: now.seats[0],
    board: now.board,
    owners: now.owners,
    caption: roundWords(now.text),
    theme: "wood",
    title: say("place.board", { game: given.shown?.game ?? given.ledger.game }),
    marks: marksBetween(before, now, event),
    describe: (label) => placeWords(label, now, false),
  });
}

/** Say who sits where, the first seat below. @param {ReturnType<typeof boardOf>} now */
function drawPlayers(now) {
  const { seats: seated } = /** @type {Proof} */ (proof).ledger;
  const [first, second] = now?.seats ?? Object.keys(seated);
  for (const [id, seat] of [["above", second], ["below", first]]) {
    const who = seated[seat];
    const name = who?.kind === "ai" ? say("who.ai_level", { level: who.level }) : who?.name;
    byId(id).classList.toggle("to-move", now?.toMove === seat);
    byId(id).replaceChildren(make("b", {}, [name || (seat ? seatName(seat) : "")]), make("span", {}, [name ? seatName(seat) : ""]));
  }
}

/** Bring an entry of the log into view, and leave the page where it is. @param {HTMLElement} entry */
function bringIntoView(entry) {
  const log = byId("log");
  const top = entry.offsetTop - log.offsetTop;
  const bottom = top + entry.offsetHeight - log.clientHeight;
  log.scrollTop = Math.max(bottom, Math.min(log.scrollTop, top));
}
