/** Takes over what changes often only now and then: a trace that grows is asked about no oftener than that. */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { following, live } from './store';

/** The newest value that is not undefined, taken over at most every so many milliseconds. */
export function throttled(read: () => number | undefined, every: number): [ReadonlySignal<number>, () => void] {
  const taken = signal(0);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let newest = 0;
  const stop = effect(() => {
    const value = read();
    if (value === undefined) return;
    newest = value;
    if (timer !== undefined) return;
    taken.value = newest;
    timer = setTimeout(() => {
      timer = undefined;
      taken.value = newest;
    }, every);
  });
  return [
    taken,
    () => {
      stop();
      clearTimeout(timer);
    },
  ];
}

/** How far the trace has grown, for a panel that is asked again now and then; it stands still with the page. */
export function useGrowth(every: number): number {
  const [revision, setRevision] = useState(0);
  useEffect(() => {
    const [taken, end] = throttled(() => (following.value ? live.value?.revision : undefined), every);
    const stop = effect(() => setRevision(taken.value));
    return () => {
      stop();
      end();
    };
  }, [every]);
  return revision;
}
