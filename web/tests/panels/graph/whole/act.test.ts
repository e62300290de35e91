import { describe, expect, it } from 'vitest';
import { toggled, wantedBoxes } from '../../../../src/panels/graph/whole/act';
import { box, whole } from './made';

const VIEW = whole(
  [
    box('a/', { opened: true }),
    box('a/b/', { inside: 'a/', opened: true }),
    box('a/b/c/', { inside: 'a/b/' }),
    box('d/'),
  ],
  [],
  [],
);
const named = (name: string) => VIEW.boxes.find((each) => each.box === name) ?? box(name);

describe('the boxes of a link', () => {
  it('are open or closed', () => {
    expect(wantedBoxes(['a/', '-b/', 'c'])).toEqual({ opened: ['a/', 'c'], closed: ['b/'] });
  });

  it('have one more when one is opened', () => {
    expect(toggled(['a/', '-d/'], named('d/'), VIEW)).toEqual(['a/', 'd/']);
  });

  it('lose with a box all that was opened in it', () => {
    expect(toggled(['a/', 'a/b/', 'd/'], named('a/'), VIEW)).toEqual(['d/', '-a/']);
    expect(toggled(['a/', 'a/b/'], named('a/b/'), VIEW)).toEqual(['a/', '-a/b/']);
  });
});
