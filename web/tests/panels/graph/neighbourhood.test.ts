import { describe, expect, it } from 'vitest';
import { distances, joined, limited } from '../../../src/panels/graph/neighbourhood';
import { edge, node, shown, view } from './made';

describe('a neighbourhood', () => {
  it('joins what is around several nodes, each node and edge once', () => {
    const first = view('b', [node('a'), node('b', { hidden_consumers: 2 })], [edge('a', 'b')]);
    const more = view(
      'b',
      [node('a'), node('b', { event: null }), node('c'), node('d')],
      [edge('a', 'b'), edge('b', 'c'), edge('b', 'd')],
    );
    const all = joined([first, more]);
    expect(all?.nodes.map((each) => each.node)).toEqual(['a', 'b', 'c', 'd']);
    expect(all?.edges).toHaveLength(3);
    // What the first answer says of an event holds, but no neighbour is hidden any more.
    expect(all?.nodes[1]).toMatchObject({ event: 1, hidden_consumers: 0 });
    expect(all?.centre).toBe('b');
  });

  it('does not join graphs of different functions', () => {
    const other = { ...view('x', [node('x')], []), function: 'other' };
    expect(joined([view('a', [node('a')], []), other])?.nodes).toHaveLength(1);
    expect(joined([])).toBeUndefined();
  });

  it('keeps the nearest of very many, and counts what is left out', () => {
    const chain = Array.from({ length: 50 }, (_, index) => `n${index}`);
    const all = shown(
      'n25',
      chain.map((name) => node(name)),
      chain.slice(1).map((name, index) => edge(chain[index] as string, name)),
    );
    const near = limited(all, 11);
    expect(near.nodes.map((each) => each.node)).toEqual(chain.slice(20, 31));
    expect(near.left).toBe(39);
    expect(near.nodes[0]).toMatchObject({ node: 'n20', hidden_inputs: 1, hidden_consumers: 0 });
    expect(near.nodes[10]).toMatchObject({ node: 'n30', hidden_inputs: 0, hidden_consumers: 1 });
    expect(near.edges).toHaveLength(10);
    expect(limited(all, 50)).toBe(all);
  });

  it('finds its way through cycles and into opened calls', () => {
    const all = shown(
      'a',
      [node('a'), node('b'), node('call', { opened: true }), node('call/x', { inside: 'call' })],
      [edge('a', 'b'), edge('b', 'a'), edge('b', 'call')],
    );
    expect(Object.fromEntries(distances(all))).toEqual({ a: 0, b: 1, call: 2, 'call/x': 3 });
  });
});
