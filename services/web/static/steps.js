// @ts-check
/** Turns the steps of a move into frames; replayed on the board before, they give the one after. */

import { marksOf } from "./boards/marks.js";

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").Frame} Frame */
/** @typedef {import("./types.js").Step} Step */

const TAKEN_IN_HAND = ["lift", "lap", "enter"];
const CARRIED = ["capture", "sweep", "refill"];

/**
 * @param {{board: Board, owners?: Record<string, string> | null}} before the move
 * @param {Step[]} steps
 * @returns {Frame[]}
 */
export function framesOf(before, steps) {
  /** @type {Frame[]} */
  const frames = [];
  let now = { ...before.board };
  let owners = before.owners ?? null;
  let hand = /** @type {Frame["hand"]} */ (null);
  const marks = marksOf(steps.slice(0, 1));

  /** @param {number} beats @param {Frame["flights"]} flights */
  function show(beats, flights = []) {
    frames.push({ board: now, owners, hand, flights, marks, beats });
  }

  /** @param {string} place @param {number} change */
  function count(place, change) {
    if (place in now || change > 0) {
      now = { ...now, [place]: Number(now[place] ?? 0) + change };
    }
  }

  for (let index = 0; index < steps.length; index += 1) {
    const { kind, at = "", count: seeds = 0, to = "" } = steps[index];
    if (TAKEN_IN_HAND.includes(kind)) {
      count(at, -seeds);
      hand = { at, count: (hand?.count ?? 0) + seeds };
      show(2);
    } else if (kind === "sow") {
      count(at, 1);
      const left = (hand?.count ?? 1) - 1;
      hand = { at, count: left };
      show(1);
      if (!left) hand = null;
    } else if (CARRIED.includes(kind)) {
      const carried = [steps[index]];
      while (steps[index + 1]?.kind === kind) {
        index += 1;
        carried.push(steps[index]);
      }
      const flights = carried.map((step) => flight(step));
      show(1); // a moment to see what is going to happen
      for (const { from, count: flying } of flights) count(from, -flying);
      show(3, flights);
      for (const { to: home, count: flying } of flights) count(home, flying);
      show(1);
    } else if (kind === "place" || kind === "flip") {
      now = { ...now, [at]: to };
      show(kind === "place" ? 2 : 0.6);
    } else if (kind === "claim") {
      owners = { ...owners, [at]: to };
      show(3);
    } else if (kind === "swap") {
      const turned = Object.entries(now).map(([from, seeds]) => ({ from, to: otherSide(from), count: Number(seeds) }));
      show(1);
      now = Object.fromEntries(turned.map(({ from }) => [from, 0]));
      show(3, turned.filter(({ count: flying }) => flying));
      now = Object.fromEntries(turned.map(({ to: there, count: flown }) => [there, flown]));
      show(1);
    } else if (kind === "burn") {
      now = without(now, at);
      show(2);
    }
  }
  return frames;
}

/** @param {Board} board @param {string} place */
function without(board, place) {
  return Object.fromEntries(Object.entries(board).filter(([label]) => label !== place));
}

/** Return the place of the other seat that is called as this one is. @param {string} place */
function otherSide(place) {
  const stores = /** @type {Record<string, string>} */ ({ south: "north", north: "south" });
  const lower = place.toLowerCase();
  return stores[place] ?? (place === lower ? place.toUpperCase() : lower);
}

/** @param {Step} step */
function flight({ kind, at = "", count = 0, to = "" }) {
  return kind === "refill" ? { from: to, to: at, count } : { from: at, to, count };
}
