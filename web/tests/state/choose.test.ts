import { describe, expect, it } from 'vitest';
import type { Finding, Findings, Overview } from '../../src/api/types';
import { around, placeOf, renumbered } from '../../src/state/choose';
import { START } from '../../src/state/place';

const EVENT = { event: 40, execution: 3 } as Finding['event'];
const ORIGIN = { number: 0, kind: 'origin', process: 'worker 1', event: EVENT, source: null } as Finding;
const ALERT = {
  number: 1,
  kind: 'alert',
  cause: 'retracing',
  title: 'traced again',
  process: 'worker 0',
  event: null,
  source: { file: 'train.py', line: 7 },
} as Finding;
const RUN = { processes: [{ process: 'worker 0' }, { process: 'worker 1' }] } as unknown as Overview;

describe('a finding', () => {
  it('is at its event, in its process', () => {
    expect(placeOf(ORIGIN, RUN, START)).toEqual({
      finding: 0,
      process: 'worker 1',
      event: 40,
      execution: 3,
      file: '',
      line: undefined,
    });
  });

  it('without an event is at its line, and the first process needs no name', () => {
    const place = placeOf(ALERT, RUN, { ...START, process: 'worker 0' });
    expect(place).toEqual({ finding: 1, event: undefined, execution: undefined, file: 'train.py', line: 7 });
    expect(placeOf(ALERT, RUN, { ...START, process: 'worker 1' })).toMatchObject({ process: '' });
  });

  it('is the same under another number', () => {
    const former = { findings: [ORIGIN, ALERT] } as unknown as Findings;
    const now = {
      findings: [
        { ...ORIGIN, number: 0, event: { ...EVENT, event: 12 } },
        { ...ALERT, number: 1 },
        { ...ORIGIN, number: 2 },
      ],
    } as unknown as Findings;
    expect(renumbered(former, now, 0)).toBe(2);
    expect(renumbered(former, now, 1)).toBe(1);
    expect(renumbered(former, { ...now, findings: [] }, 1)).toBeUndefined();
  });
});

describe('the range of the timeline', () => {
  it('stays where it shows the moment, else shows it in the middle', () => {
    expect(around([10, 20], 12)).toEqual([10, 20]);
    expect(around([10, 20], 100)).toEqual([95, 105]);
  });
});
