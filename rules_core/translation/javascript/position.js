/* Positions by translated rules: the counterpart of position.py and snapshot.py. */

const { turn, over, winner, passed, given, starter, claiming, swapping } = GAME.cells;
const FORMAT = "p1";
const DRAW = "draw";

const at = (board, cell) => Number(board[cell]);
const put = (board, cell, count) => {
  board[cell] = GAME.wide ? BigInt(count) : count;
};

/** What is wrong with a text. */
class Malformed extends Error {}

/** The rules refuse. */
class RulesError extends Error {}

/** A text as Python shows it. */
const shownText = (text) =>
  text.includes("'") && !text.includes('"')
    ? `"${text}"`
    : `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** What the rules need to go on. Nothing changes it; *seen* are positions (G9). */
class Position {
  constructor(board, seen) {
    this.board = board;
    this.seen = seen;
  }

  /** The position at the start. */
  static start(seat) {
    const board = RULES.opening();
    const index = GAME.seats.indexOf(seat);
    put(board, turn, index);
    if (starter >= 0) put(board, starter, index);
    if (swapping >= 0 && at(board, swapping)) put(board, swapping, 2 - index);
    RULES.settle(board);
    return new Position(board, countPosition(board, board, []));
  }

  /** The position of a snapshot, which must be written as it is written here. */
  static restore(snapshot) {
    const refuse = (reason) => {
      const begins = shownText(snapshot.slice(0, 80));
      throw new RulesError(`${begins} is not a snapshot: ${reason}`);
    };
    const [tag, body] = partition(snapshot, "|");
    if (tag !== FORMAT) refuse(`expected the format '${FORMAT}'`);
    const [text, rest] = partition(body, "|");
    const board = RULES.opening();
    let position;
    try {
      const isOver = FACE.read(text, board);
      position = new Position(board, readRest(board, rest, isOver));
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      refuse(error.message);
    }
    if (position.snapshot !== snapshot) refuse("it is not in its canonical form");
    return position;
  }

  get isOver() {
    return at(this.board, over) !== 0;
  }

  get toMove() {
    return this.isOver ? null : GAME.seats[at(this.board, turn)];
  }

  get legalMoves() {
    const out = [];
    const found = Number(RULES.legal(this.board.slice(), out));
    return out.slice(0, found).map((move) => GAME.moves[Number(move)]);
  }

  /** The position after a move and all that follows it. */
  play(move) {
    const legal = this.legalMoves;
    if (!legal.includes(move)) {
      const what = legal.length ? `legal: ${legal.join(", ")}` : "the game is over";
      throw new RulesError(`${shownText(move)} is not legal here; ${what}`);
    }
    const board = this.board.slice();
    const id = GAME.moves.lastIndexOf(move);
    RULES.apply(board, GAME.wide ? BigInt(id) : id);
    return new Position(board, countPosition(this.board, board, this.seen));
  }

  /** The seats that had to pass after the last move. */
  get passes() {
    const index = passed < 0 ? 0 : at(this.board, passed);
    return index ? [GAME.seats[index - 1]] : [];
  }

  /** How many discs the opponent gave for the last move (R5). */
  get given() {
    return given < 0 ? 0 : at(this.board, given);
  }

  get score() {
    return FACE.score(this.board);
  }

  /** What is on each place. */
  get places() {
    return FACE.places(this.board);
  }

  get outcome() {
    if (!this.isOver) return null;
    const index = at(this.board, winner);
    return {
      winner: index ? GAME.seats[index - 1] : null,
      reason: GAME.reasons[at(this.board, over) - 1],
      score: this.score,
    };
  }

  get text() {
    return FACE.format(this.board, this.isOver);
  }

  /** What the digest is made of. */
  get whole() {
    return `${this.text}|${formatRest(this)}`;
  }

  get snapshot() {
    return `${FORMAT}|${this.whole}`;
  }
}

function readCount(text) {
  if (/^(0|[1-9][0-9]{0,2})$/.test(text)) return Number(text);
  throw new Malformed(`${shownText(text)} is not a number of seeds`);
}

function partition(text, mark) {
  const end = text.indexOf(mark);
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
}

const isClaimed = (board) => claiming >= 0 && at(board, claiming) !== 0;

/** What G9 compares: the pits and the seat to move, one character for each. */
function positionKey(board) {
  const counts = board.slice(0, turn + 1);
  return String.fromCharCode(...counts.map((count) => Number(count) + 48));
}

/** Count a position that has arisen; at its third time it is a standstill (G9). */
function countPosition(before, board, seen) {
  if (!RULES.standstill || at(board, over) || isClaimed(board)) return [];
  const isNew = GAME.cells.lasting.some((cell) => board[cell] !== before[cell]);
  const known = isNew ? [] : seen;
  const key = positionKey(board);
  if (known.filter((other) => other === key).length < 2) return [...known, key];
  RULES.standstill(board);
  return at(board, over) || isClaimed(board) ? [] : [positionKey(board)];
}

function formatRest({ board, seen, isOver }) {
  const hidden = FACE.hidden(board);
  const parts = hidden ? [hidden] : [];
  if (isOver) {
    const index = at(board, winner);
    const reason = GAME.reasons[at(board, over) - 1];
    parts.push(`end=${reason}/${index ? GAME.seats[index - 1] : DRAW}`);
  } else if (seen.length > 1) {
    parts.push(`seen=${[...seen].sort().join(",")}`);
  }
  return parts.join(" ");
}

function readRest(board, rest, isOver) {
  const parts = rest ? rest.split(" ") : [];
  if (FACE.hidden(board)) FACE.readHidden(parts.shift() ?? "", board);
  const last = parts.pop() ?? "";
  if (parts.length) throw new Malformed(`${shownText(parts[0])} does not belong here`);
  if (!isOver) return readSeen(board, last);
  const [reason, name] = partition(last.replace(/^end=/, ""), "/");
  const winners = [DRAW, ...GAME.seats];
  if (!GAME.reasons.includes(reason) || !winners.includes(name)) {
    throw new Malformed("expected end=<reason>/<winner>");
  }
  put(board, over, GAME.reasons.indexOf(reason) + 1);
  put(board, winner, winners.indexOf(name));
  return [];
}

function readSeen(board, text) {
  if (!RULES.standstill || isClaimed(board)) return [];
  const key = positionKey(board);
  if (!text) return [key];
  const keys = text.replace(/^seen=/, "").split(",");
  if (keys.some((other) => other.length !== key.length || /[^0-\x7f]/.test(other))) {
    throw new Malformed("expected seen=<positions>");
  }
  const times = (wanted) => keys.filter((other) => other === wanted).length;
  if (!keys.includes(key) || keys.some((other) => times(other) > 2)) {
    throw new Malformed("the positions seen do not fit this one");
  }
  return keys;
}
