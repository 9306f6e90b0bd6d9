/* The face of Reversi: the counterpart of squares.py. */

const FACE = (() => {
  const { hands } = GAME.face;
  const [BLACK, WHITE, TURN, DISCS] = [0, 1, 2, "XO"];
  const every = [...Array(64).keys()];
  const has = (word, index) => (word >> BigInt(index)) & 1n;
  const inHand = (board) => [at(board, hands), at(board, hands + 1)];
  const discOf = (board, index) =>
    has(board[BLACK], index) ? "X" : has(board[WHITE], index) ? "O" : "-";
  const count = (word) => every.filter((index) => has(word, index)).length;

  function format(board, isOver) {
    const squares = every.map((index) => discOf(board, index)).join("");
    return `${squares} ${isOver ? "-" : DISCS[at(board, TURN)]}`;
  }

  function read(text, board) {
    if (!/^[XO-]{64} [XO-]$/.test(text)) {
      throw new Malformed("expected 64 of 'X', 'O' and '-', a space and 'X' or 'O'");
    }
    const [squares, mover] = text.split(" ");
    for (const seat of [BLACK, WHITE]) {
      const own = every.filter((index) => squares[index] === DISCS[seat]);
      board[seat] = own.reduce((word, index) => word | (1n << BigInt(index)), 0n);
    }
    put(board, TURN, mover === "O" ? 1 : 0);
    const placed = 60 - squares.replace(/[XO]/g, "").length;
    put(board, hands, 30 - Math.floor((placed + 1) / 2));
    put(board, hands + 1, 30 - Math.floor(placed / 2));
    return mover === "-";
  }

  function readHidden(text, board) {
    const found = /^hands=(0|[1-9]\d?)\/(0|[1-9]\d?)$/.exec(text);
    if (!found) throw new Malformed("expected hands=<black>/<white>");
    const empty = 64 - count(board[BLACK] | board[WHITE]);
    if (Number(found[1]) + Number(found[2]) !== empty) {
      throw new Malformed(`the hands must hold ${empty} discs together`);
    }
    put(board, hands, Number(found[1]));
    put(board, hands + 1, Number(found[2]));
  }

  const places = (board) =>
    Object.fromEntries(
      every
        .map((index) => [GAME.names[index], discOf(board, index)])
        .filter(([, disc]) => disc !== "-")
        .map(([square, disc]) => [square, GAME.seats[DISCS.indexOf(disc)]]),
    );
  const score = (board) => ({ black: count(board[BLACK]), white: count(board[WHITE]) });
  const hidden = (board) => `hands=${inHand(board).join("/")}`;

  return { format, read, places, score, hidden, readHidden };
})();
