import { describe, expect, it } from 'vitest';
import { attributesOf } from '../../../src/panels/event/attributes';

describe('the attributes of an operation', () => {
  it('have short values', () => {
    expect(attributesOf('')).toEqual([]);
    expect(attributesOf('{"T": "float32", "shape": [1, 2]}')).toEqual([
      ['T', 'float32'],
      ['shape', '[1,2]'],
    ]);
    expect(attributesOf('{broken')).toEqual([['', '{broken']]);
    expect(attributesOf(`{"value": "${'x'.repeat(500)}"}`)[0]?.[1].length).toBeLessThan(130);
  });
});
