// An app has a position and a match analysed, and a player takes a hint.
import { Problem, Seedlog } from "./seedlog.mjs";

const app = new Seedlog(process.env.URL, process.env.KEY);
const asked = await app.analyses.ofPosition("kalah", {
  options: { pits: 4, seeds: 2 },
  lines: 2,
  time_ms: 2000,
});
const found = [];
for await (const event of app.analyses.follow(asked.id)) found.push(event);
const ended = await app.analyses.wait(asked.id);

const human = { kind: "human" };
const match = await app.openMatch("kalah", {
  seats: { south: human, north: human },
  hints: true,
});
const south = app.holding(match.seat_tokens.south);
const taken = await south.analyses.hint(match.id, { time_ms: 50 });
const hint = await south.analyses.wait(taken.id);
const [move] = hint.lines[0].moves;
const { version } = await south.match(match.id);
await south.play(match.id, move, { version });
const judged = await app.analyses.ofMatch(match.id, { time_ms: 50 });
const match_ended = await app.analyses.wait(judged.id);

const long = await app.analyses.ofPosition("oware", { time_ms: 60_000 });
await app.analyses.cancel(long.id);
const none = await app.analyses.read("ana_none").catch((error) => error);
console.log(
  JSON.stringify({
    versions: found.map((event) => event.version),
    last: found.at(-1).type,
    lines: ended.lines.length,
    depths: found.filter((event) => event.data.depth).at(-1).data.depth === ended.depth,
    hint: [hint.kind, hint.seat],
    plies: match_ended.plies.map((ply) => [ply.move === move, ply.seat]),
    canceled: (await app.analyses.wait(long.id)).status,
    none: none instanceof Problem && none.type,
  }),
);
