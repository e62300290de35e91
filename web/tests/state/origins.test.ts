import { expect, test } from 'vitest';
import type { Finding } from '../../src/api/types';
import { originsOf } from '../../src/state/origins';

const finding = (number: number, tensor: string, change: Partial<Finding> = {}): Finding =>
  ({
    number,
    kind: 'origin',
    process: '',
    gradient_of: '',
    event: { event: 10 * number, execution: number, tensor },
    source: { file: '/train.py', line: number },
    ...change,
  }) as Finding;

const ALL = [
  finding(1, 'Sqrt:0'),
  finding(3, 'Log:0', { process: 'worker 1' }),
  finding(4, 'Mul:0', { kind: 'warning' }),
];

test('only where it began has the mark, in the process that is shown', () => {
  const found = originsOf(ALL, '');
  expect([...found.events]).toEqual([10]);
  expect([...found.executions]).toEqual([1]);
  expect([...found.lines]).toEqual(['/train.py:1']);
  expect([...originsOf(ALL, 'worker 1').events]).toEqual([30]);
});
