import { describe, expect, it } from 'vitest';
import { quoted } from '../../src/parts/search-words';

describe('a word of the search', () => {
  it('stands between quotes where it would not stay one', () => {
    expect(quoted('gradients/Log_grad/Mul:0')).toBe('gradients/Log_grad/Mul:0');
    expect(quoted('my "own" name')).toBe('"my ?own? name"');
  });
});
