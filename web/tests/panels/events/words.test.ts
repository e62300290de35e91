import { describe, expect, it } from 'vitest';
import { accepted, unfinished } from '../../../src/panels/events/words';

describe('a suggestion', () => {
  it('takes the place of the word at the cursor, and lets one go on', () => {
    expect(accepted('op:Lo', 3, 5, 'Log')).toEqual({ text: 'op:Log ', cursor: 7 });
    expect(accepted('fu step:3', 0, 2, 'function:')).toEqual({ text: 'function: step:3', cursor: 9 });
  });

  it('adds no second blank', () => {
    expect(accepted('op:Lo nan', 3, 5, 'Log')).toEqual({ text: 'op:Log nan', cursor: 6 });
  });
});

describe('a search that is still being typed', () => {
  it.each(['op:', 'nan -op:', 'max:>', 'step:3 name:"a b'])('is not finished: %s', (text) => {
    expect(unfinished(text)).toBe(true);
  });

  it.each(['', 'op:Log', 'step:3..', 'max:>3', 'name:"a b"', 'op: nan'])('is finished: %s', (text) => {
    expect(unfinished(text)).toBe(false);
  });
});
