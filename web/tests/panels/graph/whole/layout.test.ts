import { describe, expect, it } from 'vitest';
import type { Area } from '../../../../src/panels/graph/layout';
import { inRows, joinedGroups, type PlacedThing, placedWhole } from '../../../../src/panels/graph/whole/layout';
import { node } from '../made';
import { box, bundle, MODEL, whole } from './made';

const edges = ({ x, y, width, height }: Area) => ({
  left: x - width / 2,
  right: x + width / 2,
  top: y - height / 2,
  bottom: y + height / 2,
});

const apart = (one: Area, other: Area): boolean => {
  const [a, b] = [edges(one), edges(other)];
  return a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
};

describe('the layout of a whole graph', () => {
  const drawing = placedWhole(MODEL);
  const at = (id: string) => drawing.things.find((each) => each.id === id) as PlacedThing;

  it('stands what flows one below another', () => {
    expect(edges(at('x')).bottom).toBeLessThan(edges(at('model/')).top);
    expect(edges(at('model/')).bottom).toBeLessThan(edges(at('loss')).top);
  });

  it('keeps what is in an open box inside of it, below its lid', () => {
    const outer = edges(at('model/'));
    for (const id of ['model/first/', 'model/add']) {
      const inner = edges(at(id));
      expect(inner.left).toBeGreaterThan(outer.left);
      expect(inner.right).toBeLessThan(outer.right);
      expect(inner.top).toBeGreaterThan(outer.top + 20);
      expect(inner.bottom).toBeLessThan(outer.bottom);
    }
  });

  it('lets nothing in one box lie over something else in it', () => {
    for (const one of drawing.things) {
      for (const other of drawing.things) {
        if (one.id < other.id && one.inside === other.inside) expect(apart(one, other)).toBe(true);
      }
    }
  });

  it('draws bundles inside of a box, and tells of those that cross its border', () => {
    expect(drawing.bundles.map(({ bundle: { source, target } }) => [source, target]).sort()).toEqual([
      ['model/', 'loss'],
      ['model/first/', 'model/add'],
      ['x', 'model/'],
    ]);
    expect(at('model/first/').entering?.tensors).toBe(2);
    expect(at('model/add').leaving?.bad).toBe(true);
  });

  it('names a box before what is in it', () => {
    const ids = drawing.things.map(({ id }) => id);
    expect(ids.indexOf('model/')).toBeLessThan(ids.indexOf('model/first/'));
  });

  it('places boxes that go round in a circle', () => {
    const view = whole([box('a'), box('b')], [], [bundle('a', 'b'), bundle('b', 'a', { tensors: 3 })]);
    expect(placedWhole(view).bundles).toHaveLength(2);
  });

  it('places a function without operations, and a box with nothing in it', () => {
    expect(placedWhole(whole([], [], [])).things).toEqual([]);
    const [thing] = placedWhole(whole([box('empty', { opened: true })], [], [])).things;
    expect(thing?.height).toBeGreaterThan(20);
  });
});

describe('the way from the origin', () => {
  const many = Array.from({ length: 200 }, (_, index) => `op${index}`);
  const view = whole(
    [],
    [node('x'), node('log', { origin: true }), node('mul'), node('loss'), ...many.map((each) => node(each))],
    [
      ...many.map((each) => bundle('x', each)),
      bundle('x', 'log'),
      bundle('log', 'mul', { bad: true }),
      bundle('op7', 'mul'),
      bundle('mul', 'loss', { bad: true }),
      bundle('mul', 'op9', { bad: true }),
    ],
  );
  const drawing = placedWhole(view);
  const at = (id: string) => drawing.things.find((each) => each.id === id) as PlacedThing;

  it('stands straight below what leads to it, left of all else', () => {
    const trunk = ['x', 'log', 'mul', 'loss'].map(at);
    expect(new Set(trunk.map(({ x }) => x)).size).toBe(1);
    const right = Math.max(...trunk.map((each) => edges(each).right));
    for (const each of many) expect(edges(at(each)).left).toBeGreaterThan(right);
    for (const each of drawing.things) expect(edges(each).right).toBeLessThanOrEqual(drawing.width);
  });

  it('is drawn over the rest, and known to the camera', () => {
    expect(drawing.bundles.slice(-2).map(({ bundle: { source }, onWay }) => [source, onWay])).toEqual([
      ['log', true],
      ['mul', true],
    ]);
    expect(drawing.bundles.filter(({ onWay }) => onWay)).toHaveLength(2);
    expect(drawing.way).toEqual({ ...drawing.way, x: at('mul').x });
    expect(edges(drawing.way as Area).top).toBe(edges(at('x')).top);
    expect(edges(drawing.way as Area).bottom).toBe(edges(at('loss')).bottom);
  });

  it('is met by what comes from the side on its right, from above', () => {
    const side = drawing.bundles.find(({ bundle: { source } }) => source === 'op7');
    const end = side?.points.at(-1);
    expect(end?.x).toBeGreaterThan(at('mul').x);
    expect(end?.y).toBeCloseTo(edges(at('mul')).top);
    expect(side?.points.at(-2)?.y).toBeLessThan(end?.y ?? 0);
  });
});

describe('what has no edges between', () => {
  it('is found', () => {
    expect(joinedGroups(['a', 'b', 'c', 'd'], [bundle('c', 'a'), bundle('x', 'b')])).toEqual([
      ['a', 'c'],
      ['b'],
      ['d'],
    ]);
  });

  it('is packed about as high as wide', () => {
    const packed = inRows(Array.from({ length: 60 }, () => ({ width: 100, height: 40 })));
    expect(packed.places).toHaveLength(60);
    expect(packed.width / packed.height).toBeGreaterThan(1);
    expect(packed.width / packed.height).toBeLessThan(3);
  });

  it('stands in few columns on the largest graphs too', () => {
    const nodes = Array.from({ length: 60 }, (_, index) => node(`op${index}`));
    const drawing = placedWhole(whole([], nodes, []));
    expect(drawing.width).toBeLessThan(2000);
  });
});
