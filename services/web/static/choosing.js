// @ts-check
/** The form that chooses a game, its options, a seat and a level. */

import { draw as drawBoard } from "./board.js";
import { CONTROLS } from "./clocks.js";
import { byId, make, setText } from "./elements.js";
import { theme } from "./themes.js";
import { optionValue, say, seatName } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {import("./types.js").Game} Game */
/** @typedef {import("./types.js").OptionSpec} OptionSpec */

const LEVEL = 3;
let drawnGame = "";

/**
 * Return the choice to begin with, or one that was made before if it still fits.
 * @param {Game[]} games
 * @param {Choice | null} [before]
 * @returns {Choice}
 */
export function firstChoice(games, before = null) {
  const game = games.find(({ key }) => key === before?.game) ?? games[0];
  const fresh = choiceOf(game, before?.level ?? LEVEL);
  if (before?.game !== game.key) return fresh;
  const seat = game.seats.includes(before.seat) ? before.seat : fresh.seat;
  const kept = Object.entries(before.options).filter(([name]) => name in fresh.options);
  const clock = CONTROLS[controlOf(before.clock)];
  return { ...fresh, seat, clock, options: { ...fresh.options, ...Object.fromEntries(kept) } };
}

/**
 * Return the choice of a game with its options at their defaults.
 * @param {Game} game
 * @param {number} level
 * @returns {Choice}
 */
function choiceOf(game, level) {
  const defaults = game.options.map((spec) => [spec.name, spec.default]);
  const [seat] = game.seats;
  const options = Object.fromEntries(defaults);
  return { game: game.key, options, seat, level, clock: null };
}

/**
 * Return the name of a time control; that of none, if it is none that is offered.
 * @param {Record<string, number> | null | undefined} clock
 */
function controlOf(clock) {
  const text = JSON.stringify(clock ?? null);
  const found = Object.entries(CONTROLS).find(([, each]) => JSON.stringify(each) === text);
  return found?.[0] ?? "none";
}

/**
 * Draw the form as the state has it.
 * @param {State} state
 * @param {(choice: Choice) => void} onChange
 */
export function drawChoosing({ games, choice, opening }, onChange) {
  if (!choice) return;
  const game = games.find(({ key }) => key === choice.game);
  if (!game) return;
  if (!byId("games").childElementCount) drawGames(games, choice, onChange);
  if (!byId("clock").childElementCount) drawControls();
  byId("clock").value = controlOf(choice.clock);
  if (drawnGame !== game.key) {
    drawnGame = game.key;
    drawOptions(game, choice);
    drawSeats(game, choice);
    byId("level").value = choice.level;
  }
  setText(byId("level-words"), say(`choose.level.${choice.level}`));
  byId("play").disabled = opening;
  setText(byId("play"), say(opening ? "choose.opening" : "choose.play"));
}

/**
 * Tell about every change in the form.
 * @param {() => State} state
 * @param {(choice: Choice) => void} onChange
 */
export function listenToChoosing(state, onChange) {
  byId("choice").addEventListener("input", (/** @type {Event} */ event) => {
    const { choice } = state();
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (!choice || field.name === "game") return;
    if (field.name === "seat") onChange({ ...choice, seat: field.value });
    else if (field.id === "clock") onChange({ ...choice, clock: CONTROLS[field.value] });
    else if (field.id === "level") onChange({ ...choice, level: Number(field.value) });
    else {
      const options = { ...choice.options, [field.name]: valueOf(field) };
      onChange({ ...choice, options });
    }
  });
}

function drawControls() {
  const controls = Object.keys(CONTROLS).map((name) =>
    make("option", { value: name }, [say(`choose.clock.${name}`)]),
  );
  byId("clock").append(...controls);
}

