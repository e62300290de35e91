/** Made-up graphs for the tests of the graph panel. */
import type { EdgeView, GraphView, NodeView } from '../../../src/api/types';
import type { Neighbourhood } from '../../../src/panels/graph/neighbourhood';

export function node(name: string, change: Partial<NodeView> = {}): NodeView {
  return {
    node: name,
    name: name.slice(name.lastIndexOf('/') + 1),
    title: name.slice(name.lastIndexOf('/') + 1),
    op_type: 'Add',
    scope: '',
    layer: '',
    health: 'fine',
    event: 1,
    origin: false,
    argument: false,
    calls: [],
    opened: false,
    inside: '',
    part: '',
    hidden_inputs: 0,
    hidden_consumers: 0,
    dtypes: ['float32'],
    shapes: [[2, 3]],
    secondary: '',
    ...change,
  };
}

export function edge(source: string, target: string, change: Partial<EdgeView> = {}): EdgeView {
  return { source, slot: 0, target, input: 0, bad: false, ...change };
}

export function view(centre: string, nodes: readonly NodeView[], edges: readonly EdgeView[]): GraphView {
  return { function: 'step', centre, operations: 100, nodes: [...nodes], edges: [...edges] };
}

export function shown(centre: string, nodes: readonly NodeView[], edges: readonly EdgeView[]): Neighbourhood {
  return { nodes, edges, centre, left: 0 };
}
