/** What a tensor's elements are, part by part: negative, zero, positive, and what is not finite. */
import type { HealthView } from '../api/types';
import { count, counted, percent } from './numbers';

export type PartName = 'neg_inf' | 'negative' | 'zero' | 'positive' | 'pos_inf' | 'nan';

export interface Part {
  readonly name: PartName;
  readonly count: number;
  /** Of the bar's width, 0 to 1: at least a few per cent, so that one bad element among a million is seen. */
  readonly share: number;
}

/** The parts in the order in which they are drawn: along the number line, then NaN. */
export const PARTS: readonly PartName[] = ['neg_inf', 'negative', 'zero', 'positive', 'pos_inf', 'nan'];

export const PART_LABELS: Readonly<Record<PartName, string>> = {
  neg_inf: '-inf',
  negative: 'negative',
  zero: 'zero',
  positive: 'positive',
  pos_inf: '+inf',
  nan: 'NaN',
};

const LEAST = 0.06;

/** The parts that there are; none where nothing was measured. */
export function breakdown(health: HealthView | null): readonly Part[] {
  const there = health
    ? PARTS.flatMap((name) => {
        const value = health[name];
        return value ? [{ name, count: value }] : [];
      })
    : [];
  const whole = there.reduce((sum, part) => sum + part.count, 0);
  const small = there.filter((part) => part.count / whole < LEAST);
  const rest = whole - small.reduce((sum, part) => sum + part.count, 0);
  const room = 1 - LEAST * small.length;
  return there.map((part) => ({
    ...part,
    share: part.count / whole < LEAST ? LEAST : (room * part.count) / rest,
  }));
}

/** How many elements are not finite. */
export function nonFinite(health: HealthView | null): number {
  return health ? (health.nan ?? 0) + (health.neg_inf ?? 0) + (health.pos_inf ?? 0) : 0;
}

/** What is not finite, in a word: `NaN`, `-inf`, `NaN, inf`; empty where all is finite. */
export function badSign(health: HealthView | null): string {
  if (!health) return '';
  const infinite = health.neg_inf && health.pos_inf ? '±inf' : health.neg_inf ? '-inf' : health.pos_inf ? 'inf' : '';
  return [health.nan ? 'NaN' : '', infinite].filter(Boolean).join(', ');
}

/** The breakdown in words: `988 positive (99%), 12 NaN (1%) of 1,000`. */
export function breakdownWords(health: HealthView | null): string {
  const parts = breakdown(health);
  if (!health) return 'not measured';
  if (!parts.length) return health.size ? `${counted(health.size, 'element')}, not counted by kind` : 'no elements';
  const words = parts.map(
    (part) => `${count(part.count)} ${PART_LABELS[part.name]} (${percent(part.count, health.size)})`,
  );
  return `${words.join(', ')} of ${count(health.size)}`;
}
