import { describe, expect, it } from 'vitest';
import type { LineView, Margin, OperationAtLine } from '../../../src/api/types';
import { editorLink, foremost, marginWords, nextMargin, shownSpot } from '../../../src/panels/source/shown';
import { START } from '../../../src/state/place';

const frame = (file: string, line: number): LineView => ({ file, line, function: 'f', user: true, text: '' });
const TRACED = {
  source: frame('model.py', 30),
  stack: [frame('train.py', 5), frame('train.py', 9), frame('model.py', 30)],
};

const operation = (op_type: string, non_finite: number, event: number | null): OperationAtLine => ({
  op_type,
  name: op_type,
  operations: 1,
  function: 'step',
  events: 10,
  non_finite,
  event,
});
const MARGIN: Margin = {
  line: 30,
  operations: [operation('Const', 0, null), operation('Mul', 2, 7), operation('Log', 3, 8)],
};

describe('the line that is shown', () => {
  it('is the one asked for', () => {
    expect(shownSpot({ ...START, file: 'other.py', line: 2 }, TRACED)).toEqual({ file: 'other.py', line: 2 });
  });

  it('is that of what is chosen, in the file that stays if it came through there', () => {
    expect(shownSpot(START, TRACED)).toEqual({ file: 'model.py', line: 30 });
    expect(shownSpot({ ...START, pin: 'train.py' }, TRACED)).toEqual({ file: 'train.py', line: 9 });
    expect(shownSpot({ ...START, pin: 'absent.py' }, TRACED)).toEqual({ file: 'model.py', line: 30 });
    expect(shownSpot({ ...START, pin: 'train.py' }, undefined)).toEqual({ file: 'train.py', line: undefined });
    expect(shownSpot(START, undefined)).toBeUndefined();
  });
});

describe('the margin of a line', () => {
  it('names the operation to see first', () => {
    expect(foremost(MARGIN)?.event).toBe(8);
    expect(foremost({ ...MARGIN, operations: [operation('Const', 0, null), operation('Mul', 0, 7)] })?.event).toBe(7);
    expect(marginWords(MARGIN)).toMatchObject({ short: '✕ Log +2', bad: true });
    expect(marginWords({ line: 1, operations: [operation('Add', 0, 1)] })).toMatchObject({ short: 'Add', bad: false });
  });

  it('has a next and a previous one', () => {
    const margins = [{ ...MARGIN, line: 3 }, MARGIN];
    expect(nextMargin(margins, 3, 1)?.line).toBe(30);
    expect(nextMargin(margins, 29, -1)?.line).toBe(3);
    expect(nextMargin(margins, 30, 1)).toBeUndefined();
  });
});

describe('the link to the editor', () => {
  it('holds file and line', () => {
    const spot = { file: '/home/me/a b/train.py', line: 3 };
    expect(editorLink('vscode://file/{file}:{line}', spot)).toBe('vscode://file//home/me/a%20b/train.py:3');
    expect(editorLink('', spot)).toBe('');
  });
});
