/* What the text of Congkak's rounds tells besides: the counterpart of rounds.py. */

/** Congkak's rounds (C8): `round=2 starter=N`. */
function matchExtras({ round, starter, last, burnt, swapping }) {
  return {
    format: (board) => `round=${at(board, round)} starter=${"SN"[at(board, starter)]}`,
    read(text, board) {
      const found = /^round=([1-9]\d?) starter=([SN])$/.exec(text);
      if (!found) throw new Malformed("expected round=<number> starter=<S|N>");
      const number = Number(found[1]);
      put(board, round, number);
      put(board, starter, "SN".indexOf(found[2]));
      if (number > last) throw new Malformed(`there are at most ${last} rounds`);
      const [south, north] = burnt.map((cell) => at(board, cell));
      if ((south && north) || (number === 1 && south + north)) {
        const said = "one seat alone can have burnt pits, after the first round";
        throw new Malformed(said);
      }
      const swaps = at(board, swapping);
      if (swaps && (number > 1 || swaps === at(board, starter) + 1)) {
        throw new Malformed("who did not begin may swap, in the first round alone");
      }
    },
  };
}
