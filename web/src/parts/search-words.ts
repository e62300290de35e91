/** Words of the search language. */

/** A value for `key:value`, between quotes where it would not stay one word. */
export function quoted(value: string): string {
  return /^[\w./:<>-]+$/.test(value) ? value : `"${value.replaceAll('"', '?')}"`;
}
