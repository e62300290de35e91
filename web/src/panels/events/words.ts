/** The text of the search field: where a suggestion goes. */

/** The text and the cursor once a suggestion has taken the place of the word at the cursor. */
export function accepted(
  text: string,
  begin: number,
  cursor: number,
  word: string,
): { readonly text: string; readonly cursor: number } {
  const rest = text.slice(cursor);
  const space = word.endsWith(':') || rest.startsWith(' ') ? '' : ' ';
  const before = text.slice(0, begin) + word + space;
  return { text: before + rest, cursor: before.length };
}

/** Whether somebody is still in the middle of a word, after `op:` or inside of quotes: it is no mistake yet. */
export function unfinished(text: string): boolean {
  const outside = text.replace(/"[^"]*"/g, 'x');
  return outside.includes('"') || /(^|\s)-?\w+:[<>=!]*$/.test(outside);
}
