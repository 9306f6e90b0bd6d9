// @ts-check
/** Every text that the page shows, by key; another language is another table. */

/** @typedef {string | {zero?: string, one?: string, two?: string, few?: string, many?: string, other: string}} Words */

/** @type {Record<string, Record<string, Words>>} */
const LANGUAGES = {
  en: {
    "page.title": "Seedlog",
    "page.tagline": "Old games, and every move on record",
    "page.match_title": "{game} – Seedlog",

    "choose.heading": "Play a game",
    "choose.intro":
      "Choose a game and play it against the computer. Every move is written into a log that you can leaf through, then and now.",
    "choose.game": "Game",
    "choose.options": "Options",
    "choose.no_options": "This game is always played the same way.",
    "choose.seat": "Your seat",
    "choose.first": "begins",
    "choose.level": "Strength of the computer",
    "choose.level.1": "1 – a beginner",
    "choose.level.2": "2 – a beginner who has seen it before",
    "choose.level.3": "3 – a casual player",
    "choose.level.4": "4 – a casual player on a good day",
    "choose.level.5": "5 – a club player",
    "choose.level.6": "6 – a strong club player",
    "choose.level.7": "7 – a master",
    "choose.level.8": "8 – as strong as it gets",
    "choose.clock": "Time",
    "choose.clock.none": "no clock",
    "choose.clock.one": "1 minute, and 1 second for each move",
    "choose.clock.three": "3 minutes, and 2 seconds for each move",
    "choose.clock.ten": "10 minutes, and 5 seconds for each move",
    "choose.clock.delay": "5 minutes; each turn has 5 seconds free",
    "choose.clock.days": "3 days for each move",
    "choose.play": "Play",
    "choose.opening": "Setting the board…",
    "choose.none": "none",
    "choose.go_on": "Go on with your match",

    "option.pits": "Pits on each side",
    "option.seeds": "Seeds in each pit",
    "option.rounds": "Rounds",
    "option.rounds.single": "one",
    "option.rounds.match": "until a side can fill no pit",
    "option.max_rounds": "Rounds at most",
    "option.max_rounds.none": "until a side owns all pits",
    "option.empty_capture": "A last seed that faces an empty pit is captured too",

    "fist.left": "left",
    "fist.right": "right",

    "seat.south": "South",
    "seat.north": "North",
    "seat.black": "Black",
    "seat.white": "White",

    "who.you": "You",
    "who.ai": "The computer",
    "who.ai_level": "Computer, level {level}",
    "who.by.guest": "Guest",
    "who.by.seat": "Player",
    "who.by.ai": "Computer",
    "who.by.key": "App",

    "clock.of": "Time of {seat}: {left}",
    "clock.days": "{days} d {hours} h",
    "clock.low": { one: "Less than 1 second left", other: "Less than {count} seconds left" },

    "turn.yours_pit": "Your turn: choose one of your pits.",
    "turn.yours_claim": {
      one: "Your turn: claim 1 pit of the other side.",
      other: "Your turn: claim {count} pits of the other side, one by one.",
    },
    "turn.yours_square": "Your turn: choose a square.",
    "turn.thinking": "The computer is thinking…",
    "turn.sending": "Playing {move}…",
    "turn.playing": "{who}: {move}",
    "turn.past": "This is the board at version {version} of {latest}.",
    "turn.over": "The match is over.",

    "place.pit": { one: "pit {label} of {seat}, 1 seed", other: "pit {label} of {seat}, {count} seeds" },
    "place.pit_plain": { one: "pit {label}, 1 seed", other: "pit {label}, {count} seeds" },
    "place.burnt": "pit {label} of {seat}, out of play in this round",
    "place.store": { one: "store of {seat}, 1 seed", other: "store of {seat}, {count} seeds" },
    "place.square": "square {label}, empty",
    "place.disc": "square {label}, {seat}",
    "place.play": "Play {label}: {place}",
    "place.board": "{game}: the board",

    "board.round": "Round {round}",
    "board.round_of": "Round {round} of {most}",

    "offer.heading": "Which move from {place}?",
    "offer.rest": "Other moves",
    "offer.cancel": "Another place",
    "move.plain": "{move}",
    "move.L": "{place} to the left",
    "move.R": "{place} to the right",
    "move.@": "Claim {place}",

    "log.heading": "The log",
    "log.first": "First",
    "log.previous": "Previous",
    "log.next": "Next",
    "log.last": "Last",
    "log.now": "Back to now",
    "log.hash": "Hash of the log up to here: {hash}",
    "log.place": "{version} of {latest}",

    "event.opened": "{game} is set up, {starter} begins",
    "event.opened_options": "{game} is set up ({options}), {starter} begins",
    "event.opened_fist": "{game} is set up, a fist decides who begins",
    "event.option": "{name}: {value}",
    "event.yes": "yes",
    "event.no": "no",
    "event.seated_you": "You sat down as {seat}",
    "event.seated_ai": "The computer sat down as {seat}, level {level}",
    "event.seated_human": "A player sat down as {seat}",
    "event.renewed": "The token of {seat} was renewed",
    "event.sowed": { one: "{who} sowed 1 seed from {place}", other: "{who} sowed {count} seeds from {place}" },
    "event.placed": { one: "{who} played {place} and flipped 1 disc", other: "{who} played {place} and flipped {count} discs" },
    "event.played": "{who} played {move}",
    "event.claimed": "{who} claimed pit {place}",
    "event.laps": { one: "went on for 1 lap", other: "went on for {count} laps" },
    "event.entered": { one: "captured 1 and sowed it again", other: "captured {count} and sowed them again" },
    "event.refilled": "and round {round} began",
    "event.burnt": { one: "1 pit is out of play in it", other: "{count} pits are out of play in it" },
    "event.to_claim": {
      one: "{seat} owns 1 pit more and chooses which",
      other: "{seat} owns {count} pits more and chooses which",
    },
    "event.captured": { one: "captured 1", other: "captured {count}" },
    "event.swept": { one: "the last seed went to its owner", other: "the last {count} seeds went to their owner" },
    "event.again": "moves again",
    "event.passed": "{who} had no move and passed",
    "event.resigned": "{who} resigned",
    "event.hint_taken": "{who} took a hint",
    "event.draw_offered": "{who} offered a draw",
    "event.draw_accepted": "{who} accepted the draw",
    "event.draw_declined": "{who} declined the draw",
    "event.takeback_requested": "{who} asked to go back to version {version}",
    "event.takeback_accepted": "{who} agreed: the board of version {version} stands again",
    "event.takeback_declined": "{who} declined to go back",
    "event.guessed_right": "{who} guessed the {fist} fist, and it was: {starter} to begin",
    "event.guessed_wrong": "{who} guessed wrong, it was the {fist} fist: {starter} to begin",
    "event.ai_failed": {
      one: "The computer failed to answer; its weakest level moves",
      other: "The computer failed to answer {count} times; its weakest level moves",
    },
    "event.aborted": "The match was called off",
    "event.no-show": "The match was called off: a first move was not made in time",
    "event.imported": "The match was taken over from an export",
    "event.ended_you": "You won, {score}: {reason}",
    "event.ended_other": "{who} won, {score}: {reason}",
    "event.ended_draw": "A draw, {score}: {reason}",
    "event.unknown": "{type}",

    "reason.seeds": "the board was played out",
    "reason.majority": "more than half of all seeds",
    "reason.halves": "both hold half of all seeds",
    "reason.no-seeds": "no seeds left to move",
    "reason.no-feeding-move": "no move could feed the other side",
    "reason.standstill": "the same position for the third time",
    "reason.discs": "nobody can move any more",
    "reason.no-moves": "no legal move was left",
    "reason.rounds": "the last round was played",
    "reason.front-row-empty": "a front row was empty",
    "reason.no-refill": "no pit could be filled again",
    "reason.all-pits": "all pits belong to one side",
    "reason.time": "on time",
    "reason.no-show": "a first move was not made in time",
    "reason.resignation": "by resignation",
    "reason.agreement": "by agreement",
    "reason.abandoned": "nothing happened for long",
    "reason.too-long": "it had as many events as a match may have",
    "reason.aborted": "the match was aborted",

    "over.you": "You won",
    "over.other": "The computer won",
    "over.draw": "A draw",
    "over.aborted": "The match was called off",
    "over.score": "{yours} to {theirs}",
    "over.again": "Play again",
    "over.change": "Another game",

    "match.resign": "Resign",
    "match.resign_sure": "Give the match up?",
    "match.resign_yes": "Yes, resign",
    "match.resign_no": "No, play on",
    "match.new": "New match",
    "match.speed": "Animation",
    "speed.slow": "slow",
    "speed.normal": "normal",
    "speed.fast": "fast",
    "speed.none": "off",
    "match.skip": "Skip",

    "notice.close": "Close",
    "notice.lost": "No connection. Your match is safe in the log; this page goes on by itself as soon as the server answers.",
    "notice.no_token": "This match cannot be opened here",
    "notice.no_token_detail":
      "Only the browser tab that opened a match can show it. Go back to that tab, or open a new match.",
    "notice.unreachable": "The server cannot be reached",
    "notice.unreachable_detail": "Nothing is lost. Try again in a moment.",
    "notice.broken": "Something went wrong on this page",

    "problem.illegal-move": "That move is not legal here",
    "problem.illegal-move.detail": "Legal now: {legal_moves}.",
    "problem.not-your-turn": "It is not your turn",
    "problem.not-your-turn.detail": "{to_move} is to move.",
    "problem.match-over": "The match is over",
    "problem.match-over.detail": "Nothing more can be played in it. Open a new one.",
    "problem.version-conflict": "The match has moved on",
    "problem.version-conflict.detail": "The board was brought up to date. Please choose again.",
    "problem.invalid-options": "The game cannot be played like that",
    "problem.invalid-options.detail": "{option} should be {allowed}.",
    "problem.too-many-guests": "You have opened many matches",
    "problem.too-many-guests.detail": {
      one: "Come back in 1 minute (at {time}), or go on with a match that is open.",
      other: "Come back in {count} minutes (at {time}), or go on with a match that is open.",
    },
    "problem.no-such-match": "There is no such match",
    "problem.no-such-match.detail": "The address may have been cut off. Open a new match.",
    "problem.unauthenticated": "This seat is no longer yours",
    "problem.unauthenticated.detail": "Its token was replaced. Open a new match.",
    "problem.match-quarantined": "This match can be read, but not played on",
    "problem.match-quarantined.detail": "Its log and the rules disagree, so nobody may change it.",
  },
};

