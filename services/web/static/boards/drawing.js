// @ts-check
/** Draws any board into an element, and keeps it up to date; knows places, not rules. */

/** @typedef {import("../types.js").View} View */
/** @typedef {{group: SVGElement, at: [number, number]}} Spot */

/**
 * A drawing of one board, which can be brought up to date.
 * @typedef {object} Drawing
 * @property {SVGSVGElement} svg
 * @property {ReadonlyMap<string, Spot>} places
 * @property {(view: View) => void} update
 */

/** @typedef {(view: View, narrow: boolean) => Drawing} Builder */
/** @typedef {(element: HTMLElement, view: View) => void} Draw */

const NARROW_PX = 560;

/**
 * Return what draws a view; what is drawn already is kept, so that focus stays and changes
 * can move.
 * @param {(kind: string) => Builder} builderOf layouts of a kind
 * @param {(drawing: Drawing, view: () => View) => void} [listen] to whoever plays on it
 * @returns {Draw}
 */
export function createDraw(builderOf, listen) {
  /** @type {WeakMap<HTMLElement, {key: string, drawing: Drawing, view: View}>} */
  const drawn = new WeakMap();

  /** @param {HTMLElement} element @param {View} view */
  function draw(element, view) {
    const before = drawn.get(element);
    const narrow = !view.picture && isNarrow(element);
    const key = JSON.stringify([view.layout, view.bottom, narrow, !!view.caption]);
    if (before?.key === key) {
      before.view = view;
      update(before.drawing, view);
      return;
    }
    const drawing = builderOf(view.layout.kind)(view, narrow);
    const now = { key, drawing, view };
    drawn.set(element, now);
    element.dataset.kind = view.layout.kind;
    element.replaceChildren(drawing.svg);
    update(drawing, view);
    if (view.picture) return;
    listen?.(drawing, () => now.view);
    if (!before) watchWidth(element);
  }

  /** Draw again when the board has become narrow or wide. @param {HTMLElement} element */
  function watchWidth(element) {
    new ResizeObserver(() => {
      const now = drawn.get(element);
      if (now && element.clientWidth) draw(element, now.view);
    }).observe(element);
  }

  return draw;
}

/** @param {Drawing} drawing @param {View} view */
function update({ svg, update: bring }, view) {
  if (view.picture) svg.setAttribute("aria-hidden", "true");
  else {
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", view.title);
  }
  svg.dataset.theme = view.theme ?? "wood";
  bring(view);
}

/** @param {HTMLElement} element */
function isNarrow(element) {
  const width = element.clientWidth || document.documentElement.clientWidth;
  return width < NARROW_PX;
}
