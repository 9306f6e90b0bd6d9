"use strict";
/* Shows the match that the data of this page tell, and verifies the export in it. */

const data = JSON.parse(document.getElementById("data").textContent);
const shown = JSON.parse(data.shown);
const element = (id) => document.getElementById(id);

// -- the verifier: hash chain and signatures, as services/audit/README.md tells

const bytes = (text) => new TextEncoder().encode(text);
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (two) => parseInt(two, 16));
const rotate = (word, by) => (word >>> by) | (word << (32 - by));

/** The constants of SHA-256: fractions of the roots of primes. */
const [ROUNDS, BEGINNING] = (() => {
  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) {
    if (primes.every((prime) => n % prime)) primes.push(n);
  }
  const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  return [
    primes.map((prime) => fraction(Math.cbrt(prime))),
    primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
  ];
})();

const sha256 = (text) => sha256Of(bytes(text));

/** SHA-256 of bytes, in hexadecimal; also where WebCrypto is not to be had. */
function sha256Of(message) {
  const padded = new Uint8Array(((message.length + 72) >> 6) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3);
  const hash = [...BEGINNING];
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i += 1) {
      const [one, two] = [words[i - 15], words[i - 2]];
      const first = rotate(one, 7) ^ rotate(one, 18) ^ (one >>> 3);
      const second = rotate(two, 17) ^ rotate(two, 19) ^ (two >>> 10);
      words[i] = (words[i - 16] + first + words[i - 7] + second) | 0;
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i += 1) {
      const sum = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const one = (h + sum + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
      const other = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const two = (other + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] = (hash[i] + word) | 0));
  }
  return hash.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Return what checks signatures of a key, or null where this browser cannot. */
async function signatureChecker(key) {
  try {
    const imported = await crypto.subtle.importKey(
      "raw", fromHex(key.public), "Ed25519", false, ["verify"],
    );
    return (text, signature) =>
      crypto.subtle.verify("Ed25519", imported, fromHex(signature), bytes(text));
  } catch {
    return null;
  }
}

const EVENT = /^\{"event":(\{.*\}),"hash":"([0-9a-f]{64})","signature":"([0-9a-f]{128})"\}$/;
const HEAD = /^\{"head":(\{.*\}),"signature":"([0-9a-f]{128})"\}$/;

/** Return what is wrong, as [place, reason], and whether signatures were checked. */
async function verify() {
  const lines = data.export.split("\n");
  const findings = [];
  let header, head;
  try {
    header = JSON.parse(lines[0]);
    head = HEAD.exec(lines.at(-2));
    head = { text: head[1], signature: head[2], ...JSON.parse(head[1]) };
  } catch {
    return { findings: [["header or head", "cannot be read"]], isSigned: false };
  }
  const check = await signatureChecker(header.key ?? {});
  const keyId = `sig_${sha256Of(fromHex(header.key?.public ?? "")).slice(0, 16)}`;
  if (keyId !== head.key) findings.push(["header", "holds another key than the head"]);
  let hash = sha256(`seedlog/1 ${head.match}`);
  for (const [index, line] of lines.slice(1, -2).entries()) {
    const version = index + 1;
    const parts = EVENT.exec(line);
    if (!parts) {
      findings.push([`event ${version}`, "its line cannot be read"]);
      continue;
    }
    const [, text, told, signature] = parts;
    const due = sha256(hash + text);
    const signed =
      `{"hash":"${told}","kind":"event","match":"${head.match}","version":${version}}`;
    const isSigned = check ? await check(signed, signature) : true;
    if (!isSigned) {
      findings.push([`event ${version}`, "its signature does not hold"]);
    } else if (due !== told) {
      findings.push([`event ${version}`, "its text is not the one that was signed"]);
    } else if (versionOf(text) !== version) {
      findings.push([`event ${version}`, "it says that it is another event"]);
    }
    hash = told;
  }
  const body = `${lines.slice(0, -2).join("\n")}\n`;
  if (check && !(await check(head.text, head.signature))) {
    findings.push(["head", "its signature does not hold"]);
  } else if (head.events !== lines.length - 3 || head.hash !== hash) {
    findings.push(["head", "it is not that of these events"]);
  } else if (!findings.length && sha256(body) !== head.file) {
    findings.push(["header", "it is not the one that was signed"]);
  }
  const page = `{"kind":"page","match":"${head.match}","shown":"${sha256(data.shown)}"}`;
  if (check && !(await check(page, data.shown_signature))) {
    findings.push(["this page", "words and boards are not those that were signed"]);
  }
  return { findings, isSigned: Boolean(check), head };
}

function versionOf(text) {
  try {
    return JSON.parse(text).version;
  } catch {
    return null;
  }
}

