import { expect, test } from 'vitest';
import { iconOf, markOf } from '../../src/state/icon';

test('the icon of a run in which something is wrong is another one', () => {
  expect(iconOf(true)).not.toBe(iconOf(false));
  expect(decodeURIComponent(iconOf(true))).toBe(`data:image/svg+xml,${markOf(true)}`);
});
