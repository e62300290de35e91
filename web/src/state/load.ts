/** Brings what the place needs into the store: the run's overview and findings, and the chosen event. */
import { computed, effect, type Signal, signal, untracked } from '@preact/signals';
import { answers } from '../api/current';
import { type Ask, Latest } from './request';
import { chosen, findings, overview, place, problem, where } from './store';

/** Why the chosen event can't be shown; empty where it can. */
export const chosenProblem = signal('');
/** Why there are no newer findings; empty where there are. */
export const findingsProblem = signal('');

const run = computed(() => where.value.run);
const event = computed(() => place.value.event);

/** One question, of which only the last asking counts. */
interface Question {
  /** Comes to an end with the answer, or when the question is given up. */
  readonly ask: () => Promise<void>;
  readonly giveUp: () => void;
}

const overviewQuestion = question((signal) => answers.overview(where.peek(), signal), overview, problem);
const findingsQuestion = question((signal) => answers.findings(where.peek(), signal), findings, findingsProblem);
const chosenQuestion = question(
  (signal) => answers.event(where.peek(), event.peek() ?? 0, signal),
  chosen,
  chosenProblem,
);

export const loadOverview = overviewQuestion.ask;
/** Asks for the findings anew; those of before stay until there are new ones. */
export const loadFindings = findingsQuestion.ask;

/** Keeps the store with the place from now on. */
export function keepLoading(): void {
  effect(() => {
    run.value;
    untracked(() => {
      overview.value = undefined;
      findings.value = undefined;
      void loadOverview();
      void loadFindings();
    });
  });
  effect(() => {
    where.value;
    const wanted = event.value;
    untracked(() => {
      if (wanted !== undefined) return void chosenQuestion.ask();
      chosenQuestion.giveUp();
      chosen.value = undefined;
      chosenProblem.value = '';
    });
  });
}

/** Puts answers into `into`, and the sentence of an error into `say`. */
function question<T>(ask: Ask<T>, into: Signal<T | undefined>, say: Signal<string>): Question {
  const latest = new Latest();
  const take = (answer: T): void => {
    into.value = answer;
    say.value = '';
  };
  const fail = (problem: string): void => {
    say.value = problem;
  };
  return {
    giveUp: () => latest.giveUp(),
    ask: () => new Promise((resolve) => latest.ask((signal) => ask(signal).finally(resolve), take, fail)),
  };
}
