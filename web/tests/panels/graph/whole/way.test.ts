import { describe, expect, it } from 'vitest';
import { wayOf } from '../../../../src/panels/graph/whole/way';
import { node } from '../made';
import { box, bundle, whole } from './made';

const bad = (source: string, target: string, inside = '') => bundle(source, target, { bad: true, box: inside });

describe('the way from the origin', () => {
  it('goes as far as what is not finite does, and starts where it began', () => {
    const view = whole(
      [],
      [node('x'), node('log', { origin: true }), node('mul'), node('y'), node('loss'), node('metric')],
      [bundle('x', 'log'), bad('log', 'mul'), bundle('y', 'mul'), bad('mul', 'loss'), bad('log', 'metric')],
    );
    const way = wayOf(view);
    expect([...way.things]).toEqual(['log', 'mul', 'loss']);
    expect([...way.bundles]).toEqual([view.bundles[1], view.bundles[3]]);
    expect([...way.trunk]).toEqual(['log', 'x', 'mul', 'loss']);
    expect(way.joints.has(view.bundles[0] as never)).toBe(true);
    expect(way.joints.has(view.bundles[2] as never)).toBe(false);
  });

  it('ends at the loss, before the backward pass', () => {
    const view = whole(
      [box('gradient/', { secondary: 'backward' })],
      [node('log', { origin: true }), node('loss'), node('update')],
      [bad('log', 'loss'), bad('loss', 'gradient/'), bad('gradient/', 'update')],
    );
    expect([...wayOf(view).things]).toEqual(['log', 'loss']);
  });

  it('follows the backward pass where it began there', () => {
    const view = whole(
      [],
      [node('grad', { origin: true, secondary: 'backward' }), node('next', { secondary: 'backward' })],
      [bad('grad', 'next')],
    );
    expect([...wayOf(view).things]).toEqual(['grad', 'next']);
  });

  it('leaves an open box where it goes on behind it, and comes into another', () => {
    const view = whole(
      [box('a/', { opened: true, origin: true }), box('b/', { opened: true })],
      [
        node('a/log', { inside: 'a/', origin: true }),
        node('a/one', { inside: 'a/' }),
        node('a/long', { inside: 'a/' }),
        node('a/longer', { inside: 'a/' }),
        node('b/sum', { inside: 'b/' }),
      ],
      [
        bad('a/log', 'a/one', 'a/'),
        bad('a/log', 'a/long', 'a/'),
        bad('a/long', 'a/longer', 'a/'),
        bad('a/one', '', 'a/'),
        bad('a/', 'b/'),
        bad('', 'b/sum', 'b/'),
      ],
    );
    expect([...wayOf(view).things]).toEqual(['a/', 'a/log', 'a/one', 'b/', 'b/sum']);
  });

  it('is that of the chosen origin', () => {
    const view = whole(
      [],
      [node('far', { origin: true }), node('end'), node('near', { origin: true })],
      [bad('far', 'end')],
    );
    expect([...wayOf({ ...view, centre: 'near' }).things]).toEqual(['near']);
    expect([...wayOf(view).things]).toEqual(['far', 'end']);
  });

  it('comes to an end where boxes go round in a circle, and is empty without an origin', () => {
    const circle = [bad('a', 'b'), bad('b', 'a')];
    expect([...wayOf(whole([box('a', { origin: true }), box('b')], [], circle)).things]).toEqual(['a', 'b']);
    expect([...wayOf(whole([box('a'), box('b')], [], circle)).trunk]).toEqual([]);
  });
});
