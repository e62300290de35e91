import { describe, expect, it } from 'vitest';
import { runWords } from '../../src/bar/run-words';

const run = (name: string, created_ns: number, running = false) => ({
  run: name,
  program: 'models/train.py',
  created_ns,
  processes: [''],
  running,
});

describe('a run in the list of runs', () => {
  it('is called by its program and when it began', () => {
    const one = run('a/very/long/path/2026-11-22_14-03-05_train', 1e18);
    expect(runWords(one, [one, run('b', 1e18 + 1e9)])).toMatch(/^train\.py, \w+ \d+, \d\d:\d\d:\d\d$/);
    expect(runWords({ ...one, running: true }, [one])).toMatch(/, running$/);
  });

  it('has its path where that is not enough', () => {
    const [one, other] = [run('a', 1e18), run('b', 1e18)];
    expect(runWords(one, [one, other])).toMatch(/ \(a\)$/);
  });
});
