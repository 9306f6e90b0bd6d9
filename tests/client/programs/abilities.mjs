// Does once what can be done; throws where an answer is not the one to be expected.
import assert from "node:assert/strict";
import { Problem, Seedlog, TimedOut, Unreachable } from "./seedlog.mjs";

const { URL: url, KEY } = process.env;
const app = new Seedlog(url, KEY);
const human = { kind: "human" };

assert.ok((await app.games()).some(({ key }) => key === "kalah"));
assert.deepEqual((await app.game("reversi")).seats, ["black", "white"]);
const shown = await app.position("kalah", { moves: ["C"] });

const match = await app.openMatch("kalah", { seats: { south: human } });
const taken = await app.sit(match.id, { name: "Ümit" });
const south = app.holding(match.seat_tokens.south);
const north = app.holding(taken.seat_token);
await assert.rejects(south.waitForTurn(match.id, "north", { withinS: 0.3 }), TimedOut);
const played = await south.play(match.id, "C", { version: taken.match.version });
assert.equal(played.match.position, shown.position);
await assert.rejects(
  south.play(match.id, "f", { version: played.match.version }),
  (error) => error instanceof Problem && error.status === 422 &&
    error.type === "illegal-move" && error.facts.legal_moves.includes("A"),
);
await north.requestTakeback(match.id, 3);
assert.equal((await south.answerTakeback(match.id, true)).match.to_move, "south");
assert.deepEqual(await all(app.moves(match.id)), []);
await north.offerDraw(match.id);
await south.answerDraw(match.id, false);
const renewed = await app.renewSeatToken(match.id, "north");
await app.holding(renewed.seat_token).resign(match.id);
assert.equal((await app.waitForEnd(match.id)).status, "finished");
assert.equal((await app.match(match.id, { version: 3, layout: true })).ply, 0);
assert.equal((await app.matchesById([match.id]))[0].id, match.id);
await eventually(async () => (await all(app.matches({ game: "kalah" }))).length > 0);
assert.ok((await app.fork(match.id, { version: 3 })).origin);
assert.ok((await app.audit(match.id)).ok);
const events = await all(app.events(match.id, { after: 3, position: true }));
assert.equal(events[0].version, 4);
assert.ok(events[0].board);
const resigned = { types: ["match.resigned"] };
await eventually(async () =>
  (await all(app.feed(resigned))).some((entry) => entry.match === match.id));

const { token } = await app.issueSpectatorToken(match.id, { expires_in_s: 60 });
assert.equal((await app.holding(token).match(match.id)).id, match.id);
await assert.rejects(app.holding(token).resign(match.id), { status: 403 });
assert.equal(await app.revokeSpectatorTokens(match.id), null);
assert.ok((await app.limits()).rates.some(({ policy }) => policy === "key"));

const people = ["u-3:chen", "u-4@dede"];
const rated = await app.openMatch("kalah", {
  seats: {
    south: { kind: "human", player: people[0] },
    north: { kind: "human", player: people[1] },
  },
});
for (const [move, seat] of [["A", "south"], ["a", "north"]]) {
  const { version } = await app.match(rated.id);
  await app.play(rated.id, move, { version, seat });
}
await app.resign(rated.id, "north");
await eventually(async () => (await app.players.ratings(people[0])).length > 0);
assert.equal((await app.players.read(people[0])).player, people[0]);
const [counted] = await all(app.players.ratedGames(people[0], "kalah"));
assert.deepEqual([counted.match, counted.score], [rated.id, 1]);
const ranked = (await all(app.players.leaderboard("kalah"))).map((each) => each.player);
assert.ok(ranked.some(({ player }) => player === people[1]));
assert.equal((await app.players.score(...people)).score[0].won, 1);
assert.equal(await app.players.erase(people[1]), null);

const fist = await app.openMatch("oware", {
  seats: { south: human, north: human }, starter: "fist",
});
await app.guessFist(fist.id, "left", fist.fist.guesser);
assert.equal((await app.callOff(fist.id)).match.status, "aborted");

const ai = await app.openMatch("reversi", {
  seats: { black: human, white: { kind: "ai", level: 1 } },
});
const { version } = ai;
const replied = await app.play(ai.id, "d3", { version, seat: "black", waitForReplyS: 10 });
assert.equal(replied.reply[0].by, "ai:1");

const made = await app.webhooks.create("http://127.0.0.1:9/", ["match.ended"]);
assert.match(made.secret, /^whsec_/);
const ping = await app.webhooks.ping(made.id);
assert.ok((await all(app.webhooks.deliveries(made.id))).some(({ id }) => id === ping.id));
await app.webhooks.deliverAgain(made.id, ping.id);
assert.notEqual((await app.webhooks.rotateSecret(made.id)).secret, made.secret);
const disabled = await app.webhooks.change(made.id, { status: "disabled" });
assert.equal(disabled.status, "disabled");
assert.equal((await app.webhooks.read(made.id)).reason, "requested");
await app.webhooks.delete(made.id);
assert.ok(!(await app.webhooks.list()).some(({ id }) => id === made.id));

const key = await app.keys.create({ label: "statistics", role: "read" });
await assert.rejects(app.holding(key.key).openMatch("kalah"), { status: 403 });
const rotated = await app.keys.rotate(key.id, { overlap_s: 60 });
assert.equal(await app.keys.revoke(key.id), null);
const status = Object.fromEntries((await app.keys.list()).map((k) => [k.id, k.status]));
assert.deepEqual([status[key.id], status[rotated.id]], ["revoked", "valid"]);

assert.throws(() => app.match(".."), TypeError);
await assert.rejects(app.match("../games/kalah?x="), { status: 404 });
assert.throws(() => new Seedlog(url, KEY, { retryForS: 3600 }), RangeError);
const nobody = new Seedlog("http://127.0.0.1:9", KEY, { retryForS: 0.2 });
await assert.rejects(
  nobody.openMatch("kalah"),
  (error) => error instanceof Unreachable && error.idempotencyKey.length === 32,
);
console.log("all of it");

// Lists of all matches follow the log; they are a moment behind it.
async function eventually(isSo) {
  const until = Date.now() + 20_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < until, `never: ${isSo}`);
    await new Promise((go) => setTimeout(go, 25));
  }
}

async function all(pages) {
  const found = [];
  for await (const each of pages) found.push(each);
  return found;
}
