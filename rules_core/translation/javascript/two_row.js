/* The face of a board of two rows: the counterpart of two_row.py. */

const SHAPE = /^([^ /]+)\/([^ /]+) ([^ ,]+),([^ ,]+) ([SN-])(?: (.+))?$/;

const PIE = /^(?:(.+) )?pie=([SN])$/;

const FACE = (() => {
  const { south, north, stores, turn, burnt, extras, swapping } = GAME.face;
  const told = extras && (extras.kind === "match" ? matchExtras : ownersExtras)(extras);
  const rows = [south, north];
  const every = [...south, ...north, ...stores];
  const counts = (board, cells) => cells.map((cell) => at(board, cell));
  const seedsIn = (board) => counts(board, every).reduce((sum, count) => sum + count, 0);
  const burntOf = (board, seat) => (burnt ? at(board, burnt[seat]) : 0);
  const inPlay = (board, seat) =>
    rows[seat].slice(0, rows[seat].length - burntOf(board, seat));

  function format(board, isOver) {
    const written = [0, 1].map((seat) =>
      [
        ...counts(board, inPlay(board, seat)),
        ...Array(burntOf(board, seat)).fill("x"),
      ].join(","),
    );
    const mover = isOver ? "-" : "SN"[at(board, turn)];
    const text = `${written.join("/")} ${counts(board, stores).join(",")} ${mover}`;
    const swaps = swapping === null ? 0 : at(board, swapping);
    return [
      text,
      ...(told ? [told.format(board)] : []),
      ...(swaps ? [`pie=${"SN"[swaps - 1]}`] : []),
    ].join(" ");
  }

  /** Read who may still swap; return what else is told. */
  function readSwapping(text, board) {
    if (swapping === null) return text;
    const found = PIE.exec(text ?? "");
    put(board, swapping, found ? "SN".indexOf(found[2]) + 1 : 0);
    return found ? found[1] : text;
  }

  function readRow(text, board, seat) {
    const row = rows[seat];
    const found = text.split(",");
    if (found.length !== row.length) {
      const said = `${GAME.seats[seat]} has ${row.length} pits, not ${found.length}`;
      throw new Malformed(said);
    }
    for (const cell of row) put(board, cell, 0);
    if (burnt) {
      while (found.length > 1 && found.at(-1) === "x") found.pop();
      put(board, burnt[seat], row.length - found.length);
    }
    found.forEach((count, index) => put(board, row[index], readCount(count)));
  }

  function read(text, board) {
    const found = SHAPE.exec(text);
    const more = found && readSwapping(found[6], board);
    const isSwappedOver = found && found[5] === "-" && more !== found[6];
    if (!found || (more === undefined) !== !told || isSwappedOver) {
      const form = "<south pits>/<north pits> <south store>,<north store> <S|N>";
      const pie = swapping === null ? "" : ", and pie=<S|N> where that seat may still swap";
      throw new Malformed(`expected ${form}${told ? " and key=value" : pie}`);
    }
    const total = seedsIn(board);
    readRow(found[1], board, 0);
    readRow(found[2], board, 1);
    put(board, stores[0], readCount(found[3]));
    put(board, stores[1], readCount(found[4]));
    const seeds = seedsIn(board);
    if (seeds !== total) {
      throw new Malformed(`there must be ${total} seeds, not ${seeds}`);
    }
    put(board, turn, found[5] === "N" ? 1 : 0);
    told?.read(more, board);
    return found[5] === "-";
  }

  function places(board) {
    const cells = [...inPlay(board, 0), ...inPlay(board, 1), ...stores];
    return Object.fromEntries(cells.map((cell) => [GAME.names[cell], at(board, cell)]));
  }

  const score = (board) =>
    Object.fromEntries(GAME.seats.map((seat, index) => [seat, at(board, stores[index])]));

  return { format, read, places, score, hidden: () => "" };
})();
