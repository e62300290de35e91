import { describe, expect, it } from 'vitest';
import type { TensorView } from '../../../src/api/types';
import { read, together, written } from '../../../src/panels/tensor/beside';

const view = (tensor: string, callers: string[], points: readonly [number, number][]): TensorView => ({
  tensor,
  function: 'f',
  total: points.length,
  callers,
  points: points.map(([event, step]) => ({
    event,
    step,
    iteration: null,
    iterations: [],
    caller: 0,
    health: null,
    shape: null,
    kept: false,
  })),
});

describe('tensors beside one another', () => {
  it('are named in a link with their function', () => {
    for (const each of [
      { tensor: 'probs:0', name: '' },
      { tensor: 'probs:0', name: 'train|step' },
    ]) {
      expect(read(written(each))).toEqual(each);
    }
  });

  it('have lines of their own, named by the tensor', () => {
    const made = together([view('a:0', ['train'], [[1, 0]]), view('b:0', ['train', 'test'], [[2, 0]])]);
    expect(made.lines).toEqual(['a:0', 'b:0, train', 'b:0, test']);
    expect(made.points.map(({ event, caller }) => [event, caller])).toEqual([
      [1, 0],
      [2, 1],
    ]);
  });

  it('are as ever where there is one', () => {
    expect(together([view('a:0', [''], [[1, 0]])]).lines).toEqual(['outside of functions']);
  });
});
