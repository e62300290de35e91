import { describe, expect, it } from 'vitest';
import { binLines, linesOf, sentenceOf } from '../../../src/panels/timeline/words';
import { bin, FIRST, span } from './made';

describe('the timeline in words', () => {
  it('tells an execution', () => {
    const told = span({
      execution: 1200,
      name: 'train_step',
      eager: false,
      end_ns: FIRST + 12.5e6,
      step: 3,
      events: 762,
    });
    expect(linesOf(told, FIRST)).toEqual([
      'train_step (function)',
      'execution 1,200, step 3',
      'at 0 µs, 12.5 ms',
      '762 tensors, all finite',
    ]);
    expect(sentenceOf({ ...told, non_finite: 21, failed: true }, FIRST)).toBe(
      'Execution 1,200: function train_step, step 3, at 0 µs, 12.5 ms, 21 of 762 tensors not finite, failed.',
    );
  });

  it('says that a call did not end, and that nothing was recorded', () => {
    const told = { ...span({ eager: false, events: 0 }), end_ns: null };
    expect(sentenceOf(told, FIRST)).toBe(
      'Execution 0: function MatMul, step 0, at 0 µs, not ended, no tensors recorded.',
    );
  });

  it('tells many executions together', () => {
    expect(
      binLines(bin({ end_ns: FIRST + 2e6, functions: 1, eager: 2, events: 40, busy: 0.5, non_finite: 1 }), FIRST),
    ).toEqual([
      '1 call of a function, 2 operations',
      'at 0 µs, 2 ms',
      'functions ran 50% of the time',
      '1 of them not finite; a click goes to the first',
    ]);
  });
});
