/** The table of a saved page: a small part of the server's search language, and sorting, over the rows that it holds. */
import { AnswerError, type EventList } from './answers';
import type { EventRow } from './types';

type Test = (row: EventRow) => boolean;

const nonFinite = (row: EventRow): number =>
  (row.health?.nan ?? 0) + (row.health?.neg_inf ?? 0) + (row.health?.pos_inf ?? 0);

const KEYS: Readonly<Record<string, (row: EventRow) => string | number>> = {
  op: (row) => row.op_type,
  name: (row) => row.tensor,
  function: (row) => row.function,
  file: (row) => row.file,
  line: (row) => row.line,
  step: (row) => row.step,
  iteration: (row) => row.iteration ?? '',
  execution: (row) => row.execution,
  event: (row) => row.event,
  dtype: (row) => row.dtype,
  device: (row) => row.device,
  layer: (row) => row.layer,
  size: (row) => row.health?.size ?? '',
  min: (row) => row.health?.min ?? '',
  max: (row) => row.health?.max ?? '',
  mean: (row) => row.health?.mean ?? '',
  std: (row) => row.health?.std ?? '',
};

const FLAGS: Readonly<Record<string, Test>> = {
  nonfinite: (row) => nonFinite(row) > 0,
  nan: (row) => (row.health?.nan ?? 0) > 0,
  inf: (row) => (row.health?.neg_inf ?? 0) + (row.health?.pos_inf ?? 0) > 0,
  zero: (row) => (row.health?.zero ?? 0) > 0,
  negative: (row) => (row.health?.negative ?? 0) > 0,
  kept: (row) => row.kept,
};

const SORT: Readonly<Record<string, (row: EventRow) => string | number | null | undefined>> = {
  event: (row) => row.event,
  time: (row) => row.event,
  tensor: (row) => row.tensor,
  op: (row) => row.op_type,
  function: (row) => row.function,
  layer: (row) => row.layer,
  step: (row) => row.step,
  size: (row) => row.health?.size,
  min: (row) => row.health?.min,
  max: (row) => row.health?.max,
  mean: (row) => row.health?.mean,
  std: (row) => row.health?.std,
  nonfinite: (row) => (row.health ? nonFinite(row) : null),
  zero: (row) => row.health?.zero,
};

/** The rows that fit a search, by number of event. */
export function matching(rows: readonly EventRow[], search: string): EventRow[] {
  const tests = (search.match(/-?(?:[a-z]+:)?"[^"]*"|\S+/g) ?? []).map(testOf);
  return rows.filter((row) => tests.every((test) => test(row)));
}

/** The rows of a list in its order; what has no value comes last. */
export function listed(rows: readonly EventRow[], list: EventList): EventRow[] {
  const key = SORT[list.order];
  if (!key) throw new AnswerError(`This page can't be sorted by ${list.order}.`, 400);
  const found = matching(rows, list.search);
  const sign = list.descending ? -1 : 1;
  if (list.order === 'event') return list.descending ? found.reverse() : found;
  return found.sort((a, b) => {
    const [left, right] = [key(a) ?? null, key(b) ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return left < right ? -sign : left > right ? sign : a.event - b.event;
  });
}

function testOf(word: string): Test {
  const negated = word.startsWith('-') && word.length > 1;
  const test = plainTestOf(negated ? word.slice(1) : word);
  return negated ? (row) => !test(row) : test;
}

function plainTestOf(word: string): Test {
  const [, key, wanted] = /^(?:([a-z]+):)?(.*)$/s.exec(word) ?? [];
  const value = (wanted ?? '').replaceAll('"', '');
  if (key === undefined) {
    const flag = FLAGS[value];
    return flag ?? anyOf([KEYS.name, KEYS.op, KEYS.function], fits(value));
  }
  const get = KEYS[key];
  if (!get) {
    const known = Object.keys(KEYS).join(', ');
    throw new AnswerError(`A saved page can't search for ${key}:; it knows ${known}, nonfinite, and words.`, 400);
  }
  const within = bounds(value);
  if (within) return (row) => get(row) !== '' && within(Number(get(row)));
  return (row) => {
    const found = get(row);
    return typeof found === 'number' ? found === Number(value) : fits(value)(found);
  };
}

/** `3..7`, `..7`, `>1e3`, `<=0`: whether a number is within; undefined for anything else. */
function bounds(value: string): ((number: number) => boolean) | undefined {
  const range = /^([-+.\de]*?)\.\.([-+.\de]*)$/i.exec(value);
  if (range) {
    const [low, high] = [range[1] ? Number(range[1]) : -Infinity, range[2] ? Number(range[2]) : Infinity];
    return (number) => number >= low && number <= high;
  }
  const [, sign, written] = /^([<>]=?)(.+)$/.exec(value) ?? [];
  if (!sign) return undefined;
  const limit = Number(written);
  const or = sign.endsWith('=');
  return sign.startsWith('<')
    ? (number) => number < limit || (or && number === limit)
    : (number) => number > limit || (or && number === limit);
}

function anyOf(keys: readonly (((row: EventRow) => string | number) | undefined)[], test: (text: string) => boolean) {
  return (row: EventRow): boolean => keys.some((key) => key && test(String(key(row))));
}

/** Contained, whatever the case; with `*` or `?` a pattern for the whole. */
function fits(wanted: string): (text: string) => boolean {
  if (!/[*?]/.test(wanted)) return (text) => text.toLowerCase().includes(wanted.toLowerCase());
  const escaped = wanted
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const pattern = new RegExp(`^${escaped}$`, 'is');
  return (text) => pattern.test(text);
}
