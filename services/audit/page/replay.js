/* Plays a match anew: every event must be what the rules decide now.

The counterpart of replaying.py and acts.py. An act is the events that one command
caused; from the first one the command is made again, and decided again. */

const APP = /^key:[A-Za-z0-9_-]{1,64}$/;
const SERVER = "server";
const FISTS = ["left", "right"];
const OPENED = "match.opened";
const ORIGIN = "an origin is a match, a version from 1 and a hash, with the position there";
const SEAT_TAKEN = "match.seat_taken";
const AI_FAILED = "match.ai_failed";
const ANSWERS = ["match.draw_accepted", "match.draw_declined", "match.takeback_accepted"];
const BY_SERVER = ["match.turn_passed", "match.ended", AI_FAILED];

/** A match that is played anew from its events, from the first one on. */
class Replay {
  /** *today*: how events of an older form read today, by version. */
  constructor(matchId, events, hashes, today) {
    this.match = new Match(matchId);
    this.events = events.map((event) => asToday(event, today[event.version]));
    this.hashes = hashes;
    this.stood = []; // what stood after each event: the position and who is to move
  }

  /** How many events were read as the service reads them. */
  get older() {
    return this.events.filter((event) => event.isOlder).length;
  }

  /** Play as far as it can have happened; return [place, why no further], or null. */
  async run() {
    let at = 0;
    while (at < this.events.length) {
      await breathe();
      try {
        at = this.playAct(at);
      } catch (error) {
        const version = error.version ?? at + 1;
        return [`event ${version}`, error.message];
      }
    }
    return null;
  }

  /** Decide anew what the act was that begins here; return the index after it. */
  playAct(at) {
    const first = this.events[at];
    const following = this.events.slice(at + 1, at + 3);
    const fact = readFact(first);
    if (fact.type === "match.imported") {
      checkImport(fact, first, this.hashes[at - 1] ?? "");
      this.evolve(fact);
      return at + 1;
    }
    if ((fact.type === OPENED) !== (at === 0)) {
      refuse("a match begins with match.opened, once");
    }
    if (fact.type === AI_FAILED && !following.length) {
      refuseAt(at + 2, "is missing: a move in place of the AI's");
    }
    const command =
      fact.type === OPENED
        ? this.readOpening(fact, first, following)
        : this.readCommand(fact, first.by, following);
    // that an AI failed is said by the server, but it is the AI that moves
    const by = fact.type === AI_FAILED ? following[0].by : first.by;
    checkAuthor(this.match, command, by);
    const due = decide(this.match, command);
    due.forEach((event, index) => {
      this.compare(at + index, event, first, by);
      this.evolve(event);
    });
    return at + due.length;
  }

  evolve(fact) {
    this.match.evolve(fact);
    const { position, toMove } = this.match;
    this.stood.push({ position, toMove });
  }

  /** Refuse an event that is not the one that was due in its place. */
  compare(at, due, first, by) {
    const recorded = this.events[at];
    if (!recorded) {
      refuseAt(at + 1, `is missing: the rules make ${due.type} of event ${first.version}`);
    }
    const author = authorOf(this.match, due, by);
    const wrong =
      difference(recorded, due, author) ??
      (recorded.at === first.at
        ? null
        : `its time is not that of event ${first.version}, its cause`);
    if (wrong) refuseAt(at + 1, wrong);
  }

  // -- from the first event of an act to its command

  readOpening(opened, first, following) {
    if (!opened.tenant) refuse("a match belongs to a tenant");
    for (const [name, known] of [["game", rules.key], ["rules", rules.rules]]) {
      if (opened[name] === known) continue;
      refuse(`there is no game ${shownValue(opened[name])}; known here: ${known}`);
    }
    const isStarter = rules.starters.includes(opened.starter);
    const isFist = opened.starter_by === "fist";
    if (isFist && !/^[0-9a-f]{64}$/.test(opened.commitment)) {
      refuse("the fist is not hidden in a SHA-256");
    }
    if (Object.keys(opened.origin).length && !isOrigin(opened)) refuse(ORIGIN);
    const isDrawn = opened.starter_by === "random" && isStarter;
    return {
      name: "open",
      opened,
      starter: isFist ? "" : isStarter ? opened.starter : rules.starters[0],
      starterBy: isFist || isDrawn ? opened.starter_by : "",
      seats: this.readSeats(first, following),
    };
  }

  /** Who sat down at once; a seat that is wrong is an act of its own. */
  readSeats(first, following) {
    const seats = [];
    let free = rules.seats;
    for (const event of following) {
      if (event.at !== first.at || event.by !== first.by) break;
      try {
        const taken = readFact(event);
        if (taken.type !== SEAT_TAKEN || !free.includes(taken.seat)) break;
        seats.push(readPlayer(taken));
        free = free.slice(free.indexOf(taken.seat) + 1);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        break;
      }
    }
    return seats;
  }

