/** Scales of a chart's upright axis. */
import type uPlot from 'uplot';
import type { History } from './history';

const LINEAR: uPlot.Scale = { distr: 1 };

/** A logarithmic scale for what is positive throughout, else one that is linear around zero and logarithmic far from it. */
export function logScale({ min, smallest }: Pick<History, 'min' | 'smallest'>): uPlot.Scale {
  if (!Number.isFinite(smallest)) return LINEAR;
  if (min.every((value) => value === null || value > 0)) return { distr: 3 };
  return { distr: 4, asinh: Math.max(smallest, 1e-12) };
}

export function valueScale(history: History, logarithmic: boolean): uPlot.Scale {
  return logarithmic ? logScale(history) : LINEAR;
}

/** Shares are always drawn from none to all. */
export const SHARE_SCALE: uPlot.Scale = { range: () => [0, 1] };
