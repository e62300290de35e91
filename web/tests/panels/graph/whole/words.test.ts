import { describe, expect, it } from 'vitest';
import {
  boxTitle,
  boxWords,
  bundleLabel,
  bundleWords,
  insideWords,
  wholeWords,
} from '../../../../src/panels/graph/whole/words';
import { box, bundle, MODEL } from './made';

describe('a box in words', () => {
  it('has the name that a person knows', () => {
    expect(boxTitle(box('s', { kind: 'call', label: 'train_step' }))).toBe('ƒ train_step');
    expect(boxTitle(box('w:body', { kind: 'part', label: 'body' }))).toBe('body of the loop');
    expect(boxTitle(box('c:branch2', { kind: 'part', label: 'branch2' }))).toBe('branch2');
  });

  it('says how much is in it and how bad that is', () => {
    expect(insideWords(box('a', { operations: 1204 }))).toBe('1,204 operations');
    expect(insideWords(box('a', { operations: 1204, bad: 3, health: 'bad' }))).toBe('3 of 1,204 not finite');
    const bad = box('a', { kind: 'call', op_type: 'While', bad: 3, health: 'bad', origin: true });
    expect(boxWords(bad)).toBe('a, call While, 12 operations, 3 of them not finite, the trouble began inside, closed');
    expect(boxWords(box('a', { opened: true }))).toBe('a, name scope, 12 operations, finite, open');
  });
});

describe('a bundle in words', () => {
  it('is its one tensor, or how many there are', () => {
    expect(bundleLabel(bundle('a', 'b'))).toBe('[2, 3] float32');
    expect(bundleLabel(bundle('a', 'b', { shape: null, bad: true }))).toBe('! float32');
    expect(bundleLabel(bundle('a', 'b', { tensors: 1300, dtype: '', shape: null }))).toBe('1,300 tensors');
  });

  it('says from where to where', () => {
    const many = bundle('a', '', { tensors: 9, names: ['p:0', 'q:1'], bad: true });
    expect(bundleWords(many, (id) => id.toUpperCase())).toBe(
      'From A to outside of the box: 9 tensors, not finite\np:0\nq:1\nand 7 more',
    );
  });
});

it('a whole graph in words says how to walk it', () => {
  const words = wholeWords({ ...MODEL, bad: 2 });
  expect(words).toContain('step, 40 operations, 2 not finite; 2 boxes and 4 operations shown.');
  expect(words).toContain('Enter: open or close a box');
});
