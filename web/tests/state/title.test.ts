import { expect, test } from 'vitest';
import { titleOf } from '../../src/state/title';

const IDLE = { what: undefined, program: 'train.py', running: false, troubles: [] };

test('a run that goes on says so, and that something went wrong in it', () => {
  expect(titleOf({ ...IDLE, running: true })).toBe('▶ train.py – tensordbg');
  expect(titleOf({ ...IDLE, running: true, troubles: ['Log made NaN'] })).toBe('⚠ Log made NaN – train.py – tensordbg');
  expect(titleOf({ ...IDLE, running: true, troubles: ['a', 'b'] })).toBe('⚠ 2 findings – train.py – tensordbg');
});

test('what is looked at stands first', () => {
  expect(titleOf({ ...IDLE, what: 'Log:0 #3' })).toBe('Log:0 #3 – train.py – tensordbg');
  expect(titleOf({ ...IDLE, what: 'Log:0 #3', running: true, troubles: ['a'] })).toBe(
    '⚠ Log:0 #3 – train.py – tensordbg',
  );
  expect(titleOf({ ...IDLE, program: undefined })).toBe('tensordbg');
});
