// @ts-check
/** What moves over a board of pits: the hand, seeds that fly, arrows at a chosen pit. */

import { SEED } from "./pit.js";
import { buildPits } from "./pits.js";
import { roundSpots, setSeeds } from "./seeds.js";
import { node } from "./svg.js";
import { buildWays } from "./ways.js";

/** @typedef {import("../types.js").View} View */

const HAND_LIFT = 12;

/** @param {View} view @param {boolean} narrow */
export function buildPlayedPits(view, narrow) {
  const { svg, places, update: updateBoard, size, width, prefix } = buildPits(view, narrow);
  const hand = node("g", { class: "hand", "aria-hidden": "true" });
  const air = node("g", { class: "air", "aria-hidden": "true" });
  const ways = node("g", { class: "ways" });
  svg.append(hand, air, ways);
  const handSpots = roundSpots(size.pit * 0.62, "hand");
  /** @type {View["flights"]} */
  let flown;
  let offered = "";

  /** @param {View} now */
  function update(now) {
    svg.style.setProperty("--beat", `${now.beatMs ?? 0}ms`);
    svg.classList.toggle("choosing", !!now.chosen);
    for (const [label, { group }] of places) group.classList.toggle("chosen", now.chosen === label);
    updateBoard(now);
    updateHand(now);
    updateWays(now);
    if (now.flights !== flown) {
      flown = now.flights;
      for (const flight of now.flights ?? []) fly(flight, now.beatMs ?? 0);
    }
  }

  /** @param {View} now */
  function updateWays(now) {
    const key = now.chosen ? [now.chosen, ...(now.ways ?? []).map(({ move }) => move)].join(" ") : "";
    if (key === offered) return;
    offered = key;
    const pit = places.get(now.chosen ?? "");
    const shown = pit && now.ways ? buildWays(now.ways, pit.at, size.pit, narrow, width) : [];
    ways.replaceChildren(...shown);
    shown[0]?.focus({ preventScroll: true });
  }

  /** @param {View} now */
  function updateHand(now) {
    const place = now.hand && places.get(now.hand.at);
    const wasAway = !hand.childElementCount;
    setSeeds(hand, now.hand?.count ?? 0, handSpots, prefix, SEED);
    if (!place) return;
    const [x, y] = place.at;
    hand.classList.toggle("arriving", wasAway);
    hand.style.transform = `translate(${x}px, ${y - HAND_LIFT}px)`;
  }

  /** @param {{from: string, to: string, count: number}} flight @param {number} beatMs */
  function fly({ from, to, count }, beatMs) {
    const [start, end] = [places.get(from)?.at, places.get(to)?.at];
    if (!start || !end || !beatMs) return;
    const seeds = node("g");
    setSeeds(seeds, count, handSpots, prefix, SEED);
    air.append(seeds);
    const path = [start, end].map(([x, y]) => ({
      transform: `translate(${x}px, ${y}px)`,
    }));
    const timing = { duration: beatMs * 3, easing: "ease-in-out" };
    seeds.animate(path, timing).finished.finally(() => seeds.remove());
  }

  return { svg, places, update };
}
