import { describe, expect, it } from 'vitest';
import { moved, readPlace, START, writePlace } from '../../src/state/place';

describe('a link', () => {
  it('is empty at the start', () => {
    expect(writePlace(START)).toBe('');
    expect(readPlace('')).toEqual(START);
  });

  it('brings one back to the same place', () => {
    const place = {
      ...START,
      run: 'a/b',
      process: 'worker 1',
      against: 'b/reference',
      finding: 0,
      filter: 'log of zero',
      levels: ['trouble', 'note'],
      event: 12,
      search: 'op:Log "two words" -nan',
      order: 'max',
      descending: true,
      columns: ['tensor', 'max'],
      tab: 'graph' as const,
      file: '/home/me/train & co.py',
      line: 7,
      pin: '/home/me/layers.py',
      range: [10, 20] as const,
      slice: '[0, :]',
      opened: ['while', 'while/body/call'],
      operation: 'while/body/Log',
      graph: 'around' as const,
      function: '12',
      boxes: ['model/', '-while'],
      hops: 2,
    };
    expect(readPlace(writePlace(place))).toEqual(place);
  });

  it('shows what is around an operation where it is older than the whole graph', () => {
    expect(readPlace('#event=3&hops=2').graph).toBe('around');
    expect(readPlace('#event=3&opened=while').graph).toBe('around');
    expect(readPlace('#event=3&graph=whole&hops=2').graph).toBe('whole');
  });

  it('leaves out what it can not read', () => {
    expect(readPlace('#event=-3&tab=nothing&from=9&to=3&line=x')).toEqual(START);
  });
});

describe('moving', () => {
  const here = {
    ...START,
    run: 'one',
    process: 'worker 1',
    finding: 2,
    event: 7,
    search: 'op:Log',
    slice: '[0]',
    opened: ['while'],
    file: 'a.py',
    line: 3,
    range: [1, 2] as const,
  };

  it('leaves with an event what belongs to it', () => {
    expect(moved(here, { event: 8 })).toEqual({
      ...here,
      event: 8,
      slice: '',
      opened: [],
      file: '',
      line: undefined,
    });
    expect(moved(here, { event: 7 })).toEqual(here);
    expect(moved(here, { event: 8, file: 'b.py', line: 1 })).toMatchObject({ file: 'b.py', line: 1 });
  });

  it('leaves with a process its events, with a run its findings too, and keeps the search', () => {
    const process = moved(here, { process: 'worker 0' });
    expect(process).toEqual({ ...START, run: 'one', process: 'worker 0', finding: 2, search: 'op:Log' });
    expect(moved(here, { run: 'two' })).toEqual({ ...START, run: 'two', search: 'op:Log' });
  });
});
