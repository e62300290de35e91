import { expect, test } from 'vitest';
import { sumUp } from '../../../src/panels/timeline/range-sum';
import { bin, FIRST, lane, span, timeline } from './made';

const step = (execution: number, from: number, to: number, non_finite = 0) =>
  span({
    execution,
    name: 'step',
    eager: false,
    events: 10,
    non_finite,
    begin_ns: FIRST + from * 1e6,
    end_ns: FIRST + to * 1e6,
  });
const view = (from: number, to: number) => ({ begin: FIRST + from * 1e6, end: FIRST + to * 1e6 });

test('what is in view is counted, and a call that is cut off took the time within', () => {
  const known = timeline([lane({ spans: [step(1, 0, 10), step(2, 20, 30, 3), step(3, 50, 60)] })], 6e7);
  const sum = sumUp(known, view(5, 40));
  expect(sum).toMatchObject({ calls: 2, operations: 0, events: 20, nonFinite: 3, executions: [1, 2] });
  expect(sum.functions).toMatchObject([{ name: 'step', calls: 2 }]);
  expect(sum.functions[0]?.took).toBeCloseTo(15e6, -4);
});

test('an execution that has a lane for each device too counts once', () => {
  const spans = [step(1, 0, 10)];
  const known = timeline([lane({ spans }), lane({ device: 'GPU:0', spans })], 1e7);
  expect(sumUp(known, view(0, 10)).calls).toBe(1);
});

test('operations have no length, and the function that took longest comes first', () => {
  const short = { ...step(3, 11, 12), name: 'validate' };
  const known = timeline([lane({ spans: [span({ execution: 1 }), step(2, 1, 10), short] })], 2e7);
  const sum = sumUp(known, view(0, 20));
  expect([sum.operations, sum.functions.map(({ name }) => name)]).toEqual([1, ['step', 'validate']]);
});

test('where there are too many to tell apart they are only counted', () => {
  const bins = [
    bin({ functions: 7, eager: 2, events: 90, non_finite: 1 }),
    bin({ begin_ns: FIRST + 9e6, end_ns: FIRST + 1e7, functions: 5 }),
  ];
  const sum = sumUp(timeline([lane({ bins })], 1e7), view(0, 5));
  expect(sum).toMatchObject({
    calls: 7,
    operations: 2,
    events: 90,
    nonFinite: 1,
    functions: [],
    executions: undefined,
  });
});
