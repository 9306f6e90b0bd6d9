/* What a match accepts: the counterpart of match/decide.py, offers.py and match.py. */

/** A match as its events tell it; `evolve` folds one more fact in. */
class Match {
  constructor(id) {
    Object.assign(this, { id, version: 0, seats: new Map(), position: null, line: [] });
    Object.assign(this, { takenBack: [], offer: null, endedBy: "", starterBy: "" });
  }

  get isOver() {
    return this.endedBy !== "";
  }

  get freeSeats() {
    return [...this.seats.keys()].filter((seat) => !this.seats.get(seat));
  }

  get toMove() {
    const isRunning = !this.isOver && !this.freeSeats.length && this.position;
    return isRunning ? this.position.toMove : null;
  }

  /** The seat that guesses the fist, while it has to be guessed (G2). */
  get guesser() {
    if (this.position || this.starterBy !== "fist" || this.isOver) return null;
    const [first, second] = this.seats.keys();
    return this.isAi(second) ? first : second;
  }

  get isBegun() {
    return this.line.length > 0 || this.takenBack.length > 0;
  }

  isAi(seat) {
    return this.seats.get(seat)?.kind === "ai";
  }

  other(seat) {
    const [first, second] = this.seats.keys();
    return seat === first ? second : first;
  }

  /** The position that the line had at a version. */
  positionAt(version) {
    const played = this.line.findLast((move) => move.version <= version);
    return played ? played.after : this.first(this.starter);
  }

  first(starter) {
    const { Position } = rules;
    return this.base ? Position.restore(this.base) : Position.start(starter);
  }

  evolve(fact) {
    this.version += 1;
    const { version } = this;
    switch (fact.type) {
      case "match.opened":
        this.seats = new Map(rules.seats.map((seat) => [seat, null]));
        this.starter = fact.starter;
        this.starterBy = fact.starter_by;
        this.commitment = fact.commitment;
        this.base = fact.position;
        if (fact.starter_by !== "fist") this.position = this.first(fact.starter);
        break;
      case "match.seat_taken":
        this.seats.set(fact.seat, { ...fact, generation: 1 });
        break;
      case "match.seat_token_renewed":
        this.seats.get(fact.seat).generation = fact.generation;
        break;
      case "match.fist_guessed":
        this.starter = fact.starter;
        this.position = this.first(fact.starter);
        break;
      case "match.move_played":
        this.position = this.position.play(fact.move);
        this.line.push({ version, after: this.position });
        this.offer = null;
        break;
      case "match.draw_offered":
        this.offer = { kind: "draw", seat: fact.seat };
        break;
      case "match.takeback_requested":
        this.offer = { kind: "takeback", seat: fact.seat, to: fact.to_version };
        break;
      case "match.takeback_accepted":
        this.position = this.positionAt(fact.to_version);
        this.line = this.line.filter((move) => move.version <= fact.to_version);
        this.takenBack.push([fact.to_version + 1, version - 1]);
        this.offer = null;
        break;
      case "match.draw_accepted":
      case "match.draw_declined":
      case "match.takeback_declined":
        this.offer = null;
        break;
      case "match.ended":
        this.endedBy = fact.reason;
        this.offer = null;
        break;
      case "match.aborted":
        this.endedBy = "aborted";
        break;
      // what else there is, is told by the events beside it
    }
  }
}

const digestOf = (position) => sha256(position.whole).slice(0, 12);

function ended(position) {
  const { outcome } = position;
  return outcome ? [{ type: "match.ended", ...outcome }] : [];
}

const endedWith = (winner, reason, position) => ({
  type: "match.ended",
  winner,
  reason,
  score: position.score,
});

function checkSeat(seat) {
  if (rules.seats.includes(seat)) return;
  refuse(`there is no seat ${shownValue(seat)}; seats: ${rules.seats.join(", ")}`);
}

function checkSeatsTaken(match) {
  const free = match.freeSeats.join(", ");
  if (free) refuse(`the match begins when every seat is taken; free: ${free}`);
}

function checkBegun(match) {
  checkSeatsTaken(match);
  if (!match.position) refuse(`${match.guesser} has to guess the fist first`);
  return match.position;
}

function checkNoOffer({ offer }) {
  if (offer) refuse(`${offer.seat} has offered a ${offer.kind}; it has to be answered first`);
}

/** Return the facts that a command causes, or refuse it. */
function decide(match, command) {
  if (command.name === "open") return DECISIONS.open(match, command);
  if (match.isOver) {
    refuse(`the match is over (${match.endedBy}); open another to play on`);
  }
  if (!["sit", "abort", "abandon"].includes(command.name)) checkSeat(command.seat);
  return DECISIONS[command.name](match, command);
}

