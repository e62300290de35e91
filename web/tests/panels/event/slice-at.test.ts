import { describe, expect, it } from 'vitest';
import { sliceAt } from '../../../src/panels/event/slice-at';

describe('the slice around an element', () => {
  it('has two dimensions', () => {
    expect(sliceAt([85, 4])).toBe('');
    expect(sliceAt([3, 1, 85, 4])).toBe('[3, 1, :, :]');
  });
});
