import { describe, expect, it } from 'vitest';
import { edgeLabel, edgeWords, nodeWords, outputsOf, SIGNS } from '../../../src/panels/graph/words';
import { edge, node } from './made';

describe('the graph in words', () => {
  it('labels an edge with slot, shape and type', () => {
    const source = node('split', { dtypes: ['float32', 'int32'], shapes: [[100, 10], null] });
    expect(edgeLabel(edge('split', 'b'), source)).toBe(':0 [100, 10] float32');
    expect(edgeLabel(edge('split', 'b', { slot: 1 }), source)).toBe(':1 ? int32');
    expect(edgeLabel(edge('gone', 'b'), undefined)).toBe(':0');
    expect(edgeWords(edge('split', 'b', { bad: true, input: 2 }), source, node('b'))).toBe(
      'output 0 of split to input 2 of b, [100, 10] float32, not finite',
    );
  });

  it('tells a node', () => {
    const told = node('m/Log', {
      name: 'm/Log',
      title: 'Log',
      op_type: 'Log',
      health: 'bad',
      origin: true,
      hidden_inputs: 1,
      hidden_consumers: 2,
      calls: ['f'],
    });
    expect(nodeWords(told, 'm/Log')).toBe(
      'Log m/Log, not finite, the chosen operation, the origin of the trouble, calls f, closed, 1 more input not shown, 2 more consumers not shown',
    );
    expect(outputsOf(told)).toEqual(['[2, 3] float32']);
  });

  it('tells an argument by its name in the program', () => {
    const told = node('while/Placeholder', { title: 'n', op_type: 'Placeholder', argument: true });
    expect(nodeWords(told, '')).toBe('argument n (Placeholder), finite');
  });

  it('has another sign for each health', () => {
    const signs = ['bad', 'bad_elsewhere', 'fine', 'unmeasured', 'unrecorded'].map((health) => SIGNS[health]);
    expect(new Set(signs).size).toBe(5);
  });
});
