import { describe, expect, it } from 'vitest';
import { type Area, pathOf, placed } from '../../../src/panels/graph/layout';
import { MOST } from '../../../src/panels/graph/neighbourhood';
import { walked } from '../../../src/panels/graph/walk';
import { edge, node, shown } from './made';

const within = (inner: Area, outer: Area): boolean =>
  inner.x - inner.width / 2 >= outer.x - outer.width / 2 - 1 &&
  inner.x + inner.width / 2 <= outer.x + outer.width / 2 + 1 &&
  inner.y - inner.height / 2 >= outer.y - outer.height / 2 - 1 &&
  inner.y + inner.height / 2 <= outer.y + outer.height / 2 + 1;

const GRAPH = shown(
  'log',
  [
    node('probs'),
    node('log', { layer: 'loss' }),
    node('mul', { layer: 'loss' }),
    node('labels'),
    node('while', { opened: true, calls: ['cond', 'body'] }),
    node('while/add', { inside: 'while', part: 'body' }),
  ],
  [
    edge('probs', 'log'),
    edge('log', 'mul', { input: 1 }),
    edge('labels', 'mul'),
    edge('mul', 'while/add'),
    edge('while/add', 'while'),
    edge('while', 'mul', { input: 2 }),
  ],
);

describe('the layout', () => {
  const drawing = placed(GRAPH);
  const at = (name: string) => drawing.nodes.find((each) => each.node.node === name) as (typeof drawing.nodes)[number];

  it('stands inputs above and consumers below', () => {
    expect(at('probs').y).toBeLessThan(at('log').y);
    expect(at('log').y).toBeLessThan(at('mul').y);
  });

  it('draws boxes around what is in them', () => {
    const loss = drawing.boxes.find((each) => each.box.label === 'loss') as (typeof drawing.boxes)[number];
    expect(within(at('log'), loss)).toBe(true);
    expect(within(at('mul'), loss)).toBe(true);
    expect(within(at('probs'), loss)).toBe(false);
  });

  it('leaves nodes apart and within the drawing', () => {
    for (const one of drawing.nodes) {
      expect(within(one, { x: drawing.width / 2, y: drawing.height / 2, ...drawing })).toBe(true);
      for (const other of drawing.nodes) {
        if (one === other) continue;
        const apart =
          Math.abs(one.x - other.x) >= (one.width + other.width) / 2 || Math.abs(one.y - other.y) >= one.height;
        expect(apart).toBe(true);
      }
    }
  });

  it('draws every edge, also several between the same two', () => {
    expect(drawing.edges).toHaveLength(GRAPH.edges.length);
    const twice = placed(shown('b', [node('a'), node('b')], [edge('a', 'b'), edge('a', 'b', { input: 1 })]));
    expect(twice.edges).toHaveLength(2);
    // Both carry the same tensor, which is told once.
    expect(twice.edges.filter((each) => each.label)).toHaveLength(1);
    expect(pathOf(twice.edges[0]?.points ?? [])).toMatch(/^M[\d.]+ [\d.]+/);
  });

  it('places as many nodes as are ever shown, also where their boxes lie across each other', {
    timeout: 60_000,
  }, () => {
    const names = Array.from({ length: MOST }, (_, index) => `n${index}`);
    const many = shown(
      'n0',
      names.map((name, index) => node(name, { scope: `s${index % 7}` })),
      names.slice(1).map((name, index) => edge(`n${Math.floor(index / 3)}`, name)),
    );
    expect(placed(many).nodes).toHaveLength(MOST);
  });

  it('is walked along its edges', () => {
    expect(walked(drawing, 'log', 'up')).toBe('probs');
    expect(walked(drawing, 'probs', 'down')).toBe('log');
    expect(walked(drawing, 'mul', 'up')).toBe('labels');
    expect(walked(drawing, 'nothing', 'up')).toBe('probs');
    const beside = walked(drawing, 'probs', 'right') ?? walked(drawing, 'probs', 'left');
    expect(beside === undefined || Math.abs(at(beside).y - at('probs').y) < 42).toBe(true);
  });
});
