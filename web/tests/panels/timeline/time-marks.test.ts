import { describe, expect, it } from 'vitest';
import { toggledMark } from '../../../src/panels/timeline/time-marks';

describe('marked moments', () => {
  it('stand in the order of time', () => {
    expect(toggledMark([10, 30], 20.4)).toEqual([10, 20, 30]);
  });

  it('are taken away by marking them again', () => {
    expect(toggledMark([10, 20], 20)).toEqual([10]);
  });
});
