/** What the help tells, by topic: keys, and the language of the search. */
import { GRAPH_KEYS } from '../panels/graph/keys';
import { TIMELINE_KEYS } from '../panels/timeline/keys';
import { BINDINGS, type KeyTopic } from './keys';

export interface HelpEntry {
  /** Keys to press, or words to type; any of them. */
  readonly codes: readonly string[];
  readonly says: string;
}

export interface HelpTopic {
  readonly title: string;
  /** Whether its entries are keys or words of a search. */
  readonly kind: 'key' | 'word';
  readonly entries: readonly HelpEntry[];
}

const ELSEWHERE: readonly HelpEntry[] = [
  { codes: ['Ctrl K'], says: 'go to anything by its name, or do anything' },
  { codes: ['Esc'], says: 'leave a field, close this help' },
  { codes: ['Tab'], says: 'from panel to panel; arrow keys move inside of one' },
];

const SEARCH: readonly HelpEntry[] = [
  { codes: ['probs'], says: 'the word is in the name, the operation or the function' },
  { codes: ['op:Log'], says: 'the operation, likewise name: function: file: line: device: layer:' },
  { codes: ['step:3..'], says: 'from step 3 on; ..7 and 3..9 too, likewise iteration: execution: event:' },
  { codes: ['dtype:float16 shape:[100,*]'], says: 'what the tensor is' },
  { codes: ['nonfinite'], says: 'or nan, inf, zero, negative, kept' },
  { codes: ['max:>1e3'], says: 'likewise min: mean: std: size:' },
  {
    codes: ['-op:Const "two words"'],
    says: 'a minus says not, quotes hold blanks together, * and ? stand for anything',
  },
  { codes: ['op:Log nonfinite'], says: 'several words: all of them must hold' },
];

/** In the order in which they are shown. */
export const TOPICS: readonly HelpTopic[] = [
  { title: 'What went wrong', kind: 'key', entries: bound('trouble') },
  { title: 'The whole run', kind: 'key', entries: bound('run') },
  { title: 'The chosen event', kind: 'key', entries: bound('event') },
  { title: 'Get around', kind: 'key', entries: [...bound('around'), ...ELSEWHERE] },
  { title: 'In the timeline', kind: 'key', entries: listed(TIMELINE_KEYS) },
  { title: 'In the graph', kind: 'key', entries: listed(GRAPH_KEYS) },
  { title: 'Words of a search', kind: 'word', entries: SEARCH },
];

/** The topics with those entries alone in which each of some words is found, in its topic's title at least; empty ones are left out. */
export function fitting(topics: readonly HelpTopic[], typed: string): readonly HelpTopic[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return topics.flatMap((topic) => {
    const fits = ({ codes, says }: HelpEntry): boolean => {
      const text = `${topic.title} ${says} ${codes.join(' ')}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const entries = topic.entries.filter(fits);
    return entries.length ? [{ ...topic, entries }] : [];
  });
}

function bound(topic: KeyTopic): readonly HelpEntry[] {
  return BINDINGS.filter((each) => each.topic === topic).map(({ keys, does }) => ({ codes: keys, says: does }));
}

function listed(keys: readonly (readonly [readonly string[], string])[]): readonly HelpEntry[] {
  return keys.map(([codes, says]) => ({ codes, says }));
}