function tell({ findings, isSigned, head }) {
  const verdict = element("verdict");
  verdict.dataset.state = findings.length ? "wrong" : "ok";
  if (findings.length) {
    const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : "";
    verdict.textContent = `NOT OK: ${findings[0].join(": ")}${more}`;
    for (const [place] of findings) {
      const entry = element("log").children[Number(place.replace("event ", "")) - 1];
      entry?.classList.add("wrong");
    }
  } else {
    const what = isSigned ? "hash chain and signatures hold" : "the hash chain holds";
    verdict.textContent = `OK: ${head.events} events; ${what}.`;
  }
  element("trust").textContent = isSigned
    ? `Signed by ${head?.key} at ${head?.at}; the key stands in this page: compare it ` +
      "with those that the service publishes. The rules were not replayed here."
    : "This browser cannot check Ed25519 signatures: only the hash chain was checked, " +
      "which shows accidents, but not forgeries.";
}

// -- what there is to see

let current = 0;

function show(index) {
  current = Math.max(0, Math.min(index, shown.views.length - 1));
  const view = shown.views[current];
  const before = shown.views[current - 1]?.board ?? view.board;
  element("step").value = String(current + 1);
  element("now").textContent = `${current + 1}. ${view.words}`;
  const toMove = view.to_move ? `; ${view.to_move} to move` : "";
  element("position").textContent = view.position && `${view.position}${toMove}`;
  element("board").replaceChildren(boardOf(view.board, before));
  [...element("log").children].forEach((entry, i) => {
    entry.toggleAttribute("aria-current", i === current);
    if (i === current) scrollTo(entry);
  });
  element("previous").disabled = element("first").disabled = current === 0;
  element("next").disabled = element("last").disabled = current === shown.views.length - 1;
}

/** Bring an entry of the log into view, and leave the page where it is. */
function scrollTo(entry) {
  const log = element("log");
  const top = entry.offsetTop - log.offsetTop;
  const bottom = top + entry.offsetHeight - log.clientHeight;
  log.scrollTop = Math.max(bottom, Math.min(log.scrollTop, top));
}

function boardOf(board, before) {
  const { kind, rows, stores } = shown.layout;
  const table = document.createElement("table");
  table.className = kind;
  table.setAttribute("aria-label", `The board after event ${current + 1}`);
  rows.forEach((row, index) => {
    const line = table.insertRow();
    if (index === 0) addStore(line, "left", board, before);
    for (const label of row) addPlace(line, label, board, before);
    if (index === 0) addStore(line, "right", board, before);
  });
  if (!Object.keys(board).length) table.hidden = true;
  return table;

  function addStore(line, end, ...boards) {
    const seat = Object.keys(stores).find((name) => stores[name] === end);
    if (!seat) return;
    const cell = addPlace(line, seat, ...boards);
    cell.className += " store";
    cell.rowSpan = rows.length;
  }
}

function addPlace(line, label, board, before) {
  const cell = line.insertCell();
  const there = board[label];
  cell.dataset.place = label;
  cell.className = there === before[label] ? "" : "changed";
  if (shown.layout.kind === "squares") {
    cell.setAttribute("aria-label", `${label}: ${there ?? "empty"}`);
    if (there) {
      const disc = document.createElement("span");
      disc.className = `disc ${there === shown.seats[0] ? "first" : "second"}`;
      cell.append(disc);
    }
    return cell;
  }
  cell.setAttribute("aria-label", `${label}: ${there ?? "out of play"}`);
  const name = document.createElement("small");
  name.textContent = label;
  cell.append(there === undefined ? "\u00d7" : String(there), name);
  return cell;
}

function begin() {
  for (const [index, view] of shown.views.entries()) {
    const entry = document.createElement("li");
    const said = document.createElement("small");
    said.textContent = ` ${view.at}, ${view.by}`;
    entry.append(view.words, said);
    entry.addEventListener("click", () => show(index));
    element("log").append(entry);
  }
  element("step").max = String(shown.views.length);
  element("step").addEventListener("input", (event) => show(event.target.value - 1));
  element("first").addEventListener("click", () => show(0));
  element("previous").addEventListener("click", () => show(current - 1));
  element("next").addEventListener("click", () => show(current + 1));
  element("last").addEventListener("click", () => show(shown.views.length - 1));
  element("save").addEventListener("click", save);
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input")) return;
    if (event.key === "ArrowLeft") show(current - 1);
    if (event.key === "ArrowRight") show(current + 1);
  });
  show(shown.views.length - 1);
}

function save() {
  const link = document.createElement("a");
  const file = new Blob([data.export], { type: "application/x-ndjson" });
  link.href = URL.createObjectURL(file);
  link.download = "match.jsonl";
  link.click();
}

begin();
verify().then(tell);