  readCommand(fact, by, following) {
    const { seat } = fact;
    switch (fact.type) {
      case "match.move_played":
        return { name: "play", seat, move: fact.move, failed: 0 };
      case AI_FAILED: {
        const played = readFact(following[0]);
        if (fact.attempts < 1 || played.type !== "match.move_played") {
          refuse("an AI that failed is followed by a move in its place");
        }
        return { name: "play", seat, move: played.move, failed: fact.attempts };
      }
      case SEAT_TAKEN:
        return { name: "sit", seat, who: readPlayer(fact) };
      case "match.seat_token_renewed":
        return { name: "renew", seat };
      case "match.fist_guessed":
        if (!FISTS.includes(fact.guess) || !FISTS.includes(fact.fist)) {
          refuse("a fist is left or right");
        }
        return { name: "guess", ...fact };
      case "match.draw_offered":
        return { name: "offerDraw", seat };
      case "match.takeback_requested":
        return { name: "requestTakeback", seat, to: fact.to_version };
      case "match.draw_accepted":
      case "match.draw_declined":
      case "match.takeback_accepted":
      case "match.takeback_declined": {
        const [, kind, answer] = /^match\.(draw|takeback)_(\w+)$/.exec(fact.type);
        return { name: "answer", seat, kind, accept: answer === "accepted" };
      }
      case "match.resigned":
        return { name: "resign", seat };
      case "match.aborted":
        return by === SERVER ? { name: "abandon", reason: "abandoned" } : { name: "abort" };
      case "match.ended":
        if (["abandoned", "too-long"].includes(fact.reason)) return { name: "abandon", reason: fact.reason };
    }
    return refuse(`nothing happened that ${fact.type} could follow from`);
  }
}

function isOrigin({ origin: { match, version, hash, ...rest }, position }) {
  const isWhole = IS_A.str(match) && MATCH_ID.test(match) && IS_A.str(hash);
  const isCounted = IS_A.int(version) && version >= 1 && /^[0-9a-f]{64}$/.test(hash);
  return isWhole && isCounted && position !== "" && !Object.keys(rest).length;
}

/** An event as it reads today, if it cannot be read as it stands. */
function asToday(event, today) {
  return today && formOf(() => readFact(event))[1]
    ? { ...event, ...today, isOlder: true }
    : event;
}

/** Refuse what is due in another place than that where the act begins. */
function refuseAt(version, reason) {
  throw Object.assign(new Refused(reason), { version });
}

/** Say how a recorded event differs from the one that is due. */
function difference(recorded, due, author) {
  const { type, data, isOlder } = recorded;
  if (type !== due.type) return `is ${type}, but the rules give ${due.type}`;
  const wanted = dataOf(due);
  const said = isOlder ? dataOf(readFact(recorded)) : data;
  const names = [...new Set([...Object.keys(said), ...Object.keys(wanted)])].sort();
  const others = names.filter((name) => !isSame(said[name], wanted[name]));
  if (others.length) {
    const told = others.map(
      (name) =>
        `${name} is ${shownValue(said[name])}, ` +
        `but the rules give ${shownValue(wanted[name])}`,
    );
    return told.join("; ");
  }
  if (recorded.by === author || isOlder) return null;
  return `its author is ${shownValue(recorded.by)}, but should be ${shownValue(author)}`;
}

function isSame(one, other) {
  if (one === undefined || other === undefined) return one === other;
  return canonical(one) === canonical(other);
}

function checkImport({ tenant, head, key }, { by }, hash) {
  if (!hash || head !== hash) {
    refuse("it was imported with another head than the hash before");
  }
  if (!tenant || !/^sig_[0-9a-f]{16}$/.test(key)) {
    refuse("an import names the tenant and the key of the head");
  }
  if (!APP.test(by)) refuse(`${shownValue(by)} cannot import a match; an app can`);
}

function readPlayer(taken) {
  const { kind, player, level } = taken;
  const isHuman = kind === "human" && player && !level;
  const isAi = kind === "ai" && !player && level >= 1 && level <= 8;
  if (!isHuman && !isAi) {
    refuse("who sits is a human with a reference, or an AI of a level");
  }
  return taken;
}

/** Who says an event: whoever asked, the server, or an AI that answers. */
function authorOf(match, { type, seat }, by) {
  if (BY_SERVER.includes(type)) return SERVER;
  if (ANSWERS.includes(type) && match.isAi(seat)) return `ai:${match.seats.get(seat).level}`;
  return by;
}

/** Refuse an author who cannot have given a command. */
function checkAuthor(match, { name, seat, failed }, by) {
  const isApp = APP.test(by);
  const cannot = (rest) => refuse(`${shownValue(by)} cannot ${rest}`);
  if (name === "open") {
    if (!isApp && by !== "guest") cannot("open a match; an app or a guest can");
  } else if (name === "sit" || name === "renew") {
    if (!isApp) cannot("do that; an app can");
  } else if (name === "abandon") {
    if (by !== SERVER) cannot("end a match like that; server can");
  } else if (match.isAi(seat)) {
    if (name !== "play") refuse("an AI moves and answers, and does nothing else");
    const level = failed ? 1 : match.seats.get(seat).level;
    if (by !== `ai:${level}`) cannot(`move here; ai:${level} can`);
  } else if (failed) {
    refuse(`${seat} is no AI that could have failed`);
  } else if (!isApp && by !== "seat") {
    cannot(`act for ${seat ?? "a seat"}; its player can`);
  }
}
