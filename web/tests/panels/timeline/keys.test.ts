import { expect, test } from 'vitest';
import { fitted } from '../../../src/panels/timeline/keys';
import { FIRST } from './made';

test('a call fits into the view with some room on both sides, as far as there is something', () => {
  const all = { begin: FIRST, end: FIRST + 1e9 };
  expect(fitted(FIRST + 4e8, FIRST + 4.8e8, all)).toEqual({ begin: FIRST + 3.9e8, end: FIRST + 4.9e8 });
  expect(fitted(FIRST, FIRST + 8e7, all).begin).toBe(FIRST);
});
