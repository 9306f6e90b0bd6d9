// @ts-check
/** Shows notices, which phones let nobody else do; a click on one leads to its match. */

const worker = /** @type {any} */ (self); // there are no types for pages and workers at once

/** @param {any} event of a window that has something to tell */
function tell({ data: { title, facts }, source }) {
  return worker.registration.showNotification(title, { ...facts, data: source.id });
}

/** Go to a match in the window that told of it, or in a new one. @param {any} notice */
async function goTo({ tag: matchId, data: windowId }) {
  const shown = await worker.clients.get(windowId);
  if (!shown) return worker.clients.openWindow(`/#${matchId}`);
  shown.postMessage({ matchId });
  return shown.focus();
}

worker.addEventListener("message", (/** @type {any} */ event) => event.waitUntil(tell(event)));
worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(goTo(event.notification));
});