/** @param {Game[]} games @param {Choice} choice @param {(choice: Choice) => void} onChange */
function drawGames(games, choice, onChange) {
  const cards = games.map((game) => {
    const input = make("input", {
      type: "radio",
      name: "game",
      value: game.key,
      checked: game.key === choice.game,
    });
    input.addEventListener("change", () => {
      const clock = CONTROLS[byId("clock").value];
      onChange({ ...choiceOf(game, Number(byId("level").value)), clock });
    });
    const picture = make("div", { className: "picture" });
    drawPicture(picture, game);
    const name = make("span", { className: "name" }, [game.name]);
    return make("label", { className: "card" }, [input, picture, name]);
  });
  byId("games").append(...cards);
}

/**
 * Decorate a card with a board of the game; this is a picture, not a position.
 * @param {HTMLElement} element
 * @param {Game} game
 */
function drawPicture(element, game) {
  const { layout, seats } = game;
  const board =
    layout.kind === "squares" ? middleOf(layout.rows, seats) : filled(layout.rows);
  const view = { layout, seats, board, bottom: seats[0], title: game.name };
  drawBoard(element, { ...view, theme: theme(), picture: true });
}

/** @param {string[][]} rows @param {string[]} seats */
function middleOf(rows, seats) {
  const [y, x] = [rows.length / 2, rows[0].length / 2];
  const [first, second] = seats;
  return {
    [rows[y - 1][x - 1]]: second,
    [rows[y][x]]: second,
    [rows[y - 1][x]]: first,
    [rows[y][x - 1]]: first,
  };
}

/** @param {string[][]} rows */
function filled(rows) {
  return Object.fromEntries(rows.flat().map((label) => [label, 4]));
}

/** @param {Game} game @param {Choice} choice */
function drawOptions(game, choice) {
  const fields = game.options.map((spec) => optionField(spec, choice.options[spec.name]));
  const none = make("p", { className: "none" }, [say("choose.no_options")]);
  byId("options").replaceChildren(...(fields.length ? fields : [none]));
}

/** @param {OptionSpec} spec @param {any} value */
function optionField(spec, value) {
  const text = make("span", {}, [spec.title]);
  return spec.kind === "bool"
    ? make("label", { className: "option check" }, [inputOf(spec, value), text])
    : make("label", { className: "option" }, [text, inputOf(spec, value)]);
}

/** @param {OptionSpec} spec @param {any} value */
function inputOf(spec, value) {
  const { name, kind, minimum = 0, maximum = 0 } = spec;
  if (kind === "bool") return make("input", { type: "checkbox", name, checked: value });
  if (kind === "int" && maximum - minimum > 100) {
    const range = { min: String(minimum), max: String(maximum) };
    const field = { type: "number", name, required: spec.default !== null, ...range };
    return make("input", { ...field, value: value ?? "" });
  }
  const numbers = Array.from({ length: maximum - minimum + 1 }, (_, n) => n + minimum);
  const values = kind === "choice" ? (spec.choices ?? []) : numbers;
  const choices = values.map((each) => make("option", { value: each }, [optionValue(name, each)]));
  if (spec.default === null) {
    choices.unshift(make("option", { value: "" }, [optionValue(name, null)]));
  }
  const field = make("select", { name }, choices);
  field.dataset.kind = kind;
  field.value = String(value ?? "");
  return field;
}

/** @param {HTMLInputElement} field */
function valueOf(field) {
  if (field.type === "checkbox") return field.checked;
  if (field.dataset.kind === "choice") return field.value;
  return field.value === "" ? null : Number(field.value);
}

/** @param {Game} game @param {Choice} choice */
function drawSeats(game, choice) {
  const seats = game.seats.map((seat) => {
    const checked = seat === choice.seat;
    const input = make("input", { type: "radio", name: "seat", value: seat, checked });
    const texts = [make("span", {}, [seatName(seat)])];
    if (seat === game.starters[0]) {
      texts.push(make("small", {}, [say("choose.first")]));
    }
    return make("label", { className: "seat" }, [input, ...texts]);
  });
  byId("seats").replaceChildren(...seats);
}
