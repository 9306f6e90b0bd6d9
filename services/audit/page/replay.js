/* Plays a match anew: what the rules of its game make of each move must be on record.

Facts are taken as they stand. Whether each was rightly decided (who may, what was
offered, agreed to, given up) is not asked here: match/decide.py alone knows that, and
`seedlog verify` asks it. An event that puts nothing on the board needs no line here. */

const OPENED = "match.opened";
const SEAT_TAKEN = "match.seat_taken";
const ENDED = "match.ended";

/** A match that is played anew from its events, from the first one on. */
class Replay {
  /** *today*: how events of an older form read today, by version. */
  constructor(events, today) {
    this.events = events.map((event) => asToday(event, today[event.version]));
    this.stood = []; // what stood after each event: the position and who is to move
    this.line = [null]; // the position of each version, from 1; null: taken back
    this.due = []; // what the rules have made of the last move, and has to follow
    this.seats = new Map(); // who sits there, by reference
    this.position = null;
    this.isOver = false;
  }

  /** How many events were read as the service reads them. */
  get older() {
    return this.events.filter((event) => event.isOlder).length;
  }

  get toMove() {
    const isBegun = this.position && rules.seats.every((seat) => this.seats.has(seat));
    return isBegun && !this.isOver ? this.position.toMove : null;
  }

  /** Play as far as it can have happened; return [place, why no further], or null. */
  async run() {
    for (const event of this.events) {
      await breathe();
      try {
        this.fold(readFact(event));
      } catch (error) {
        return [`event ${event.version}`, error.message];
      }
      this.line.push(this.position);
      this.stood.push({ position: this.position, toMove: this.toMove });
    }
    const [missed] = this.due;
    if (!missed) return null;
    return [`event ${this.line.length}`, `is missing: the rules give ${missed.type}`];
  }

  /** Fold one more fact in; what puts nothing on the board is passed over. */
  fold(fact) {
    const type = fact?.type;
    const isFirst = this.stood.length === 0;
    if ((type === OPENED) !== isFirst) refuse("a match begins with match.opened, once");
    if (type === SEAT_TAKEN) this.seats.set(fact.seat, fact.player);
    const put = ON_THE_BOARD[type];
    if (!put) return;
    if (this.isOver) refuse("the match is over");
    const due = this.due.shift();
    if (due) compare(fact, due);
    put(this, fact, Boolean(due));
  }

  /** Set the board up for who begins; it stood there since the opening. */
  begin({ starter }) {
    const { Position, starters } = rules;
    const allowed = this.base?.toMove ? [this.base.toMove] : starters;
    if (!allowed.includes(starter)) {
      refuse(`starter is ${canonical(starter)}, but can be ${allowed.join(" or ")}`);
    }
    this.position = this.base ?? Position.start(starter);
    this.line.fill(this.position, 1);
  }
}

/** What each type means for the board; *isDue*: the rules have made the event. */
const ON_THE_BOARD = {
  [OPENED](match, fact) {
    const { key: game, rules: version, options, Position } = rules;
    compare(fact, { game, rules: version, options });
    match.base = fact.position ? Position.restore(fact.position) : null;
    match.due = match.base ? endOf(match.base) : [];
    match.hidden = fact.starter_by === "fist" ? fact.commitment : null;
    if (match.hidden === null) match.begin(fact);
  },

  "match.fist_guessed"(match, fact) {
    const { seat, guess, fist, secret } = fact;
    if (match.position) refuse("there is no fist to guess");
    if (sha256(`${fist} ${secret}`) !== match.hidden) {
      refuse("the fist is not the one that was hidden");
    }
    const other = rules.seats.find((name) => name !== seat);
    compare(fact, { starter: guess === fist ? seat : other });
    match.begin(fact);
  },

  "match.move_played"(match, fact) {
    const { toMove } = match;
    if (fact.seat !== toMove) refuse(`${toMove ?? "nobody"} is to move, not ${fact.seat}`);
    const after = match.position.play(fact.move);
    compare(fact, { digest: digestOf(after), given: after.given });
    const passes = after.passes.map((seat) => ({ type: "match.turn_passed", seat }));
    match.position = after;
    match.due = [...passes, ...endOf(after)];
  },

  "match.turn_passed"(_, { seat }, isDue) {
    if (!isDue) refuse(`nothing forces ${seat} to pass`);
  },

  "match.takeback_accepted"(match, fact) {
    const { line, position } = match;
    const version = fact.to_version;
    const cannot = (reason) => refuse(`cannot go back to version ${version}: ${reason}`);
    const then = line[version] ?? cannot("the line that stands has no such version");
    if (then === position) cannot("no move that stands was played after it");
    compare(fact, { digest: digestOf(then) });
    match.position = then;
    line.fill(null, version + 1);
  },

  [ENDED](match, { reason, score }, isDue) {
    match.isOver = true;
    if (isDue) return;
    if (!match.position || rules.reasons.includes(reason)) {
      refuse(`nothing on the board ends the match: ${reason}`);
    }
    compare({ score }, { score: match.position.score });
  },

  "match.aborted"(match) {
    match.isOver = true;
  },
};

const digestOf = (position) => sha256(position.whole).slice(0, 12);

/** The end that the rules bring about in a position, if they do. */
function endOf({ outcome }) {
  return outcome ? [{ type: ENDED, ...outcome }] : [];
}

/** Refuse a fact that does not say what the rules give. */
function compare(fact, due) {
  if (due.type && fact.type !== due.type) {
    refuse(`is ${fact.type}, but the rules give ${due.type}`);
  }
  const wrong = Object.keys(due)
    .map((name) => [name, canonical(fact[name]), canonical(due[name])])
    .filter(([, said, wanted]) => said !== wanted)
    .map(([name, said, wanted]) => `${name} is ${said}, but the rules give ${wanted}`);
  if (wrong.length) refuse(wrong.join("; "));
}

/** An event as it reads today, if it cannot be read as it stands. */
function asToday(event, today) {
  const isKnown = !today || formOf(() => readFact(event))[0];
  return isKnown ? event : { ...event, ...today, isOlder: true };
}
