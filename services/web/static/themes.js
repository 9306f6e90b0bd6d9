// @ts-check
/** How boards look: a theme that a person has chosen, and that this browser keeps. */

import { byId } from "./elements.js";
import { keep, kept } from "./keeping.js";

const THEME = "seedlog.theme";
export const THEMES = ["wood", "stone", "contrast", "numbers"];

let chosen = kept(THEME);

/** Return the theme that boards are drawn in. */
export function theme() {
  return THEMES.includes(chosen) ? chosen : THEMES[0];
}

/** Draw in another theme from now on, when it is chosen. @param {() => void} draw */
export function listenToTheme(draw) {
  byId("theme").value = theme();
  byId("theme").addEventListener("change", () => {
    chosen = byId("theme").value;
    keep(THEME, chosen);
    draw();
  });
}
