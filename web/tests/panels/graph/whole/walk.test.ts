import { describe, expect, it } from 'vitest';
import { placedWhole } from '../../../../src/panels/graph/whole/layout';
import { walkedWhole } from '../../../../src/panels/graph/whole/walk';
import { MODEL } from './made';

const drawing = placedWhole(MODEL);

describe('walking a whole graph', () => {
  it('goes down along bundles, into an open box and out of it', () => {
    const way = ['x'];
    for (let at = way[0]; at; at = walkedWhole(drawing, at, 'down')) way.push(at);
    expect(way.slice(1)).toEqual(['x', 'model/', 'model/first/', 'model/add', 'loss']);
  });

  it('goes up along bundles, and from the first in a box to the box', () => {
    expect(walkedWhole(drawing, 'model/add', 'up')).toBe('model/first/');
    expect(walkedWhole(drawing, 'model/first/', 'up')).toBe('model/');
    expect(walkedWhole(drawing, 'model/', 'up')).toBe('x');
  });

  it('goes to what stands beside in the same box', () => {
    expect(walkedWhole(drawing, 'x', 'right')).toBe('alone');
    expect(walkedWhole(drawing, 'alone', 'left')).toBe('x');
    expect(walkedWhole(drawing, 'alone', 'right')).toBeUndefined();
  });

  it('begins where there is something', () => {
    expect(walkedWhole(drawing, 'gone', 'down')).toBe(drawing.things[0]?.id);
  });
});
