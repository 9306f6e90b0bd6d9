// Two look for each other, one invites another, and two play again.
import { Seedlog } from "./seedlog.mjs";

const app = new Seedlog(process.env.URL, process.env.KEY);
const wanted = (player) => ({ player, options: { seeds: 3 } });
const found = await Promise.all([
  app.lobby.findOpponent("kalah", wanted("js-1"), { withinS: 60 }),
  app.lobby.findOpponent("kalah", wanted("js-2"), { withinS: 60 }),
]);
const nobody = await app.lobby.findOpponent("oware", {}, { withinS: 1 });

const open = await app.openMatch("kalah", { seats: { south: { kind: "human" } } });
const invitation = await app.lobby.invite(open.id, { seat: "north" });
const invited = app.holding(invitation.token);
const taken = await invited.lobby.accept(open.id, { name: "Beth" });

const [mine, theirs] = found.map((seek) => app.holding(seek.seat_token));
await mine.resign(found[0].match.id);
const first = await mine.lobby.rematch(found[0].match.id);
const second = await theirs.lobby.rematch(found[0].match.id);
console.log(
  JSON.stringify({
    same: found[0].match.id === found[1].match.id,
    seats: found.map((seek) => seek.seat).sort(),
    nobody,
    taken: [taken.seat, taken.match.seats.north.name],
    rematch: [first.id === second.id, first.status, second.status],
  }),
);
