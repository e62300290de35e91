/** What the browser keeps for this person from one visit to the next: sizes of panels, the theme. */

const PREFIX = 'tensordbg.';

/** What was kept under a name; undefined where there is nothing, or the browser keeps nothing (a page from a file). */
export function kept(name: string): string | undefined {
  try {
    return window.localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text under a name; undefined forgets it. */
export function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) window.localStorage.removeItem(PREFIX + name);
    else window.localStorage.setItem(PREFIX + name, value);
  } catch {
    // The page works as well without.
  }
}
