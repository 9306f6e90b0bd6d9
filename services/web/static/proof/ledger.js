// @ts-check
/** Reads the lines of an export, as far as they can be read, for people to look at. */

/** @typedef {import("../types.js").MatchEvent} MatchEvent */

const BEGINNING = '{"chain":"';
const ENDING = /\n\{"head":.*\}\n$/;
const LINE = /^\{"event":(\{.*\}),"hash":"([0-9a-f]*)"/;

/**
 * What a file tells: the events that can be read, by line, and who sits where.
 * @typedef {object} Ledger
 * @property {(MatchEvent | null)[]} events null: its line cannot be read
 * @property {string} game its key
 * @property {Record<string, any>} options
 * @property {string} rules
 * @property {Record<string, {kind: string, level?: number, name?: string | null}>} seats
 * @property {boolean} isCutOff it begins as an export does, and does not end as one
 */

/** @param {string} text the export @returns {Ledger} */
export function readLedger(text) {
  const lines = text.split("\n");
  const header = readJson(lines[0] ?? "");
  const events = lines.slice(1, -2).map(eventOf);
  const opened = events[0]?.data ?? {};
  /** @type {Ledger["seats"]} */
  const seats = {};
  for (const event of events) {
    if (event?.type !== "match.seat_taken") continue;
    const { seat, kind, level, player } = event.data;
    seats[seat] = { kind, level, name: header?.players?.[player]?.name };
  }
  const { game = "", options = {}, rules = "" } = opened;
  const isCutOff = text.startsWith(BEGINNING) && !ENDING.test(text);
  return { events, game, options, rules, seats, isCutOff };
}

/** @param {string} line @returns {MatchEvent | null} */
function eventOf(line) {
  const found = LINE.exec(line);
  const event = found && readJson(found[1]);
  if (!event?.data || !event.type) return null;
  return { ...event, hash: found?.[2] ?? "", steps: [], board: {}, position: "", to_move: null, legal_moves: [] };
}

/** @param {string} text @returns {any} */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
