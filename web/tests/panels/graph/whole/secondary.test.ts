import { describe, expect, it } from 'vitest';
import { secondaryCounts, withoutSecondary } from '../../../../src/panels/graph/whole/secondary';
import { node } from '../made';
import { box, bundle, whole } from './made';

const VIEW = whole(
  [
    box('loss', { opened: true }),
    box('gradients', { opened: true, secondary: 'backward', operations: 3 }),
    box('gradients/inner', { inside: 'gradients', secondary: 'backward', operations: 2 }),
  ],
  [
    node('loss/log', { inside: 'loss' }),
    node('loss/axis', { inside: 'loss', secondary: 'constant' }),
    node('gradients/mul', { inside: 'gradients', secondary: 'backward' }),
    node('gradients/ones', { inside: 'gradients', secondary: 'constant' }),
  ],
  [
    bundle('loss/axis', 'loss/log', { box: 'loss' }),
    bundle('loss', 'gradients'),
    bundle('gradients/mul', 'gradients/inner', { box: 'gradients' }),
  ],
);

const names = (wanted: readonly string[], lookedAt: readonly string[] = []): readonly string[] => {
  const { boxes, nodes } = withoutSecondary(VIEW, wanted, lookedAt);
  return [...boxes.map((each) => each.box), ...nodes.map((each) => each.node)];
};

describe('what a whole graph shows', () => {
  it('leaves out constants and the backward pass, with all bundles from and to them', () => {
    expect(names([])).toEqual(['loss', 'loss/log']);
    expect(withoutSecondary(VIEW, [], []).bundles).toEqual([]);
  });

  it('shows them when asked for', () => {
    expect(names(['constant'])).toEqual(['loss', 'loss/log', 'loss/axis']);
    expect(names(['backward', 'constant'])).toHaveLength(7);
  });

  it('shows all of a kind where one looks at one of it', () => {
    expect(names([], ['gradients/mul'])).toEqual(['loss', 'gradients', 'gradients/inner', 'loss/log', 'gradients/mul']);
  });

  it('shows a graph of nothing else as it is', () => {
    const only = whole([], [node('c', { secondary: 'constant' })], []);
    expect(withoutSecondary(only, [], [])).toBe(only);
  });

  it('counts a box with all in it', () => {
    expect(secondaryCounts(VIEW)).toEqual({ backward: 3, constant: 1 });
  });
});
