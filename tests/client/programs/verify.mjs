// Verifies webhooks and exports that come as JSON; tells what each is found to be.
import { readFileSync } from "node:fs";
import { verifyExport, verifyWebhook } from "./seedlog.mjs";

const { webhooks, exports, trusted } = JSON.parse(readFileSync("given.json", "utf8"));
const found = [];
for (const { secret, headers, body, nowS } of webhooks) {
  await verifyWebhook(secret, headers, body, { nowS }).then(
    (said) => found.push(said.type),
    (error) => found.push(error.name),
  );
}
for (const text of exports) {
  await verifyExport(text, trusted ? { trusted } : {}).then(
    (held) => found.push(`${held.match} ${held.hash} ${held.isKeyTrusted}`),
    (error) => found.push(error.name),
  );
}
console.log(JSON.stringify(found));
