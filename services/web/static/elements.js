// @ts-check
/** Finds and makes elements of the page. */

import { say } from "./words.js";

/**
 * Return the element of an id, which index.html must have.
 * @param {string} id
 * @returns {any} an element of the kind that index.html says
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found;
}

/**
 * Make an element with properties and children.
 * @param {string} name
 * @param {Record<string, any>} [properties]
 * @param {(Node | string)[]} [children]
 * @returns {any} an element of the kind that the name says
 */
export function make(name, properties = {}, children = []) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/**
 * Set a text if it is another: a screen reader speaks only what has changed.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Fill in the texts that index.html names by key. */
export function fillInWords() {
  for (const element of document.querySelectorAll("[data-say]")) {
    element.textContent = say(element.getAttribute("data-say") ?? "");
  }
  for (const element of document.querySelectorAll("[data-name]")) {
    const name = say(element.getAttribute("data-name") ?? "");
    element.setAttribute("aria-label", name);
    element.setAttribute("title", name);
  }
}
