// @ts-check
/** What the moves of a match that is over were worth, as a chart with its turning points. */

import { moveWords } from "./boards/spoken.js";
import { node } from "./boards/svg.js";
import { byId, make, setText } from "./elements.js";
import { hold } from "./seats.js";
import { ending, otherSeat, standingMoves } from "./state.js";
import { whoIs } from "./sentences.js";
import { say } from "./words.js";

/** @typedef {import("./main.js").Page} Page */
/** @typedef {import("./state.js").State} State */
/** @typedef {ReturnType<typeof import("./play.js").createPlay>} Play */

const [WIDTH, HEIGHT, EDGE] = [640, 150, 8];
const MOST_TURNS = 6;
const BAD = ["inaccuracy", "mistake", "blunder"];
const PAUSE_MS = 700;

/**
 * @param {Page} page
 * @param {Play} play
 * @param {{goTo: (version: number) => void}} replay
 */
export function createAnalysis(page, play, replay) {
  /** Ask what each move was worth, and tell it as it is found. */
  async function ask() {
    const { matchId } = page.state;
    const speaker = play.speaker();
    if (!speaker) return;
    byId("analyse").disabled = true;
    try {
      let found = await speaker.analyses.ofMatch(matchId);
      for (;;) {
        if (page.state.matchId !== matchId) return;
        const { status, plies } = found;
        page.tell({ type: "analysis.changed", analysis: { status, plies: plies ?? [] } });
        if (found.ended_at) return;
        await new Promise((done) => setTimeout(done, PAUSE_MS));
        found = await speaker.analyses.read(found.id);
      }
    } catch (error) {
      play.tellWhy(error);
    } finally {
      byId("analyse").disabled = false;
    }
  }

  /** Play on from what is shown: against the same AI, or both sides at this screen. */
  async function fork() {
    const { match, matchId, shown, bottom } = page.state;
    const other = otherSeat(page.state, bottom);
    if (!match) return;
    const ai = Object.values(match.seats).find((who) => who?.kind === "ai");
    const against = ai ? { kind: "ai", level: ai.level } : { kind: "human" };
    const seats = { [bottom]: { kind: "human" }, [other]: against };
    try {
      const opened = await play.speaker()?.fork(matchId, { version: shown, seats });
      hold(opened, opened.seat_tokens);
      page.goTo(opened.id);
    } catch (error) {
      play.tellWhy(error);
    }
  }

  function listen() {
    byId("analyse").addEventListener("click", ask);
    byId("fork").addEventListener("click", fork);
    byId("analysis").addEventListener("click", (/** @type {Event} */ event) => {
      const target = /** @type {Element} */ (event.target).closest("[data-ply]");
      const move = standingMoves(page.state)[Number(target?.getAttribute("data-ply")) - 1];
      if (move) replay.goTo(move.version);
    });
  }

  return { listen };
}

/** @param {State} state */
export function drawAnalysis(state) {
  const { analysis } = state;
  const end = ending(state);
  byId("analyse").hidden = !end || end.type === "match.aborted" || !!analysis;
  byId("analysis").hidden = !analysis;
  if (!analysis) return;
  const moves = standingMoves(state);
  const { plies, status } = analysis;
  const isOver = !["waiting", "running"].includes(status);
  const facts = { done: plies.length, all: moves.length };
  const words = isOver ? say(`analysis.${plies.length ? "done" : "failed"}`) : say("analysis.running", facts);
  setText(byId("analysis-words"), words);
  drawChart(state, plies, moves.length);
  drawTurns(state, plies);
}

/**
 * Draw the margin that the seat at the bottom might expect after each move.
 * @param {State} state
 * @param {import("./types.js").Analysis["plies"]} plies
 * @param {number} all
 */
function drawChart(state, plies, all) {
  const box = byId("analysis-chart");
  const at = standingMoves(state).filter(({ version }) => version <= state.shown).length;
  const key = `${plies.length} ${state.bottom} ${at}`;
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  const judged = [...plies].sort((one, other) => one.ply - other.ply);
  const values = judged.map(({ seat, value }) => (seat === state.bottom ? value : -value));
  const most = Math.max(...values.map(Math.abs), 4);
  const x = (/** @type {number} */ ply) => EDGE + (ply * (WIDTH - 2 * EDGE)) / Math.max(all, 1);
  const y = (/** @type {number} */ value) => (HEIGHT / 2) * (1 - value / (most * 1.1));
  const points = values.map((value, index) => `${x(judged[index].ply)},${y(value)}`);
  const [first, last] = [judged[0]?.ply ?? 0, judged[judged.length - 1]?.ply ?? 0];
  const area = [`${x(first)},${y(0)}`, ...points, `${x(last)},${y(0)}`].join(" ");
  const dots = judged
    .map((ply, index) => ({ ...ply, value: values[index] }))
    .filter(({ comment }) => BAD.includes(comment))
    .map(({ ply, value, comment }) =>
      node("circle", { class: comment, cx: x(ply), cy: y(value), r: 6, "data-ply": ply }),
    );
  const drawing = node(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": say("analysis.chart") },
    [
      node("polygon", { class: "area", points: area }),
      node("line", { class: "even", x1: 0, x2: WIDTH, y1: y(0), y2: y(0) }),
      node("polyline", { class: "values", points: points.join(" ") }),
      node("line", { class: "here", x1: x(at), x2: x(at), y1: 0, y2: HEIGHT }),
      ...dots,
    ],
  );
  box.replaceChildren(drawing);
}

/**
 * List the moves that lost most, to be looked at.
 * @param {State} state
 * @param {import("./types.js").Analysis["plies"]} plies
 */
function drawTurns(state, plies) {
  const list = byId("analysis-turns");
  const key = String(plies.length);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const worst = plies
    .filter(({ comment }) => BAD.includes(comment))
    .sort((one, other) => other.loss - one.loss)
    .slice(0, MOST_TURNS)
    .sort((one, other) => one.ply - other.ply);
  const entries = worst.map(({ ply, seat, move, loss, comment, best }) => {
    const [said, better] = [move, best.moves[0]].map((each) => moveWords(each, ""));
    const facts = { who: whoIs(seat, state), move: said, best: better, loss: Math.round(loss) };
    const words = say("analysis.turn", { ...facts, comment: say(`analysis.${comment}`) });
    const button = make("button", { type: "button", className: comment }, [
      make("span", { className: "version" }, [String(ply)]),
      make("span", {}, [words]),
    ]);
    button.dataset.ply = String(ply);
    return make("li", {}, [button]);
  });
  list.replaceChildren(...entries);
}
