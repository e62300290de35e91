/** Asking: a question that is no longer wanted is given up, and nothing that comes back of it reaches anybody. */
import { type Signal, signal } from '@preact/signals';
import { AnswerError } from '../api/answers';

export type Ask<T> = (signal: AbortSignal) => Promise<T>;
export type Take<T> = (answer: T) => void;
/** Gives a question up. */
export type GiveUp = () => void;

/** A sentence for the user about an error. */
export function sentence(error: unknown): string {
  return error instanceof AnswerError ? error.message : `Something went wrong in the page: ${String(error)}.`;
}

/**
 * Asks, at once or after some milliseconds.
 *
 * @param take Takes the answer, and what it throws is a problem too.
 * @param fail Takes a sentence about what went wrong.
 */
export function request<T>(ask: Ask<T>, take: Take<T>, fail: Take<string>, after?: number): GiveUp {
  const abort = new AbortController();
  const begin = async (): Promise<void> => {
    try {
      const answer = await ask(abort.signal);
      if (!abort.signal.aborted) take(answer);
    } catch (error) {
      if (!abort.signal.aborted) fail(sentence(error));
    }
  };
  const timer = after === undefined ? undefined : setTimeout(begin, after);
  if (after === undefined) void begin();
  return () => {
    clearTimeout(timer);
    abort.abort();
  };
}

/** One question at a time, of which only the last counts. */
export class Latest {
  private giveUpLast: GiveUp | undefined;

  /** Whether a question has no answer yet. */
  get busy(): boolean {
    return this.giveUpLast !== undefined;
  }

  /** Asks as `request` does, and gives up what was asked before. */
  ask<T>(ask: Ask<T>, take: Take<T>, fail: Take<string>, after?: number): void {
    this.giveUp();
    const answered =
      <V>(then: Take<V>): Take<V> =>
      (value) => {
        this.giveUpLast = undefined;
        then(value);
      };
    this.giveUpLast = request(ask, answered(take), answered(fail), after);
  }

  giveUp(): void {
    this.giveUpLast?.();
    this.giveUpLast = undefined;
  }
}

/**
 * One question at a time, which is waited for while the same is wanted. What is wanted again because the trace has grown
 * waits for the answer: a busy server would never come to the end of one otherwise.
 */
export class Patient {
  private readonly latest = new Latest();
  private wanted = '';
  private readonly answered = signal(0);

  constructor(private readonly problem: Signal<string>) {}

  /** Whether this is asked for at the moment; anything else is given up. An effect that calls this runs again then. */
  waitsFor(wanted: string): boolean {
    void this.answered.value;
    if (this.latest.busy && this.wanted === wanted) return true;
    this.latest.giveUp();
    this.wanted = wanted;
    return false;
  }

  /** Asks; what goes wrong stands in the problem until the next answer. */
  ask<T>(ask: Ask<T>, take: Take<T>, after = 0): void {
    const taken = (answer: T): void => {
      take(answer);
      this.problem.value = '';
      this.answered.value += 1;
    };
    const failed = (problem: string): void => {
      this.problem.value = problem;
    };
    this.latest.ask(ask, taken, failed, after);
  }

  stop(): void {
    this.latest.giveUp();
  }
}
