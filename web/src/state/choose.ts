/** Choosing a finding moves every panel there: what a finding's place is, and what follows from where one is. */
import { computed, effect, untracked } from '@preact/signals';
import { answers } from '../api/current';
import type { Finding, Findings, Overview } from '../api/types';
import { running } from './live';
import { type Place, START } from './place';
import { chosen, findings, go, overview, place } from './store';

/** The finding that the place names. */
export const chosenFinding = computed(() =>
  findings.value?.findings.find(({ number }) => number === place.value.finding),
);

/** Where a finding is: its event, or the line that it is about. */
export function placeOf(finding: Finding, run: Overview | undefined, here: Place): Partial<Place> {
  const first = run?.processes[0]?.process;
  const process = finding.process === first ? '' : finding.process;
  const line = finding.source;
  return {
    finding: finding.number,
    ...(sameProcess(process, here.process, first) ? {} : { process }),
    event: finding.event?.event,
    execution: finding.event && finding.event.execution >= 0 ? finding.event.execution : undefined,
    file: finding.event ? '' : (line?.file ?? ''),
    line: finding.event ? undefined : line?.line,
  };
}

/** The number that a finding has now: those of a running program are numbered anew as they come in. */
export function renumbered(former: Findings, now: Findings, number: number): number | undefined {
  const finding = former.findings.find((each) => each.number === number);
  const same = finding && now.findings.find((each) => nameOf(each) === nameOf(finding));
  return same?.number;
}

/** A range of time moved so that a moment is in its middle, where it is not in it. */
export function around(range: readonly [number, number], moment: number): readonly [number, number] {
  const [begin, end] = range;
  if (moment >= begin && moment <= end) return range;
  const from = Math.round(moment - (end - begin) / 2);
  return [from, from + end - begin];
}

/** Keeps the place with what is chosen from now on. */
export function keepChoices(): void {
  keepNumber();
  effect(() => {
    const moment = chosen.value?.time_ns;
    const { range } = place.peek();
    if (moment === undefined || !range) return;
    untracked(() => go({ range: around(range, moment) }, 'replace'));
  });
  effect(() => {
    const worst = findings.value?.findings[0];
    const { value: run } = overview;
    // A run that has ended is opened at what matters most; one that goes on is watched.
    if (worst?.level !== 'trouble' || !run || running.value) return;
    untracked(() => {
      if (looksAtNothing(place.peek())) go(placeOf(worst, run, place.peek()), 'replace');
    });
  });
}

function keepNumber(): void {
  let former: Findings | undefined;
  effect(() => {
    const now = findings.value;
    untracked(() => {
      const { finding } = place.peek();
      if (former && now && finding !== undefined) go({ finding: renumbered(former, now, finding) }, 'replace');
      former = now;
    });
  });
}

/**
 * Whether the overview is shown: where the place says so, and of a run that has ended with nothing wrong as long as
 * nothing in particular is looked at.
 */
export const overviewShown = computed(() => {
  const { value: here } = place;
  if (here.view) return here.view === 'overview';
  const found = findings.value;
  const fine = found !== undefined && !found.findings.some(({ level }) => level === 'trouble');
  return fine && overview.value !== undefined && !running.value && looksAtNothing(here);
});

/** Changes between the overview and all about the tensors. */
export function toggleOverview(): void {
  go({ view: overviewShown.peek() ? 'details' : 'overview' });
}

/** Whether one asks in SQL. */
export const sqlShown = computed(() => place.value.view === 'sql');

/** Changes between queries and all about the tensors. */
export function toggleSql(): void {
  go({ view: sqlShown.peek() ? 'details' : 'sql' });
}

/** Whether the run is shown beside another. */
export const diffShown = computed(() => place.value.view === 'diff');

/** Changes between two runs side by side and all about the tensors of one. */
export function toggleDiff(): void {
  go({ view: diffShown.peek() ? 'details' : 'diff' });
}

/** Whether the processes of the run are shown beside each other. */
export const matrixShown = computed(() => place.value.view === 'processes');

/** Whether there are several to be shown so. */
export const hasProcesses = computed(() => !answers.saved && (overview.value?.processes.length ?? 0) > 1);

/** Changes between the processes of the run and all about the tensors of one. */
export function toggleMatrix(): void {
  if (hasProcesses.peek()) go({ view: matrixShown.peek() ? 'details' : 'processes' });
}

function looksAtNothing(here: Place): boolean {
  const { run, process, columns, tab, graph, secondary, hops } = here;
  return JSON.stringify({ ...START, run, process, columns, tab, graph, secondary, hops }) === JSON.stringify(here);
}

/** Whether two names mean one process: the first has an empty name too. */
function sameProcess(one: string, other: string, first: string | undefined): boolean {
  return one === (other === first ? '' : other);
}

/** What a finding is recognised by. */
function nameOf(finding: Finding): string {
  const { kind, cause, process, title, event, source } = finding;
  return event
    ? [kind, process, event.event].join(' ')
    : [kind, cause, process, title, source?.file, source?.line].join(' ');
}
