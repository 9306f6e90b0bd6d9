// Follows a match to its end, or the feed until a match is over; tells all it heard.
import { Seedlog } from "./seedlog.mjs";

const { URL: url, KEY, MATCH, CURSOR, HEARTBEAT } = process.env;
const app = new Seedlog(url, KEY, { heartbeatS: Number(HEARTBEAT) });
const told = [];
if (CURSOR === undefined) {
  for await (const event of app.follow(MATCH)) told.push(event);
} else {
  for await (const entry of app.followAll({ cursor: Number(CURSOR) })) {
    told.push(entry);
    if (entry.match === MATCH && entry.type === "match.ended") break;
  }
}
console.log(JSON.stringify(told));