const language = "en";
const plurals = new Intl.PluralRules(language);

/**
 * Return a text, with facts in the place of their names; `count` chooses its plural.
 * @param {string} key
 * @param {Record<string, any>} [facts]
 */
export function say(key, facts = {}) {
  const words = LANGUAGES[language][key];
  if (words === undefined) return key;
  const form = typeof words === "string" ? words : plural(words, facts.count);
  return form.replace(/\{(\w+)\}/g, (_, name) => String(facts[name] ?? ""));
}

/**
 * Tell whether there is a text of that key.
 * @param {string} key
 */
export function hasWords(key) {
  return key in LANGUAGES[language];
}

/**
 * Return the name of a seat.
 * @param {string} seat
 */
export function seatName(seat) {
  return hasWords(`seat.${seat}`) ? say(`seat.${seat}`) : seat;
}

/**
 * Return who wrote an event: `guest`, `seat`, `ai` or `key`, and perhaps which.
 * @param {string} by
 */
export function authorName(by) {
  const key = `who.by.${by.split(":")[0]}`;
  return hasWords(key) ? say(key) : by;
}

/**
 * Return the time of day of a moment, as it is written here.
 * @param {string | Date} moment
 * @param {boolean} [seconds]
 */
export function timeOfDay(moment, seconds = true) {
  const style = seconds ? "medium" : "short";
  return new Date(moment).toLocaleTimeString(undefined, { timeStyle: style });
}

