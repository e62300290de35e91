/** Which entries of the palette fit what was typed, the best first. */

export interface Entry {
  /** What kind of thing it is: `finding`, `file`... */
  readonly kind: string;
  readonly words: string;
  /** More about it, which is looked through too but counts less. */
  readonly more?: string | undefined;
  /** A key that does the same. */
  readonly key?: string | undefined;
  readonly run: () => void;
}

/**
 * How well an entry fits: all words typed must be in it. Undefined where it does not.
 *
 * A word at the beginning counts most, then one at the beginning of a word, then one in the middle; `tt` finds
 * `toggle theme` by its first letters.
 */
export function score(entry: Entry, typed: string): number | undefined {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const text = entry.words.toLowerCase();
  const more = `${entry.kind} ${entry.more ?? ''}`.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const found = scoreOf(word, text) ?? (more.includes(word) ? 1 : undefined);
    if (found === undefined) return undefined;
    sum += found;
  }
  return sum;
}

function scoreOf(word: string, text: string): number | undefined {
  const at = text.indexOf(word);
  if (at === 0) return 5;
  if (at > 0) return /[\s/_.:(-]/.test(text.charAt(at - 1)) ? 4 : 2;
  const initials = text
    .split(/[\s/_.:(-]+/)
    .map((each) => each.charAt(0))
    .join('');
  return word.length > 1 && initials.includes(word) ? 3 : undefined;
}

/** The entries that fit, the best first; those that fit alike stay in their order. */
export function ranked(entries: readonly Entry[], typed: string, most: number): readonly Entry[] {
  const fitting = entries.flatMap((entry) => {
    const found = score(entry, typed);
    return found === undefined ? [] : [{ entry, found }];
  });
  return fitting
    .sort((one, other) => other.found - one.found)
    .slice(0, most)
    .map(({ entry }) => entry);
}
