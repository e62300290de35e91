import { describe, expect, it } from 'vitest';
import type { Finding, Live, Overview, ProcessView } from '../../src/api/types';
import { statusOf } from '../../src/bar/status';

const PROCESS: ProcessView = {
  process: '',
  pid: 1,
  tensor_events: 10,
  executions: 2,
  running: false,
  ended: 'exit code 0',
};
const RUN: Overview = {
  run: 'a',
  path: 'traces/a',
  program: 'train.py',
  command: ['train.py', '--fast'],
  host: 'here',
  python: '3.11',
  frameworks: ['tensorflow 2.21.0'],
  detail: 'health',
  created_ns: 0,
  processes: [PROCESS],
  notes: [],
  editor: '',
};
const LIVE: Live = { revision: 1, tensor_events: 2000, executions: 3, rate: 1204.4, running: true };

describe('the status of a run', () => {
  it('says how it ended', () => {
    expect(statusOf(RUN, '', undefined)).toMatchObject({ standing: 'fine', words: 'exit code 0' });
    const block = { ...RUN, processes: [{ ...PROCESS, ended: 'ended' }] };
    expect(statusOf(block, '', undefined)).toMatchObject({ standing: 'fine', words: 'ended' });
    const killed = { ...RUN, processes: [{ ...PROCESS, ended: 'killed by SIGKILL' }] };
    expect(statusOf(killed, '', undefined)).toMatchObject({ standing: 'bad', words: 'killed by SIGKILL' });
  });

  it('says how fast it goes, by what is known last', () => {
    const going = { ...RUN, processes: [{ ...PROCESS, running: true, ended: '' }] };
    expect(statusOf(going, '', undefined)).toMatchObject({ standing: 'running', words: 'running' });
    const status = statusOf(RUN, '', LIVE);
    expect(status?.words).toBe('running, 1,204 events/s');
    expect(status?.details).toContain('2,000 tensor events in 3 executions');
    expect(statusOf(going, '', { ...LIVE, running: false })?.standing).toBe('fine');
  });

  it('leaves to the finding what an error said', () => {
    const failed = { ...RUN, processes: [{ ...PROCESS, ended: 'ValueError: shapes differ' }] };
    const found = [{ kind: 'failure', process: '', cause: 'ValueError' }] as unknown as Finding[];
    expect(statusOf(failed, '', undefined, found)?.words).toBe('ValueError');
    expect(statusOf(failed, '', undefined, found)?.details).toContain('ValueError: shapes differ');
    expect(statusOf(failed, '', undefined)?.words).toBe('ValueError: shapes differ');
  });

  it('is that of the chosen process, else of the first', () => {
    const two = {
      ...RUN,
      processes: [
        { ...PROCESS, process: 'worker 0' },
        { ...PROCESS, process: 'worker 1', ended: 'exit code 3' },
      ],
    };
    expect(statusOf(two, '', undefined)?.words).toBe('exit code 0');
    expect(statusOf(two, 'worker 1', undefined)?.words).toBe('exit code 3');
    expect(statusOf({ ...RUN, processes: [] }, '', undefined)).toBeUndefined();
  });
});
