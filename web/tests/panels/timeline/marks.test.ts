import { describe, expect, it } from 'vitest';
import { labelOf } from '../../../src/panels/timeline/draw-lanes';
import { barAt, barsOf, markAt, marksOf, signs, stateOf } from '../../../src/panels/timeline/marks';
import { bin, FIRST, lane, span } from './made';

const VIEW = { begin: FIRST, end: FIRST + 1e9 };
const at = (share: number): number => FIRST + share * 1e9;

describe('marks of a lane', () => {
  it('stand where their executions began, as wide as they took', () => {
    const [mark] = marksOf(lane({ spans: [span({ eager: false, begin_ns: at(0.25), end_ns: at(0.5) })] }), VIEW, 1000);
    expect(mark?.x).toBeCloseTo(250, 1);
    expect(mark?.width).toBeCloseTo(250, 1);
  });

  it('are no more than pixels, however many executions there are, and lose none that is bad', () => {
    const spans = Array.from({ length: 100_000 }, (_, index) =>
      span({ execution: index, begin_ns: at(index / 100_000), end_ns: at(index / 100_000), eager: index % 3 > 0 }),
    );
    spans[71_234] = span({ execution: 71_234, begin_ns: at(0.71234), end_ns: at(0.71234), non_finite: 1 });
    const marks = marksOf(lane({ spans }), VIEW, 1000);
    expect(marks.filter((mark) => mark.state === 'bad').map((mark) => mark.span.execution)).toEqual([71_234]);
    expect(marks.reduce((sum, mark) => sum + mark.count, 0)).toBe(100_000);
    const same = marksOf(lane({ spans: spans.map((each) => ({ ...each, eager: true, non_finite: 0 })) }), VIEW, 1000);
    expect(same.length).toBeLessThanOrEqual(1001);
  });

  it('of operations are wide enough for a letter where there is room, and do not cover the next', () => {
    const spans = [span({ begin_ns: at(0.1) }), span({ begin_ns: at(0.105) }), span({ begin_ns: at(0.5) })];
    const [first, second, third] = marksOf(lane({ spans }), VIEW, 1000);
    expect(first?.width).toBeCloseTo(4, 1);
    expect(second?.width).toBeCloseTo(13, 1);
    expect(third?.width).toBeCloseTo(13, 1);
  });

  it('leave out what is not in view', () => {
    const spans = [span({ begin_ns: at(-0.5) }), span({ eager: false, begin_ns: at(-0.5), end_ns: at(0.1) })];
    expect(marksOf(lane({ spans: [...spans, span({ begin_ns: at(1.5) })] }), VIEW, 1000)).toHaveLength(1);
  });

  it('are found by the mouse, the bad one first', () => {
    const spans = [
      span({ execution: 1, eager: false, begin_ns: at(0.1), end_ns: at(0.9) }),
      span({ execution: 2, begin_ns: at(0.5), non_finite: 1 }),
    ];
    const marks = marksOf(lane({ spans }), VIEW, 1000);
    expect(markAt(marks, 505)?.span.execution).toBe(2);
    expect(markAt(marks, 300)?.span.execution).toBe(1);
    expect(markAt(marks, 97)?.span.execution).toBe(1);
    expect(markAt(marks, 50)).toBeUndefined();
  });

  it('say what an execution is without colour', () => {
    const mark = (change: object, width: number) => {
      const made = span(change);
      return labelOf({ x: 0, width, eager: made.eager, state: stateOf(made), span: made, count: 1 }, width);
    };
    expect(mark({ name: 'MatMul' }, 12)).toBe('M');
    expect(mark({ name: '_Send' }, 12)).toBe('S');
    expect(mark({ non_finite: 1 }, 12)).toBe('!');
    expect(mark({ eager: false, name: 'train' }, 80)).toBe('ƒ train');
    expect(mark({ eager: false, name: 'train', non_finite: 3 }, 80)).toBe('! ƒ train');
    expect(mark({ eager: false, name: 'train', failed: true }, 80)).toBe('× ƒ train');
    expect(mark({ eager: false, name: 'train', non_finite: 3 }, 14)).toBe('!');
    expect(mark({ name: 'MatMul' }, 3)).toBe('');
  });
});

describe('bars of a lane', () => {
  it('are seen however little is in them', () => {
    const bins = [bin({ functions: 1, busy: 0.001 }), bin({ begin_ns: FIRST + 1e6, end_ns: FIRST + 2e6, eager: 1 })];
    const [one, other] = barsOf(lane({ bins }), VIEW, 1000);
    expect(one?.busy).toBeGreaterThan(0.1);
    expect(other?.busy).toBe(0);
    expect(other?.eager).toBeGreaterThan(0.1);
    expect(
      barAt(
        [one, other].flatMap((each) => each ?? []),
        1.5,
      ),
    ).toBe(other);
  });
});

describe('signs', () => {
  it('are not drawn over each other', () => {
    expect(signs([30, 10, 12, 14, 31, 50])).toEqual([10, 30, 50]);
  });
});
