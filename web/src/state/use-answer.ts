/** An answer for a panel: asked again when what it depends on changes, and given up when it is no longer wanted. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { AnswerError } from '../api/answers';

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
export function useAnswer<T>(
  ask: ((signal: AbortSignal) => Promise<T>) | undefined,
  keys: readonly unknown[],
  renewed?: unknown,
): Answered<T> {
  const [state, setState] = useState<Answered<T>>({ answer: undefined, problem: '', busy: ask !== undefined });
  const [turn, setTurn] = useState(0);
  const askedFor = useRef(renewed);
  useEffect(() => {
    if (!state.busy && askedFor.current !== renewed) setTurn((former) => former + 1);
  }, [state.busy, renewed]);
  useEffect(() => {
    askedFor.current = renewed;
    if (!ask) {
      setState({ answer: undefined, problem: '', busy: false });
      return undefined;
    }
    const given = new AbortController();
    setState((former) => ({ ...former, busy: true }));
    ask(given.signal).then(
      (answer) => {
        if (!given.signal.aborted) setState({ answer, problem: '', busy: false });
      },
      (error: unknown) => {
        if (!given.signal.aborted) setState((former) => ({ ...former, problem: sentence(error), busy: false }));
      },
    );
    return () => given.abort();
  }, [...keys, turn]);
  return state;
}

/** What is told of an error. */
export function sentence(error: unknown): string {
  return error instanceof AnswerError ? error.message : `Something went wrong in the page: ${String(error)}.`;
}
