import { describe, expect, it } from 'vitest';
import type { SavedWhole } from '../../src/api/content';
import { foundIn, heldWhole, shownWhole } from '../../src/api/saved-whole';
import { node } from '../panels/graph/made';
import { box, bundle, whole } from '../panels/graph/whole/made';

const NOTHING = { opened: [], closed: [] };

/** `x` into `model/` with `model/first/`, which holds `deep`; the inside of `far/` is not there. */
const VIEW = whole(
  [
    box('model/', { opened: true }),
    box('model/first/', { inside: 'model/', opened: true }),
    box('far/', { opened: false }),
  ],
  [node('x'), node('deep', { inside: 'model/first/', event: 9 }), node('shallow', { inside: 'model/', event: 8 })],
  [
    bundle('x', 'model/'),
    bundle('', 'model/first/', { box: 'model/' }),
    bundle('', 'deep', { box: 'model/first/' }),
    bundle('model/', 'far/'),
  ],
);
const HELD: SavedWhole = { event: 8, open: ['model/'], view: { ...VIEW, centre: 'shallow' } };
const ANY: SavedWhole = { event: null, open: [], view: VIEW };

const opened = (boxes: readonly { box: string; opened: boolean }[]) =>
  boxes.filter((each) => each.opened).map((each) => each.box);

describe('a whole graph of a saved page', () => {
  it('is open as it would be, though more of it is there', () => {
    const shown = shownWhole(HELD, NOTHING);
    expect(opened(shown.boxes)).toEqual(['model/']);
    expect(shown.nodes.map((each) => each.node)).toEqual(['x', 'shallow']);
    expect(shown.bundles.map((each) => each.box)).toEqual(['', 'model/', '']);
  });

  it('opens and closes boxes', () => {
    const deep = shownWhole(HELD, { opened: ['model/first/'], closed: [] });
    expect(deep.nodes.map((each) => each.node)).toEqual(['x', 'deep', 'shallow']);
    expect(deep.bundles).toHaveLength(4);
    const shut = shownWhole(HELD, { opened: ['model/first/'], closed: ['model/'] });
    expect(shut.boxes.map((each) => each.box)).toEqual(['model/', 'far/']);
    expect(shut.nodes.map((each) => each.node)).toEqual(['x']);
  });

  it('says how many boxes it does not hold the inside of, and leaves them closed', () => {
    const shown = shownWhole(HELD, { opened: ['far/'], closed: [] });
    expect(shown.left_out).toBe(1);
    expect(opened(shown.boxes)).toEqual(['model/']);
  });

  it('is that of another event whose operation it shows, which is then chosen and to be seen', () => {
    expect(heldWhole([ANY, HELD], { event: 8, function: '' })).toBe(HELD);
    const other = heldWhole([ANY, HELD], { event: 9, function: '' });
    expect([other?.event, other?.view.centre]).toEqual([8, 'deep']);
    expect(other && shownWhole(other, NOTHING).nodes.map((each) => each.node)).toContain('deep');
    expect(heldWhole([ANY, HELD], { event: 77, function: '' })).toBeUndefined();
    expect(heldWhole([HELD, ANY], { event: undefined, function: '' })).toBe(ANY);
    expect(heldWhole([HELD, ANY], { event: 8, function: '4' })).toBe(ANY);
  });

  it('finds what is in closed boxes, with the boxes around', () => {
    const { total, things } = foundIn(VIEW, 'DEEP');
    expect([total, things[0]?.thing, things[0]?.around]).toEqual([1, 'deep', ['model/first/', 'model/']]);
  });
});
