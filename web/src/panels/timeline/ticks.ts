/** The axis: where its ticks stand, and what is written at them, as time since the beginning of the trace. */
import type { View } from './view';

export interface Tick {
  readonly time: number;
  readonly text: string;
}

const STEPS = [1, 2, 5];
const MINUTE = 60e9;
const LONG_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440].map((minutes) => minutes * MINUTE);

/** Ticks about so many pixels apart, at round times since `first`. */
export function ticks(view: View, first: number, width: number, apart = 110): readonly Tick[] {
  const length = view.end - view.begin;
  const step = roundStep((length * apart) / Math.max(width, apart));
  const from = Math.ceil((view.begin - first) / step);
  const to = Math.floor((view.end - first) / step);
  const largest = Math.max(Math.abs(view.begin - first), Math.abs(view.end - first));
  return Array.from({ length: Math.max(to - from + 1, 0) }, (_, index) => {
    const time = (from + index) * step;
    return { time: first + time, text: sinceStart(time, step, largest) };
  });
}

/** The smallest round step that is not below one wanted. */
export function roundStep(wanted: number): number {
  if (wanted > 30e9) return LONG_STEPS.find((step) => step >= wanted) ?? LONG_STEPS[LONG_STEPS.length - 1] ?? wanted;
  const size = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
  const found = STEPS.find((each) => each * size >= wanted);
  const step = (found ?? 10) * size;
  return step > 20e9 ? MINUTE / 2 : step;
}

/** A time since the beginning, as exact as a step asks for and in the unit that suits the largest: `1.25 s`, `2:05`. */
export function sinceStart(time: number, step: number, largest = Math.abs(time)): string {
  const sign = time < 0 ? '-' : '';
  const size = Math.abs(time);
  if (largest >= 2 * MINUTE || step >= MINUTE / 2) return sign + clock(size, step);
  if (largest >= 1e9) return `${sign}${fixed(size / 1e9, step / 1e9)} s`;
  if (largest >= 1e6) return `${sign}${fixed(size / 1e6, step / 1e6)} ms`;
  return `${sign}${fixed(size / 1e3, step / 1e3)} µs`;
}

function clock(size: number, step: number): string {
  const hours = Math.floor(size / (60 * MINUTE));
  const minutes = Math.floor((size % (60 * MINUTE)) / MINUTE);
  const seconds = fixed((size % MINUTE) / 1e9, step / 1e9);
  const padded = /^\d(\.|$)/.test(seconds) ? `0${seconds}` : seconds;
  return hours ? `${hours}:${String(minutes).padStart(2, '0')}:${padded}` : `${minutes}:${padded}`;
}

function fixed(value: number, step: number): string {
  const digits = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 9);
  return value.toFixed(digits);
}
