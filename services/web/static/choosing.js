// @ts-check
/** The form that chooses a game, its options, a seat and a level. */

import { openingBoard } from "./boards/position.js";
import { byId, make, setText } from "./elements.js";
import { theme } from "./themes.js";
import { optionValue, say, seatName } from "./words.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./types.js").Choice} Choice */
/** @typedef {import("./types.js").Game} Game */
/** @typedef {import("./types.js").OptionSpec} OptionSpec */

/** @type {Record<string, Record<string, number> | null>} the clocks that can be chosen, by name */
const CONTROLS = {
  none: null,
  one: { initial_s: 60, increment_s: 1 },
  three: { initial_s: 180, increment_s: 2 },
  ten: { initial_s: 600, increment_s: 5 },
  delay: { initial_s: 300, delay_s: 5 },
  days: { days_per_move: 3 },
};
const LEVEL = 3;
const STARTERS = ["random", "fist"];
/** What the page proposes where the game has no end of its own. */
const PROPOSED = /** @type {Record<string, number>} */ ({ max_rounds: 4 });
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
  const { opponent = fresh.opponent } = before;
  const options = { ...fresh.options, ...Object.fromEntries(kept) };
  return { ...fresh, seat, clock, opponent, options };
}

/**
 * Return the choice of a game with its options at their defaults.
 * @param {Game} game
 * @param {number} level
 * @returns {Choice}
 */
function choiceOf(game, level) {
  const defaults = game.options.map(({ name, default: usual }) => [name, usual ?? PROPOSED[name] ?? null]);
  const [seat] = game.seats;
  const options = Object.fromEntries(defaults);
  const fresh = { game: game.key, options, seat, clock: null };
  const fitting = Math.min(level, game.levels.length);
  return { ...fresh, level: fitting, opponent: "ai", starter: "" };
}

/**
 * Return what a choice asks the API for.
 * @param {Choice} choice
 */
export function wantedOf({ level, starter, ...choice }) {
  if (choice.opponent === "stranger") {
    const { game, clock, options } = choice;
    return { game, clock, options: "max_rounds" in options ? PROPOSED : {} }; // all want the same
  }
  const against = choice.opponent === "ai" ? { level, hints: true } : {};
  return { ...choice, ...against, ...(starter && { starter }) };
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
export function drawChoosing(state, onChange) {
  const { games, choice, opening, seeking } = state;
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
    drawStarters(game, choice);
    byId("level").max = String(game.levels.length);
    byId("level").value = choice.level;
  }
  for (const input of byId("opponents").querySelectorAll("input")) {
    input.checked = input.value === choice.opponent;
  }
  byId("level-field").hidden = choice.opponent !== "ai";
  const isStranger = choice.opponent === "stranger";
  byId("seat-field").hidden = isStranger || choice.opponent === "same-screen";
  byId("options-field").hidden = isStranger;
  byId("starter-field").hidden = isStranger || game.starters.length < 2;
  byId("stranger-note").hidden = !isStranger;
  setText(byId("play-words"), seeking ? say("choose.seeking") : summaryOf(game, choice));
  setText(byId("level-words"), levelWords(game, choice.level));
  byId("play").disabled = opening || seeking;
  byId("seek-stop").hidden = !seeking;
  byId("choice").classList.toggle("seeking", seeking);
  for (const field of byId("choice").querySelectorAll("fieldset")) field.disabled = seeking;
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
    if (field.name === "opponent") {
      onChange({ ...choice, opponent: /** @type {Choice["opponent"]} */ (field.value) });
    } else if (field.id === "starter") {
      onChange({ ...choice, starter: field.value });
    } else if (field.name === "seat") onChange({ ...choice, seat: field.value });
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
      const chosen = byId("opponents").querySelector(":checked");
      const fresh = choiceOf(game, Number(byId("level").value));
      onChange({ ...fresh, clock, opponent: chosen?.value ?? "ai" });
    });
    const picture = make("div", { className: "picture" });
    drawPicture(picture, game);
    const name = make("span", { className: "name" }, [game.name]);
    const about = make("span", { className: "about" }, [game.about]);
    const effort = make("small", {}, [game.effort]);
    return make("label", { className: "card" }, [input, picture, name, about, effort]);
  });
  byId("games").append(...cards);
}

/** Draw the opening of a game. @param {HTMLElement} element @param {Game} game */
function drawPicture(element, { key, layout, seats, name, opening }) {
  const board = openingBoard(key, opening);
  const view = { layout, seats, board, bottom: seats[0], title: name };
  const drawing = make("seedlog-board", { ariaHidden: "true" });
  drawing.view = { ...view, theme: theme(), picture: true };
  element.append(drawing);
}

/** Say in one line what is going to be played. @param {Game} game @param {Choice} choice */
function summaryOf({ name }, { opponent, level }) {
  const against = opponent === "ai" ? say("who.ai_level", { level }) : say(`opponent.${opponent}`);
  return say("choose.summary", { game: name, against });
}

/**
 * Say how strong a level is: in words for the eighth of the ladder that it is on.
 * @param {Game} game
 * @param {number} level
 */
function levelWords({ levels }, level) {
  const most = levels.length;
  const eighth = most > 1 ? Math.round((7 * (level - 1)) / (most - 1)) + 1 : 8;
  return say("choose.level.told", { level, most, words: say(`choose.level.${eighth}`) });
}

/** @param {Game} game @param {Choice} choice */
function drawStarters({ starters }, { starter }) {
  const choices = ["", ...starters.slice(1), ...STARTERS].map((value) => {
    const seat = seatName(value || starters[0]);
    const words = STARTERS.includes(value)
      ? say(`choose.starter.${value}`)
      : say("choose.starter.seat", { seat });
    return make("option", { value }, [words]);
  });
  byId("starter").replaceChildren(...choices);
  byId("starter").value = starter;
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
    return make("label", { className: "seat" }, [input, ...texts]);
  });
  byId("seats").replaceChildren(...seats);
}
