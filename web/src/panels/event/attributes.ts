/** Attributes of an operation, as names with short values. */
const LONGEST = 120;

/** Reads a JSON object; what is none is one nameless text. */
export function attributesOf(text: string): readonly (readonly [string, string])[] {
  if (!text) return [];
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return [['', text]];
  }
  if (typeof read !== 'object' || read === null) return [['', text]];
  return Object.entries(read).map(([name, value]) => [
    name,
    cut(typeof value === 'string' ? value : JSON.stringify(value)),
  ]);
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
