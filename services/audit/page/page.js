/* Shows the match that the data of this page tell, and what the verifier says of it. */

const data = JSON.parse(document.getElementById("data").textContent);
const shown = JSON.parse(data.shown);
const element = (id) => document.getElementById(id);

let current = 0;
let stood = null; // what stood after each event, when it has been replayed here

function tell({ findings, isSigned, head, stood, older }) {
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
    const parts = ["hash chain", ...(isSigned ? ["signatures"] : [])];
    if (rules) parts.push("rules");
    const last = parts.pop();
    const what = parts.length ? `${parts.join(", ")} and ${last} hold` : `the ${last} holds`;
    verdict.textContent = `OK: ${head.events} events; ${what}.`;
  }
  const said = [];
  if (head && isSigned) {
    said.push(
      `Signed by ${head.key} at ${head.at}; the key stands in this page: compare it with ` +
        "those that the service publishes.",
    );
  } else if (head) {
    said.push(
      "This browser cannot check Ed25519 signatures: the hash chain was checked, which " +
        "shows accidents, but not forgeries.",
    );
  }
  said.push(
    rules
      ? `${stood.length} of ${shown.words.length} events were played again here, by the ` +
          `rules of ${rules.rules}; the boards are those that came of it. Whether the ` +
          "match was rightly led around the board (who may do what, offers and answers, " +
          "other ends than those of the rules) is for `seedlog verify` to say."
      : "The rules of this game are not checked in this page; the boards are those that " +
          "the service has drawn.",
  );
  if (older) {
    said.push(
      `${older} events are of an older form, and were read as the service reads them.`,
    );
  }
  element("trust").textContent = said.join(" ");
}

/** What stands after an event, if that is known: the places, their text, who moves. */
function boardAfter(index) {
  if (!rules) return shown.boards[index];
  const { position, toMove } = stood?.[index] ?? {};
  if (!position) return null;
  return { places: position.places, text: position.text, to_move: toMove };
}

function show(index) {
  current = Math.max(0, Math.min(index, shown.words.length - 1));
  const board = boardAfter(current);
  const before = (current > 0 && boardAfter(current - 1)) || board;
  element("step").value = String(current + 1);
  element("now").textContent = `${current + 1}. ${shown.words[current]}`;
  const toMove = board?.to_move ? `; ${board.to_move} to move` : "";
  const unknown = stood && current >= stood.length ? "No board came of this event." : "";
  element("position").textContent = board ? `${board.text}${toMove}` : unknown;
  element("board").replaceChildren(...(board ? [tableOf(board.places, before.places)] : []));
  [...element("log").children].forEach((entry, i) => {
    entry.toggleAttribute("aria-current", i === current);
    if (i === current) scrollTo(entry);
  });
  element("previous").disabled = element("first").disabled = current === 0;
  element("next").disabled = element("last").disabled = current === shown.words.length - 1;
}

/** Bring an entry of the log into view, and leave the page where it is. */
function scrollTo(entry) {
  const log = element("log");
  const top = entry.offsetTop - log.offsetTop;
  const bottom = top + entry.offsetHeight - log.clientHeight;
  log.scrollTop = Math.max(bottom, Math.min(log.scrollTop, top));
}

function tableOf(places, before) {
  const { kind, rows, stores } = shown.layout;
  const table = document.createElement("table");
  table.className = kind;
  table.setAttribute("aria-label", `The board after event ${current + 1}`);
  rows.forEach((row, index) => {
    const line = table.insertRow();
    if (index === 0) addStore(line, "left");
    for (const label of row) addPlace(line, label, places, before);
    if (index === 0) addStore(line, "right");
  });
  return table;

  function addStore(line, end) {
    const seat = Object.keys(stores).find((name) => stores[name] === end);
    if (!seat) return;
    const cell = addPlace(line, seat, places, before);
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

/** When an event was recorded, and who says so, as far as its line can be read. */
function recordOf(line) {
  const found = /^\{"event":\{"at":"([^"]*)","by":"([^"]*)"/.exec(line);
  return found ? ` ${found[1]}, ${found[2]}` : "";
}

function begin() {
  const lines = data.export.split("\n");
  for (const [index, words] of shown.words.entries()) {
    const entry = document.createElement("li");
    const said = document.createElement("small");
    said.textContent = recordOf(lines[index + 1] ?? "");
    entry.append(words, said);
    entry.addEventListener("click", () => show(index));
    element("log").append(entry);
  }
  element("step").max = String(shown.words.length);
  element("step").addEventListener("input", (event) => show(event.target.value - 1));
  element("first").addEventListener("click", () => show(0));
  element("previous").addEventListener("click", () => show(current - 1));
  element("next").addEventListener("click", () => show(current + 1));
  element("last").addEventListener("click", () => show(shown.words.length - 1));
  element("save").addEventListener("click", save);
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input")) return;
    if (event.key === "ArrowLeft") show(current - 1);
    if (event.key === "ArrowRight") show(current + 1);
  });
  show(shown.words.length - 1);
}

function save() {
  const link = document.createElement("a");
  const file = new Blob([data.export], { type: "application/x-ndjson" });
  link.href = URL.createObjectURL(file);
  link.download = "match.jsonl";
  link.click();
}

begin();
verify(data)
  .catch((error) => ({ findings: [["this page", String(error)]], stood: [], older: 0 }))
  .then((found) => {
    stood = found.stood;
    tell(found);
    show(current);
  });