/**
 * Say what a refusal means and what would have been right.
 * @param {import("/client/seedlog.js").Problem} problem
 * @returns {import("./types.js").Notice}
 */
export function noticeOf(problem) {
  const key = `problem.${problem.type}`;
  if (!hasWords(key)) {
    return { title: problem.facts.title ?? problem.message, detail: details(problem) };
  }
  const facts = { ...problem.facts };
  if (facts.legal_moves) facts.legal_moves = facts.legal_moves.join(", ");
  if (facts.to_move) facts.to_move = seatName(facts.to_move);
  if (facts.option) facts.option = optionName(facts.option);
  if (problem.retryAfterS) {
    facts.count = Math.ceil(problem.retryAfterS / 60);
    facts.time = timeOfDay(new Date(Date.now() + problem.retryAfterS * 1000), false);
  }
  return { title: say(key), detail: say(`${key}.detail`, facts) };
}

/**
 * Return the name of an option.
 * @param {string} name
 * @param {string} [otherwise]
 */
export function optionName(name, otherwise = name) {
  return hasWords(`option.${name}`) ? say(`option.${name}`) : otherwise;
}

/**
 * Return a value of an option as it is called.
 * @param {string} name
 * @param {unknown} value
 */
export function optionValue(name, value) {
  const key = `option.${name}.${value ?? "none"}`;
  if (hasWords(key)) return say(key);
  if (typeof value === "boolean") return say(value ? "event.yes" : "event.no");
  return value === null ? say("choose.none") : String(value);
}

/** @param {import("/client/seedlog.js").Problem} problem */
function details({ facts, message }) {
  const errors = (facts.errors ?? []).map(
    (/** @type {{pointer: string, detail: string}} */ error) =>
      `${error.pointer}: ${error.detail}`,
  );
  return errors.join("; ") || facts.detail || message;
}

/** @param {Exclude<Words, string>} words @param {number} count */
function plural(words, count) {
  return words[plurals.select(count)] ?? words.other;
}
