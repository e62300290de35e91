/** How a run fares, in words for the bar. */
import type { Finding, Live, Overview, ProcessView } from '../api/types';
import { count, counted } from '../parts/numbers';

/** How things stand: it decides the sign before the words. */
export type Standing = 'running' | 'fine' | 'bad';

export interface Status {
  readonly standing: Standing;
  readonly words: string;
  /** More, for the tooltip. */
  readonly details: string;
}

/** Of the process that is looked at. What an error said stands in its finding; here is its name alone then. */
export function statusOf(
  run: Overview,
  process: string,
  live: Live | undefined,
  found: readonly Finding[] = [],
): Status | undefined {
  const shown = run.processes.find((each) => each.process === process) ?? run.processes[0];
  if (!shown) return undefined;
  const still = live?.running ?? shown.running;
  return {
    standing: still ? 'running' : endedWell(shown) ? 'fine' : 'bad',
    words: still ? rateWords(live) : endWords(shown, found),
    details: details(run, live ?? shown, still ? '' : shown.ended),
  };
}

function rateWords(live: Live | undefined): string {
  if (!live) return 'running';
  return `running, ${counted(Math.round(live.rate), 'event')}/s`;
}

function endWords({ process, ended }: ProcessView, found: readonly Finding[]): string {
  const error = found.find(
    (each) => each.kind === 'failure' && each.process === process && ended.startsWith(`${each.cause}:`),
  );
  return error ? error.cause : ended || 'ended';
}

/** Also of a recorded block, which has no exit code: it just ended. */
function endedWell({ ended }: ProcessView): boolean {
  return ['', 'ended', 'exit code 0'].includes(ended);
}

function details(
  run: Overview,
  counts: { readonly tensor_events: number; readonly executions: number },
  ended: string,
): string {
  return [
    ...(ended ? [ended] : []),
    `${count(counts.tensor_events)} tensor events in ${counted(counts.executions, 'execution')}`,
    `command: ${run.command.join(' ')}`,
    `recorded ${new Date(run.created_ns / 1e6).toLocaleString()} on ${run.host}, detail: ${run.detail}`,
    [`Python ${run.python}`, ...run.frameworks].join(', '),
    `trace: ${run.path}`,
  ].join('\n');
}
