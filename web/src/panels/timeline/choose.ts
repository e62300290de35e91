/** Moving to an execution: all panels go to its first bad tensor, or else to its first. */
import { answers } from '../../api/current';
import type { ExecutionView } from '../../api/types';
import { go, where } from '../../state/store';
import { sentence } from '../../state/use-answer';
import { current, currentView, trouble, whole } from './state';

let given = new AbortController();

/** Chooses an execution. */
export async function choose(execution: number): Promise<void> {
  given.abort();
  given = new AbortController();
  const { signal } = given;
  try {
    const view = await answers.execution(where.value, execution, signal);
    currentView.value = view;
    go({ execution, event: eventOf(view) });
    trouble.value = '';
  } catch (error) {
    if (!signal.aborted) trouble.value = sentence(error);
  }
}

/** The execution before or after the chosen one, in the order in which they began. */
export function step(by: -1 | 1): void {
  const last = (whole.value?.executions ?? 0) - 1;
  const from = current.value ?? (by > 0 ? -1 : last + 1);
  const to = from + by;
  if (to >= 0 && to <= last) void choose(to);
}

/** The next or previous execution that has a tensor that is not finite. */
export async function stepBad(direction: 'forward' | 'backward'): Promise<void> {
  given.abort();
  given = new AbortController();
  const { signal } = given;
  const view = currentView.value;
  try {
    const search = view ? `nonfinite -execution:${view.execution}` : 'nonfinite';
    const from = view?.first_event ?? -1;
    const found = await answers.next(where.value, search, from, direction, signal);
    if (found.event === null) {
      trouble.value =
        direction === 'forward' ? 'No later execution has a bad tensor.' : 'No earlier execution has a bad tensor.';
      return;
    }
    const event = await answers.event(where.value, found.event, signal);
    if (event.row.execution >= 0) await choose(event.row.execution);
    else go({ event: found.event });
  } catch (error) {
    if (!signal.aborted) trouble.value = sentence(error);
  }
}

/** Shows the tensor events of an execution in the table. */
export function open(execution: number): void {
  go({ search: `execution:${execution}`, order: 'event', descending: false });
}

function eventOf(view: ExecutionView): number | undefined {
  return view.first_bad_event ?? view.first_event ?? undefined;
}
