import { describe, expect, it } from 'vitest';
import { boxed } from '../../../src/panels/graph/boxes';
import { node } from './made';

const labels = (nodes: Parameters<typeof boxed>[0]) => boxed(nodes).boxes.map((box) => `${box.kind} ${box.label}`);

describe('boxes', () => {
  it('are drawn for layers and name scopes that hold several operations', () => {
    const nodes = [
      node('a', { layer: 'model/dense' }),
      node('b', { layer: 'model/dense' }),
      node('c', { layer: 'model/alone' }),
      node('d', { scope: 'loss' }),
      node('e', { scope: 'loss' }),
      node('f'),
    ];
    expect(labels(nodes)).toEqual(['layer model', 'layer model/dense', 'scope loss']);
    const { boxes, boxOf } = boxed(nodes);
    const label = (name: string) => boxes.find((box) => box.id === boxOf.get(name))?.label;
    expect(['a', 'b', 'c', 'd', 'f'].map(label)).toEqual(['model/dense', 'model/dense', 'model', 'loss', undefined]);
    expect(boxes[1]?.parent).toBe(boxes[0]?.id);
  });

  it('leave out one that would hold only another', () => {
    const nodes = [node('a', { scope: 'x/y/z' }), node('b', { scope: 'x/y/z' })];
    expect(labels(nodes)).toEqual(['scope x/y/z']);
  });

  it('are drawn for each part of an opened call, also inside of another', () => {
    const nodes = [
      node('while', { op_type: 'While', opened: true, calls: ['cond', 'body'] }),
      node('while/less', { inside: 'while', part: 'cond' }),
      node('while/call', { inside: 'while', part: 'body', opened: true, op_type: 'PartitionedCall' }),
      node('while/call/log', { inside: 'while/call' }),
    ];
    expect(labels(nodes)).toEqual(['call While: cond', 'call While: body', 'call PartitionedCall']);
    const { boxes } = boxed(nodes);
    expect(boxes[2]?.parent).toBe(boxes[1]?.id);
  });
});
