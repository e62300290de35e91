/** How the panels share the page: of each split the share of its first part, which the browser keeps. */
import { signal } from '@preact/signals';
import { keep, kept } from './kept';

/** The splits of the page, by name. */
export type SplitName = 'findings' | 'timeline' | 'detail' | 'source';

const NAMES: readonly SplitName[] = ['findings', 'timeline', 'detail', 'source'];
const LEAST = 0.05;
const MOST = 0.95;

/** Share of the first part, 0 to 1; a split that nobody moved is missing and has the size that its style gives it. */
export const shares = signal<Readonly<Partial<Record<SplitName, number>>>>({});

/** What was kept as a text; what is no share between the bounds is left out. */
export function readShares(text: string | undefined): Partial<Record<SplitName, number>> {
  const found: Partial<Record<SplitName, number>> = {};
  for (const part of (text ?? '').split(' ')) {
    const [name, share] = part.split(':');
    const known = NAMES.find((each) => each === name);
    const value = Number(share);
    if (known && value >= LEAST && value <= MOST) found[known] = value;
  }
  return found;
}

/** The text to keep. */
export function writeShares(given: Readonly<Partial<Record<SplitName, number>>>): string {
  return NAMES.flatMap((name) => (given[name] === undefined ? [] : [`${name}:${given[name].toFixed(4)}`])).join(' ');
}

/** Moves a split; undefined gives it back its usual size. */
export function resize(name: SplitName, share: number | undefined): void {
  const { [name]: _, ...others } = shares.value;
  shares.value =
    share === undefined
      ? others
      : { ...others, [name]: Math.min(MOST, Math.max(LEAST, Math.round(share * 1e4) / 1e4)) };
  keep('sizes', writeShares(shares.value) || undefined);
}

/** The panels that can be hidden, as in the menu of the bar at the top. */
export const PANELS = {
  findings: 'Findings',
  timeline: 'Timeline',
  events: 'Tensor events',
  source: 'Source',
  detail: 'Chosen event',
} as const;
export type PanelName = keyof typeof PANELS;

/** Those that are hidden. */
export const hidden = signal<ReadonlySet<PanelName>>(new Set());

/** What was kept as a text; what is no panel is left out, and all hidden is none. */
export function readHidden(text: string | undefined): ReadonlySet<PanelName> {
  const found = (text ?? '').split(' ').filter((each): each is PanelName => each in PANELS);
  return new Set(found.length < Object.keys(PANELS).length ? found : []);
}

/** Hides a panel, or shows it again. The last one stays. */
export function togglePanel(name: PanelName): void {
  const next = new Set(hidden.value);
  if (!next.delete(name)) next.add(name);
  if (next.size === Object.keys(PANELS).length) return;
  hidden.value = next;
  keep('hidden', [...next].join(' ') || undefined);
}

/** Takes up the sizes of the last visit, and what was hidden. */
export function recallSizes(): void {
  shares.value = readShares(kept('sizes'));
  hidden.value = readHidden(kept('hidden'));
}
