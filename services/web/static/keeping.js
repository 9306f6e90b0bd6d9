// @ts-check
/** What the browser keeps for this page, as JSON; without storage the page forgets it. */

/**
 * Return what was kept under a name, or null.
 * @param {string} name
 * @returns {any}
 */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Keep a value under a name; null removes it.
 * @param {string} name
 * @param {unknown} value
 */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // Whatever it is, it lasts as long as this page does.
  }
}

/** Return every name that begins like this. @param {string} prefix */
export function keptNames(prefix) {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}
