/** Made-up whole graphs for the tests. */
import type { BoxView, BundleView, NodeView, WholeView } from '../../../../src/api/types';
import { node } from '../made';

export function box(name: string, change: Partial<BoxView> = {}): BoxView {
  return {
    box: name,
    inside: '',
    kind: 'scope',
    label: name,
    op_type: '',
    opened: false,
    operations: 12,
    health: 'fine',
    bad: 0,
    origin: false,
    secondary: '',
    ...change,
  };
}

export function bundle(source: string, target: string, change: Partial<BundleView> = {}): BundleView {
  return {
    box: '',
    source,
    target,
    tensors: 1,
    names: [`${source}:0`],
    dtype: 'float32',
    shape: [2, 3],
    bad: false,
    ...change,
  };
}

export function whole(
  boxes: readonly BoxView[],
  nodes: readonly NodeView[],
  bundles: readonly BundleView[],
): WholeView {
  return {
    function: 4,
    name: 'step',
    functions: [{ function: 4, name: 'step', signature: '' }],
    centre: '',
    operations: 40,
    bad: 0,
    boxes: [...boxes],
    nodes: [...nodes],
    bundles: [...bundles],
    unopened: 0,
  };
}

/** x into the open box `model/` with the closed `model/first/` and `model/add`, and from there to `loss`. */
export const MODEL = whole(
  [box('model/', { kind: 'layer', opened: true }), box('model/first/', { inside: 'model/' })],
  [node('x'), node('model/add', { inside: 'model/' }), node('loss'), node('alone')],
  [
    bundle('x', 'model/', { tensors: 2 }),
    bundle('', 'model/first/', { box: 'model/', tensors: 2 }),
    bundle('model/first/', 'model/add', { box: 'model/' }),
    bundle('model/add', '', { box: 'model/', bad: true }),
    bundle('model/', 'loss', { bad: true }),
  ],
);
