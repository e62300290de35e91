/** An answer for a panel: asked again when what it depends on changes, and given up when it is no longer wanted. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Ask, request } from './request';

export interface Answered<T> {
  /** The last answer; that of before stays until there is a new one. */
  readonly answer: T | undefined;
  /** Why there is no newer one, empty where nothing went wrong. */
  readonly problem: string;
  readonly busy: boolean;
}

/**
 * Asks when one of `keys` has changed. Where `ask` is undefined there is nothing to ask, and no answer.
 *
 * A panel that should not show what it had before (of another event, say) compares the answer with what it wants.
 * When `renewed` changes, as with a trace that grows, it is asked again after the answer that is under way: a busy server
 * would never come to the end of one otherwise.
 */
export function useAnswer<T>(ask: Ask<T> | undefined, keys: readonly unknown[], renewed?: unknown): Answered<T> {
  const [state, setState] = useState<Answered<T>>({ answer: undefined, problem: '', busy: ask !== undefined });
  const [again, setAgain] = useState(0);
  const askedFor = useRef(renewed);
  useEffect(() => {
    if (!state.busy && askedFor.current !== renewed) setAgain((former) => former + 1);
  }, [state.busy, renewed]);
  useEffect(() => {
    askedFor.current = renewed;
    if (!ask) {
      setState({ answer: undefined, problem: '', busy: false });
      return undefined;
    }
    setState((former) => ({ ...former, busy: true }));
    return request(
      ask,
      (answer) => setState({ answer, problem: '', busy: false }),
      (problem) => setState((former) => ({ ...former, problem, busy: false })),
    );
  }, [...keys, again]);
  return state;
}
