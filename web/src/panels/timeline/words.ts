/** The timeline in words: for tooltips, and for who does not see it. */
import type { Bin, ExecutionView, Lane, Span } from '../../api/types';
import { count, counted, duration, percent } from '../../parts/numbers';
import { sinceStart } from './ticks';

/** What is told alike of an execution, whichever answer it is from. */
type Told = Pick<Span | ExecutionView, 'execution' | 'name' | 'step' | 'eager' | 'events' | 'non_finite' | 'failed'> & {
  readonly begin_ns: number;
  readonly end_ns: number | null;
};

/** Whether it was a function or an operation. */
export function kindOf(told: Told): string {
  return told.eager ? 'operation' : 'function';
}

/** How long it took; an operation run by itself is recorded when it has run, and has no length. */
export function lengthOf(told: Told): string {
  if (told.eager) return '';
  if (told.end_ns === null) return 'not ended';
  return told.end_ns > told.begin_ns ? duration(told.end_ns - told.begin_ns) : '';
}

/** Health of its tensors in words. */
export function healthOf(told: Told): string {
  if (told.non_finite) return `${count(told.non_finite)} of ${counted(told.events, 'tensor')} not finite`;
  return told.events ? `${counted(told.events, 'tensor')}, all finite` : 'no tensors recorded';
}

/** Lines of a tooltip: the name first. */
export function linesOf(told: Told, first: number): readonly string[] {
  const length = lengthOf(told);
  return [
    `${told.name} (${kindOf(told)})`,
    `execution ${count(told.execution)}, step ${count(told.step)}`,
    `at ${sinceStart(told.begin_ns - first, 1e3)}${length ? `, ${length}` : ''}`,
    healthOf(told),
    ...(told.failed ? ['it failed'] : []),
  ];
}

/** Lines of a tooltip of many executions. */
export function binLines(bin: Bin, first: number): readonly string[] {
  const kinds = [
    bin.functions ? counted(bin.functions, 'call of a function', 'calls of functions') : '',
    bin.eager ? counted(bin.eager, 'operation') : '',
  ].filter(Boolean);
  const bad = bin.non_finite
    ? `${count(bin.non_finite)} of them not finite; a click goes to the first`
    : `${counted(bin.events, 'tensor')}, all finite; a click looks closer`;
  return [
    kinds.join(', '),
    `at ${sinceStart(bin.begin_ns - first, 1e3)}, ${duration(bin.end_ns - bin.begin_ns)}`,
    ...(bin.busy ? [`functions ran ${percent(bin.busy, 1)} of the time`] : []),
    bad,
  ];
}

/** One sentence about an execution. */
export function sentenceOf(told: Told, first: number): string {
  const length = lengthOf(told);
  const begin = sinceStart(told.begin_ns - first, 1e5);
  const failed = told.failed ? ', failed' : '';
  return (
    `Execution ${count(told.execution)}: ${kindOf(told)} ${told.name}, step ${count(told.step)}, ` +
    `at ${begin}${length ? `, ${length}` : ''}, ${healthOf(told)}${failed}.`
  );
}

/** What a lane is, in full. */
export function laneWords(lane: Lane): string {
  return `${lane.label}: ${counted(lane.executions, 'execution')}`;
}
