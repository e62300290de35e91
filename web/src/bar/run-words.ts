/** What the list of runs calls each: its program and when it began, and more only where that is not enough. */
import type { RunList } from '../api/types';
import { fileName } from '../parts/file-name';

type Run = RunList['runs'][number];

/** `train, Nov 22, 14:03:05`; of runs that this does not tell apart their paths too. */
export function runWords(run: Run, all: readonly Run[]): string {
  const words = shortWords(run);
  const alike = all.filter((other) => shortWords(other) === words).length > 1;
  return `${words}${run.running ? ', running' : ''}${alike ? ` (${run.run})` : ''}`;
}

function shortWords({ program, created_ns }: Run): string {
  const began = new Date(created_ns / 1e6).toLocaleString('en-US', {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  return `${fileName(program)}, ${began}`;
}
