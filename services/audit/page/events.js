/* Events as texts, and as facts of the kinds that FACTS lists: it comes from events.py. */

/** Why something cannot have happened; or what is wrong with the form of a text. */
class Refused extends Error {}

function refuse(reason) {
  throw new Refused(reason);
}

const NOT_JSON = "it is not JSON of text and whole numbers: ";

/** The text of a value as RFC 8785 has it; of text, whole numbers and containers. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.keys(value).sort();
    const texts = members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
    return `{${texts.join(",")}}`;
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    refuse(`${NOT_JSON}an event holds whole numbers and text, not ${value}`);
  }
  return JSON.stringify(value);
}

function readCanonical(text) {
  let given;
  try {
    given = JSON.parse(text);
  } catch (error) {
    refuse(`${NOT_JSON}${error.message}`);
  }
  if (canonical(given) !== text) refuse("it is not in the canonical form of RFC 8785");
  if (!IS_A.dict(given)) refuse("it is not a JSON object");
  return given;
}

const IS_A = {
  str: (value) => typeof value === "string",
  int: (value) => Number.isSafeInteger(value),
  bool: (value) => typeof value === "boolean",
  dict: (value) => value !== null && typeof value === "object" && !Array.isArray(value),
  None: (value) => value === null,
};

/** Tell whether a value is of a kind, such as "str | None". */
function isA(kind, value) {
  return kind.split(" | ").some((one) => IS_A[one](value));
}

/** Refuse members that are not those wanted, by name and kind. */
function checkMembers(given, wanted) {
  const names = new Set([...Object.keys(given), ...Object.keys(wanted)]);
  const astray = [...names].filter(
    (name) => !Object.hasOwn(given, name) || !Object.hasOwn(wanted, name),
  );
  if (astray.length) refuse(`it lacks or should not have: ${astray.sort().join(", ")}`);
  for (const [name, kind] of Object.entries(wanted)) {
    if (!isA(kind, given[name])) refuse(`${name} is of another kind than it should be`);
  }
}

const EVENT_MEMBERS = { at: "str", by: "str", data: "dict", type: "str", version: "int" };

/** Read the canonical text of an event. */
function readEvent(text) {
  const event = readCanonical(text);
  checkMembers(event, EVENT_MEMBERS);
  checkTime(event.at);
  return event;
}

function checkTime(text) {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && new Date(text);
  if (!time || Number.isNaN(time.getTime()) || time.toISOString() !== text) {
    refuse(`'${text}' is not a time such as 2026-11-21T10:00:00.000Z`);
  }
}

/** What an event says, as FACTS tells its members; null if its type is not known. */
function readFact({ type, data, version }) {
  if (!Object.hasOwn(FACTS, type)) return null;
  const members = FACTS[type];
  const fact = { type };
  for (const [name, { kind, default: absent }] of Object.entries(members)) {
    const isThere = Object.hasOwn(data, name);
    fact[name] = isThere ? data[name] : absent;
    if (fact[name] === undefined) refuse(`event ${version}: it lacks ${name}`);
    if (!isA(kind, fact[name])) refuse(`${name} cannot be ${canonical(fact[name])}`);
    if (isThere && fact[name] === absent) {
      refuse(`${name} has to be left out where it is ${canonical(absent)}`);
    }
  }
  const astray = Object.keys(data).filter((name) => !Object.hasOwn(members, name));
  if (astray.length) refuse(`event ${version}: it should not have ${astray.join(", ")}`);
  return fact;
}

/** Return what can be read, and an empty reason; or null, and why it cannot. */
function formOf(read) {
  try {
    return [read(), ""];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return [null, error.message];
  }
}
