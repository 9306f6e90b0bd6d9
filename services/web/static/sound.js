// @ts-check
/** What can be heard, if it is switched on: seeds that fall, and that it is one's turn. */

import { byId } from "./elements.js";
import { keep, kept } from "./keeping.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").PageEvent} PageEvent */

const SOUND = "seedlog.sound";

let isOn = kept(SOUND) === true;
/** @type {AudioContext | null} */
let audio = null;

/** Let what happens to the page be heard. @param {State} state @param {PageEvent} event */
export function sound(state, event) {
  if (!isOn) return;
  if (event.type === "frame.reached") knock();
  if (event.type !== "event.followed" || !state.match) return;
  const { version, type, to_move: toMove } = event.event;
  if (version !== state.events.length + 1 || version <= state.match.version) return;
  if (type === "match.ended") chime([523, 659, 784]);
  else if (document.hidden && state.held.includes(toMove ?? "")) chime([659, 880]);
}

/** Switch it on or off. */
export function listenToSound() {
  const button = byId("sound");
  const draw = () => button.setAttribute("aria-pressed", String(isOn));
  button.addEventListener("click", () => {
    isOn = !isOn;
    keep(SOUND, isOn);
    draw();
    if (isOn) chime([659]);
  });
  draw();
}

/** A seed falls on wood: a short, low knock, never quite the same. */
function knock() {
  tone(150 + Math.random() * 60, "triangle", 0, 0.07, 0.25);
}

/** @param {number[]} tones in hertz, one after the other */
function chime(tones) {
  tones.forEach((hertz, index) => tone(hertz, "sine", index * 0.13, 0.4, 0.12));
}

/**
 * @param {number} hertz
 * @param {OscillatorType} type
 * @param {number} afterS
 * @param {number} lastsS
 * @param {number} loudness
 */
function tone(hertz, type, afterS, lastsS, loudness) {
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume();
  const [begin, source, volume] = [
    audio.currentTime + afterS,
    audio.createOscillator(),
    audio.createGain(),
  ];
  source.type = type;
  source.frequency.value = hertz;
  volume.gain.setValueAtTime(loudness, begin);
  volume.gain.exponentialRampToValueAtTime(0.001, begin + lastsS);
  source.connect(volume).connect(audio.destination);
  source.start(begin);
  source.stop(begin + lastsS);
}
