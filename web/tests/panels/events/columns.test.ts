import { describe, expect, it } from 'vitest';
import {
  COLUMNS,
  chosenColumns,
  leastWidth,
  nextOrder,
  readWidths,
  template,
  toggled,
  withWidth,
  writeWidths,
} from '../../../src/panels/events/columns';

const USUAL = chosenColumns([]).map(({ name }) => name);

function column(name: string) {
  const found = COLUMNS.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return found;
}

describe('the columns of a link', () => {
  it('are those it names, in the order of the table', () => {
    expect(chosenColumns(['max', 'tensor', 'nothing']).map(({ name }) => name)).toEqual(['tensor', 'max']);
    expect(chosenColumns(['nothing']).map(({ name }) => name)).toEqual(USUAL);
  });

  it('are left out of it when they are the usual ones', () => {
    const more = toggled([], 'std');
    expect(more).toContain('std');
    expect(toggled(more, 'std')).toEqual([]);
  });

  it('are never none', () => {
    expect(toggled(['tensor'], 'tensor')).toEqual(['tensor']);
  });
});

describe('a click on a head', () => {
  it('sorts names from the first, then from the last, then not at all', () => {
    const first = nextOrder(column('tensor'), { order: 'event', descending: false });
    expect(first).toEqual({ order: 'tensor', descending: false });
    const second = nextOrder(column('tensor'), first);
    expect(second).toEqual({ order: 'tensor', descending: true });
    expect(nextOrder(column('tensor'), second)).toEqual({ order: 'event', descending: false });
  });

  it('sorts numbers and what is bad from the most', () => {
    expect(nextOrder(column('max'), { order: 'event', descending: false })).toEqual({ order: 'max', descending: true });
    expect(nextOrder(column('breakdown'), { order: 'max', descending: true })).toEqual({
      order: 'nonfinite',
      descending: true,
    });
  });

  it('turns the events around', () => {
    expect(nextOrder(column('event'), { order: 'event', descending: false })).toEqual({
      order: 'event',
      descending: true,
    });
  });
});

describe('widths', () => {
  it('are kept as a text', () => {
    const widths = withWidth(withWidth({}, 'tensor', 201.4), 'op', 3);
    expect(widths.tensor).toBe(201);
    expect(widths.op).toBeGreaterThan(10);
    expect(readWidths(writeWidths(widths))).toEqual(widths);
    expect(readWidths('tensor:x other:90 op:-4 max')).toEqual({});
    expect(readWidths(undefined)).toEqual({});
  });

  it('leave the room to the columns that nobody sized', () => {
    const two = [column('event'), column('tensor')];
    expect(template(two, { tensor: 300 })).toBe('minmax(84px, 84fr) 300px');
    expect(leastWidth(two, { tensor: 300 })).toBe(384);
  });
});
