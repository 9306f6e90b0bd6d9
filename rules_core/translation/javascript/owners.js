/* What the text of Oware Nam Nam tells besides: the counterpart of rounds.py. */

const OWNED = new RegExp(
  "^owners=([SN]{6})/([SN]{6}) round=([1-9]\\d{0,3}) starter=([SN])(?: claim=([1-5]))?$",
);

/** Who owns the pits (N7): `owners=SSSSSS/SNNNNN round=2 starter=N claim=1`. */
function ownersExtras(cells) {
  const { owners, round, starter, claim, mostRounds } = cells;

  function format(board) {
    const who = board.slice(owners, owners + 12).map((owner) => "SN"[Number(owner)]);
    const rows = `${who.slice(0, 6).join("")}/${who.slice(6).join("")}`;
    const begun = `round=${at(board, round)} starter=${"SN"[at(board, starter)]}`;
    const left = at(board, claim);
    return `owners=${rows} ${begun}${left ? ` claim=${left}` : ""}`;
  }

  function read(text, board) {
    const found = OWNED.exec(text);
    if (!found) {
      const form = "owners=<S|N x 6>/<S|N x 6> round=<number> starter=<S|N>";
      throw new Malformed(`expected ${form}`);
    }
    const [, south, north, number, begins, left] = found;
    [...south, ...north].forEach((who, pit) => put(board, owners + pit, "SN".indexOf(who)));
    put(board, round, Number(number));
    put(board, starter, "SN".indexOf(begins));
    put(board, claim, Number(left ?? 0));
    const lost = south.replaceAll("S", "").length;
    const won = north.replaceAll("N", "").length;
    if ((lost && won) || (number === "1" && lost + won)) {
      throw new Malformed("only one side can have lost pits, after the first round");
    }
    const most = at(board, mostRounds);
    if (most && Number(number) > most) {
      throw new Malformed(`there are at most ${most} rounds`);
    }
    if (left) checkClaim(cells, board, lost, won);
  }

  return { format, read };
}

function checkClaim({ turn, round, claim, stores }, board, lost, won) {
  const claimed = at(board, turn) ? lost : won;
  if (at(board, round) === 1 || claimed !== lost + won) {
    throw new Malformed("the seat to move has nothing to claim");
  }
  if (claimed + at(board, claim) > 5) {
    throw new Malformed("no seat can claim all six pits of the other");
  }
  const isSown = board.slice(0, 12).some((count) => Number(count) !== 4);
  if (isSown || stores.some((cell) => at(board, cell))) {
    throw new Malformed("pits are claimed before anything is sown");
  }
}