const DECISIONS = {
  open(_, { opened, starter, starterBy, seats }) {
    if (starterBy && rules.starters.length < 2) {
      const allowed = rules.starters.join(", ");
      refuse(`starter ${shownValue(starterBy)} is not possible; allowed: ${allowed}`);
    }
    const base = opened.position ? rules.Position.restore(opened.position) : null;
    const isGiven = base !== null && base.toMove !== null;
    const starter_by = isGiven ? "" : starterBy;
    const kinds = seats.map((who) => who.kind);
    if (starter_by === "fist" && kinds.length === 2 && !kinds.includes("human")) {
      refuse("a fist needs a human who guesses; both seats are AIs");
    }
    const due = {
      ...opened,
      options: rules.options,
      starter: isGiven ? base.toMove : starter,
      starter_by,
      commitment: starter_by === "fist" ? opened.commitment : "",
      position: base ? base.snapshot : "",
    };
    return [due, ...seats, ...(base ? ended(base) : [])];
  },

  sit(match, { seat, who }) {
    checkSeat(seat);
    const free = match.freeSeats;
    if (!free.includes(seat)) {
      const rest = free.length ? `; free: ${free.join(", ")}` : "";
      refuse(`seat ${shownValue(seat)} is taken${rest}`);
    }
    if (match.guesser && match.isAi(match.other(seat)) && who.kind === "ai") {
      refuse("a fist needs a human who guesses; the other seat is an AI");
    }
    return [who];
  },

  renew(match, { seat }) {
    const who = match.seats.get(seat);
    if (who?.kind !== "human") refuse(`no human player sits at ${shownValue(seat)}`);
    const generation = who.generation + 1;
    return [{ type: "match.seat_token_renewed", seat, generation }];
  },

  guess(match, { seat, guess, fist, secret }) {
    checkSeatsTaken(match);
    if (match.guesser !== seat) {
      refuse(`${seat} has no fist to guess; ${match.guesser ?? "nobody"} has`);
    }
    if (sha256(`${fist} ${secret}`) !== match.commitment) {
      refuse("the server no longer has the secret of this fist; open another");
    }
    const starter = guess === fist ? seat : match.other(seat);
    return [{ type: "match.fist_guessed", seat, guess, fist, secret, starter }];
  },

  play(match, { seat, move, failed }) {
    const position = checkBegun(match);
    const { toMove } = position;
    if (seat !== toMove) refuse(`${toMove ?? "None"} is to move, not ${seat}`);
    const after = position.play(move);
    const { given } = after;
    const failure = { type: "match.ai_failed", seat, attempts: failed };
    const played = { type: "match.move_played", seat, move, digest: digestOf(after), given };
    const passed = after.passes.map((who) => ({ type: "match.turn_passed", seat: who }));
    return [...(failed ? [failure] : []), played, ...passed, ...ended(after)];
  },

  abort(match) {
    const ply = match.line.length;
    if (match.isBegun) refuse(`${ply} moves were played; resign, or offer a draw`);
    return [{ type: "match.aborted" }];
  },

  abandon(match, { reason }) {
    const { position } = match;
    const isCalledOff = !position || match.freeSeats.length || !match.isBegun;
    return [isCalledOff ? { type: "match.aborted" } : endedWith(null, reason, position)];
  },

  resign(match, { seat }) {
    const over = endedWith(match.other(seat), "resignation", checkBegun(match));
    return [{ type: "match.resigned", seat }, over];
  },

  /** An AI answers at once: it takes a draw when it is not ahead. */
  offerDraw(match, { seat }) {
    const position = checkBegun(match);
    checkNoOffer(match);
    const offered = { type: "match.draw_offered", seat };
    const other = match.other(seat);
    if (!match.isAi(other)) return [offered];
    const accept = position.score[other] <= position.score[seat];
    return [offered, ...answerDraw(position, other, accept)];
  },

  /** An AI lets moves be taken back, always. */
  requestTakeback(match, { seat, to }) {
    checkBegun(match);
    checkNoOffer(match);
    checkTakeback(match, to);
    const requested = { type: "match.takeback_requested", seat, to_version: to };
    const other = match.other(seat);
    return match.isAi(other) ? [requested, takeBack(match, other, to)] : [requested];
  },

  answer(match, { seat, kind, accept }) {
    const position = checkBegun(match);
    const { offer } = match;
    if (offer?.kind !== kind) {
      refuse(`no ${kind} is offered; an offer lapses with the next move`);
    }
    if (offer.seat === seat) {
      refuse(`${seat} has offered the ${kind}; the other seat answers`);
    }
    if (kind === "draw") return answerDraw(position, seat, accept);
    if (!accept) return [{ type: "match.takeback_declined", seat }];
    return [takeBack(match, seat, offer.to)];
  },
};

function answerDraw(position, seat, accept) {
  if (!accept) return [{ type: "match.draw_declined", seat }];
  return [{ type: "match.draw_accepted", seat }, endedWith(null, "agreement", position)];
}

function takeBack(match, seat, to_version) {
  const digest = digestOf(match.positionAt(to_version));
  return { type: "match.takeback_accepted", seat, to_version, digest };
}

/** Refuse versions of the future, before the first position, or already undone. */
function checkTakeback({ version, line, takenBack }, to) {
  if (to < 1 || to > version) {
    refuse(`there is no version ${to}; this match has versions 1 to ${version}`);
  }
  const cannot = (reason) => refuse(`cannot go back to version ${to}: ${reason}`);
  if (!line.length || to >= line.at(-1).version) {
    cannot("no move that stands was played after it");
  }
  for (const [first, last] of takenBack) {
    if (first <= to && to <= last) {
      cannot(`versions ${first} to ${last} were taken back themselves`);
    }
  }
}
