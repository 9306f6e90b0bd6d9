// Opens matches and plays them to their end; tells how many moves were acknowledged.
import { Seedlog } from "./seedlog.mjs";

const app = new Seedlog(process.env.URL, process.env.KEY);
const human = { kind: "human" };
const seats = { south: human, north: human };
const matches = {};
for (let number = 0; number < 3; number += 1) {
  let match = await app.openMatch("kalah", { seats, options: { pits: 4, seeds: 2 } });
  const { id } = match;
  let moves = 0;
  while (!match.outcome) {
    const { legal_moves: legal, version, to_move: seat } = match;
    const move = legal[(moves * 7 + number) % legal.length];
    ({ match } = await app.play(id, move, { version, seat }));
    moves += 1;
  }
  matches[id] = moves;
}
const drawn = await app.openMatch("oware", { seats });
await app.offerDraw(drawn.id, "south");
await app.answerDraw(drawn.id, true, "north");
console.log(JSON.stringify({ matches, drawn: drawn.id }));
