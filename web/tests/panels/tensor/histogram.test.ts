import { describe, expect, it } from 'vitest';
import type { HistogramsView } from '../../../src/api/types';
import { type Histogram, halfWords, histogramChart } from '../../../src/panels/tensor/histogram';
import { history } from '../../../src/panels/tensor/history';

const EDGES = [-1, 0, 1, 2];

function one(change: Partial<Histogram> = {}): Histogram {
  return { event: 0, step: 0, iteration: null, iterations: [], caller: 0, counts: [1, 6, 1], ...change };
}

function view(change: Partial<HistogramsView> = {}): HistogramsView {
  const histograms = [one(), one({ event: 5, step: 1 })];
  return { tensor: 'x:0', function: '', kept: 2, edges: EDGES, callers: ['train'], histograms, ...change };
}

describe('histograms over the steps', () => {
  it('say of how many events they are', () => {
    expect(histogramChart(view(), history([]), 'train')?.title).toContain('of 2 events with elements kept');
    expect(histogramChart(view({ kept: 900 }), history([]), 'train')?.title).toContain('of 2 of the 900 events');
  });

  it('are not there without a finite element, and not of another caller', () => {
    expect(histogramChart(view({ histograms: [one({ counts: [0, 0, 0] })] }), history([]), 'train')).toBeUndefined();
    expect(
      histogramChart(view({ edges: [], histograms: [one({ counts: [] })] }), history([]), 'train'),
    ).toBeUndefined();
    expect(histogramChart(view(), history([]), 'evaluate')).toBeUndefined();
  });

  it('tell where the middle half lies', () => {
    expect(halfWords(one(), EDGES)).toBe('half of them between 0 and 1');
    expect(halfWords(one({ counts: [4, 0, 4] }), EDGES)).toBe('half of them between -1 and 2');
    expect(halfWords(one({ counts: [0, 0, 0] }), EDGES)).toBe('');
  });
});
