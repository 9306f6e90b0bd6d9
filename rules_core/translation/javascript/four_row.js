/* The face of a board of four rows: the counterpart of four_row.py. */

const SHAPE = /^([^ /]+)\/([^ /]+)\/([^ /]+)\/([^ /]+) - ([SN-])$/;

const FACE = (() => {
  const { rows, turn } = GAME.face;
  const sum = (board, first, end) =>
    board.slice(first, end).reduce((total, count) => total + Number(count), 0);

  function format(board, isOver) {
    const written = rows.map(([, cells]) => cells.map((cell) => at(board, cell)).join(","));
    return `${written.join("/")} - ${isOver ? "-" : "SN"[at(board, turn)]}`;
  }

  function read(text, board) {
    const found = SHAPE.exec(text);
    if (!found) throw new Malformed("expected <A row>/<B row>/<a row>/<b row> - <S|N>");
    const total = sum(board, 0, 32);
    rows.forEach(([row, cells], index) => {
      const kete = found[index + 1].split(",");
      if (kete.length !== 8) {
        throw new Malformed(`row ${row} has 8 mashimo, not ${kete.length}`);
      }
      cells.forEach((cell, place) => put(board, cell, readCount(kete[place])));
    });
    if (sum(board, 0, 32) !== total) {
      throw new Malformed(`there must be ${total} kete, not ${sum(board, 0, 32)}`);
    }
    put(board, turn, found[5] === "N" ? 1 : 0);
    return found[5] === "-";
  }

  const places = (board) =>
    Object.fromEntries(
      rows.flatMap(([row, cells]) =>
        cells.map((cell, index) => [`${row}${index + 1}`, at(board, cell)]),
      ),
    );
  const score = (board) => ({ south: sum(board, 0, 16), north: sum(board, 16, 32) });

  return { format, read, places, score, hidden: () => "" };
})();
