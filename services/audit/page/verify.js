/* Verifies an export: form, hash chain, signatures, and then what the rules prove.

The counterpart of verify.py; services/audit/README.md tells what is checked less. */

const EVENT = /^\{"event":(\{.*\}),"hash":"([0-9a-f]{64})","signature":"([0-9a-f]{128})"\}$/;
const HEAD = /^\{"head":(\{.*\}),"signature":"([0-9a-f]{128})"\}$/;
const MATCH_ID = /^mat_[A-Za-z0-9_-]{1,100}$/;
const AT_ONCE_MS = 25;

let since = performance.now();

/** Let the page do something else, if it has had to wait for a moment. */
async function breathe() {
  if (performance.now() - since < AT_ONCE_MS) return;
  await new Promise((resolve) => setTimeout(resolve));
  since = performance.now();
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

/** Read header and head, or return null. */
function readEnds(lines) {
  try {
    const header = readCanonical(lines[0]);
    const [, text, signature] = HEAD.exec(lines.at(-2));
    const head = { ...readCanonical(text), text, signature };
    const isFormat = header.format === "seedlog-export" && header.format_version === 1;
    const hasKey = IS_A.dict(header.key) && /^[0-9a-f]{64}$/.test(header.key.public);
    const isNamed = IS_A.dict(header.players) && MATCH_ID.test(head.match);
    const isWhole = isFormat && hasKey && isNamed;
    return isWhole && lines.at(-1) === "" ? { header, head } : null;
  } catch {
    return null; // whatever it is, it is said to be unreadable
  }
}

/** Return what is wrong, as [place, reason], and what was found on the way. */
async function verify(data) {
  const lines = data.export.split("\n");
  const { today } = JSON.parse(data.shown);
  const found = { isSigned: false, stood: [], older: 0 };
  const ends = readEnds(lines);
  if (!ends) return { ...found, findings: [["header or head", "cannot be read"]] };
  const { header, head } = ends;
  const check = await signatureChecker(header.key);
  const chain = await checkChain(lines.slice(1, -2), head.match, check);
  const replay = rules && new Replay(chain.events, today);
  const wrong = replay && (await replay.run());
  // an act that goes on in an event which cannot be read: that was found already
  const isCutOff = wrong?.[0] === `event ${chain.events.length + 1}`;
  const isKnown = isCutOff && chain.findings.length > 0;
  const isSignedBy = !check || (await check(head.text, head.signature));
  const isOwn = isSignedBy && header.exported_at === head.at;
  const late = isOwn && chain.events.find((event) => event.at > head.at);
  const isAfter = late && wrong && Number(wrong[0].slice("event ".length)) >= late.version;
  const findings = [...(wrong && !isKnown && !isAfter ? [wrong] : []), ...chain.findings];
  if (late) findings.push([`event ${late.version}`, "its time is after that of the head"]);
  findings.push(...checkEnds(header, head, { lines, chain, replay, findings, isSignedBy }));
  const page = `{"kind":"page","match":"${head.match}","shown":"${sha256(data.shown)}"}`;
  if (check && !(await check(page, data.shown_signature))) {
    findings.push(["this page", "what it shows beside the log is not what was signed"]);
  }
  const { stood, older } = replay ?? found;
  return { findings, head, isSigned: Boolean(check), stood, older };
}

/** Check each line of an event: its form, hash, signature, version and time. */
async function checkChain(lines, matchId, check) {
  const findings = [];
  const events = []; // those before the first that is wrong
  let last = sha256(`seedlog/1 ${matchId}`);
  let latest = "";
  for (const [index, line] of lines.entries()) {
    await breathe();
    const version = index + 1;
    const parts = EVENT.exec(line);
    let reason = "its line cannot be read";
    let event = null;
    if (parts) {
      const [, text, told, signature] = parts;
      const due = sha256(last + text);
      const signed =
        `{"hash":"${told}","kind":"event","match":"${matchId}","version":${version}}`;
      [event, reason] = formOf(() => readEvent(text));
      if (check && !(await check(signed, signature))) {
        reason = "its signature does not hold";
      } else if (due !== told) {
        reason = "its text is not the one that was signed";
      } else if (event && event.version !== version) {
        reason = `it says that it is event ${event.version}`;
      } else if (event && event.at < latest) {
        reason = "its time is before that of the event before it";
      }
      latest = event?.at ?? latest;
      last = told;
    }
    if (reason) findings.push([`event ${version}`, reason]);
    if (findings.length) continue;
    events.push(event);
  }
  return { findings, events, last };
}

/** Check header and head against each other, and against what stands between. */
function checkEnds(header, head, { lines, chain, replay, findings, isSignedBy }) {
  const keyId = `sig_${sha256Of(fromHex(header.key.public)).slice(0, 16)}`;
  if (keyId !== head.key) return [["header", "holds another key than the head"]];
  if (!isSignedBy) return [["head", "its signature does not hold"]];
  if (head.events !== lines.length - 3 || head.hash !== chain.last) {
    return [["head", "it is not that of these events"]];
  }
  const { valid_from: from, valid_until: until } = header.key;
  if ((from && from > head.at) || (until && until <= head.at)) {
    return [["head", `${head.key} did not sign at ${head.at}`]];
  }
  const reason = findings.length ? "" : wrongWithHeader(header, head, lines, replay);
  return reason ? [["header", reason]] : [];
}

function wrongWithHeader(header, head, lines, replay) {
  if (sha256(`${lines.slice(0, -2).join("\n")}\n`) !== head.file) {
    return "it is not the one that was signed";
  }
  if (header.match !== head.match) return `names another match than ${head.match}`;
  if (header.exported_at !== head.at) return "it was exported at another time than signed";
  if (!replay) return "";
  const { seats, stood } = replay;
  if (!stood.length) return "the export has no event";
  if (header.rules !== rules.rules) {
    return `the rules are '${rules.rules}', not '${header.rules}'`;
  }
  const seated = [...seats.values()].filter(Boolean);
  const listed = Object.keys(header.players).sort().join();
  const isListed = listed === [...new Set(seated)].sort().join();
  return isListed ? "" : "it does not list the players who sit at the board";
}
